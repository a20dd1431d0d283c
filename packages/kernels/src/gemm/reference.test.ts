import { describe, expect, test } from 'vitest'
import { normal } from '../testing'
import { gemmBackwardReference } from './backward'
import { gemmReference } from './reference'

describe('gemmReference', () => {
  test('computes a product by hand, with everything that may follow', () => {
    const args = { a: [1, 2, 3, 4], b: [1, 0, 0, -1], m: 2, n: 2, k: 2 }
    expect([...gemmReference(args)]).toEqual([1, -2, 3, -4])
    const residual = [100, 100, 100, 100]
    expect([...gemmReference({ ...args, alpha: 2, bias: [1, 5], activation: 'relu', residual })]).toEqual([
      103, 101, 107, 100,
    ])
  })

  test('takes one matrix for all of a batch', () => {
    const a = normal(1, 2 * 3 * 4)
    const b = normal(2, 4 * 5)
    const twice = gemmReference({ a, b: [...b, ...b], m: 3, n: 5, k: 4, batch: 2 })
    expect(gemmReference({ a, b, m: 3, n: 5, k: 4, batch: 2 })).toEqual(twice)
  })

  test('activations at points that are known', () => {
    const at = (x: number, activation: 'gelu' | 'silu') =>
      gemmReference({ a: [x], b: [1], m: 1, n: 1, k: 1, activation })[0]
    expect(at(1, 'gelu')).toBeCloseTo(0.841192, 6)
    expect(at(1, 'silu')).toBeCloseTo(0.731059, 6)
    expect(at(0, 'gelu')).toBe(0)
  })

  test('refuses operands that do not fit', () => {
    expect(() => gemmReference({ a: [1], b: [1, 2], m: 1, n: 1, k: 2 })).toThrow('a: expected 2 elements, got 1')
  })
})

test('the gradients are those of central differences of Σ dc · c', () => {
  const [m, n, k] = [3, 2, 4]
  const dc = normal(3, m * n)
  for (const [transposeA, transposeB] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    const [a, b] = [[...normal(1, m * k)], [...normal(2, k * n)]]
    const loss = () =>
      gemmReference({ a, b, m, n, k, transposeA, transposeB }).reduce((sum, c, i) => sum + c * (dc[i] as number), 0)
    const slope = (x: number[], i: number) => {
      const at = x[i] as number
      const sides = [at + 1e-3, at - 1e-3].map((value) => {
        x[i] = value
        return loss()
      }) as [number, number]
      x[i] = at
      return (sides[0] - sides[1]) / 2e-3
    }
    const { da, db } = gemmBackwardReference({ a, b, dc, m, n, k, transposeA, transposeB })
    da.forEach((value, i) => {
      expect(value).toBeCloseTo(slope(a, i), 9)
    })
    db.forEach((value, i) => {
      expect(value).toBeCloseTo(slope(b, i), 9)
    })
  }
})
