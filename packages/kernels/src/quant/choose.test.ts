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

it('takes bytes for two rows, and for up to four where there are more weights', () => {
  const wayOf = (m: number, n: number) => chooseFewRows({ ...problem, m, n }, device)
  expect([2, 3, 4, 5].map((m) => wayOf(m, 4096))).toEqual(['held', 'lines', 'lines', 'lines'])
  expect([2, 3, 4, 5].map((m) => wayOf(m, 32_768))).toEqual(['held', 'held', 'held', 'lines'])
})

it('gives a workgroup more rows where there are many', () => {
  expect([1, 8191, 8192, 24_575, 24_576, 131_072].map(heldRows)).toEqual([8, 8, 16, 16, 32, 32])
})
