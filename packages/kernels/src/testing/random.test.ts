import { expect, test } from 'vitest'
import { integers, normal, uniform } from './random'

test('the same seed gives the same values, a longer array starts with the shorter one', () => {
  expect(uniform(7, 1000).subarray(0, 10)).toEqual(uniform(7, 10))
  expect(normal(7, 1000).subarray(0, 10)).toEqual(normal(7, 10))
  expect(uniform(7, 10)).not.toEqual(uniform(8, 10))
})

test('known values, so that no change of the generator passes unseen', () => {
  expect([...integers(1, 4, 2 ** 32)]).toMatchInlineSnapshot(`
    [
      470202861,
      856825312,
      2644785797,
      524379015,
    ]
  `)
})

test('uniform values fill their range evenly', () => {
  const x = uniform(1, 100_000, -2, 6)
  expect(Math.min(...x.subarray(0, 50_000))).toBeGreaterThanOrEqual(-2)
  expect(Math.max(...x.subarray(0, 50_000))).toBeLessThanOrEqual(6)
  const bins = new Array<number>(16).fill(0)
  for (const v of x) bins[Math.min(15, Math.floor((v + 2) * 2))]!++
  for (const count of bins) expect(Math.abs(count - 6250)).toBeLessThan(6 * Math.sqrt(6250))
})

test('normal values have mean 0, variance 1 and no correlation with their neighbour', () => {
  const x = normal(2, 100_000)
  const mean = (f: (v: number, i: number) => number) => x.reduce((sum, v, i) => sum + f(v, i), 0) / x.length
  expect(mean((v) => v)).toBeCloseTo(0, 1)
  expect(mean((v) => v * v)).toBeCloseTo(1, 1)
  expect(mean((v) => v ** 4)).toBeCloseTo(3, 0)
  expect(mean((v, i) => v * x[(i + 1) % x.length]!)).toBeCloseTo(0, 1)
  expect(x.every(Number.isFinite)).toBe(true)
})

test('integers stay below their limit', () => {
  expect(new Set(integers(3, 1000, 5))).toEqual(new Set([0, 1, 2, 3, 4]))
})
