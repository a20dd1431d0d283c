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
