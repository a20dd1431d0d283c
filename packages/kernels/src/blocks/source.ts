import { heldKernels } from '../quant/held'
import { lineKernels } from '../quant/lines'
import { matrixKernels } from '../quant/matrices'
import { weightKernels } from '../quant/weights'
import { BLOCK_FORMATS } from './format'
import { BLOCK_HELD } from './held'
import { BLOCK_LINES } from './lines'

export { BLOCK_FORMATS } from './format'
export { blockQuantizers } from './quantize'

/** Kernels over weights in llama.cpp's blocks. */
export const blockKernels = BLOCK_FORMATS.flatMap(weightKernels)

/** Products with few rows at the speed of reading the blocks. */
export const blockLines = BLOCK_LINES.flatMap(lineKernels)

/** The same for one row of x, with x in bytes. */
export const blockOneRow = BLOCK_HELD.flatMap(heldKernels(1))

/** And for two rows at a time. */
export const blockTwoRows = BLOCK_HELD.flatMap(heldKernels(2))

/** Products with many rows by subgroup matrices, where a device has them. */
export const blockMatrices = BLOCK_LINES.flatMap(matrixKernels)
