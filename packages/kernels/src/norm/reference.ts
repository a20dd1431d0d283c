import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

export interface RmsnormArgs {
  /** `[rows, cols]`, row-major */
  readonly x: ArrayLike<number>
  /** `[cols]`; ones when left out */
  readonly weight?: ArrayLike<number>
  readonly rows: number
  readonly cols: number
  /** added to the mean square, in units of x² */
  readonly eps: number
}

const KEYS = keysOf<RmsnormArgs>({ x: true, weight: true, rows: true, cols: true, eps: true })

/**
 * `y[r, c] = x[r, c] / √(mean(x[r, ·]²) + eps) · weight[c]`, in float64 (Zhang and Sennrich, "Root mean square layer
 * normalization", 2019).
 *
 * @returns `[rows, cols]`
 * @throws RangeError when `x` or `weight` does not have the length that `rows` and `cols` ask for
 */
export function rmsnormReference(args: RmsnormArgs): Float64Array {
  checkKeys('rmsnormReference', args, KEYS)
  const { x, weight, rows, cols, eps } = args
  expectLength('x', x, rows * cols)
  if (weight !== undefined) expectLength('weight', weight, cols)
  const y = new Float64Array(rows * cols)
  for (let r = 0; r < rows; r++) {
    let sum = 0
    for (let c = 0; c < cols; c++) sum += x[r * cols + c]! ** 2
    const rms = Math.sqrt(sum / cols + eps)
    for (let c = 0; c < cols; c++) y[r * cols + c] = (x[r * cols + c]! / rms) * (weight?.[c] ?? 1)
  }
  return y
}
