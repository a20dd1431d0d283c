import { describe, expect, test } from 'vitest'
import { normal } from '../testing'
import { type NormReferenceArgs, normBackwardReference, normReference } from './reference'

const shapes = {
  layernorm: { items: 3, channels: 7, places: 1, groups: 1, eps: 1e-5, centered: true },
  rmsnorm: { items: 3, channels: 7, places: 1, groups: 1, eps: 1e-5, centered: false },
  groupnorm: { items: 2, channels: 6, places: 5, groups: 3, eps: 1e-5, centered: true },
} as const

describe.each(Object.entries(shapes))('%s', (_, shape) => {
  const n = shape.items * shape.channels * shape.places
  const args: NormReferenceArgs = {
    x: Float64Array.from(normal(1, n)),
    weight: Float64Array.from(normal(2, shape.channels)),
    bias: Float64Array.from(normal(3, shape.channels)),
    ...shape,
  }
  const dy = Float64Array.from(normal(4, n))
  const loss = (changed: Partial<NormReferenceArgs>): number =>
    normReference({ ...args, ...changed }).reduce((sum, y, i) => sum + y * dy[i]!, 0)

  /** Central differences of the loss by every element of one input. */
  const slopes = (name: 'x' | 'weight' | 'bias'): number[] =>
    Array.from(args[name]!, (value, i) => {
      const moved = (by: number) => Float64Array.from(args[name]!, (v, j) => (j === i ? value + by : v))
      return (loss({ [name]: moved(1e-5) }) - loss({ [name]: moved(-1e-5) })) / 2e-5
    })

  test.each([
    ['x', 'dx'],
    ['weight', 'dweight'],
    ['bias', 'dbias'],
  ] as const)('the gradient by %s is that of finite differences', (name, gradient) => {
    const exact = normBackwardReference({ ...args, dy })[gradient]
    slopes(name).forEach((slope, i) => {
      expect(exact[i]).toBeCloseTo(slope, 6)
    })
  })
})

test('each row has mean 0 and variance 1, also where its mean is large (N-policy: two passes)', () => {
  const x = Float64Array.from(normal(5, 64), (v) => v + 1e6)
  const ones = new Float64Array(64).fill(1)
  const y = normReference({ x, weight: ones, ...shapes.layernorm, items: 1, channels: 64, eps: 0 })
  expect(y.reduce((sum, v) => sum + v, 0) / 64).toBeCloseTo(0, 8)
  expect(y.reduce((sum, v) => sum + v * v, 0) / 64).toBeCloseTo(1, 8)
})
