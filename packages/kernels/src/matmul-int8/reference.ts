import { matmulReference } from '../matmul/reference'

export interface MatmulInt8ReferenceArgs {
  /** [batch, m, k] integers from −128 to 127, not packed; [batch, k, m] with `transposeA`; one matrix where it is for all of the batch */
  readonly a: ArrayLike<number>
  /** [batch, k, n], or [batch, n, k] with `transposeB`; one matrix where it is for all of the batch */
  readonly b: ArrayLike<number>
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch?: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  /** [batch, m, n], what c held before, where it is added to */
  readonly c?: ArrayLike<number> | undefined
}

/**
 * `a · b`, or `c + a · b`, for each of a batch: exact in float64, modulo 2³² as sums in i32 are.
 *
 * @returns `[batch, m, n]`
 * @throws RangeError when an operand does not have the length that the sizes ask for
 */
export const matmulInt8Reference = ({ c, ...product }: MatmulInt8ReferenceArgs): Int32Array<ArrayBuffer> =>
  // a sum of k products is below k · 2¹⁴, and a typed array of integers takes numbers modulo 2³²
  Int32Array.from(matmulReference({ ...product, residual: c }))
