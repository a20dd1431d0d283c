import { expect, it } from 'vitest'
import { chooseFewRows, heldRows } from './choose'

const device = { features: ['subgroups'], languageFeatures: ['packed_4x8_integer_dot_product'] }
const problem = { format: 'int4', type: 'f16', m: 1, n: 1024, k: 4096 } as const

it('takes what was measured for one row', () => {
  const asked: unknown[] = []
  const tuning = {
    find: (...question: readonly [string, string, Readonly<Record<string, number>>, readonly string[]]) => {
      asked.push(question)
      return question[3].at(-1)
    },
  }
  expect(chooseFewRows({ ...problem, format: 'int4_zeros' }, device, tuning)).toBe('held')
  expect(asked).toEqual([
    [
      'matvec1_int4_zeros',
      'f16',
      { n: 1024, k: 4096 },
      ['matvec1_int4_zeros_lines_f16', 'matvec1_int4_zeros_held_f16'],
    ],
  ])
})

it('takes bytes for many weights where nothing was measured, if k is a whole number of chunks', () => {
  const wayOf = (n: number, k = 4096, on = device) => chooseFewRows({ ...problem, n, k }, on, { find: () => undefined })
  expect([1024, 4095, 4096, 32_768].map((n) => wayOf(n))).toEqual(['lines', 'lines', 'held', 'held'])
  expect(wayOf(32_768, 4096 + 16)).toBe('lines')
  expect(wayOf(32_768, 4096, { ...device, languageFeatures: [] })).toBe('lines')
  expect(wayOf(32_768, 4096, { ...device, features: [] })).toBe('lines')
  expect([4096, 16_384].map((n) => chooseFewRows({ ...problem, format: 'int8', n }, device))).toEqual(['lines', 'held'])
})

it('takes bytes for up to 32 rows, except of Q6_K in f16 for three to eight', () => {
  const wayOf = (m: number, n: number, more: object = {}) => chooseFewRows({ ...problem, m, n, ...more }, device)
  const rows = [2, 3, 32, 33]
  expect(rows.map((m) => wayOf(m, 2048))).toEqual(['held', 'held', 'held', 'lines'])
  expect(rows.map((m) => wayOf(m, 2047))).toEqual(['lines', 'lines', 'lines', 'lines'])
  expect(rows.map((m) => wayOf(m, 1024, { type: 'f32' }))).toEqual(['held', 'held', 'held', 'lines'])
  expect(rows.map((m) => wayOf(m, 2048, { format: 'int8' }))).toEqual(['held', 'held', 'held', 'lines'])
  expect([2, 3, 8, 9, 33].map((m) => wayOf(m, 4096, { format: 'q6_k' }))).toEqual([
    'held',
    'lines',
    'lines',
    'held',
    'lines',
  ])
  expect(rows.map((m) => wayOf(m, 4096, { format: 'q6_k', type: 'f32' }))).toEqual(['held', 'held', 'held', 'lines'])
})

it('gives a workgroup more rows where there are many, of W or of x', () => {
  const rowsOf = (m: number, n: number, type: 'f32' | 'f16' = 'f16') => heldRows({ n, m, type })
  expect([1, 6143, 6144, 16_383, 16_384, 131_072].map((n) => rowsOf(1, n))).toEqual([8, 8, 16, 16, 32, 32])
  expect([1, 2, 3, 4, 8].map((m) => rowsOf(m, 4096))).toEqual([8, 8, 16, 16, 32])
  expect([1, 2, 3, 4, 8].map((m) => rowsOf(m, 4096, 'f32'))).toEqual([8, 16, 16, 16, 32])
})
