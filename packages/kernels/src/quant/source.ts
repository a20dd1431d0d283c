import { dynamicMatmulOf } from './dynamic'
import { int4, int4Zeros, int8, uint8 } from './format'
import { heldKernels } from './held'
import { HELD_FORMATS } from './held-formats'
import { LINE_FORMATS } from './line-formats'
import { lineKernels } from './lines'
import { matrixKernels } from './matrices'
import { weightKernels } from './weights'

export { addInt8, reluInt8 } from './arithmetic'
export { dynamicMatmulOf } from './dynamic'
export { type IntegerFormat, int4, int4Zeros, int8, uint8, type WeightFormat } from './format'
export { packZeroPoints, quantizers } from './quantize'
export { dequantizeOf, matvecOf, quantMatmulOf, weightKernels } from './weights'

/** Kernels over weights in words with scales. */
export const quantized = [int8, uint8, int4, int4Zeros].flatMap(weightKernels)

/** Products in integers, with activations in int8. */
export const dynamicMatmuls = (['f32', 'f16'] as const).flatMap((storage) =>
  [int8, int4, int4Zeros].map((format) => dynamicMatmulOf(format, storage)),
)

/** Products with few rows at the speed of reading the weights. */
export const quantLines = LINE_FORMATS.flatMap(lineKernels)

/** The same for one row of x, with x in bytes. */
export const quantOneRow = HELD_FORMATS.flatMap(heldKernels(1))

/** And for two rows at a time. */
export const quantTwoRows = HELD_FORMATS.flatMap(heldKernels(2))

/** Products with many rows by subgroup matrices, where a device has them. */
export const quantMatrices = LINE_FORMATS.flatMap(matrixKernels)
