// Products of signed bytes with sums in i32, which are exact: a · b, and a · bᵀ, which is how weights lie.

import { matmulInt8 } from '@weft/kernels'
import type { Contest, Input } from '../contest'
import { library } from '../entries'
import { SMALL } from '../small'
import { valueAt } from '../values'

const SAMPLES = 24

/** A signed byte of words. */
const byteAt = (words: Input, i: number): number => ((valueAt(words, Math.floor(i / 4)) >>> (8 * (i % 4))) << 24) >> 24

/** Elements of c, all over it, and what they are. */
function samplesOf(a: Input, b: Input, side: number, transposeB: boolean): { at: number; want: number }[] {
  return Array.from({ length: SAMPLES }, (_, s) => {
    const [i, j] = s === 0 ? [side - 1, side - 1] : [(s * 7919) % side, (s * 104_729) % side]
    let want = 0
    for (let kk = 0; kk < side; kk++)
      want += byteAt(a, i * side + kk) * byteAt(b, transposeB ? j * side + kk : kk * side + j)
    return { at: i * side + j, want }
  })
}

function product(side: number, transposeB: boolean): Contest {
  const [m, n, k] = [side, side, side]
  const words = (seed: number): Input => ({ type: 'u32', length: (side * side) / 4, seed })
  const [x, y] = [words(1), words(2)]
  let known: ReturnType<typeof samplesOf> | undefined
  return {
    name: `i8${transposeB ? ', b n x k' : ''}: ${m} x ${n} x ${k}`,
    ...{ kind: 'matmul-int8', dtype: 'i8', shape: { m, n, k }, flags: transposeB ? ['transposeB'] : [] },
    work: { operations: 2 * m * n * k, bytes: m * k + k * n + 4 * m * n },
    inputs: { a: x, b: y },
    // i32, which are read as u32
    outputs: { c: { type: 'u32', length: m * n } },
    check: async (read) => {
      known ??= samplesOf(x, y, side, transposeB)
      for (const { at, want } of known)
        if ((((await read('c', at, 1))[0] as number) | 0) !== want) return Number.POSITIVE_INFINITY
      return 0
    },
    entries: [
      library('weft', (runtime, { a, b, c }) => matmulInt8(runtime, { a: a!, b: b!, c: c!, m, n, k, transposeB })),
    ],
  }
}

const SIDES = SMALL ? [64] : [1024, 2048, 4096, 8192]

export const byteContests: readonly Contest[] = SIDES.flatMap((side) => [product(side, false), product(side, true)])
