import { expect, test } from 'vitest'
import { logSoftmaxReference, softmaxReference } from '../softmax/reference'
import { normal } from '../testing'
import {
  crossEntropyBackwardReference,
  crossEntropyReference,
  logSoftmaxBackwardReference,
  meanSquaredErrorReference,
  softmaxBackwardReference,
} from './reference'

const [rows, cols] = [3, 5]
const x = Float64Array.from(normal(1, rows * cols))
const dy = Float64Array.from(normal(2, rows * cols))

/** Central differences of `loss` by every element of x. */
const slopes = (loss: (x: Float64Array) => number): number[] =>
  Array.from(x, (value, i) => {
    const moved = (by: number) => x.map((v, j) => (j === i ? value + by : v))
    return (loss(moved(1e-5)) - loss(moved(-1e-5))) / 2e-5
  })

const near = (actual: Float64Array, expected: readonly number[]): void =>
  expected.forEach((value, i) => {
    expect(actual[i]).toBeCloseTo(value, 7)
  })

test('softmax_backward is the gradient of softmax', () => {
  const loss = (v: Float64Array) => softmaxReference({ x: v, rows, cols }).reduce((sum, y, i) => sum + y * dy[i]!, 0)
  near(softmaxBackwardReference({ y: softmaxReference({ x, rows, cols }), dy, rows, cols }), slopes(loss))
})

test('log_softmax_backward is the gradient of log_softmax', () => {
  const loss = (v: Float64Array) => logSoftmaxReference({ x: v, rows, cols }).reduce((sum, y, i) => sum + y * dy[i]!, 0)
  near(logSoftmaxBackwardReference({ y: logSoftmaxReference({ x, rows, cols }), dy, rows, cols }), slopes(loss))
})

test('cross_entropy_backward is the gradient of cross_entropy, without the rows that are left out', () => {
  const target = [4, 99, 0]
  const loss = (v: Float64Array) =>
    2 * crossEntropyReference({ x: v, target, rows, cols }).loss.reduce((a, b) => a + b, 0)
  near(crossEntropyBackwardReference({ x, target, rows, cols, scale: 2 }), slopes(loss))
})

test('cross-entropy of even logits is the logarithm of their number, also where they are large', () => {
  const { loss, lse } = crossEntropyReference({ x: [1e4, 1e4, 1e4, 1e4], target: [2], rows: 1, cols: 4 })
  expect(loss[0]).toBeCloseTo(Math.log(4), 12)
  expect(lse[0]).toBeCloseTo(1e4 + Math.log(4), 9)
})

test('mean squared error', () => {
  expect(meanSquaredErrorReference([1, 2, 3], [1, 4, 0])).toBeCloseTo(13 / 3, 12)
  expect(meanSquaredErrorReference([], [])).toBe(0)
  expect(() => meanSquaredErrorReference([1], [])).toThrow('y: expected 1 elements, got 0')
})
