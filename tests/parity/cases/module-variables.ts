import { d, func, ptr, u32 } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { chorus, story } from './story.js'

const countUp = func('count_up(p)', [ptr('private', u32)], (p) => p.addAssign(1))

/** Private variables and constants of the module. */
export const moduleVariables: readonly ParityCase[] = [
  chorus(
    'private variables are of the invocation',
    12,
    (i) => i + 2,
    (i, k) => {
      const p = k.private('counter', u32)
      p.set(i)
      countUp(p)
      countUp(p)
      return p
    },
  ),
  story('private variables with a first value', [5, 6], ({ k, put }) => {
    const p = k.private('five', u32(5))
    put(p)
    p.addAssign(1)
    put(p)
  }),
  story('private arrays', [0, 3], ({ k, put, n }) => {
    const p = k.private('kept', d.arrayOf(d.u32, 4))
    p.at(n(2)).set(3)
    put(p.at(0), p.at(2))
  }),
  chorus(
    'a constant table',
    8,
    (i) => [2, 3, 5, 7, 11, 13, 17, 19][i]!,
    (i, k) => {
      const primes = k.const('primes', d.u32, [2, 3, 5, 7, 11, 13, 17, 19]) as unknown as {
        at(i: unknown): ReturnType<typeof u32>
      }
      return primes.at(i.rem(8))
    },
  ),
  story('a constant table of vectors', [{ f: 2.5 }, { f: 8 }], ({ k, put, n }) => {
    const table = k.const('table', d.arrayOf(d.vec2f, 2), [
      [1, 2.5],
      [4, 8],
    ] as never) as unknown as { at(i: unknown): { y: ReturnType<typeof u32> } }
    put(table.at(0).y, table.at(n(1)).y)
  }),
]
