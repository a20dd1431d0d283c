export { attentionWeights } from './weights'
