import { expect, test } from 'vitest'
import { adamwReference, clipReference, sgdReference } from './reference'

test('the first step of Adam has the size of the learning rate, whatever the gradient', () => {
  const state = { p: [1, 1, 1], g: [1e-3, -7, 0], m: [0, 0, 0], v: [0, 0, 0] }
  const { p } = adamwReference(state, { lr: 0.1, decay: 0, step: 1 })
  ;[0.9, 1.1, 1].forEach((value, i) => {
    expect(p[i]).toBeCloseTo(value, 5)
  })
})

test('weight decay is apart from the moments', () => {
  const state = { p: [2], g: [0], m: [0], v: [0] }
  expect(adamwReference(state, { lr: 0.1, decay: 0.5, step: 3 }).p[0]).toBeCloseTo(2 - 0.1 * 0.5 * 2, 12)
})

test('momentum adds up, and Nesterov looks ahead', () => {
  const state = { p: [0], g: [1], b: [2] }
  expect(sgdReference(state, { lr: 1, momentum: 0.5 })).toEqual({ p: Float64Array.of(-2), b: Float64Array.of(2) })
  expect(sgdReference(state, { lr: 1, momentum: 0.5, nesterov: true }).p[0]).toBe(-2)
})

test('a norm below the bound changes nothing, one above is cut to it', () => {
  expect([...clipReference([3, 4], 25, 10)]).toEqual([3, 4])
  expect(Math.hypot(...clipReference([3, 4], 25, 1))).toBeCloseTo(1, 6)
})

test('refuses arrays of other lengths', () => {
  expect(() => sgdReference({ p: [1], g: [], b: [1] }, { lr: 1 })).toThrow('g: expected 1 elements, got 0')
})
