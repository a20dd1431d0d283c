import { int4, int4Zeros, int8, uint8 } from './format'
import { weightKernels } from './weights'

export { type IntegerFormat, int4, int4Zeros, int8, uint8, type WeightFormat } from './format'
export { dequantizeOf, matvecOf, quantMatmulOf, weightKernels } from './weights'

/** Kernels over weights in words with scales. */
export const quantized = [int8, uint8, int4, int4Zeros].flatMap(weightKernels)
