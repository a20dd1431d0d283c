export { attentionForwardOf, attentionForwards, type ForwardOptions } from './forward'
export { attentionMatrices, attentionMatrixOf } from './matrix'
export type { AttentionMatrixOptions } from './matrix-plan'
export { type AttentionTiledOptions, attentionTiledOf, attentionTileds } from './tiled'
