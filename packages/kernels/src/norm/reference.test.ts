import { expect, test } from 'vitest'
import { normal } from '../testing'
import { rmsnormReference } from './reference'

test('divides by the root of the mean square and scales by the weight', () => {
  // mean square of (3, 4) is 12.5; with eps 12.5 the root is 5
  expect([...rmsnormReference({ x: [3, 4], weight: [1, 10], rows: 1, cols: 2, eps: 12.5 })]).toEqual([0.6, 8])
})

test('the result has a mean square of 1, whatever the scale of the row', () => {
  for (const scale of [1e-15, 1, 1e15]) {
    const x = Float64Array.from(normal(3, 65), (v) => v * scale)
    const y = rmsnormReference({ x, rows: 1, cols: 65, eps: 0 })
    expect(y.reduce((sum, v) => sum + v * v, 0) / 65).toBeCloseTo(1, 12)
  }
})

test('a row of zeros gives zeros, and rows do not mix', () => {
  const y = rmsnormReference({ x: [0, 0, NaN, 1, 2, 2], rows: 3, cols: 2, eps: 1e-5 })
  expect([...y.subarray(0, 4)]).toEqual([0, 0, NaN, NaN])
  expect(y[4]).toBeCloseTo(1, 5)
})

test.each([
  [0, 4],
  [4, 0],
])('%i × %i is empty (S22)', (rows, cols) => {
  const weight = new Float32Array(cols)
  expect(rmsnormReference({ x: [], weight, rows, cols, eps: 1e-5 })).toHaveLength(0)
})

test('refuses a weight of another size', () => {
  const args = { x: [1, 2], weight: [1], rows: 1, cols: 2, eps: 0 }
  expect(() => rmsnormReference(args)).toThrow('weight: expected 2 elements, got 1')
})
