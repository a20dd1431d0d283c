import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

export interface SaxpyArgs {
  readonly alpha: number
  /** `[n]` */
  readonly x: ArrayLike<number>
  /** `[n]`, not written to */
  readonly y: ArrayLike<number>
}

const KEYS = keysOf<SaxpyArgs>({ alpha: true, x: true, y: true })

/**
 * `alpha · x + y`, elementwise (BLAS level 1, `axpy`), in float64.
 *
 * @returns a new `[n]`
 * @throws RangeError when `x` and `y` differ in length
 */
export function saxpyReference(args: SaxpyArgs): Float64Array {
  checkKeys('saxpyReference', args, KEYS)
  const { alpha, x, y } = args
  expectLength('y', y, x.length)
  return Float64Array.from({ length: x.length }, (_, i) => alpha * x[i]! + y[i]!)
}
