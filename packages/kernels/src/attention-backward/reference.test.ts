import { expect, test } from 'vitest'
import { type AttentionReferenceArgs, attentionReference } from '../attention/reference'
import { normal } from '../testing'
import { attentionBackwardReference } from './reference'

const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 3, keys: 5, headSize: 4 }

test.each<[string, Partial<AttentionReferenceArgs>]>([
  ['all keys', {}],
  ['causal, more queries than keys', { causal: true, queries: 7 }],
  ['a window and a past', { window: 2, past: 1 }],
  ['a soft cap and a scale', { softCap: 0.7, scale: 0.9 }],
  [
    'lengths, a bias and a mask',
    {
      lengths: [5, 2],
      bias: { data: normal(7, 15), strides: [0, 0, 5, 1] },
      mask: { data: [1, 0, 1, 1, 1], strides: [0, 0, 0, 1] },
    },
  ],
  ['a bias for keys of a batch, a soft cap', { softCap: 0.7, bias: { data: normal(8, 10), strides: [5, 0, 0, 1] } }],
  ['a bias for heads', { causal: true, bias: { data: normal(9, 4), strides: [0, 1, 0, 0] } }],
  ['dropout', { keep: (h, i, j) => (h + 2 * i + j) % 3 > 0, keepScale: 1.5 }],
])('the gradients are those of finite differences: %s', (_, options) => {
  const all = { ...sizes, ...options }
  const rows = all.batch * all.heads * all.queries * all.headSize
  const pairs = all.batch * all.kvHeads * all.keys * all.headSize
  const x = {
    q: Float64Array.from(normal(1, rows)),
    k: Float64Array.from(normal(2, pairs)),
    v: Float64Array.from(normal(3, pairs)),
  }
  const dout = normal(4, rows)
  const loss = (): number =>
    attentionReference({ ...all, ...x, ...(bias && { bias }) }).out.reduce((sum, value, i) => sum + value * dout[i]!, 0)
  const { dq, dk, dv, dbias } = attentionBackwardReference({ ...all, ...x, dout })
  const added = Float64Array.from(all.bias?.data ?? [])
  const bias = all.bias && { ...all.bias, data: added }
  expect(dbias).toHaveLength(added.length)
  for (const [values, gradient] of [
    [x.q, dq],
    [x.k, dk],
    [x.v, dv],
    [added, dbias],
  ] as const) {
    for (let i = 0; i < values.length; i += 3) {
      const [value, h] = [values[i]!, 1e-5]
      values[i] = value + h
      const above = loss()
      values[i] = value - h
      expect(gradient[i]).toBeCloseTo((above - loss()) / (2 * h), 6)
      values[i] = value
    }
  }
})

test('refuses a gradient of another size', () => {
  const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys: 1, headSize: 1, q: [1], k: [1], v: [1] }
  expect(() => attentionBackwardReference({ ...one, dout: [] })).toThrow('dout: expected 1 elements, got 0')
})
