export { chooseAttentionForward, chooseFastForward, type FastForward } from './choose'
export {
  type AttentionForwardArgs,
  type AttentionShape,
  attentionForward,
  type SightOptions,
} from './host'
export type { MaskOptions, PairInput } from './masks-host'
export {
  type AttentionForwardReferenceArgs,
  type AttentionSight,
  type AttentionSizes,
  attentionForwardReference,
  type PairView,
} from './reference'
