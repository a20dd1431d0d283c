import { expect, it } from 'vitest'
import { chooseOneRow } from './choose'

const device = { features: ['subgroups'], languageFeatures: ['packed_4x8_integer_dot_product'] }
const problem = { format: 'int4', type: 'f16', n: 4096, k: 8192 } as const

it('takes what was measured for one row and int4', () => {
  const asked: unknown[] = []
  const tuning = {
    find: (...question: readonly [string, string, Readonly<Record<string, number>>, readonly string[]]) => {
      asked.push(question)
      return question[3].at(-1)
    },
  }
  expect(chooseOneRow({ ...problem, format: 'int4_zeros' }, device, tuning)).toBe('held')
  expect(asked).toEqual([
    [
      'matvec1_int4_zeros',
      'f16',
      { n: 4096, k: 8192 },
      ['matvec1_int4_zeros_lines_f16', 'matvec1_int4_zeros_held_f16'],
    ],
  ])
  expect(chooseOneRow({ ...problem, format: 'int8' }, device, tuning)).toBe('lines')
})

it('takes bytes for many weights where nothing was measured', () => {
  const none = { find: () => undefined }
  const ways = [4096, 16_384, 32_768].map((n) =>
    (['f16', 'f32'] as const).map((type) => chooseOneRow({ ...problem, type, n }, device, none)),
  )
  expect(ways).toEqual([
    ['lines', 'held'],
    ['held', 'held'],
    ['held', 'held'],
  ])
  expect(chooseOneRow({ ...problem, n: 4095 }, device)).toBe('lines')
  expect(chooseOneRow({ ...problem, n: 2 ** 20 }, { ...device, languageFeatures: [] })).toBe('lines')
  expect(chooseOneRow({ ...problem, n: 2 ** 20 }, { ...device, features: [] })).toBe('lines')
})
