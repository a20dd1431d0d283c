import fc from 'fast-check'
import { expect, it } from 'vitest'
import { statisticsOf } from './statistics'

it('summarizes times in any order', () => {
  expect(statisticsOf([5, 1, 3])).toEqual({ count: 3, min: 1, median: 3, p95: 5, total: 9 })
  expect(statisticsOf([4, 1, 3, 2])).toEqual({ count: 4, min: 1, median: 2.5, p95: 4, total: 10 })
  expect(statisticsOf([7])).toEqual({ count: 1, min: 7, median: 7, p95: 7, total: 7 })
  expect(statisticsOf([])).toBe(null)
})

it('takes for p95 the smallest time that 95 % do not exceed', () => {
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => n - i)
  expect(statisticsOf(upTo(100))?.p95).toBe(95)
  expect(statisticsOf(upTo(20))?.p95).toBe(19)
  expect(statisticsOf(upTo(21))?.p95).toBe(20)
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 1 }), (times) => {
      const p95 = statisticsOf(times)?.p95 as number
      const within = (most: number) => times.filter((time) => time <= most).length / times.length
      expect(within(p95)).toBeGreaterThanOrEqual(0.95)
      expect(within(p95 - 1)).toBeLessThan(0.95)
    }),
  )
})
