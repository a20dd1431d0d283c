import { expect, test } from 'vitest'
import { normal } from '../testing'
import { ropeBackwardReference, ropeQkvReference, ropeReference } from './reference'
import { FINE, ropeFrequencies, ropeTable, ropeTableSize } from './table'

const one = { outer: 1, tokens: 1, inner: 1, headSize: 2 }

test('turns a pair by its position, also far out [case-N14]', () => {
  const at = (past: number) => ropeReference({ ...one, x: [1, 0], past })
  expect(at(2000)[0]).toBeCloseTo(-0.36746, 5)
  expect(at(2000)[1]).toBeCloseTo(0.93004, 5)
  expect(at(131071)[0]).toBeCloseTo(-0.81798, 5)
  expect(at(131071)[1]).toBeCloseTo(-0.57524, 5)
})

test('scores depend on the distance of positions only', () => {
  const sizes = { ...one, headSize: 16 }
  const [q, k] = [normal(1, 16), normal(2, 16)]
  const score = (i: number, j: number) => {
    const [a, b] = [ropeReference({ ...sizes, x: q, past: i }), ropeReference({ ...sizes, x: k, past: j })]
    return a.reduce((sum, value, c) => sum + value * b[c]!, 0)
  }
  expect(score(7, 3)).toBeCloseTo(score(1004, 1000), 9)
})

test('both kinds of pairs are the same up to the order of dimensions; the rest is copied', () => {
  const sizes = { outer: 2, tokens: 3, inner: 2, headSize: 7, rotary: 4, past: 5 }
  const x = normal(3, 2 * 3 * 2 * 7)
  const half = ropeReference({ ...sizes, x })
  const order = [0, 2, 1, 3, 4, 5, 6]
  const shuffled = Float64Array.from(x, (_, i) => x[i - (i % 7) + order[i % 7]!]!)
  const interleaved = ropeReference({ ...sizes, x: shuffled, interleaved: true })
  expect([...interleaved]).toEqual([...half].map((_, i) => half[i - (i % 7) + order[i % 7]!]))
  expect(half[4]).toBe(x[4])
})

test('the gradient is that of finite differences', () => {
  const sizes = { outer: 2, tokens: 2, inner: 1, headSize: 5, rotary: 4, past: 9, interleaved: true }
  const [x, dy] = [Float64Array.from(normal(4, 20)), normal(5, 20)]
  const loss = () => ropeReference({ ...sizes, x }).reduce((sum, value, i) => sum + value * dy[i]!, 0)
  const dx = ropeBackwardReference({ ...sizes, x: dy })
  for (let i = 0; i < x.length; i++) {
    const [value, h] = [x[i]!, 1e-5]
    x[i] = value + h
    const above = loss()
    x[i] = value - h
    expect(dx[i]).toBeCloseTo((above - loss()) / (2 * h), 7)
    x[i] = value
  }
})

test('a table has the rotations of fine and coarse positions', () => {
  const table = ropeTable({ positions: 600, rotary: 6 })
  expect(table).toHaveLength(2 * ropeTableSize(600, 3))
  const angle = 512 * ropeFrequencies(6)[1]!
  expect(table[2 * ((FINE + 2) * 3 + 1)]).toBe(Math.fround(Math.cos(angle)))
  expect(table[2 * ((FINE + 2) * 3 + 1) + 1]).toBe(Math.fround(Math.sin(angle)))
  expect(ropeTable({ positions: 1, rotary: 2, frequencies: [3] })[3]).toBe(Math.fround(Math.sin(3)))
})

test('refuses sizes that do not fit', () => {
  expect(() => ropeReference({ ...one, x: [1, 2], rotary: 1 })).toThrow('rotary: expected an even number up to')
  expect(() => ropeTable({ positions: 1, rotary: 3 })).toThrow('rotary must be an even integer from 0 on, got 3')
  expect(() => ropeTable({ positions: -1, rotary: 2 })).toThrow('positions must be an integer from 0 on, got -1')
  expect(() => ropeTable({ positions: 1, rotary: 4, frequencies: [1] })).toThrow('frequencies must be 2')
})

test('a joint projection is split by heads, and only queries and keys are turned', () => {
  const sizes = { batch: 1, heads: 2, kvHeads: 1, tokens: 2, headSize: 2, past: 0 }
  const qkv = Float64Array.from({ length: 16 }, (_, i) => i)
  const { q, k, v } = ropeQkvReference({ ...sizes, qkv })
  // position 0 is not turned
  expect([...q.slice(0, 2), ...q.slice(4, 6), ...k.slice(0, 2)]).toEqual([0, 1, 2, 3, 4, 5])
  expect([...v]).toEqual([6, 7, 14, 15])
  expect(k[2]).toBeCloseTo(12 * Math.cos(1) - 13 * Math.sin(1), 12)
})
