import { describe, expect, test } from 'vitest'
import { normal } from '../testing'
import { matmulBackwardReference } from './backward'
import { matmulReference } from './reference'

function transpose(x: ArrayLike<number>, rows: number, cols: number): Float64Array {
  return Float64Array.from({ length: rows * cols }, (_, i) => x[(i % rows) * cols + Math.floor(i / rows)]!)
}

describe('matmulReference', () => {
  test('computes a product by hand', () => {
    const c = matmulReference({ a: [1, 2, 3, 4, 5, 6], b: [7, 8, 9, 10, 11, 12], m: 2, n: 2, k: 3 })
    expect([...c]).toEqual([58, 64, 139, 154])
  })

  test('adds the bias to each row', () => {
    expect([...matmulReference({ a: [1, 2], b: [3, 4], bias: [100, 200], m: 2, n: 2, k: 1 })]).toEqual([
      103, 204, 106, 208,
    ])
  })

  test('reads transposed operands', () => {
    const [m, n, k] = [3, 5, 4]
    const a = normal(1, m * k)
    const b = normal(2, k * n)
    const expected = matmulReference({ a, b, m, n, k })
    const at = transpose(a, m, k)
    const bt = transpose(b, k, n)
    expect(matmulReference({ a: at, b, m, n, k, transposeA: true })).toEqual(expected)
    expect(matmulReference({ a, b: bt, m, n, k, transposeB: true })).toEqual(expected)
    expect(matmulReference({ a: at, b: bt, m, n, k, transposeA: true, transposeB: true })).toEqual(expected)
  })

  test('(a · b)ᵀ = bᵀ · aᵀ', () => {
    const [m, n, k] = [4, 3, 7]
    const a = normal(3, m * k)
    const b = normal(4, k * n)
    const c = matmulReference({ a, b, m, n, k })
    const swapped = matmulReference({ a: b, b: a, m: n, n: m, k, transposeA: true, transposeB: true })
    expect(swapped).toEqual(transpose(c, m, n))
  })

  test('accumulates in float64: a sum that cancels in f16 or f32 is exact', () => {
    const a = Array.from({ length: 4096 }, (_, i) => (i < 2048 ? 1 : -1))
    const b = new Float32Array(4096).fill(32)
    b[0] = 32 + 2 ** -12
    expect([...matmulReference({ a, b, m: 1, n: 1, k: 4096 })]).toEqual([2 ** -12])
  })

  test('an empty sum gives the bias or zeros, an empty result is empty (S22)', () => {
    expect([...matmulReference({ a: [], b: [], m: 2, n: 3, k: 0 })]).toEqual([0, 0, 0, 0, 0, 0])
    expect([...matmulReference({ a: [], b: [], bias: [1, 2], m: 2, n: 2, k: 0 })]).toEqual([1, 2, 1, 2])
    expect(matmulReference({ a: [], b: [1, 2], m: 0, n: 1, k: 2 })).toHaveLength(0)
    expect(matmulReference({ a: [1, 2], b: [], m: 1, n: 0, k: 2 })).toHaveLength(0)
  })

  test('computes a product by hand, with everything that may follow', () => {
    const args = { a: [1, 2, 3, 4], b: [1, 0, 0, -1], m: 2, n: 2, k: 2 }
    expect([...matmulReference(args)]).toEqual([1, -2, 3, -4])
    const residual = [100, 100, 100, 100]
    expect([...matmulReference({ ...args, alpha: 2, bias: [1, 5], activation: 'relu', residual })]).toEqual([
      103, 101, 107, 100,
    ])
  })

  test('takes one matrix for all of a batch', () => {
    const a = normal(1, 2 * 3 * 4)
    const b = normal(2, 4 * 5)
    const twice = matmulReference({ a, b: [...b, ...b], m: 3, n: 5, k: 4, batch: 2 })
    expect(matmulReference({ a, b, m: 3, n: 5, k: 4, batch: 2 })).toEqual(twice)
  })

  test('activations at points that are known', () => {
    const at = (x: number, activation: 'gelu' | 'silu') =>
      matmulReference({ a: [x], b: [1], m: 1, n: 1, k: 1, activation })[0]
    expect(at(1, 'gelu')).toBeCloseTo(0.841192, 6)
    expect(at(1, 'silu')).toBeCloseTo(0.731059, 6)
    expect(at(0, 'gelu')).toBe(0)
  })

  test('refuses operands that do not fit', () => {
    expect(() => matmulReference({ a: [1], b: [1, 2], m: 1, n: 1, k: 2 })).toThrow('a: expected 2 elements, got 1')
    expect(() => matmulReference({ a: [1], b: [1], m: 0.5, n: 1, k: 1 })).toThrow(RangeError)
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
      matmulReference({ a, b, m, n, k, transposeA, transposeB }).reduce((sum, c, i) => sum + c * (dc[i] as number), 0)
    const slope = (x: number[], i: number) => {
      const at = x[i] as number
      const sides = [at + 1e-3, at - 1e-3].map((value) => {
        x[i] = value
        return loss()
      }) as [number, number]
      x[i] = at
      return (sides[0] - sides[1]) / 2e-3
    }
    const { da, db } = matmulBackwardReference({ a, b, dc, m, n, k, transposeA, transposeB })
    da.forEach((value, i) => {
      expect(value).toBeCloseTo(slope(a, i), 9)
    })
    db.forEach((value, i) => {
      expect(value).toBeCloseTo(slope(b, i), 9)
    })
  }
})
