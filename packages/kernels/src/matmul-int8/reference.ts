import { checkKeys, keysOf } from '../args'
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

const KEYS = keysOf<MatmulInt8ReferenceArgs>({
  a: true,
  b: true,
  m: true,
  n: true,
  k: true,
  batch: true,
  transposeA: true,
  transposeB: true,
  c: true,
})

/**
 * `a · b`, or `c + a · b`, for each of a batch: exact in float64, modulo 2³² as sums in i32 are.
 *
 * @returns `[batch, m, n]`
 * @throws RangeError when an operand does not have the length that the sizes ask for
 */
export function matmulInt8Reference(args: MatmulInt8ReferenceArgs): Int32Array<ArrayBuffer> {
  checkKeys('matmulInt8Reference', args, KEYS)
  const { c, ...product } = args
  // a sum of k products is below k · 2¹⁴, and a typed array of integers takes numbers modulo 2³²
  return Int32Array.from(matmulReference({ ...product, residual: c }))
}
