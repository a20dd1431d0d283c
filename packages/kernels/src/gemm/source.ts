export { gemvs } from './few'
export { gemvLines } from './few-lines'
export { gemmReduce, gemmReduceHalf } from './join'
export { type GemmOptions, gemmOf, gemms } from './tiled'
