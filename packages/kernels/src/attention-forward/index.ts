export { chooseAttentionForward } from './choose'
export {
  type AttentionForwardArgs,
  type AttentionShape,
  attentionForward,
  type MaskOptions,
  type PairInput,
  type SightOptions,
} from './host'
export {
  type AttentionForwardReferenceArgs,
  type AttentionSight,
  type AttentionSizes,
  attentionForwardReference,
  type PairView,
} from './reference'
