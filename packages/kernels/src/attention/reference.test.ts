import { describe, expect, test } from 'vitest'
import { normal } from '../testing'
import { type AttentionArgs, attentionReference } from './reference'

type Sizes = Pick<AttentionArgs, 'batch' | 'heads' | 'kvHeads' | 'queries' | 'keys' | 'headSize'>

const one: Sizes = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys: 1, headSize: 1 }

function randomInputs({ batch, heads, kvHeads, queries, keys, headSize }: Sizes) {
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

describe('attention', () => {
  test('weighs values by the softmax of the scaled scores', () => {
    // scores ln 1 and ln 3, so the weights are 1/4 and 3/4
    const out = attentionReference({
      ...one,
      keys: 2,
      q: [2],
      k: [0, Math.log(3)],
      v: [4, 8],
      causal: false,
      scale: 0.5,
    })
    expect(out[0]).toBeCloseTo(4 / 4 + (8 * 3) / 4, 14)
  })

  test('the scale is 1 / √headSize by default', () => {
    const sizes = { ...one, keys: 5, headSize: 16, queries: 3 }
    const inputs = { ...sizes, ...randomInputs(sizes), causal: false }
    expect(attentionReference(inputs)).toEqual(attentionReference({ ...inputs, scale: 0.25 }))
  })

  test('head h reads key and value head ⌊h / (heads / kvHeads)⌋ (GQA and MQA)', () => {
    const sizes = { ...one, batch: 2, heads: 4, kvHeads: 2, keys: 3, headSize: 1 }
    const v = Float32Array.from({ length: 2 * 2 * 3 }, (_, i) => Math.floor(i / 3))
    const out = attentionReference({ ...sizes, ...randomInputs(sizes), v, causal: false })
    expect([...out].map(Math.round)).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
    expect(() =>
      attentionReference({ ...sizes, ...randomInputs(sizes), heads: 3, q: new Float32Array(6), causal: false }),
    ).toThrow('heads: expected a multiple of kvHeads = 2, got 3')
  })

  test.each([
    [16, 0],
    [1, 16],
    [1, 64],
    [4, 20],
  ])('causal, %i new tokens after %i past ones (N04)', (fresh, past) => {
    const out = attentionReference({ ...positions(fresh, fresh + past), causal: true })
    out.forEach((mean, i) => {
      expect(mean).toBeCloseTo((past + i) / 2, 12)
    })
  })

  test('new tokens after a past equal the last rows of the whole sequence (N04)', () => {
    const whole = { ...one, batch: 2, heads: 2, kvHeads: 2, queries: 24, keys: 24, headSize: 8 }
    const { q, k, v } = randomInputs(whole)
    const all = attentionReference({ ...whole, q, k, v, causal: true })
    const rows = (x: ArrayLike<number>) =>
      Array.from({ length: 4 }, (_, head) =>
        Array.prototype.slice.call(x, (head * 24 + 20) * 8, (head + 1) * 24 * 8),
      ).flat()
    const last = attentionReference({ ...whole, queries: 4, q: rows(q), k, v, causal: true })
    expect([...last]).toEqual(rows(all))
  })

  test('a query that sees no key gives zeros, the others are untouched (N01)', () => {
    const sizes = { ...one, queries: 4, keys: 4, headSize: 8 }
    const inputs = { ...sizes, ...randomInputs(sizes), causal: false }
    const mask = Array.from({ length: 16 }, (_, i) => Math.floor(i / 4) !== 1)
    const expected = attentionReference(inputs).map((v, i) => (Math.floor(i / 8) === 1 ? 0 : v))
    expect(attentionReference({ ...inputs, mask })).toEqual(expected)
    expect(attentionReference({ ...inputs, bias: mask.map((seen) => (seen ? 0 : -Infinity)) })).toEqual(expected)
  })

  test('causal with more queries than keys: the first queries see nothing', () => {
    expect([...attentionReference({ ...positions(4, 2), causal: true })]).toEqual([0, 0, 0, 0.5])
  })

  test('a sliding window counts the query itself (N08)', () => {
    const out = attentionReference({ ...positions(40, 40), causal: true, window: 4 })
    expect(out[39]).toBeCloseTo(37.5, 12)
    expect(out[2]).toBeCloseTo(1, 12)
  })

  test('a mask per head, and a hidden NaN has no influence', () => {
    const sizes = { ...one, heads: 2, kvHeads: 1, keys: 2 }
    const out = attentionReference({ ...sizes, q: [1, 1], k: [NaN, 1], v: [NaN, 5], causal: false, mask: [0, 1, 1, 1] })
    expect([...out]).toEqual([5, NaN])
  })

  test('large scores do not overflow', () => {
    const out = attentionReference({ ...one, keys: 2, q: [1e19], k: [1e19, -1e19], v: [3, 4], causal: false })
    expect([...out]).toEqual([3])
  })

  test('empty sizes (S22)', () => {
    expect([...attentionReference({ ...positions(3, 0), causal: false })]).toEqual([0, 0, 0])
    expect(attentionReference({ ...positions(0, 3), causal: true })).toHaveLength(0)
    expect(attentionReference({ ...one, batch: 0, q: [], k: [], v: [], causal: false })).toHaveLength(0)
  })

  test('refuses operands that do not fit', () => {
    expect(() => attentionReference({ ...positions(2, 2), mask: [1], causal: false })).toThrow(
      'mask: expected 4 elements, got 1',
    )
  })
})
