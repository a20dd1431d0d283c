export { decodeCombine, decodeCombineHalf } from './combine'
export { decodeSplits } from './split'
