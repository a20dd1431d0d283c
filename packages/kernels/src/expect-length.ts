import { badArgument } from './errors'

/**
 * Throws a `RangeError` that names the array unless it has exactly `expected` elements. A reference that read
 * `undefined` past an end would turn a wrong shape into NaN, far from its cause.
 */
export function expectLength(name: string, array: ArrayLike<unknown>, expected: number): void {
  if (!Number.isInteger(expected) || expected < 0) {
    throw badArgument(`${name}: a size must be an integer ≥ 0, got a length of ${expected}`)
  }
  if (array.length !== expected) throw badArgument(`${name}: expected ${expected} elements, got ${array.length}`)
}
