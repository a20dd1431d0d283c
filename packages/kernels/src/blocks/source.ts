import { weightKernels } from '../quant/weights'
import { BLOCK_FORMATS } from './format'

export { BLOCK_FORMATS } from './format'

/** Kernels over weights in llama.cpp's blocks. */
export const blockKernels = BLOCK_FORMATS.flatMap(weightKernels)
