import { expect, it } from 'vitest'
import { chooseOneRow } from './choose'

it('takes what was measured for one row and int4, and f32 by lines otherwise', () => {
  const problem = { type: 'f16', n: 4096, k: 8192 } as const
  const asked: unknown[] = []
  const tuning = {
    find: (...question: readonly [string, string, Readonly<Record<string, number>>, readonly string[]]) => {
      asked.push(question)
      return question[3].at(-1)
    },
  }
  expect(chooseOneRow({ ...problem, format: 'int4_zeros' }, tuning)).toBe('held')
  expect(asked).toEqual([
    [
      'matvec1_int4_zeros',
      'f16',
      { n: 4096, k: 8192 },
      ['matvec1_int4_zeros_lines_f16', 'matvec1_int4_zeros_each_lines_f16', 'matvec1_int4_zeros_held_f16'],
    ],
  ])
  expect(chooseOneRow({ ...problem, format: 'int4' })).toBe('lines')
  expect(chooseOneRow({ ...problem, format: 'int4' }, { find: () => undefined })).toBe('lines')
  expect(chooseOneRow({ ...problem, format: 'int8' }, tuning)).toBe('lines')
})
