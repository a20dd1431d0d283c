export { type AttentionBackwardArgs, attentionBackward } from './host'
export { type AttentionBackwardReferenceArgs, attentionBackwardReference } from './reference'
