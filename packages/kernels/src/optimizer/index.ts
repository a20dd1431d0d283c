export { type AdamwArgs, adamw, type ClipArgs, clipByNorm, type OptimizerType, type SgdArgs, sgd } from './host'
export { type AdamwOptions, adamwReference, clipReference, type SgdOptions, sgdReference } from './reference'
