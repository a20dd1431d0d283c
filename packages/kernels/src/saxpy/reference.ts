import { expectLength } from '../expect-length'

export interface SaxpyArgs {
  readonly alpha: number
  /** `[n]` */
  readonly x: ArrayLike<number>
  /** `[n]`, not written to */
  readonly y: ArrayLike<number>
}

/**
 * `alpha · x + y`, elementwise (BLAS level 1, `axpy`), in float64.
 *
 * @returns a new `[n]`
 * @throws RangeError when `x` and `y` differ in length
 */
export function saxpyReference({ alpha, x, y }: SaxpyArgs): Float64Array {
  expectLength('y', y, x.length)
  return Float64Array.from({ length: x.length }, (_, i) => alpha * x[i]! + y[i]!)
}
