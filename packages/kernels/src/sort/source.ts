export { RADIX_BITS } from './plan'
export {
  permuteWords,
  radixChunkSums,
  radixCount,
  radixKeys,
  radixScatter,
  radixSpine,
  radixSpread,
  scanBlocksU32,
  scanOffsetsU32,
  scanOnceU32,
} from './radix'
export { radixScatter32 } from './scatter-subgroups'
export { compactFlags, compactScatter, histogram, histogramRange } from './select'
