export { type Element, type ElementwiseOptions, elementwise } from './elementwise'
export { binary, casts, derivatives, fills, gated, logical, unary } from './ops'
export { MAX_RANK } from './rank'
