export { type BackwardForm, chooseFastBackward, type FastBackward } from './choose'
export { type AttentionBackwardArgs, attentionBackward } from './host'
export { type AttentionBackwardReferenceArgs, attentionBackwardReference } from './reference'
