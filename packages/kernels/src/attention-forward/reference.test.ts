import { describe, expect, test } from 'vitest'
import { attentionReference } from '../attention/reference'
import { dropThreshold, randomBitsOf } from '../parts/random'
import { normal } from '../testing'
import { attentionForwardReference } from './reference'

const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 5, keys: 9, headSize: 8 }
const inputs = { q: normal(1, 2 * 4 * 5 * 8), k: normal(2, 2 * 2 * 9 * 8), v: normal(3, 2 * 2 * 9 * 8) }
const near = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  expect(a).toHaveLength(b.length)
  Array.from(a).forEach((x, i) => {
    expect(x).toBeCloseTo(b[i]!, 12)
  })
}

describe('attention forward', () => {
  test.each([
    ['all keys', {}],
    ['causal', { causal: true }],
    ['a window', { causal: true, window: 3 }],
    ['a bias and a mask', { bias: normal(4, 45), mask: normal(5, 45).map((x) => Number(x > -1)) }],
  ])('is the plain reference, with %s', (_, options) => {
    const plain = attentionReference({ ...sizes, ...inputs, causal: false, ...options })
    const view = (data: ArrayLike<number> | undefined) => data && { data, strides: [0, 0, 9, 1] as const }
    const { bias, mask, ...rest } = options as { bias?: Float32Array; mask?: Float32Array }
    const views = { ...(bias ? { bias: view(bias)! } : {}), ...(mask ? { mask: view(mask)! } : {}) }
    near(attentionForwardReference({ ...sizes, ...inputs, ...rest, ...views }).out, plain)
  })

  test('the weights of a row are exp(score − lse)', () => {
    const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys: 2, headSize: 1, scale: 1 }
    const { lse } = attentionForwardReference({ ...one, q: [1], k: [Math.log(2), Math.log(3)], v: [0, 0] })
    expect(lse[0]).toBeCloseTo(Math.log(5), 14)
  })

  test('lengths cut a batch off, whatever lies behind, and move the position of its last query', () => {
    const k = inputs.k.map((x, i) => (i >= 2 * 9 * 8 && Math.floor(i / 8) % 9 >= 6 ? Number.NaN : x))
    const { out } = attentionForwardReference({ ...sizes, ...inputs, k, v: k, lengths: [9, 6], causal: true })
    expect(out.some(Number.isNaN)).toBe(false)
    const short = (x: ArrayLike<number>) =>
      [0, 1].flatMap((h) => Array.from(x).slice((2 + h) * 9 * 8, (2 + h) * 9 * 8 + 6 * 8))
    const second = { q: inputs.q.slice(4 * 5 * 8), k: short(k), v: short(k) }
    const alone = attentionForwardReference({ ...sizes, ...second, batch: 1, keys: 6, causal: true })
    near(out.slice(4 * 5 * 8), alone.out)
  })

  test('a capacity above the keys is a stride', () => {
    const wide = (x: Float32Array) =>
      Array.from({ length: 4 * 12 * 8 }, (_, i) =>
        Math.floor(i / 8) % 12 < 9 ? x[(Math.floor(i / 96) * 9 + (Math.floor(i / 8) % 12)) * 8 + (i % 8)]! : Number.NaN,
      )
    const args = { ...sizes, q: inputs.q, k: wide(inputs.k), v: wide(inputs.v), capacity: 12 }
    near(attentionForwardReference(args).out, attentionForwardReference({ ...sizes, ...inputs }).out)
  })

  test('a soft cap bounds scores, and leaves small ones', () => {
    const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys: 2, headSize: 1, scale: 1, q: [1], v: [0, 0] }
    const { lse } = attentionForwardReference({ ...one, k: [1e6, -1e6], softCap: 20 })
    expect(lse[0]).toBeCloseTo(20, 12)
    const small = attentionForwardReference({ ...one, k: [1e-4, 0], softCap: 20 }).lse[0]
    expect(small).toBeCloseTo(attentionForwardReference({ ...one, k: [1e-4, 0] }).lse[0]!, 12)
  })

  test('no key: zeros, and the logarithm of nothing [case-N01]', () => {
    const { out, lse } = attentionForwardReference({ ...sizes, ...inputs, lengths: [0, 9] })
    expect(out.slice(0, 4 * 5 * 8).every((x) => x === 0)).toBe(true)
    expect(lse[0]).toBe(-3e38)
  })

  test('dropped weights are about as many as asked for, and on average nothing changes', () => {
    const threshold = dropThreshold(0.25)
    const keep = (h: number, i: number, j: number) => randomBitsOf(7, [h, i, j]) >= threshold
    const wide = { batch: 1, heads: 40, kvHeads: 40, queries: 10, keys: 50, headSize: 1, scale: 0 }
    const [q, k] = [new Float32Array(400), new Float32Array(2000)]
    const { out } = attentionForwardReference({ ...wide, q, k, v: k.fill(1), keep, keepScale: 1 / 0.75 })
    const mean = out.reduce((a, b) => a + b, 0) / out.length
    // 20,000 Bernoulli variables of variance 1/3: 4 standard deviations
    expect(Math.abs(mean - 1)).toBeLessThan(4 * Math.sqrt(1 / 3 / 20_000))
  })
})
