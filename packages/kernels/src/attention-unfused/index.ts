export { type AttentionUnfusedArgs, attentionUnfused } from './host'
