import { gemm } from '../gemm/host'
import {
  type BufferLike,
  checkBuffers,
  checkCall,
  checkSizes,
  keysOf,
  type Runtime,
  SEVERAL_OPTIONS,
  type SeveralOptions,
} from '../host'
import type { Storage } from '../parts/storage'
import { bound, dequantize, type QuantizedWeights } from './host'
import { checkType } from './weights-host'

export interface QuantizedMatmulBackwardArgs {
  readonly weights: QuantizedWeights
  /** [m, n]: the gradient of y = x · Wᵀ */
  readonly dy: BufferLike
  /** [m, k], written: the gradient of x */
  readonly dx: BufferLike
  readonly m: number
  readonly type?: Storage
}

const QUANTIZED_MATMUL_BACKWARD_KEYS = keysOf<QuantizedMatmulBackwardArgs>()('weights dy dx m type')

/**
 * dx = dy · W: the gradient of the input of a layer with quantized weights, which themselves are constants. W is dequantized once into a buffer
 * of n · k elements, since each of its values is used m times.
 */
export async function quantizedMatmulBackward(
  runtime: Runtime,
  args: QuantizedMatmulBackwardArgs,
  options: SeveralOptions = {},
): Promise<void> {
  checkCall('quant_matmul_backward', args, QUANTIZED_MATMUL_BACKWARD_KEYS, options, SEVERAL_OPTIONS)
  const { weights, dy, dx, m, type = 'f32' } = args
  const { n, k } = weights
  const { bindings } = bound('quant_matmul_backward', weights)
  checkSizes('quant_matmul_backward', { m })
  const bytes = checkType('quant_matmul_backward', type)
  checkBuffers('quant_matmul_backward', { ...bindings, dy: [dy, m * n, bytes], dx: [dx, m * k, bytes] })
  using w = runtime.buffer({ size: Math.ceil((n * k * bytes) / 4) * 4 })
  await dequantize(runtime, { weights, y: w, type }, options)
  await gemm(runtime, { a: dy, b: w, c: dx, m, n: k, k: n, type }, options)
}
