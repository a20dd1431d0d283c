// A-priori bounds on the errors of kernels that compute in f32 (N. Higham, "Accuracy and Stability of Numerical
// Algorithms", 2002, §3). With u = 2⁻²⁴, n roundings one after the other are a relative error of at most
// γ(n) = n·u / (1 − n·u). The bounds hold for every input and any order of summation, so real errors are far below.

import {
  type AttentionReferenceArgs,
  attentionReference,
  type MatmulReferenceArgs,
  matmulReference,
} from '@weft/kernels'

export interface Checked {
  readonly expected: Float64Array
  /** The largest error that each element may have. */
  readonly bound: Float64Array
  /** The bound in words. */
  readonly what: string
}

const U = 2 ** -24
/** One ULP of f32, as a relative error. */
const ULP = 2 * U
const gamma = (n: number): number => (n * U) / (1 - n * U)
const magnitudes = (values: ArrayLike<number>): Float64Array => Float64Array.from(values, Math.abs)

/** c = Σ a·b: a product and k additions are k + 1 roundings of at most Σ |a|·|b|. */
export function matmulBound(expected: Float64Array, args: MatmulReferenceArgs): Checked {
  const size = matmulReference({ ...args, a: magnitudes(args.a), b: magnitudes(args.b), bias: undefined })
  return { expected, bound: size.map((x) => gamma(args.k + 1) * x), what: 'bound: γ(k + 1) · Σ |a|·|b|' }
}

/** The largest Euclidean norm of the rows of a matrix. */
function largestNorm(values: ArrayLike<number>, width: number): number {
  let largest = 0
  for (let start = 0; start < values.length; start += width) {
    let sum = 0
    for (let i = start; i < start + width; i++) sum += (values[i] ?? 0) ** 2
    largest = Math.max(largest, sum)
  }
  return Math.sqrt(largest)
}

/**
 * out = Σ w·v / Σ w with w = exp(s − max). The score s has an error of γ(d + 4)·S, S = scale·‖q‖·‖k‖ being the largest
 * score there can be (the dot product, its partial sums, the scaling). WGSL's exp is within 3 + 2·|x| ULP, of
 * |x| ≤ 2·S. A tile of keys rescales what came before by another exp, and all these exponents together are at most
 * 2·S; there are no more tiles than keys. So a weight has a relative error of at most `weight`, which counts in the
 * numerator and in the denominator, as do the two sums; the division and its product are 4 ULP more.
 */
export function attentionBound(expected: Float64Array, args: AttentionReferenceArgs): Checked {
  const { keys, headSize, scale = 1 / Math.sqrt(headSize) } = args
  const S = scale * largestNorm(args.q, headSize) * largestNorm(args.k, headSize)
  const score = gamma(headSize + 4) * S + U * 2 * S
  const weight = score + (3 + 4 * S) * ULP + keys * 4 * ULP + 4 * S * ULP
  const relative = 2 * (weight + gamma(2 * keys)) + 4 * ULP
  const size = attentionReference({ ...args, v: magnitudes(args.v) }).out
  return { expected, bound: size.map((x) => relative * x), what: `bound: ${relative.toExponential(1)} · Σ w·|v|` }
}

/** How far `actual` is from what was expected, and the largest error as a part of its bound. */
export function check(
  actual: ArrayLike<number>,
  { expected, bound }: Checked,
): { maxError: number; worst: number; ok: boolean } {
  if (actual.length !== expected.length) throw new RangeError(`${actual.length} elements, expected ${expected.length}`)
  let [maxError, worst] = [0, 0]
  for (let i = 0; i < expected.length; i++) {
    const error = Math.abs((actual[i] ?? Number.NaN) - (expected[i] ?? 0))
    // a NaN is beyond every bound, and one that is compared is in none
    const part = Number.isNaN(error) ? Infinity : error === 0 ? 0 : error / (bound[i] ?? 0)
    maxError = Math.max(maxError, Number.isNaN(error) ? Infinity : error)
    worst = Math.max(worst, part)
  }
  return { maxError, worst, ok: worst <= 1 }
}
