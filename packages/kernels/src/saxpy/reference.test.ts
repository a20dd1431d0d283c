import { expect, test } from 'vitest'
import { saxpyReference } from './reference'

test('adds a multiple of x to y', () => {
  expect([...saxpyReference({ alpha: 2, x: [1, 2, 3], y: [10, 20, 30] })]).toEqual([12, 24, 36])
})

test('leaves y alone and accepts typed arrays', () => {
  const y = Float32Array.of(1, 2)
  expect([...saxpyReference({ alpha: -1, x: Float32Array.of(1, 2), y })]).toEqual([0, 0])
  expect([...y]).toEqual([1, 2])
})

test('an empty vector gives an empty vector', () => {
  expect(saxpyReference({ alpha: 2, x: [], y: [] })).toHaveLength(0)
})

test('refuses vectors of different lengths', () => {
  expect(() => saxpyReference({ alpha: 1, x: [1, 2], y: [1] })).toThrow('y: expected 2 elements, got 1')
})
