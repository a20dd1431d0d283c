import type { BufferLike } from '../host'
import { matmulReference } from '../matmul/reference'
import type { Storage } from '../parts/storage'
import { type Input, type Problem, STEP, sizeOf, trialValues } from '../problem'
import type { FewRows } from './choose'
import type { QuantizedMatmulArgs } from './host'
import { dequantizeWeights, type PackedWeights, quantizeWeights, type WordFormat } from './pack'
import type { DynamicMatmulArgs, QuantizeArgs } from './quantize-host'
import { dynamicMatmulReference } from './reference'

/** What `verify: true` asks of kernels over quantized weights. */

/** A product as small as shows whether a kernel is right. */
export interface MatmulShape {
  readonly m: number
  readonly n: number
  /** Whether weights can be read by whole lines, and for few rows of x how. */
  readonly lines: boolean
  readonly fewRows: FewRows
  /** Whether weights are rounded to f16, as subgroup matrices take them. */
  readonly rounded: boolean
  readonly type: Storage
}

/**
 * y = x · Wᵀ + bias for weights in some format, which are given as inputs and, in float64, as values. A weight is a product or two and a
 * difference whose terms are at most eight times the greatest; sums go in any order.
 */
export function weightsProblem<Weights>(
  { m, n, rounded, type }: MatmulShape,
  k: number,
  given: { readonly inputs: Readonly<Record<string, Input>>; readonly values: Float64Array },
  weightsOf: (buffers: Readonly<Record<string, BufferLike>>) => Weights,
): Problem<Omit<QuantizedMatmulArgs, 'weights'> & { readonly weights: Weights }> {
  const [x, bias] = [trialValues(1, m * k), trialValues(2, n)]
  const product = (a: ArrayLike<number>, b: ArrayLike<number>, c: ArrayLike<number>) =>
    matmulReference({ a, b, bias: c, m, n, k, transposeB: true })
  const expected = product(x, given.values, bias)
  const sizes = product(x.map(Math.abs), given.values.map(Math.abs), bias.map(Math.abs))
  const weight = 32 * STEP * sizeOf(given.values) * k
  const part = (k + 16) * STEP + (rounded ? 2 ** -11 : 0)
  return {
    inputs: { ...given.inputs, x: { values: x, type }, bias: { values: bias, type } },
    results: { y: { expected, type, bound: (i) => part * (sizes[i] as number) + weight } },
    args: (buffers) => ({ ...factorsOf(buffers), weights: weightsOf(buffers), m, type }),
  }
}

const factorsOf = (buffers: Readonly<Record<string, BufferLike>>) => {
  const { x, bias, y } = buffers as Pick<Required<QuantizedMatmulArgs>, 'x' | 'bias' | 'y'>
  return { x, bias, y }
}

const GROUP = 32
const hasGroups = (format: WordFormat): boolean => format === 'int4' || format === 'int4_zeros'

function wordInputs({ w, scales, zeros, format }: PackedWeights): Readonly<Record<string, Input>> {
  const points = zeros && ({ zeros: { values: zeros, type: format === 'uint8' ? 'i32' : 'u32' } } as const)
  return { w: { values: w, type: 'u32' }, scales: { values: scales }, ...points }
}

type WordBuffers = Pick<QuantizedMatmulArgs['weights'], 'w' | 'scales' | 'zeros'>
const wordsOf = (buffers: Readonly<Record<string, BufferLike>>, { format, n, k }: PackedWeights) => {
  const { w, scales, zeros } = buffers as unknown as WordBuffers
  return { format, w, scales, n, k, ...(zeros ? { zeros } : {}), ...(hasGroups(format) ? { group: GROUP } : {}) }
}

/** By lines a whole number of them, and more than subgroup matrices take at once; otherwise a part of a group at the end. */
export function wordsProblem(format: WordFormat, shape: MatmulShape): Problem<QuantizedMatmulArgs> {
  const [n, k] = [shape.n, shape.lines ? 352 : 70]
  const packed = quantizeWeights(format, trialValues(3, n * k), { n, k, ...(hasGroups(format) && { group: GROUP }) })
  const given = { inputs: wordInputs(packed), values: dequantizeWeights(packed) }
  return weightsProblem(shape, k, given, (buffers) => wordsOf(buffers, packed))
}

/** Rows of integers from the least to the greatest, which are what they are quantized to. */
export function dynamicProblem(format: WordFormat, type: Storage): Problem<DynamicMatmulArgs> {
  const [m, n, k] = [3, 67, 70]
  const packed = quantizeWeights(format, trialValues(3, n * k), { n, k, ...(hasGroups(format) && { group: GROUP }) })
  const x = Array.from(trialValues(1, m * k), (v, i) => [-128, 127][i % k] ?? Math.round(v * 120))
  const bias = trialValues(2, n)
  const expected = dynamicMatmulReference({ x, weights: packed, bias, m })
  // exact within a tile of 32; a row has a scale and a zero point, by which a sum is at most this
  const bound = (k / 32 + 10) * STEP * (255 * k * sizeOf(packed.scales) * 127 + 1)
  return {
    inputs: { ...wordInputs(packed), x: { values: x, type }, bias: { values: bias, type } },
    results: { y: { expected, type, bound: () => bound } },
    args: (buffers) => ({ ...factorsOf(buffers), weights: wordsOf(buffers, packed), m, type }),
  }
}

/** Scales and zero points; the words are of no matter, since a value between two integers may become either. */
export function paramsProblem(type: Storage): Problem<QuantizeArgs> {
  const [lines, k, format] = [3, 333, 'uint8'] as const
  const x = trialValues(1, lines * k)
  const { scales, zeros = [], w } = quantizeWeights(format, x, { n: lines, k })
  return {
    inputs: { x: { values: x, type }, w: { values: new Uint32Array(w.length), type: 'u32' } },
    results: {
      scales: { expected: scales, bound: (i) => 8 * STEP * (scales[i] as number) },
      zeros: { expected: zeros, type: 'i32', bound: () => 0 },
    },
    args: (buffers) => ({
      ...(buffers as Pick<QuantizeArgs, 'x' | 'w' | 'scales' | 'zeros'>),
      ...{ format, lines, k, type },
    }),
  }
}
