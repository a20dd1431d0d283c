export {
  type GemmBackwardArgs,
  type GemmBackwardReferenceArgs,
  gemmBackward,
  gemmBackwardReference,
} from './backward'
export { chooseGemm, type GemmChoice, type GemmProblem } from './choose'
export { type ChunkProblem, type ChunkSizes, chunkSizes } from './chunks'
export { type GemmArgs, type GemmOptions, gemm } from './host'
export { ACTIVATIONS, type Activation } from './options'
export { type GemmReferenceArgs, gemmReference } from './reference'
export type { MatrixLike, MatrixView } from './views'
