// Matrix products c = a · b, f32 and f16 (sums in f32), as a consumer calls them: cubes, few rows, a long sum, odd sizes; and of bytes.

import { matmul } from '@weft/kernels'
import type { Contest, Input } from '../contest'
import { library } from '../entries'
import { SMALL } from '../small'
import { valueAt } from '../values'
import { byteContests } from './matmul-int8'

type Type = 'f32' | 'f16'
type Sizes = readonly [m: number, n: number, k: number]

const SAMPLES = 24

interface Sample {
  /** Position in c. */
  readonly at: number
  readonly want: number
  readonly bound: number
}

/**
 * Elements of c in f64, all over it, and how far they may be off: the errors of a sum of k terms in any order add up like a walk of so
 * many steps, of which twice the width is enough; a result in f16 is rounded once more.
 */
function samplesOf(a: Input, b: Input, [m, n, k]: Sizes): Sample[] {
  return Array.from({ length: SAMPLES }, (_, s) => {
    const [i, j] = s === 0 ? [m - 1, n - 1] : [(s * 7919) % m, (s * 104_729) % n]
    let [want, size] = [0, 0]
    for (let kk = 0; kk < k; kk++) {
      const term = valueAt(a, i * k + kk) * valueAt(b, kk * n + j)
      want += term
      size += Math.abs(term)
    }
    const rounding = a.type === 'f16' ? 2 ** -11 * Math.abs(want) + 2 ** -24 : 0
    return { at: i * n + j, want, bound: (2 * Math.sqrt(k) + 8) * 2 ** -24 * size + rounding }
  })
}

function product(type: Type, sizes: Sizes): Contest {
  const [m, n, k] = sizes
  const [a, b]: Input[] = [
    { type, length: m * k, seed: 1 },
    { type, length: k * n, seed: 2 },
  ] as const
  const bytes = (type === 'f16' ? 2 : 4) * (m * k + k * n + m * n)
  let known: readonly Sample[] | undefined
  return {
    name: `${type} ${m} x ${n} x ${k}`,
    ...{ kind: 'matmul', dtype: type, shape: { m, n, k } },
    ...(type === 'f16' ? { features: ['shader-f16'] as const } : {}),
    work: { operations: 2 * m * n * k, bytes },
    inputs: { a: a as Input, b: b as Input },
    outputs: { c: { type, length: m * n } },
    check: async (read) => {
      known ??= samplesOf(a as Input, b as Input, sizes)
      let worst = 0
      for (const { at, want, bound } of known) {
        const error = Math.abs(((await read('c', at, 1))[0] as number) - want) / bound
        worst = error <= worst ? worst : Number.isNaN(error) ? Number.POSITIVE_INFINITY : error
      }
      return worst
    },
    entries: [library('weft', (runtime, { a, b, c }) => matmul(runtime, { a: a!, b: b!, c: c!, m, n, k, type }))],
  }
}

const cube = (n: number): Sizes => [n, n, n]
const CUBES = (SMALL ? [32, 64] : [256, 512, 1024, 2048, 4096]).map(cube)
const OTHERS: readonly Sizes[] = SMALL
  ? [
      [1, 64, 64],
      [31, 33, 65],
    ]
  : [
      [1, 4096, 4096],
      [8, 4096, 4096],
      [32, 4096, 4096],
      [256, 256, 16_384],
      [1000, 1000, 1000],
      [4095, 4097, 4093],
    ]

export const contests: readonly Contest[] = [
  ...[...CUBES, ...OTHERS].map((sizes) => product('f32', sizes)),
  ...[...CUBES, ...(SMALL ? [] : [cube(8192)]), ...OTHERS].map((sizes) => product('f16', sizes)),
  ...byteContests,
]
