/** `@weft/kernels/source`: the kernels as DSL values, and the factories that specialize them. */
export { attention, flashAttention, keyTile } from './attention/flash'
export { matmulNaive } from './matmul/naive'
export {
  matmul,
  matmulBias,
  matmulBiasTransposeA,
  matmulBiasTransposeB,
  matmulBiasTransposeBoth,
  matmulTransposeA,
  matmulTransposeB,
  matmulTransposeBoth,
  type TiledOptions,
  tiledMatmul,
} from './matmul/tiled'
export { MAX, REDUCE_VARIANTS, SUM, workgroupReduce } from './parts/reduce'
export { rmsnorm } from './rmsnorm/rmsnorm'
export { saxpy } from './saxpy/saxpy'
export { SCAN_BLOCK } from './scan/plan'
export { scanBlocks, scanOffsets } from './scan/scan'
export { softmax } from './softmax/softmax'
