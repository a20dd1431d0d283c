import type { TuningFile } from '@weft/codegen/tools'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { type TunedResult, type TunedResults, tuningOf } from './tuning'

const result = (n: number, winner: string, ...candidates: string[]): TunedResult => ({
  family: 'matmul',
  type: 'f32',
  shape: { m: n, n },
  winner: { kernel: winner },
  candidates: candidates.map((kernel) => ({ kernel })),
})
const all = ['a', 'b', 'c', 'd']

describe('tuningOf', () => {
  const tuning = tuningOf({ results: [result(1024, 'a', 'a', 'b', 'c'), result(4096, 'b', 'a', 'b', 'd')] })
  const find = (m: number, n: number, among = all) => tuning.find('matmul', 'f32', { m, n }, among)

  it('gives the winner of the nearest shape, in powers of two', () => {
    expect(find(1024, 1024)).toBe('a')
    expect(find(4096, 4096)).toBe('b')
    expect(find(2047, 2047)).toBe('a')
    expect(find(2049, 2049)).toBe('b')
    expect(find(8192, 2048)).toBe('b')
  })

  it('gives nothing where no shape is within a factor of two in every size', () => {
    expect(find(511, 1024)).toBeUndefined()
    expect(find(8193, 4096)).toBeUndefined()
    expect(find(1024, 4096)).toBeUndefined()
    expect(find(0, 0)).toBeUndefined()
  })

  it('gives the fastest of those that may be taken, where the winner is none', () => {
    expect(find(1024, 1024, ['c', 'b'])).toBe('b')
    // measured to be faster than the winner, but not beyond the noise
    expect(find(4096, 4096, ['d', 'a'])).toBe('a')
    expect(find(4096, 4096, ['c'])).toBeUndefined()
  })

  it('keeps families, types and names of sizes apart', () => {
    expect(tuning.find('gemv', 'f32', { m: 1024, n: 1024 }, all)).toBeUndefined()
    expect(tuning.find('matmul', 'f16', { m: 1024, n: 1024 }, all)).toBeUndefined()
    expect(tuning.find('matmul', 'f32', { m: 1024 }, all)).toBeUndefined()
    expect(tuning.find('matmul', 'f32', { m: 1024, k: 1024 }, all)).toBeUndefined()
  })

  it('takes later results of the same shape, and knows nothing without any', () => {
    const later = tuningOf({ results: [result(1024, 'a')] }, { results: [result(1024, 'c')] })
    expect(later.find('matmul', 'f32', { m: 1024, n: 1024 }, all)).toBe('c')
    expect(tuningOf().find('matmul', 'f32', { m: 1024, n: 1024 }, all)).toBeUndefined()
  })
})

it('takes what weft tune writes', () => {
  expectTypeOf<TuningFile>().toExtend<TunedResults>()
})

it.each([[{}], ['{}'], [null], [undefined], [[]]])('tuningOf refuses %j, which is no file of tune', (file) => {
  expect(() => tuningOf(file as never)).toThrow(
    /^bad-argument: tuningOf: takes what weft tune writes, an object with results, got /,
  )
})

it.each([[{ family: 'a', type: 'f32', candidates: [] }], [null], [{ family: 'a', type: 'f32', shape: {} }]])(
  'and %j as a result',
  (result) => {
    expect(() => tuningOf({ results: [result as never] })).toThrow(/^bad-argument: tuningOf: results\[0\] must have /)
  },
)
