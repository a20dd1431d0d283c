import { describe, expect, it, test } from 'vitest'
import { integers, normal } from '../testing'
import { partOf, temperatureParams } from './plan'
import { dropoutReference, sampleReference, sampleWeights, topKReference, weightOfDistance } from './reference'

const softmax = (x: ArrayLike<number>, temperature: number): number[] => {
  const top = Math.max(...Array.from(x))
  const parts = Array.from(x, (value) => Math.exp((value - top) / temperature))
  const sum = parts.reduce((a, b) => a + b, 0)
  return parts.map((part) => part / sum)
}

describe('weights', () => {
  test('are powers of two within 2⁻¹⁴, and never grow with the distance by more than two of their steps', () => {
    let before = Infinity
    for (let distance = 0; distance < 65_536; distance += 7) {
      const weight = weightOfDistance(distance)
      expect(Math.abs(weight / 2 ** (28 - distance / 65_536) - 1)).toBeLessThan(2 ** -14)
      expect(weight).toBeLessThanOrEqual(before + 2 * 2 ** 12)
      before = weight
    }
    expect(weightOfDistance(28 * 65_536)).toBe(0)
    expect(weightOfDistance(27 * 65_536)).toBe(1)
  })

  test.each([0.25, 1, 3])('are the softmax at temperature %f', (temperature) => {
    const x = normal(1, 1000).map((v) => 3 * v)
    const weights = sampleWeights(x, temperature)
    const sum = weights.reduce((a, b) => a + b, 0)
    // 2⁻¹⁴ of a weight and 2⁻¹⁴ of the sum; and less than one step for each
    for (const [i, p] of softmax(x, temperature).entries())
      expect(Math.abs(weights[i]! / sum - p)).toBeLessThan(p * 2 ** -13 + 1001 / sum)
  })

  test('of what is not finite', () => {
    const full = weightOfDistance(0)
    expect(sampleWeights([1, -Infinity, 1], 1)).toEqual([full, 0, full])
    expect(sampleWeights([-Infinity, -Infinity], 1)).toEqual([full, full])
    expect(sampleWeights([3e38, Infinity, -3e38], 1)).toEqual([0, full, 0])
    expect(sampleWeights([NaN, Infinity, 0, NaN], 1)).toEqual([full, 0, 0, full])
    expect(sampleWeights([3e38, -3e38], 1)).toEqual([full, 0])
  })

  test('temperatures at the ends of f32', () => {
    // normal numbers of f32
    for (const temperature of [5e-324, 1e-45, 1e-30, 1e30, 1e38, Number.MAX_VALUE])
      for (const value of Object.values(temperatureParams(temperature))) {
        expect(value).toBeGreaterThan(2 ** -126)
        expect(value).toBeLessThan(2 ** 127)
      }
    expect(sampleWeights([1, 2], 1e-45)).toEqual([0, weightOfDistance(0)])
    expect(sampleWeights([1, 2], 1e38)).toEqual([weightOfDistance(0), weightOfDistance(0)])
  })
})

describe('sampling', () => {
  const logits = Float32Array.of(1, 3, -2, 3, 0, 2.5)
  const n = 20_000
  const draws = (options: object): number[] => {
    const counts = new Array<number>(6).fill(0)
    for (let step = 0; step < n; step++) {
      const [column] = sampleReference({ logits, seeds: [7], rows: 1, cols: 6, step, ...options })
      counts[column!]!++
    }
    return counts
  }
  /** Σ (seen − expected)² / expected, of which 99.99 % are below 25.7 for 5 degrees of freedom. */
  const chi = (counts: readonly number[], p: readonly number[]): number =>
    counts.reduce((sum, count, i) => sum + (p[i] === 0 ? 0 : (count - n * p[i]!) ** 2 / (n * p[i]!)), 0)
  const only = (columns: readonly number[]): number[] => {
    const p = softmax(logits, 1).map((value, i) => (columns.includes(i) ? value : 0))
    const sum = p.reduce((a, b) => a + b, 0)
    return p.map((value) => value / sum)
  }

  it.each([0.7, 1, 2])('follows the softmax at temperature %f', (temperature) => {
    expect(chi(draws({ temperature }), softmax(logits, temperature))).toBeLessThan(25.7)
  })

  it('top-k keeps the k greatest, of equals the first', () => {
    expect(draws({ topK: 1 })).toEqual([0, n, 0, 0, 0, 0])
    const counts = draws({ topK: 3 })
    expect([counts[0], counts[2], counts[4]]).toEqual([0, 0, 0])
    expect(chi(counts, only([1, 3, 5]))).toBeLessThan(25.7)
  })

  it('top-p keeps the fewest that are more than p together', () => {
    // 0.35, 0.35, 0.21, …
    expect(draws({ topP: 0 })).toEqual([0, n, 0, 0, 0, 0])
    const counts = draws({ topP: 0.6 })
    expect([counts[0], counts[2], counts[4], counts[5]]).toEqual([0, 0, 0, 0])
    expect(chi(counts, only([1, 3]))).toBeLessThan(25.7)
    expect(chi(draws({ topP: 0.8 }), only([1, 3, 5]))).toBeLessThan(25.7)
  })

  it('exactly p is not more than p', () => {
    const halves = { logits: [4, 4], seeds: integers(1, 64, 2 ** 32), cols: 2, rows: 1 }
    const both = Array.from({ length: 64 }, (_, step) => sampleReference({ ...halves, step, topP: 0.5 })[0])
    expect(new Set(both)).toEqual(new Set([0, 1]))
    const one = Array.from({ length: 64 }, (_, step) => sampleReference({ ...halves, step, topP: 0.4999 })[0])
    expect(new Set(one)).toEqual(new Set([0]))
  })

  it('parts are whole only at 1', () => {
    expect([0, 0.5, 1 - 2 ** -40, 1].map(partOf)).toEqual([0, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1])
  })

  it('depends on the seed of the row, and not on its place', () => {
    const x = normal(2, 400)
    const twice = Float32Array.of(...x, ...x)
    const [a, b] = sampleReference({ logits: twice, seeds: [5, 5], rows: 2, cols: 400 })
    expect(a).toBe(b)
    const rows = 50
    const many = Float32Array.from({ length: rows * 400 }, (_, i) => x[i % 400]!)
    const seeds = Array.from({ length: rows }, (_, i) => i)
    expect(new Set(sampleReference({ logits: many, seeds, rows, cols: 400 })).size).toBeGreaterThan(30)
  })
})

test('the greatest of rows', () => {
  const x = [1, 3, NaN, 3, -0, 0, -Infinity, 0]
  expect(topKReference({ x, rows: 2, cols: 4, k: 3 })).toEqual({
    values: Float64Array.of(NaN, 3, 3, -0, 0, 0),
    indices: Uint32Array.of(2, 1, 3, 0, 1, 3),
  })
})

describe('dropout', () => {
  const n = 40_000
  const ones = new Float32Array(n).fill(1)

  it.each([0.1, 0.5, 0.9])('drops %f of the elements, and keeps the mean', (p) => {
    const y = dropoutReference(ones, { seed: 3, p })
    const dropped = y.filter((value) => value === 0).length
    // 5 standard deviations
    expect(Math.abs(dropped - n * p)).toBeLessThan(5 * Math.sqrt(n * p * (1 - p)))
    expect(new Set(y)).toEqual(new Set([0, Math.fround(1 / (1 - p))]))
  })

  it('0 drops nothing; another seed or stream is another mask', () => {
    expect(dropoutReference([1, NaN, -3], { seed: 3, p: 0 })).toEqual(Float64Array.of(1, NaN, -3))
    const masks = [{ seed: 1 }, { seed: 2 }, { seed: 1, stream: 1 }].map((key) =>
      dropoutReference(ones.subarray(0, 64), { ...key, p: 0.5 }).join(),
    )
    expect(new Set(masks).size).toBe(3)
  })

  it('is its own backward, against central differences', () => {
    const options = { seed: 9, stream: 4, p: 0.3 }
    const [x, dy] = [normal(1, 33), normal(2, 33)]
    const loss = (values: ArrayLike<number>): number =>
      dropoutReference(values, options).reduce((sum, y, i) => sum + y * dy[i]!, 0)
    const dx = dropoutReference(dy, options)
    for (let i = 0; i < 33; i++) {
      const at = (h: number) => loss(Array.from(x, (value, j) => (i === j ? value + h : value)))
      expect((at(1e-3) - at(-1e-3)) / 2e-3).toBeCloseTo(dx[i]!, 9)
    }
  })
})
