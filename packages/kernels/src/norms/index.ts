export {
  type GroupnormBackwardArgs,
  groupnormBackward,
  type LayernormBackwardArgs,
  layernormBackward,
  type RowGradientArgs,
  rmsnormBackward,
} from './backward-host'
export {
  type GroupnormArgs,
  groupnorm,
  type LayernormArgs,
  layernorm,
  type ResidualRmsnormArgs,
  residualRmsnorm,
} from './host'
export { type NormReferenceArgs, type NormShape, normBackwardReference, normReference } from './reference'
export type { NormType } from './shapes'
