import { argsOf, floatType, input, object, output, size } from '../args'
import {
  type BufferLike,
  bytesIn,
  checkBuffers,
  checkCall,
  type Runtime,
  SEVERAL_OPTIONS,
  type SeveralOptions,
} from '../host'
import { matmul } from '../matmul/host'
import type { Storage } from '../parts/storage'
import { bound, dequantize, type QuantizedWeights, WEIGHTS_ARGS } from './host'

export interface QuantizedMatmulBackwardArgs {
  readonly weights: QuantizedWeights
  /** [m, n]: the gradient of y = x · Wᵀ */
  readonly dy: BufferLike
  /** [m, k], written: the gradient of x */
  readonly dx: BufferLike
  readonly m: number
  readonly type?: Storage
}

const QUANTIZED_MATMUL_BACKWARD_ARGS = argsOf<QuantizedMatmulBackwardArgs>({
  weights: object(WEIGHTS_ARGS),
  dy: input,
  dx: output,
  m: size,
  type: floatType,
})

/**
 * dx = dy · W: the gradient of the input of a layer with quantized weights, which themselves are constants. W is dequantized once into a buffer
 * of n · k elements, since each of its values is used m times.
 */
export async function quantizedMatmulBackward(
  runtime: Runtime,
  args: QuantizedMatmulBackwardArgs,
  options: SeveralOptions = {},
): Promise<void> {
  checkCall(runtime, 'quantizedMatmulBackward', args, QUANTIZED_MATMUL_BACKWARD_ARGS, options, SEVERAL_OPTIONS)
  const { weights, dy, dx, m, type = 'f32' } = args
  const { n, k } = weights
  const { bindings } = bound('quantizedMatmulBackward', weights)
  const bytes = bytesIn(type)
  checkBuffers('quantizedMatmulBackward', { ...bindings, dy: [dy, m * n, bytes], dx: [dx, m * k, bytes] })
  using w = runtime.buffer({ size: Math.ceil((n * k * bytes) / 4) * 4 })
  await dequantize(runtime, { weights, y: w, type }, options)
  await matmul(runtime, { a: dy, b: w, c: dx, m, n: k, k: n, type }, options)
}
