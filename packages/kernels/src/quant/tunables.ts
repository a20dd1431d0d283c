import type { Content, Tunable } from '@weft/codegen/tools'
import type { KernelSource } from '@weft/dsl/ir'
import type { Storage } from '../parts/storage'
import { chooseFewRows, FEW_ROWS, type FewRows, heldRows } from './choose'
import { heldMatvecOf } from './held'
import { int4Held, int4ZerosHeld } from './held-formats'
import { int4Lines, int4ZerosLines } from './line-formats'
import { lineMatvecOf } from './lines'

/** How one row of x goes with int4, for `weft tune`: the kernels of `chooseFewRows`, each as it ships. */

type Ways = { readonly way: FewRows }
type MatvecShape = { readonly n: number; readonly k: number }

const GROUP = 128
/** One with all that there is. */
const DEVICE = { features: ['subgroups'], languageFeatures: ['packed_4x8_integer_dot_product'] }
/** Half a step of f16, and of its least subnormal number. */
const HALF = { rel: 2 ** -11, abs: 2 ** -25 } as const
/** |q − zero|, and what integers are read too large by, twice. */
const MOST = 64

const kernelOf = (withZeros: boolean, type: Storage, way: FewRows): KernelSource =>
  way === 'held'
    ? heldMatvecOf(withZeros ? int4ZerosHeld : int4Held, type)
    : lineMatvecOf(withZeros ? int4ZerosLines : int4Lines, type, 1)

const problemOf =
  (withZeros: boolean, type: Storage): Tunable<Ways, MatvecShape>['problem'] =>
  ({ n, k }) => {
    const groups = Math.ceil(k / GROUP)
    const zeroWords = Math.ceil(groups / 8)
    const random = (type: Content['type'], length: number, seed: number): Content => ({
      type,
      length,
      fill: 'random',
      seed,
    })
    const nibble = (word: number, i: number) => (word >>> (4 * i)) & 15
    return {
      bindings: {
        ...{ w: random('u32', (n * k) / 8, 1), scales: random('f32', n * groups, 2), x: random(type, k, 3) },
        ...(withZeros ? { zeros: random('u32', n * zeroWords, 4) } : {}),
        ...{ bias: { type, length: 8, fill: 'zeros' }, y: { type, length: n } },
      },
      params: {
        m: 1,
        n,
        k,
        with_bias: 0,
        words: k / 8,
        group_log2: Math.log2(GROUP),
        groups,
        rows: heldRows({ m: 1, n, type }),
      },
      work: { operations: 2 * n * k, bytes: (n * k) / 2 + 4 * n * groups },
      expected: ({ w, scales, x, zeros }, row) => {
        let [value, size] = [0, 0]
        for (let kk = 0; kk < k; kk++) {
          const group = Math.floor(kk / GROUP)
          // the low nibbles of the bytes of a word come first
          const place = kk % 8
          const q = nibble(w!((row * k + kk - place) / 8), place < 4 ? 2 * place : 2 * place - 7)
          const zero = withZeros ? nibble(zeros!(row * zeroWords + Math.floor(group / 8)), group % 8) : 8
          const scaled = scales!(row * groups + group) * x!(kk)
          value += (q - zero) * scaled
          size += MOST * Math.abs(scaled)
        }
        const bound = (k + 12) * 2 ** -23 * size
        return { value, bound: type === 'f16' ? bound + HALF.rel * (Math.abs(value) + bound) + HALF.abs : bound }
      },
    }
  }

const matvecOf = (withZeros: boolean, type: Storage): Tunable<Ways, MatvecShape> => ({
  kind: 'tunable',
  family: withZeros ? 'matvec1_int4_zeros' : 'matvec1_int4',
  type,
  space: { way: FEW_ROWS },
  shapes: [
    { n: 4096, k: 4096 },
    { n: 14_336, k: 4096 },
    { n: 32_768, k: 8192 },
    { n: 131_072, k: 8192 },
  ],
  trials: [{ n: 37, k: 256 }],
  incumbent: ({ n, k }) => ({
    way: chooseFewRows({ format: withZeros ? 'int4_zeros' : 'int4', type, m: 1, n, k }, DEVICE),
  }),
  kernel: ({ way }) => kernelOf(withZeros, type, way),
  problem: problemOf(withZeros, type),
})

export const quantMatvecs = [false, true].flatMap((withZeros) =>
  (['f16', 'f32'] as const).map((type) => matvecOf(withZeros, type)),
)
