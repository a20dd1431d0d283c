import { describe, expect, test } from 'vitest'
import { dropThreshold, randomBitsOf } from '../parts/random'
import { normal } from '../testing'
import { type AttentionReferenceArgs, attentionReference } from './reference'

const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 5, keys: 9, headSize: 8 }
const inputs = { q: normal(1, 2 * 4 * 5 * 8), k: normal(2, 2 * 2 * 9 * 8), v: normal(3, 2 * 2 * 9 * 8) }
const near = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  expect(a).toHaveLength(b.length)
  Array.from(a).forEach((x, i) => {
    expect(x).toBeCloseTo(b[i]!, 12)
  })
}

const outputOf = (args: AttentionReferenceArgs): Float64Array => attentionReference(args).out

describe('attention', () => {
  test('the weights of a row are exp(score − lse)', () => {
    const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys: 2, headSize: 1, scale: 1 }
    const { lse } = attentionReference({ ...one, q: [1], k: [Math.log(2), Math.log(3)], v: [0, 0] })
    expect(lse[0]).toBeCloseTo(Math.log(5), 14)
  })

  test('lengths cut a batch off, whatever lies behind, and move the position of its last query', () => {
    const k = inputs.k.map((x, i) => (i >= 2 * 9 * 8 && Math.floor(i / 8) % 9 >= 6 ? Number.NaN : x))
    const { out } = attentionReference({ ...sizes, ...inputs, k, v: k, lengths: [9, 6], causal: true })
    expect(out.some(Number.isNaN)).toBe(false)
    const short = (x: ArrayLike<number>) =>
      [0, 1].flatMap((h) => Array.from(x).slice((2 + h) * 9 * 8, (2 + h) * 9 * 8 + 6 * 8))
    const second = { q: inputs.q.slice(4 * 5 * 8), k: short(k), v: short(k) }
    const alone = attentionReference({ ...sizes, ...second, batch: 1, keys: 6, causal: true })
    near(out.slice(4 * 5 * 8), alone.out)
  })

  test('a capacity above the keys is a stride', () => {
    const wide = (x: Float32Array) =>
      Array.from({ length: 4 * 12 * 8 }, (_, i) =>
        Math.floor(i / 8) % 12 < 9 ? x[(Math.floor(i / 96) * 9 + (Math.floor(i / 8) % 12)) * 8 + (i % 8)]! : Number.NaN,
      )
    const args = { ...sizes, q: inputs.q, k: wide(inputs.k), v: wide(inputs.v), capacity: 12 }
    near(attentionReference(args).out, attentionReference({ ...sizes, ...inputs }).out)
  })

  test('a soft cap bounds scores, and leaves small ones', () => {
    const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys: 2, headSize: 1, scale: 1, q: [1], v: [0, 0] }
    const { lse } = attentionReference({ ...one, k: [1e6, -1e6], softCap: 20 })
    expect(lse[0]).toBeCloseTo(20, 12)
    const small = attentionReference({ ...one, k: [1e-4, 0], softCap: 20 }).lse[0]
    expect(small).toBeCloseTo(attentionReference({ ...one, k: [1e-4, 0] }).lse[0]!, 12)
  })

  test('no key: zeros, and the logarithm of nothing [case-N01]', () => {
    const { out, lse } = attentionReference({ ...sizes, ...inputs, lengths: [0, 9] })
    expect(out.slice(0, 4 * 5 * 8).every((x) => x === 0)).toBe(true)
    expect(lse[0]).toBe(-3e38)
  })

  test('dropped weights are about as many as asked for, and on average nothing changes', () => {
    const threshold = dropThreshold(0.25)
    const keep = (h: number, i: number, j: number) => randomBitsOf(7, [h, i, j]) >= threshold
    const wide = { batch: 1, heads: 40, kvHeads: 40, queries: 10, keys: 50, headSize: 1, scale: 0 }
    const [q, k] = [new Float32Array(400), new Float32Array(2000)]
    const { out } = attentionReference({ ...wide, q, k, v: k.fill(1), keep, keepScale: 1 / 0.75 })
    const mean = out.reduce((a, b) => a + b, 0) / out.length
    // 20,000 Bernoulli variables of variance 1/3: 4 standard deviations
    expect(Math.abs(mean - 1)).toBeLessThan(4 * Math.sqrt(1 / 3 / 20_000))
  })
})

const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys: 1, headSize: 1 }

function randomInputs({ batch, heads, kvHeads, queries, keys, headSize }: typeof one) {
  const kvSize = batch * kvHeads * keys * headSize
  return { q: normal(1, batch * heads * queries * headSize), k: normal(2, kvSize), v: normal(3, kvSize) }
}

/** Scores that are all equal, and `v[j] = j`: the output is the mean position of the keys that a query sees. */
function positions(queries: number, keys: number) {
  const sizes = { ...one, queries, keys }
  return {
    ...sizes,
    q: new Float32Array(queries),
    k: new Float32Array(keys),
    v: Float32Array.from({ length: keys }, (_, j) => j),
  }
}

describe('attention, by hand', () => {
  test('weighs values by the softmax of the scaled scores', () => {
    // scores ln 1 and ln 3, so the weights are 1/4 and 3/4
    const out = outputOf({
      ...one,
      keys: 2,
      q: [2],
      k: [0, Math.log(3)],
      v: [4, 8],
      scale: 0.5,
    })
    expect(out[0]).toBeCloseTo(4 / 4 + (8 * 3) / 4, 14)
  })

  test('the scale is 1 / √headSize by default', () => {
    const sizes = { ...one, keys: 5, headSize: 16, queries: 3 }
    const inputs = { ...sizes, ...randomInputs(sizes) }
    expect(outputOf(inputs)).toEqual(outputOf({ ...inputs, scale: 0.25 }))
  })

  test('head h reads key and value head ⌊h / (heads / kvHeads)⌋ (GQA and MQA)', () => {
    const sizes = { ...one, batch: 2, heads: 4, kvHeads: 2, keys: 3, headSize: 1 }
    const v = Float32Array.from({ length: 2 * 2 * 3 }, (_, i) => Math.floor(i / 3))
    const out = outputOf({ ...sizes, ...randomInputs(sizes), v })
    expect([...out].map(Math.round)).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
    expect(() => outputOf({ ...sizes, ...randomInputs(sizes), heads: 3, q: new Float32Array(6) })).toThrow(
      'heads: expected a multiple of kvHeads = 2, got 3',
    )
  })

  test.each([
    [16, 0],
    [1, 16],
    [1, 64],
    [4, 20],
  ])('causal, %i new tokens after %i past ones (N04)', (fresh, past) => {
    const out = outputOf({ ...positions(fresh, fresh + past), causal: true })
    out.forEach((mean, i) => {
      expect(mean).toBeCloseTo((past + i) / 2, 12)
    })
  })

  test('new tokens after a past equal the last rows of the whole sequence (N04)', () => {
    const whole = { ...one, batch: 2, heads: 2, kvHeads: 2, queries: 24, keys: 24, headSize: 8 }
    const { q, k, v } = randomInputs(whole)
    const all = outputOf({ ...whole, q, k, v, causal: true })
    const rows = (x: ArrayLike<number>) =>
      Array.from({ length: 4 }, (_, head) =>
        Array.prototype.slice.call(x, (head * 24 + 20) * 8, (head + 1) * 24 * 8),
      ).flat()
    const last = outputOf({ ...whole, queries: 4, q: rows(q), k, v, causal: true })
    expect([...last]).toEqual(rows(all))
  })

  test('a query that sees no key gives zeros, the others are untouched (N01)', () => {
    const sizes = { ...one, queries: 4, keys: 4, headSize: 8 }
    const inputs = { ...sizes, ...randomInputs(sizes) }
    const seen = Array.from({ length: 16 }, (_, i) => Number(Math.floor(i / 4) !== 1))
    const expected = outputOf(inputs).map((v, i) => (Math.floor(i / 8) === 1 ? 0 : v))
    expect(outputOf({ ...inputs, mask: { data: seen } })).toEqual(expected)
    expect(outputOf({ ...inputs, bias: { data: seen.map((is) => (is ? 0 : -Infinity)) } })).toEqual(expected)
  })

  test('causal with more queries than keys: the first queries see nothing', () => {
    expect([...outputOf({ ...positions(4, 2), causal: true })]).toEqual([0, 0, 0, 0.5])
  })

  test('a sliding window counts the query itself (N08)', () => {
    const out = outputOf({ ...positions(40, 40), causal: true, window: 4 })
    expect(out[39]).toBeCloseTo(37.5, 12)
    expect(out[2]).toBeCloseTo(1, 12)
  })

  test('a mask per head, and a hidden NaN has no influence', () => {
    const sizes = { ...one, heads: 2, kvHeads: 1, keys: 2 }
    const mask = { data: [0, 1, 1, 1], strides: [0, 2, 2, 1] } as const
    const out = outputOf({ ...sizes, q: [1, 1], k: [NaN, 1], v: [NaN, 5], mask })
    expect([...out]).toEqual([5, NaN])
  })

  test('large scores do not overflow', () => {
    const out = outputOf({ ...one, keys: 2, q: [1e19], k: [1e19, -1e19], v: [3, 4] })
    expect([...out]).toEqual([3])
  })

  test('empty sizes (S22)', () => {
    expect([...outputOf({ ...positions(3, 0) })]).toEqual([0, 0, 0])
    expect(outputOf({ ...positions(0, 3), causal: true })).toHaveLength(0)
    expect(outputOf({ ...one, batch: 0, q: [], k: [], v: [] })).toHaveLength(0)
  })

  test('refuses operands that do not fit', () => {
    expect(() => outputOf({ ...positions(2, 2), v: [1] })).toThrow('v: expected 2 elements, got 1')
  })
})
