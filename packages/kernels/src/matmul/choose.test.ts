import { describe, expect, test } from 'vitest'
import { chooseMatmul } from './choose'
import { chooseColumns, chooseLines } from './few-choose'

describe('chooseMatmul', () => {
  const problem = { batch: 1, transposeA: false, transposeB: false, type: 'f32', epilogue: false } as const
  const way = (m: number, n: number, k: number, more = {}) => {
    const { way, kernel, splits } = chooseMatmul({ ...problem, m, n, k, ...more })
    return [way, kernel.name, splits]
  }

  test('[case-S01] by the sizes: few rows, few columns, long sums, tiles', () => {
    expect(way(1, 1024, 1024)).toEqual(['rows', 'gemv_n1', 1])
    expect(way(1, 1024, 1024, { transposeB: true, type: 'f16' })).toEqual(['rows', 'gemv_t1_f16', 1])
    expect(way(5, 1024, 1024)).toEqual(['rows', 'gemv_n8', 1])
    expect(way(1024, 1, 1024)).toEqual(['columns', 'gemv_t1', 1])
    expect(way(1024, 3, 1024, { transposeA: true })).toEqual(['columns', 'gemv_n4', 1])
    expect(way(64, 64, 8192)).toEqual(['split', 'matmul_nn_split', 32])
    expect(way(64, 64, 511)).toEqual(['tiled', 'matmul_nn', 1])
    for (const m of [500, 535, 1024, 1025]) expect(way(m, 1024, 1024)).toEqual(['tiled', 'matmul_nn', 1])
    expect(way(2048, 2048, 64, { epilogue: true, transposeA: true })).toEqual(['tiled', 'matmul_tn_epilogue', 1])
  })
})

describe('chooseLines', () => {
  const places = {
    n: 256,
    batch: 1,
    k: 64,
    a_offset: 8,
    a_row: 64,
    a_col: 1,
    a_batch: 64,
    b_offset: 0,
    b_row: 72,
    b_batch: 0,
  }

  test('rows along k that begin at multiples of 16 bytes are read by eights, and no others', () => {
    expect(chooseLines(true, 1, 'f32', places)?.name).toBe('gemv_lines1')
    expect(chooseLines(true, 8, 'f16', places)?.name).toBe('gemv_lines8_f16')
    expect(chooseLines(true, 1, 'f32', { ...places, a_offset: 4 })?.name).toBe('gemv_lines1')
    expect(chooseLines(true, 1, 'f16', { ...places, a_offset: 4 })).toBeNull()
    expect(chooseLines(true, 1, 'f32', { ...places, b_row: 66 })).toBeNull()
    expect(chooseLines(true, 1, 'f32', { ...places, k: 60 })).toBeNull()
    expect(chooseLines(true, 1, 'f32', { ...places, k: 0 })).toBeNull()
    expect(chooseLines(true, 1, 'f32', { ...places, a_col: 2 })).toBeNull()
    expect(chooseLines(false, 1, 'f32', places)).toBeNull()
  })
})

describe('chooseColumns', () => {
  const places = {
    n: 4096,
    batch: 1,
    k: 4096,
    a_offset: 1,
    a_row: 3,
    a_col: 2,
    a_batch: 0,
    b_offset: 8,
    b_row: 4096,
    b_batch: 0,
  }
  const of = (more = {}, type: 'f32' | 'f16' = 'f32') => {
    const choice = chooseColumns(false, 4, type, { ...places, ...more })
    return choice && [choice.kernel.name, choice.splits, choice.span]
  }

  test('columns that begin at multiples of 16 bytes are read so, in parts of k where they alone fill no device', () => {
    expect(of()).toEqual(['gemv_columns4_split', 4, 1024])
    expect(of({}, 'f16')).toEqual(['gemv_columns4_split_f16', 4, 1024])
    expect(of({ n: 32_768 })).toEqual(['gemv_columns4', 1, 4096])
    expect(of({ batch: 4 })).toEqual(['gemv_columns4', 1, 4096])
    expect(of({ k: 255 })).toEqual(['gemv_columns4', 1, 255])
    expect(of({ n: 4092 }, 'f16')).toBeNull()
    expect(of({ b_row: 4098 })).toBeNull()
    expect(of({ b_offset: 2 })).toBeNull()
    expect(of({ k: 0 })).toBeNull()
    expect(chooseColumns(true, 4, 'f32', places)).toBeNull()
  })
})
