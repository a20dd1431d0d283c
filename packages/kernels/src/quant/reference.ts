import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'
import { matmulReference } from '../matmul/reference'
import { roundEven } from '../parts/half'
import { affineParams, dequantizeWeights, type PackedWeights, type QuantParams } from './pack'

const PARAMS_KEYS = keysOf<QuantParams>({ scale: true, zero: true })
const LOW = -128
const HIGH = 127

/** clamp(round(value / scale) + zero, low, high), halves to even. */
export function quantizeReference(
  values: ArrayLike<number>,
  params: QuantParams,
  low = LOW,
  high = HIGH,
): Int32Array<ArrayBuffer> {
  checkKeys('quantizeReference', params, PARAMS_KEYS)
  const { scale, zero } = params
  return Int32Array.from({ length: values.length }, (_, i) =>
    Math.min(Math.max(roundEven((values[i] as number) / scale) + zero, low), high),
  )
}

export interface DynamicMatmulReferenceArgs {
  /** [m, k] */
  readonly x: ArrayLike<number>
  readonly weights: PackedWeights
  readonly bias?: ArrayLike<number>
  readonly m: number
}

const DYNAMIC_KEYS = keysOf<DynamicMatmulReferenceArgs>({ x: true, weights: true, bias: true, m: true })

/** x · Wᵀ + bias in float64, with each row of x as it is after quantization to int8. */
export function dynamicMatmulReference(args: DynamicMatmulReferenceArgs): Float64Array {
  checkKeys('dynamicMatmulReference', args, DYNAMIC_KEYS)
  const { x, weights, bias, m } = args
  const { n, k } = weights
  expectLength('x', x, m * k)
  const rounded = new Float64Array(m * k)
  for (let i = 0; i < m; i++) {
    const row = Array.from({ length: k }, (_, j) => x[i * k + j] as number)
    const params = affineParams(row, LOW, HIGH)
    quantizeReference(row, params).forEach((q, j) => {
      rounded[i * k + j] = (q - params.zero) * params.scale
    })
  }
  return matmulReference({
    ...{ a: rounded, b: dequantizeWeights(weights), m, n, k, transposeB: true },
    ...(bias ? { bias } : {}),
  })
}

/** Of int8 values: quantize((x - zero) scale + (y - zero) scale). */
export function addInt8Reference(
  x: ArrayLike<number>,
  ofX: QuantParams,
  y: ArrayLike<number>,
  ofY: QuantParams,
  out: QuantParams,
): Int32Array<ArrayBuffer> {
  for (const params of [ofX, ofY, out]) checkKeys('addInt8Reference', params, PARAMS_KEYS)
  return quantizeReference(
    Array.from({ length: x.length }, (_, i) => {
      const left = ((x[i] as number) - ofX.zero) * ofX.scale
      return left + ((y[i] as number) - ofY.zero) * ofY.scale
    }),
    out,
  )
}

/** Of int8 values: quantize(max((x - zero) scale, 0)). */
export function reluInt8Reference(x: ArrayLike<number>, ofX: QuantParams, out: QuantParams): Int32Array<ArrayBuffer> {
  for (const params of [ofX, out]) checkKeys('reluInt8Reference', params, PARAMS_KEYS)
  return quantizeReference(
    Array.from({ length: x.length }, (_, i) => Math.max(((x[i] as number) - ofX.zero) * ofX.scale, 0)),
    out,
  )
}
