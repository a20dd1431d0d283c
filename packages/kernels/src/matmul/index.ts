export {
  type MatmulBackwardArgs,
  type MatmulBackwardReferenceArgs,
  matmulBackward,
  matmulBackwardReference,
} from './backward'
export { chooseMatmul, type MatmulChoice, type MatmulProblem } from './choose'
export { type ChunkProblem, type ChunkSizes, chunkSizes } from './chunks'
export { type MatmulArgs, type MatmulOptions, matmul } from './host'
export { ACTIVATIONS, type Activation } from './options'
export { type MatmulReferenceArgs, matmulReference } from './reference'
export type { MatrixLike, MatrixView } from './views'
