export { type MaxError, maxError } from './max-error'
export { integers, normal, uniform } from './random'
