import {
  attentionBackwardDkvs,
  attentionBackwardDqs,
  attentionBackwardRows,
  attentionBackwardRowsHalf,
} from '@weft/kernels/source'
import { attentionBackwardReference } from '../../packages/kernels/src/attention-backward/reference.js'
import {
  type AttentionForwardReferenceArgs,
  attentionForwardReference,
} from '../../packages/kernels/src/attention-forward/reference.js'
import { NO_WINDOW } from '../../packages/kernels/src/attention-forward/window.js'
import { dropThreshold, randomBitsOf } from '../../packages/kernels/src/parts/random.js'
import type { ParityCase } from '../parity/case.js'
import { attentionError, gamma, U } from './bounds.js'
import { F16, F32, type Stored } from './given.js'
import { shipped } from './outputs.js'

interface Sizes {
  readonly batch?: number
  readonly heads?: readonly [number, number]
  readonly queries: number
  readonly keys: number
  readonly headSize: number
  readonly causal?: boolean
  readonly past?: number
  readonly window?: number
  readonly softCap?: number
  readonly dropout?: number
}

const SEED = 77

/** Both kernels for one set of inputs, with the row sums and δ of the reference. */
function gradientCases(storage: Stored, sizes: Sizes): ParityCase[] {
  const { batch = 1, heads: [heads, kvHeads] = [2, 1], queries, keys, headSize } = sizes
  const { causal = false, past, window, softCap, dropout = 0 } = sizes
  const [rows, pairs] = [batch * heads * queries * headSize, batch * kvHeads * keys * headSize]
  const given = { q: storage.given(1, rows), k: storage.given(2, pairs), v: storage.given(3, pairs) }
  const dout = storage.given(4, rows)
  const threshold = dropThreshold(dropout)
  const keepScale = 1 / (1 - dropout)
  const reference: AttentionForwardReferenceArgs = {
    ...{ q: given.q.numbers, k: given.k.numbers, v: given.v.numbers },
    ...{ batch, heads, kvHeads, queries, keys, headSize, causal, keepScale },
    ...(past === undefined ? {} : { past }),
    ...(window === undefined ? {} : { window }),
    ...(softCap ? { softCap } : {}),
    keep: (h, i, j) => randomBitsOf(SEED, [h, i, j]) >= threshold,
  }
  const { out, lse } = attentionForwardReference(reference)
  const { dq, dk, dv } = attentionBackwardReference({ ...reference, dout: dout.numbers })
  const stats = new Float32Array(2 * lse.length)
  lse.forEach((value, row) => {
    const delta = dout.numbers
      .slice(row * headSize, (row + 1) * headSize)
      .reduce((sum, x, c) => sum + x * out[row * headSize + c]!, 0)
    stats.set([value, delta], 2 * row)
  })
  const whole = headSize % 4 === 0
  const nameOf = (what: string) => `attention_backward_${what}${whole ? '' : '_any'}${storage.suffix}`
  const said = Object.entries(sizes).map(([key, value]) => `${key} ${value}`)
  const bindings = { q: given.q.data, k: given.k.data, v: given.v.data, dout: dout.data, stats }
  const params = {
    ...{ batch, heads, kv_heads: kvHeads, queries, keys, head_size: headSize, past: past ?? keys - queries },
    ...{ causal: Number(causal || window !== undefined), window: window ?? NO_WINDOW, scale: headSize ** -0.5 },
    ...{ cap: softCap ?? 0, seed: SEED, threshold, keep_scale: keepScale },
  }

  // A weight is off by its score, by exp and by the rounding of lse; its gradient, at most keepScale · headSize, by its sums.
  const largest = Math.sqrt(headSize)
  const { weight } = attentionError(headSize, keys, largest, softCap)
  const most = 2 * keepScale * headSize
  // The slope 1 − tanh² is off by twice the error of tanh.
  const slope = softCap ? 4e-5 : 0
  const ds = (most / largest) * (weight + 2 * largest * U + gamma(headSize + 8) + slope)
  const perRow = ds + gamma(keys + 4) * (most / largest)
  const perKey = (queries * heads) / kvHeads
  const because =
    'weights by their scores and exp, their gradients and all sums one after another; |q|, |k|, |v|, |dout| ≤ 1'
  return [
    {
      name: `${nameOf('dq')}, ${said}`,
      kernel: attentionBackwardDqs.find(({ name }) => name === nameOf('dq'))!,
      params,
      bindings: { ...bindings, dq: storage.empty(rows) },
      expect: { dq: storage.filled(dq) },
      tolerance: storage.near(perRow, because),
    },
    {
      name: `${nameOf('dkv')}, ${said}`,
      kernel: attentionBackwardDkvs.find(({ name }) => name === nameOf('dkv'))!,
      params,
      bindings: { ...bindings, dk: storage.empty(pairs), dv: storage.empty(pairs) },
      expect: { dk: storage.filled(dk), dv: storage.filled(dv) },
      tolerance: storage.near(perKey * (perRow + keepScale * gamma(perKey)), because),
    },
  ]
}

function rowsCase(storage: Stored, rows: number, headSize: number): ParityCase {
  const [out, dout] = [storage.given(1, rows * headSize), storage.given(2, rows * headSize)]
  const lse = F32.given(3, rows)
  const stats = Array.from({ length: rows }, (_, row) => {
    const at = (c: number) => row * headSize + c
    let sum = 0
    for (let c = 0; c < headSize; c++) sum += out.numbers[at(c)]! * dout.numbers[at(c)]!
    return [lse.numbers[row]!, sum]
  }).flat()
  return {
    name: `attention_backward_rows${storage.suffix}, ${rows} of ${headSize}`,
    kernel: storage === F16 ? attentionBackwardRowsHalf : attentionBackwardRows,
    params: { rows, head_size: headSize },
    bindings: { out: out.data, dout: dout.data, lse: lse.data, stats: F32.empty(2 * rows) },
    expect: { stats: F32.filled(stats) },
    tolerance: F32.near(gamma(Math.ceil(headSize / 64) + 65) * headSize, 'a sum of products of at most 1'),
  }
}

const cases = [F32, F16].flatMap((storage) => [
  ...gradientCases(storage, { queries: 1, keys: 1, headSize: 4 }),
  ...gradientCases(storage, { queries: 17, keys: 33, headSize: 8, heads: [4, 2], batch: 2, causal: true }),
  // More queries than keys: the first ones see none.
  ...gradientCases(storage, { queries: 19, keys: 3, headSize: 12, causal: true }),
  ...gradientCases(storage, { queries: 20, keys: 40, headSize: 16, window: 5 }),
  ...gradientCases(storage, { queries: 3, keys: 18, headSize: 64, causal: true, past: 4 }),
  ...gradientCases(storage, { queries: 6, keys: 9, headSize: 20, softCap: 0.5 }),
  ...gradientCases(storage, { queries: 7, keys: 20, headSize: 8, dropout: 0.25, causal: true }),
  ...gradientCases(storage, { queries: 5, keys: 17, headSize: 5, heads: [3, 1] }),
  ...gradientCases(storage, { queries: 2, keys: 3, headSize: 256, heads: [1, 1] }),
  rowsCase(storage, 3, 7),
  rowsCase(storage, 2, 128),
])

export const attentionBackwardCases: readonly ParityCase[] = cases.map(shipped)

/** Around tiles of 16 queries and keys, and every head size. */
const large = (storage: Stored): readonly ParityCase[] => [
  ...[15, 16, 17, 33].flatMap((queries) =>
    [15, 16, 17, 31].flatMap((keys) => gradientCases(storage, { queries, keys, headSize: 8, causal: keys % 2 === 1 })),
  ),
  ...[1, 3, 40, 63, 65, 72, 80, 96, 128, 130].flatMap((headSize) =>
    gradientCases(storage, { queries: 4, keys: 18, headSize, causal: true }),
  ),
  ...[1, 16, 17].flatMap((window) => gradientCases(storage, { queries: 40, keys: 50, headSize: 8, window })),
]

export const fullCases: readonly ParityCase[] =
  process.env.WEFT_FULL === '1' ? [F32, F16].flatMap(large).map(shipped) : []
