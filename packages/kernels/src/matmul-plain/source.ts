/** Plain kernels of a product, to read first. The function `matmul` and the kernels that it chooses among are in matmul/ and matmul-fast/. */
export { matmulNaive } from './naive'
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
} from './tiled'
