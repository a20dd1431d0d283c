import { describe, expect, test } from 'vitest'
import { normal } from '../testing'
import { logSoftmaxReference, softmaxReference } from './reference'

const row = (x: readonly number[]) => ({ x, rows: 1, cols: x.length })

describe('softmax', () => {
  test('of logarithms gives their proportions', () => {
    const y = softmaxReference(row([Math.log(1), Math.log(2), Math.log(5)]))
    for (const [i, expected] of [0.125, 0.25, 0.625].entries()) expect(y[i]).toBeCloseTo(expected, 14)
  })

  test('each row sums to 1 and a shift of the row changes nothing', () => {
    const x = Float64Array.from(normal(1, 5 * 33))
    const y = softmaxReference({ x, rows: 5, cols: 33 })
    const shifted = softmaxReference({ x: x.map((v) => v + 1000), rows: 5, cols: 33 })
    for (let r = 0; r < 5; r++) {
      expect(y.subarray(r * 33, (r + 1) * 33).reduce((sum, v) => sum + v, 0)).toBeCloseTo(1, 12)
    }
    y.forEach((v, i) => {
      expect(shifted[i]).toBeCloseTo(v, 11)
    })
  })

  test('large finite scores neither overflow nor vanish', () => {
    expect([...softmaxReference(row([1e30, 1e30]))]).toEqual([0.5, 0.5])
    expect([...softmaxReference(row([-3e38, 3e38]))]).toEqual([0, 1])
  })

  test('a row that is masked everywhere gives zeros, a masked element 0 (N01)', () => {
    const y = softmaxReference({ x: [-Infinity, -Infinity, 0, -Infinity], rows: 2, cols: 2 })
    expect([...y]).toEqual([0, 0, 1, 0])
  })

  test('a NaN or +∞ stays within its row', () => {
    const y = softmaxReference({ x: [NaN, 1, 0, 0, Infinity, 0, -Infinity, NaN], rows: 4, cols: 2 })
    expect([...y]).toEqual([NaN, NaN, 0.5, 0.5, NaN, NaN, NaN, NaN])
  })

  test.each([
    [0, 4],
    [4, 0],
    [0, 0],
  ])('%i × %i is empty (S22)', (rows, cols) => {
    expect(softmaxReference({ x: [], rows, cols })).toHaveLength(0)
  })

  test('refuses an array of another size', () => {
    expect(() => softmaxReference({ x: [1, 2, 3], rows: 2, cols: 2 })).toThrow('x: expected 4 elements, got 3')
  })
})

describe('log-softmax', () => {
  test('of one value above ln(FLT_MAX) is 0 (N15)', () => {
    expect([...logSoftmaxReference(row([88.8]))]).toEqual([0])
    expect(logSoftmaxReference(row([88.8, 0]))[0]).toBeCloseTo(0, 30)
    expect(logSoftmaxReference(row([88.8, 0]))[1]).toBeCloseTo(-88.8, 12)
  })

  test('is the logarithm of softmax, and reaches further', () => {
    const x = normal(2, 17)
    const y = softmaxReference({ x, rows: 1, cols: 17 })
    logSoftmaxReference({ x, rows: 1, cols: 17 }).forEach((v, i) => {
      expect(v).toBeCloseTo(Math.log(y[i]!), 12)
    })
    expect(logSoftmaxReference(row([0, -1e4]))[1]).toBe(-1e4)
  })

  test('a fully masked row gives −∞', () => {
    expect([...logSoftmaxReference(row([-Infinity, -Infinity]))]).toEqual([-Infinity, -Infinity])
  })
})
