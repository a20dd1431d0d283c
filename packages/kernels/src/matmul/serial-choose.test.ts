import { describe, expect, test } from 'vitest'
import type { BufferLike } from '../host'
import { chooseSerial, type DenseProblem } from './serial-choose'

const data = (size: number): BufferLike => ({ size }) as unknown as BufferLike
const matrix = (rows: number, cols: number) => ({
  ...{ data: data(4 * rows * cols), offset: 0, row: cols, batch: rows * cols, rows, cols },
})
const none = { transposeA: false, transposeB: false, activation: 'none', bias: null, residual: null } as const

function problem(m: number, n: number, k: number, more: Partial<DenseProblem> = {}): DenseProblem {
  return { ...none, m, n, k, batch: 1, type: 'f32', a: matrix(m, k), b: matrix(k, n), c: matrix(m, n), ...more }
}

describe('chooseSerial', () => {
  const software = { software: true, backend: 'webgpu' } as const
  const way = (p: DenseProblem, info: Parameters<typeof chooseSerial>[1] = software) => chooseSerial(p, info, 2 ** 27)

  test('dense products of f32 on adapters that compute on the CPU', () => {
    expect(way(problem(65, 68, 72))).toMatchObject({
      kernel: { name: 'matmul_serial' },
      sizes: { m: 65, n_quads: 17, k_quads: 18 },
    })
  })

  test('and no others', () => {
    const usual = problem(64, 64, 64)
    expect(way(usual)).not.toBeNull()
    expect(way(usual, { software: false, backend: 'webgpu' })).toBeNull()
    expect(way(usual, { software: true, backend: 'cpu' })).toBeNull()
    expect(chooseSerial(usual, software, 4 * 64 * 64 - 4)).toBeNull()
    for (const [m, n, k] of [
      [63, 64, 64],
      [64, 66, 64],
      [64, 64, 65],
      [6 * 65_535 + 1, 64, 64],
    ] as const)
      expect(way(problem(m, n, k))).toBeNull()
    for (const more of [
      { batch: 2 },
      { transposeA: true },
      { transposeB: true },
      { type: 'f16' },
      { activation: 'relu' },
      { bias: data(256) },
      { residual: matrix(64, 64) },
      { a: { ...usual.a, offset: 4 } },
      { b: { ...usual.b, row: 68 } },
      { c: { ...usual.c, data: data(4 * 64 * 64 + 4) } },
    ] satisfies Partial<DenseProblem>[])
      expect(way(problem(64, 64, 64, more))).toBeNull()
  })
})
