import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

export interface ScanArgs {
  /** `[rows, cols]`, row-major */
  readonly x: ArrayLike<number>
  /** independent sequences in `x`; 1 when left out */
  readonly rows?: number
  /** length of each sequence; all of `x` when left out */
  readonly cols?: number
  /** leave the element itself out of its sum: `y[r, 0] = 0` */
  readonly exclusive?: boolean
}

const KEYS = keysOf<ScanArgs>({ x: true, rows: true, cols: true, exclusive: true })

/**
 * Prefix sums along each row, in float64: `y[r, c] = Σ x[r, j]` over `j ≤ c`, or over `j < c` when exclusive.
 *
 * @returns `[rows, cols]`
 * @throws RangeError when `x` does not have `rows · cols` elements
 */
export function scanReference(args: ScanArgs): Float64Array {
  checkKeys('scanReference', args, KEYS)
  const { x, rows = 1, cols = x.length, exclusive = false } = args
  expectLength('x', x, rows * cols)
  const y = new Float64Array(rows * cols)
  for (let r = 0; r < rows; r++) {
    let sum = 0
    for (let i = r * cols; i < (r + 1) * cols; i++) {
      if (exclusive) y[i] = sum
      sum += x[i]!
      if (!exclusive) y[i] = sum
    }
  }
  return y
}
