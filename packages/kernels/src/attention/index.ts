export { chooseAttention, chooseFastForward, type FastForward } from './choose'
export {
  type AttentionArgs,
  type AttentionShape,
  attention,
  type SightOptions,
} from './host'
export type { MaskOptions, PairInput } from './masks-host'
export {
  type AttentionReferenceArgs,
  type AttentionSight,
  type AttentionSizes,
  attentionReference,
  type PairView,
} from './reference'
