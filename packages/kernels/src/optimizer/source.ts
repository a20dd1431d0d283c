export { adamw, adamwHalf } from './adamw'
export { clipByNorm, clipByNormHalf, sgd, sgdHalf } from './sgd'
