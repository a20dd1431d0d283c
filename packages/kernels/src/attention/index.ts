export { type AttentionArgs, attention } from './host'
export { attentionReference } from './reference'
