import { expect, test } from 'vitest'
import { maxError } from './max-error'

test('finds the largest difference and scales it by the largest expected value', () => {
  expect(maxError([1, 2.5, 8], [1, 2, 10])).toEqual({ abs: 2, relative: 0.2, index: 2 })
})

test('equal arrays differ by 0, also in NaN, ∞ and the sign of 0', () => {
  const x = [NaN, Infinity, -Infinity, 0, 1]
  expect(maxError(x, [NaN, Infinity, -Infinity, -0, 1])).toEqual({ abs: 0, relative: 0, index: -1 })
  expect(maxError([], [])).toEqual({ abs: 0, relative: 0, index: -1 })
})

test.each([
  [NaN, 1],
  [1, NaN],
  [Infinity, 1],
  [Infinity, -Infinity],
  [1, Infinity],
])('%f is infinitely far from %f', (a, b) => {
  expect(maxError([0, a], [0, b])).toMatchObject({ abs: Infinity, index: 1 })
})

test('refuses arrays of different lengths', () => {
  expect(() => maxError([1], [1, 2])).toThrow('expected 2 elements, got 1')
})
