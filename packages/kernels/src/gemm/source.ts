export { gemvs } from './few'
export { gemmReduce, gemmReduceHalf } from './join'
export { type GemmOptions, gemmOf, gemms } from './tiled'
