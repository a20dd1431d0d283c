import { describe, expect, test } from 'vitest'
import { normal } from '../testing'
import { gemmBackwardReference } from './backward'
import { chooseGemm } from './choose'
import { type ChunkProblem, chunkSizes, parts } from './chunks'
import { gemmReference } from './reference'
import { windowOf } from './views'

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

describe('chooseGemm', () => {
  const problem = { batch: 1, transposeA: false, transposeB: false, type: 'f32', epilogue: false } as const
  const way = (m: number, n: number, k: number, more = {}) => {
    const { way, kernel, splits } = chooseGemm({ ...problem, m, n, k, ...more })
    return [way, kernel.name, splits]
  }

  test('[case-S01] by the sizes: few rows, few columns, long sums, tiles', () => {
    expect(way(1, 1024, 1024)).toEqual(['rows', 'gemv_n1', 1])
    expect(way(1, 1024, 1024, { transposeB: true, type: 'f16' })).toEqual(['rows', 'gemv_t1_f16', 1])
    expect(way(5, 1024, 1024)).toEqual(['rows', 'gemv_n8', 1])
    expect(way(1024, 1, 1024)).toEqual(['columns', 'gemv_t1', 1])
    expect(way(1024, 3, 1024, { transposeA: true })).toEqual(['columns', 'gemv_n4', 1])
    expect(way(64, 64, 8192)).toEqual(['split', 'gemm_nn_split', 32])
    expect(way(64, 64, 511)).toEqual(['tiled', 'gemm_nn', 1])
    for (const m of [500, 535, 1024, 1025]) expect(way(m, 1024, 1024)).toEqual(['tiled', 'gemm_nn', 1])
    expect(way(2048, 2048, 64, { epilogue: true, transposeA: true })).toEqual(['tiled', 'gemm_tn_epilogue', 1])
  })
})

describe('[case-S28] operands larger than a binding', () => {
  const extent = (rows: number, cols: number, bytes = 4) => ({ rows, cols, row: cols, batch: rows * cols, bytes })
  const problem = (m: number, n: number, k: number, limit: number, transposeB: boolean): ChunkProblem => ({
    ...{ m, n, k, batch: 1, transposeA: false, transposeB, limit, alignment: 256 },
    a: extent(m, k),
    b: transposeB ? extent(n, k) : extent(k, n),
    results: [extent(m, n)],
  })

  test('weights of 50257 × 768 and a limit that is no multiple of 256: whole rows, in windows that may be bound', () => {
    const limit = 134_217_724
    const sizes = chunkSizes('gemm', problem(1, 50_257, 768, limit, true))
    expect(sizes).toMatchObject({ batch: 1, m: 1, k: 768 })
    expect(sizes.n).toBeLessThan(50_257)
    const data = { buffer: {}, offset: 0, size: 50_257 * 768 * 4 } as never
    let next = 0
    for (const [first, count] of parts(50_257, sizes.n)) {
      expect(first).toBe(next)
      next += count
      const window = windowOf(data, first * 768, (first + count) * 768, 4, 256)
      const { offset, size } = window.binding as unknown as { offset: number; size: number }
      expect(offset % 256).toBe(0)
      expect(size).toBeLessThanOrEqual(limit)
      expect(offset / 4 + window.offset).toBe(first * 768)
      expect(offset + size).toBeGreaterThanOrEqual((first + count) * 768 * 4)
    }
    expect(next).toBe(50_257)
  })

  test('every window keeps to the limit, for whatever sizes', () => {
    for (const [m, n, k] of [
      [1, 300, 77],
      [130, 70, 500],
      [500, 33, 64],
      [7, 1000, 1000],
    ] as const) {
      for (const transposeB of [false, true]) {
        const limit = 20_000
        const p = problem(m, n, k, limit, transposeB)
        const sizes = chunkSizes('gemm', p)
        const bytes = (rows: number, row: number, cols: number) => ((rows - 1) * row + cols) * 4 + 256
        expect(bytes(sizes.m, k, sizes.k)).toBeLessThanOrEqual(limit)
        expect(transposeB ? bytes(sizes.n, k, sizes.k) : bytes(sizes.k, n, sizes.n)).toBeLessThanOrEqual(limit)
        expect(bytes(sizes.m, n, sizes.n)).toBeLessThanOrEqual(limit)
      }
    }
  })

  test('[case-S27] a row that does not fit is an error with both numbers', () => {
    expect(() => chunkSizes('gemm', problem(4, 1000, 4, 1024, false))).toThrow(
      'gemm: a row of b has 4000 bytes, and a binding may have 1024 (maxStorageBufferBindingSize)',
    )
  })
})
