export { decodeCombine, decodeCombineHalf } from './combine'
export { decodeSplits } from './split'
export { decodeStreamOf, decodeStreams, type StreamOptions } from './stream'
