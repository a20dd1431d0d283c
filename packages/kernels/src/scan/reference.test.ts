import { expect, test } from 'vitest'
import { normal } from '../testing'
import { scanReference } from './reference'

test('sums up to and including each element, or up to it', () => {
  expect([...scanReference({ x: [1, 2, 3, 4] })]).toEqual([1, 3, 6, 10])
  expect([...scanReference({ x: [1, 2, 3, 4], exclusive: true })]).toEqual([0, 1, 3, 6])
})

test('rows are independent, also of a NaN', () => {
  expect([...scanReference({ x: [1, NaN, 3, 4], rows: 2, cols: 2 })]).toEqual([1, NaN, 3, 7])
})

test('inclusive minus exclusive is the input', () => {
  const x = normal(5, 100)
  const inclusive = scanReference({ x })
  scanReference({ x, exclusive: true }).forEach((sum, i) => {
    expect(inclusive[i]! - sum).toBeCloseTo(x[i]!, 12)
  })
})

test('float64 holds what a serial f32 sum loses: 2²⁴ + 1 ones', () => {
  expect(scanReference({ x: [2 ** 24, 1, 1] })[2]).toBe(2 ** 24 + 2)
})

test('an empty input gives an empty result (S22)', () => {
  expect(scanReference({ x: [] })).toHaveLength(0)
  expect(scanReference({ x: [], rows: 3, cols: 0, exclusive: true })).toHaveLength(0)
})

test('refuses an input of another size', () => {
  expect(() => scanReference({ x: [1, 2, 3], rows: 2, cols: 2 })).toThrow('x: expected 4 elements, got 3')
})
