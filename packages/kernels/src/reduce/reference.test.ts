import { expect, test } from 'vitest'
import { reduceFunctions, reduceReference } from './reference'

test('reduces the middle axis', () => {
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
  const args = { x, outer: 2, size: 3, inner: 2 }
  expect([...reduceReference(reduceFunctions.sum, args)]).toEqual([9, 12, 27, 30])
  expect([...reduceReference(reduceFunctions.max, args)]).toEqual([5, 6, 11, 12])
})

test('indices are those of the first of equals, and NaN is the greatest', () => {
  expect(reduceFunctions.argmax([1, 3, 3, 2])).toBe(1)
  expect(reduceFunctions.argmax([1, NaN, Infinity, NaN])).toBe(1)
  expect(reduceFunctions.argmin([NaN, 3, 1, 1])).toBe(2)
  expect(reduceFunctions.argmin([-0, 0])).toBe(0)
})

test('variance of values with a large mean', () => {
  expect(reduceFunctions.variance([1e8 + 1, 1e8 + 2, 1e8 + 3])).toBeCloseTo(2 / 3, 9)
})
