/** What of the library's kernels can be chosen, for `weft tune packages/kernels/src/tunables.ts#NAME`; see docs/tuning.md. */
export { gemmBlocks, gemmMatrices, gemmShipped } from './gemm-fast/tunables'
export { quantMatvecs } from './quant/tunables'
