import { expect, test } from 'vitest'
import { kvAppendReference } from './reference'

const sizes = { heads: 2, tokens: 2, capacity: 3, headSize: 1 }

test('tokens go behind the past of their head', () => {
  const out = kvAppendReference({ ...sizes, x: [1, 2, 3, 4], cache: [7, 8, 9, 7, 8, 9], past: 1 })
  expect([...out]).toEqual([7, 1, 2, 7, 3, 4])
})

test('a ring goes on at its start, and keeps the last of too many', () => {
  expect([...kvAppendReference({ ...sizes, x: [1, 2, 3, 4], cache: new Array(6).fill(0), past: 5 })]).toEqual([
    2, 0, 1, 4, 0, 3,
  ])
  const many = { heads: 1, tokens: 5, capacity: 2, headSize: 1 }
  expect([...kvAppendReference({ ...many, x: [1, 2, 3, 4, 5], cache: [0, 0], past: 0 })]).toEqual([5, 4])
})

test('no slots, no tokens', () => {
  expect(
    kvAppendReference({ heads: 1, tokens: 2, capacity: 0, headSize: 1, x: [1, 2], cache: [], past: 0 }),
  ).toHaveLength(0)
  expect(() => kvAppendReference({ ...sizes, x: [1], cache: [], past: 0 })).toThrow('x: expected 4 elements, got 1')
})
