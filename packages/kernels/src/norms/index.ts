export {
  type GroupnormArgs,
  type GroupnormBackwardArgs,
  groupnorm,
  groupnormBackward,
  type LayernormArgs,
  type LayernormBackwardArgs,
  layernorm,
  layernormBackward,
  type NormType,
  type ResidualRmsnormArgs,
  type RowGradientArgs,
  residualRmsnorm,
  rmsnormBackward,
} from './host'
export { type NormReferenceArgs, type NormShape, normBackwardReference, normReference } from './reference'
