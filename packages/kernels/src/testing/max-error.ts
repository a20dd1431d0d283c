export interface MaxError {
  /** the largest `|actual − expected|`; ∞ where one side is NaN or infinite and the other is not the same */
  readonly abs: number
  /** `abs` over the largest finite `|expected|` (over 1 when that is 0): the error in the scale of the whole result */
  readonly relative: number
  /** where `abs` was found; −1 when there is no difference */
  readonly index: number
}

/**
 * How far a result is from its reference. The relative error is that of the array, not of an element: an element near 0
 * is a difference of large ones, and its own relative error says nothing about the kernel.
 *
 * @throws RangeError when the lengths differ
 */
export function maxError(actual: ArrayLike<number>, expected: ArrayLike<number>): MaxError {
  if (actual.length !== expected.length) {
    throw new RangeError(`expected ${expected.length} elements, got ${actual.length}`)
  }
  let abs = 0
  let index = -1
  let scale = 0
  for (let i = 0; i < expected.length; i++) {
    const error = difference(actual[i]!, expected[i]!)
    if (error > abs) {
      abs = error
      index = i
    }
    if (Number.isFinite(expected[i])) scale = Math.max(scale, Math.abs(expected[i]!))
  }
  return { abs, relative: abs / (scale === 0 ? 1 : scale), index }
}

function difference(actual: number, expected: number): number {
  if (Object.is(actual, expected) || actual === expected) return 0
  const distance = Math.abs(actual - expected)
  return Number.isNaN(distance) ? Infinity : distance
}
