export { RADIX_BITS, RADIX_BLOCK } from './plan'
export { permuteWords, radixCount, radixKeys, radixScatter, scanBlocksU32, scanOffsetsU32 } from './radix'
export { compactFlags, compactScatter, histogram, histogramRange } from './select'
