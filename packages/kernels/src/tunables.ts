/** What of the library's kernels can be chosen, for `weft tune packages/kernels/src/tunables.ts#NAME`; see docs/tuning.md. */
export { matmulBlocks, matmulMatrices, matmulShipped } from './matmul-fast/tunables'
export { quantMatvecs } from './quant/tunables'
