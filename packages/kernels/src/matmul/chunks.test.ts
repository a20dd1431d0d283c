import { describe, expect, test } from 'vitest'
import { type ChunkProblem, chunkSizes, parts } from './chunks'
import { windowOf } from './views'

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
    const sizes = chunkSizes('matmul', problem(1, 50_257, 768, limit, true))
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
        const sizes = chunkSizes('matmul', p)
        const bytes = (rows: number, row: number, cols: number) => ((rows - 1) * row + cols) * 4 + 256
        expect(bytes(sizes.m, k, sizes.k)).toBeLessThanOrEqual(limit)
        expect(transposeB ? bytes(sizes.n, k, sizes.k) : bytes(sizes.k, n, sizes.n)).toBeLessThanOrEqual(limit)
        expect(bytes(sizes.m, n, sizes.n)).toBeLessThanOrEqual(limit)
      }
    }
  })

  test('[case-S27] a row that does not fit is an error with both numbers', () => {
    expect(() => chunkSizes('matmul', problem(4, 1000, 4, 1024, false))).toThrow(
      'matmul: a row of b has 4000 bytes, and a binding may have 1024 (maxStorageBufferBindingSize)',
    )
  })

  test('all of a dimension that fits, and multiples of what rows may begin at where it does not', () => {
    // c alone is too large: k stays whole, whatever it is
    expect(chunkSizes('matmul', problem(100, 60, 17, 8192, true))).toEqual({ batch: 1, m: 33, n: 60, k: 17 })
    const words = { ...problem(100, 60, 17, 8192, true), least: 4 }
    expect(chunkSizes('matmul', words)).toEqual({ batch: 1, m: 32, n: 60, k: 17 })
    expect(() =>
      chunkSizes('matmul', { ...words, n: 1500, results: [{ ...words.results[0]!, cols: 1500, row: 1500 }] }),
    ).toThrow('matmul: 4 rows have more than the 8192 bytes of a binding (maxStorageBufferBindingSize)')
  })
})
