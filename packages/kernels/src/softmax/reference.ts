import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

export interface SoftmaxArgs {
  /** `[rows, cols]`, row-major */
  readonly x: ArrayLike<number>
  readonly rows: number
  readonly cols: number
}

const KEYS = keysOf<SoftmaxArgs>({ x: true, rows: true, cols: true })

/**
 * `y[r, c] = exp(x[r, c] − m) / Σ exp(x[r, ·] − m)` with `m = max(x[r, ·])`, in float64.
 *
 * Subtracting the maximum changes nothing mathematically and keeps `exp` in range for any finite row (Milakov and
 * Gimelshein, "Online normalizer calculation for softmax", 2018). By the numerics policy a row of −∞ only, which is a
 * row that is masked everywhere, gives zeros. A NaN or a +∞ makes its own row NaN and no other.
 *
 * @returns `[rows, cols]`
 * @throws RangeError when `x` does not have `rows · cols` elements
 */
export function softmaxReference(args: SoftmaxArgs): Float64Array {
  checkKeys('softmaxReference', args, KEYS)
  const { x, rows, cols } = args
  expectLength('x', x, rows * cols)
  const y = new Float64Array(rows * cols)
  for (let r = 0; r < rows; r++) {
    const { max, sum } = normalizer(x, r * cols, cols)
    if (max === -Infinity) continue
    for (let i = r * cols; i < (r + 1) * cols; i++) y[i] = Math.exp(x[i]! - max) / sum
  }
  return y
}

/**
 * `y[r, c] = x[r, c] − m − ln Σ exp(x[r, ·] − m)`: the logarithm of {@link softmaxReference} without the detour through
 * a probability that may round to 0. A fully masked row gives −∞, the logarithm of its zeros.
 *
 * @returns `[rows, cols]`
 * @throws RangeError when `x` does not have `rows · cols` elements
 */
export function logSoftmaxReference(args: SoftmaxArgs): Float64Array {
  checkKeys('logSoftmaxReference', args, KEYS)
  const { x, rows, cols } = args
  expectLength('x', x, rows * cols)
  const y = new Float64Array(rows * cols)
  for (let r = 0; r < rows; r++) {
    const { max, sum } = normalizer(x, r * cols, cols)
    const log = Math.log(sum)
    for (let i = r * cols; i < (r + 1) * cols; i++) y[i] = max === -Infinity ? -Infinity : x[i]! - max - log
  }
  return y
}

/** The maximum of a row (NaN if it holds one, −∞ if it is empty or fully masked) and Σ exp(x − max). */
function normalizer(x: ArrayLike<number>, start: number, cols: number): { max: number; sum: number } {
  let max = -Infinity
  for (let i = start; i < start + cols; i++) max = Math.max(max, x[i]!)
  let sum = 0
  for (let i = start; i < start + cols; i++) sum += Math.exp(x[i]! - max)
  return { max, sum }
}
