import { expectLength } from '../expect-length'

export interface MatmulArgs {
  /** `[m, k]`, or `[k, m]` with `transposeA`; row-major */
  readonly a: ArrayLike<number>
  /** `[k, n]`, or `[n, k]` with `transposeB`; row-major */
  readonly b: ArrayLike<number>
  /** `[n]`, added to each row of the product */
  readonly bias?: ArrayLike<number> | undefined
  readonly m: number
  readonly n: number
  readonly k: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
}

/**
 * `c[i, j] = Σₗ a[i, l] · b[l, j] + bias[j]`, accumulated in float64, for any sizes ≥ 0: with `k = 0` the sum is empty and
 * the result is the bias, or zeros.
 *
 * @returns `[m, n]`, row-major
 * @throws RangeError when an operand does not have the length that `m`, `n` and `k` ask for
 */
export function matmulReference(args: MatmulArgs): Float64Array {
  const { a, b, bias, m, n, k, transposeA = false, transposeB = false } = args
  expectLength('a', a, m * k)
  expectLength('b', b, k * n)
  if (bias !== undefined) expectLength('bias', bias, n)
  const c = new Float64Array(m * n)
  for (let i = 0; i < m; i++) {
    const row = c.subarray(i * n, (i + 1) * n)
    if (bias !== undefined) for (let j = 0; j < n; j++) row[j] = bias[j]!
    // The innermost loop runs along a row of c and b, which is what makes 512³ take a fraction of a second.
    for (let l = 0; l < k; l++) {
      const scale = transposeA ? a[l * m + i]! : a[i * k + l]!
      if (transposeB) for (let j = 0; j < n; j++) row[j]! += scale * b[j * k + l]!
      else for (let j = 0; j < n; j++) row[j]! += scale * b[l * n + j]!
    }
  }
  return c
}
