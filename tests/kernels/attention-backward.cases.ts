import {
  attentionBackwardDbiases,
  attentionBackwardDkvs,
  attentionBackwardDqs,
  attentionBackwardRows,
  backwardMatrices,
  backwardMatrixRows,
} from '@weft/kernels/source'
import { type AttentionReferenceArgs, attentionReference } from '../../packages/kernels/src/attention/reference.js'
import { NO_WINDOW } from '../../packages/kernels/src/attention/window.js'
import { biasParts } from '../../packages/kernels/src/attention-backward/dbias-host.js'
import { attentionBackwardReference } from '../../packages/kernels/src/attention-backward/reference.js'
import { dropThreshold, randomBitsOf } from '../../packages/kernels/src/parts/random.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { attentionError, gamma, U } from './bounds.js'
import { F16, F32, poisonBehind, type Stored } from './given.js'
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
  readonly lengths?: readonly number[]
  /** Its strides. A fifth of its values hides. */
  readonly bias?: readonly [batch: number, head: number, query: number, key: number]
}

const SEED = 77
const LARGEST_BIAS = 2

/** The kernels for one set of inputs, with the row sums and δ of the reference. */
function gradientCases(storage: Stored, sizes: Sizes): ParityCase[] {
  const { batch = 1, heads: [heads, kvHeads] = [2, 1], queries, keys, headSize } = sizes
  const { causal = false, past, window, softCap, dropout = 0, lengths, bias } = sizes
  const masked = Boolean(lengths ?? bias)
  const [rows, pairs] = [batch * heads * queries * headSize, batch * kvHeads * keys * headSize]
  // what lies behind the length of a batch is not read
  const [k, v] = [2, 3].map((seed) =>
    poisonBehind(storage, storage.given(seed, pairs), (i) => {
      const row = Math.floor(i / headSize)
      return row % keys < (lengths?.[Math.floor(row / keys / kvHeads)] ?? keys)
    }),
  ) as [ReturnType<Stored['given']>, ReturnType<Stored['given']>]
  const given = { q: storage.given(1, rows), k, v }
  const biasData = uniform(5, 700, -LARGEST_BIAS, LARGEST_BIAS).map((x, i) => (i % 5 === 3 ? -3e38 : x))
  const dout = storage.given(4, rows)
  const threshold = dropThreshold(dropout)
  const keepScale = 1 / (1 - dropout)
  const reference: AttentionReferenceArgs = {
    ...{ q: given.q.numbers, k: given.k.numbers, v: given.v.numbers },
    ...{ batch, heads, kvHeads, queries, keys, headSize, causal, keepScale },
    ...(past === undefined ? {} : { past }),
    ...(window === undefined ? {} : { window }),
    ...(softCap ? { softCap } : {}),
    ...(lengths ? { lengths } : {}),
    ...(bias ? { bias: { data: biasData, strides: bias } } : {}),
    keep: (h, i, j) => randomBitsOf(SEED, [h, i, j]) >= threshold,
  }
  const { out, lse } = attentionReference(reference)
  const { dq, dk, dv, dbias } = attentionBackwardReference({ ...reference, dout: dout.numbers })
  const stats = statsOf(sizes, out, lse, dout.numbers)
  const whole = headSize % 4 === 0
  const nameOf = (what: string) =>
    `attention_backward_${masked ? 'masked_' : ''}${what}${whole ? '' : '_any'}${storage.suffix}`
  const said = Object.entries(sizes).map(([key, value]) => `${key} ${value}`)
  const bindings = {
    ...{ q: given.q.data, k: given.k.data, v: given.v.data, dout: dout.data, stats },
    ...(masked ? { bias: bias ? biasData : Float32Array.of(0) } : {}),
  }
  const params = {
    ...{ batch, heads, kv_heads: kvHeads, queries, keys, head_size: headSize, past: past ?? keys - queries },
    ...{ causal: Number(causal || window !== undefined), window: window ?? NO_WINDOW, scale: headSize ** -0.5 },
    ...{ cap: softCap ?? 0, seed: SEED, threshold, keep_scale: keepScale },
    ...(masked ? { bias_strides: bias ?? [0, 0, 0, 0] } : {}),
  }

  // A weight is off by its score, by exp and by the rounding of lse; its gradient, at most keepScale · headSize, by its sums.
  const scale = headSize ** -0.5
  const largest = Math.sqrt(headSize) + (bias ? LARGEST_BIAS : 0)
  const { weight } = attentionError(headSize, keys, largest, softCap)
  const most = 2 * keepScale * headSize
  // The slope 1 − tanh² is off by twice the error of tanh.
  const slope = softCap ? 4e-5 : 0
  const ds = most * scale * (weight + 2 * largest * U + gamma(headSize + 8) + slope)
  const perRow = ds + gamma(keys + 4) * most * scale
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
    ...(bias
      ? [
          {
            name: `attention_backward_dbias${whole ? '' : '_any'}${storage.suffix}, ${said}`,
            kernel: dbiasKernel(`attention_backward_dbias${whole ? '' : '_any'}${storage.suffix}`),
            params: { ...params, dbias_strides: bias, ...biasParts({ batch, heads, queries, keys }, bias) },
            bindings: { ...bindings, ...biasOutput(sizes, bias, null) },
            expect: biasOutput(sizes, bias, dbias),
            tolerance: F32.near(
              shared(sizes, bias) * ((ds / scale) * (1 + gamma(pairs)) + gamma(pairs) * most),
              because,
            ),
          },
        ]
      : []),
  ]
}

const dbiasKernel = (name: string) => attentionBackwardDbiases.find((kernel) => kernel.name === name)!

type Bias = NonNullable<Sizes['bias']>
const extentsOf = ({ batch = 1, heads: [heads] = [2, 1], queries, keys }: Sizes) =>
  [batch, heads, queries, keys] as const

/** How many pairs share an element of the bias. */
const shared = (sizes: Sizes, bias: Bias): number =>
  extentsOf(sizes).reduce((product, extent, axis) => product * (bias[axis] === 0 ? extent : 1), 1)

/** The gradient of the bias where its strides lead to, and what nobody may touch elsewhere. */
function biasOutput(sizes: Sizes, bias: Bias, values: Float64Array | null) {
  const [batch, heads, queries, keys] = extentsOf(sizes)
  const reach = extentsOf(sizes).reduce((sum, extent, axis) => sum + (bias[axis] as number) * (extent - 1), 1)
  const dbias = F32.empty(reach) as Float32Array
  if (values)
    for (let b = 0; b < batch; b++)
      for (let h = 0; h < heads; h++)
        for (let i = 0; i < queries; i++)
          for (let j = 0; j < keys; j++) {
            const at = b * bias[0] + h * bias[1] + i * bias[2] + j * bias[3]
            const value = values[at] as number
            // what is the same for all keys moves no weight: its gradient is 0, and a sum of which one term is left out is not
            dbias[at] = Math.abs(value) < 1e-12 ? 0 : value
          }
  return { dbias }
}

/** What the rows kernel gives: (lse, δ) of each row, and with lengths or a bias the keys of its batch and the position of its first query. */
function statsOf(sizes: Sizes, out: ArrayLike<number>, lse: Float64Array, dout: readonly number[]) {
  const { heads: [heads] = [2, 1], queries, keys, headSize, past, lengths, bias } = sizes
  const pairs = [...lse].map((value, row): readonly [lse: number, delta: number] => {
    const own = dout.slice(row * headSize, (row + 1) * headSize)
    return [value, own.reduce((sum, x, c) => sum + x * out[row * headSize + c]!, 0)]
  })
  if (!lengths && !bias) return Float32Array.from(pairs.flat())
  return Uint32Array.from(
    pairs.flatMap((pair, row) => {
      const length = lengths?.[Math.floor(row / heads / queries)] ?? keys
      return [...bitsOf(pair), length, past ?? length - queries]
    }),
  )
}

const bitsOf = (values: readonly number[]): readonly number[] => [...new Uint32Array(Float32Array.from(values).buffer)]

/** The kernels on subgroup matrices: rows, dq, and dk and dv; gradients may be of any size. */
function matrixCases(sizes: Sizes, size = 1): ParityCase[] {
  const { batch = 1, heads: [heads, kvHeads] = [2, 1], queries, keys, headSize, causal = false } = sizes
  const [rows, pairs] = [batch * heads * queries * headSize, batch * kvHeads * keys * headSize]
  const [q, k, v] = [F16.given(1, rows), F16.given(2, pairs), F16.given(3, pairs)]
  const dout = F16.given(4, rows, -size, size)
  const arrays = { q: q.numbers, k: k.numbers, v: v.numbers }
  const reference = { ...arrays, batch, heads, kvHeads, queries, keys, headSize, causal }
  const { out, lse } = attentionReference(reference)
  const { dq, dk, dv } = attentionBackwardReference({ ...reference, dout: dout.numbers })
  const stats = statsOf(sizes, out, lse, dout.numbers) as Float32Array
  const largest = Float32Array.of(dout.numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0))
  const [scale, said] = [
    headSize ** -0.5,
    `head ${headSize}, ${heads}/${kvHeads} × ${batch}, ${queries} of ${keys}${causal ? ' causal' : ''}, dout ${size}`,
  ]
  const kernelOf = (what: string) =>
    backwardMatrices.find(({ name }) => name === `attention_backward_matrix_${what}_${headSize}_f16`)!
  const common = {
    subgroupSize: 32,
    params: { batch, heads, kv_heads: kvHeads, queries, keys, past: keys - queries, causal: Number(causal), scale },
  }
  const bindings = { q: q.data, k: k.data, v: v.data, dout: dout.data, stats, largest: new Uint32Array(largest.buffer) }

  // Weights and their gradients, at most 2 · headSize · size, have 11 bits; matrix units cut sums off, which is two roundings for one.
  const { weight } = attentionError(headSize, keys, Math.sqrt(headSize))
  const most = 2 * headSize * size
  const error = 2 * weight + 2 ** -11 + gamma(2 * headSize + 8)
  const perRow = most * scale * (error + gamma(2 * keys)) + 2 ** -28 * keys * size * scale
  const perKey = (queries * heads) / kvHeads
  const because = 'weights and their gradients have 11 bits, sums are cut off; |q|, |k|, |v| ≤ 1, |dout| ≤ its size'
  return [
    {
      name: `attention_backward_matrix_dq, ${said}`,
      kernel: kernelOf('dq'),
      ...common,
      bindings: { ...bindings, dq: F16.empty(rows) },
      expect: { dq: F16.filled(dq) },
      halves: ['dq'],
      tolerance: F16.near(perRow, because),
    },
    {
      name: `attention_backward_matrix_dkv, ${said}`,
      kernel: kernelOf('dkv'),
      ...common,
      bindings: { ...bindings, dk: F16.empty(pairs), dv: F16.empty(pairs) },
      expect: { dk: F16.filled(dk), dv: F16.filled(dv) },
      halves: ['dk', 'dv'],
      tolerance: F16.near(perKey * (perRow + size * (2 ** -11 + gamma(2 * perKey))), because),
    },
  ]
}

function matrixRowsCase(rows: number, headSize: number): ParityCase {
  const [out, dout] = [F16.given(1, rows * headSize), F16.given(2, rows * headSize, -0.25, 0.25)]
  const lse = uniform(3, rows, -5, 5)
  const delta = Array.from({ length: rows }, (_, r) =>
    out.numbers
      .slice(r * headSize, (r + 1) * headSize)
      .reduce((sum, x, c) => sum + x * dout.numbers[r * headSize + c]!, 0),
  )
  const largest = Float32Array.of(dout.numbers.reduce((most, x) => Math.max(most, Math.abs(x)), 0))
  const name = `attention_backward_matrix_rows_${headSize}_f16`
  return {
    name: `${name}, ${rows} rows`,
    kernel: backwardMatrixRows.find((kernel) => kernel.name === name)!,
    params: { rows },
    bindings: { out: out.data, dout: dout.data, lse, stats: F32.empty(2 * rows), largest: Uint32Array.of(0) },
    expect: {
      stats: F32.filled(Array.from(lse).flatMap((x, r) => [x, delta[r]!])),
      largest: new Uint32Array(largest.buffer),
    },
    subgroupSize: 32,
    tolerance: F32.near(gamma(headSize) * headSize * 0.25, 'a sum over the head; |out| ≤ 1, |dout| ≤ 1/4'),
  }
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
    kernel: rowsKernel(`attention_backward_rows${storage.suffix}`),
    params: { rows, head_size: headSize },
    bindings: { out: out.data, dout: dout.data, lse: lse.data, stats: F32.empty(2 * rows) },
    expect: { stats: F32.filled(stats) },
    tolerance: F32.near(gamma(Math.ceil(headSize / 64) + 65) * headSize, 'a sum of products of at most 1'),
  }
}

const rowsKernel = (name: string) => attentionBackwardRows.find((kernel) => kernel.name === name)!

/** With lengths; of integers, whose sums are the same in every order, since bits are compared. */
function maskedRowsCase(storage: Stored, lengths: readonly number[] | undefined, past?: number): ParityCase {
  const [batch, heads, queries, keys, headSize] = [2, 3, 2, 9, 70] as const
  const rows = batch * heads * queries
  const numbers = [1, 2, 3].map((seed) => [...integers(seed, rows * headSize, 7)].map((x) => x - 3))
  const [out, dout, lse] = numbers as [number[], number[], number[]]
  const padded = (values: readonly number[]) => storage.data([...values, Number.NaN, Number.NaN])
  const stats = Array.from({ length: rows }, (_, row) => {
    let delta = 0
    for (let c = 0; c < headSize; c++) delta += out[row * headSize + c]! * dout[row * headSize + c]!
    const length = Math.min(lengths?.[Math.floor(row / heads / queries)] ?? keys, keys)
    return [...bitsOf([lse[row]!, delta]), length, past ?? length - queries]
  }).flat()
  const empty = new Uint32Array(F32.empty(4 * rows).buffer)
  const expected = empty.slice()
  expected.set(stats)
  const name = `attention_backward_masked_rows${storage.suffix}`
  return {
    name: `${name}, lengths ${lengths ?? 'left out'}, past ${past ?? 'from the end'}`,
    kernel: rowsKernel(name),
    params: {
      ...{ rows, head_size: headSize, heads, queries, keys, past: past ?? keys - queries },
      ...{
        lengths_stride: Number(lengths !== undefined),
        from_end: Number(lengths !== undefined && past === undefined),
      },
    },
    bindings: {
      ...{ out: padded(out), dout: padded(dout), lse: Float32Array.from(lse), stats: empty },
      lengths: Uint32Array.from(lengths ?? [keys]),
    },
    expect: { stats: expected },
  }
}

/** The gradient of a bias alone. */
const biasCases = (storage: Stored, sizes: Sizes): ParityCase[] =>
  gradientCases(storage, sizes).filter(({ name }) => name.startsWith('attention_backward_dbias'))

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
  // Batches of which some are shorter, one empty, and one shorter than its queries; then with places of their own.
  ...gradientCases(storage, { queries: 3, keys: 19, headSize: 8, batch: 4, lengths: [19, 0, 2, 16], causal: true }),
  ...gradientCases(storage, { queries: 18, keys: 18, headSize: 12, batch: 2, lengths: [4, 17], past: 0, causal: true }),
  ...gradientCases(storage, { queries: 5, keys: 20, headSize: 6, batch: 2, heads: [4, 2], lengths: [20, 7] }),
  ...gradientCases(storage, { queries: 4, keys: 18, headSize: 16, bias: [0, 72, 18, 1], softCap: 1.5 }),
  ...gradientCases(storage, { queries: 17, keys: 9, headSize: 4, batch: 2, bias: [9, 0, 0, 1], dropout: 0.25 }),
  ...gradientCases(storage, { queries: 6, keys: 33, headSize: 7, bias: [0, 0, 33, 1], lengths: [30], window: 8 }),
  ...biasCases(storage, { queries: 19, keys: 18, headSize: 8, bias: [0, 3, 0, 0], causal: true }),
  ...biasCases(storage, { queries: 18, keys: 5, headSize: 4, bias: [20, 0, 1, 0], batch: 2, lengths: [5, 2] }),
  ...biasCases(storage, { queries: 3, keys: 35, headSize: 8, bias: [0, 0, 80, 2], past: 20, causal: true }),
  ...biasCases(storage, { queries: 17, keys: 17, headSize: 3, bias: [0, 0, 0, 0], batch: 2 }),
  rowsCase(storage, 3, 7),
  maskedRowsCase(storage, [9, 1]),
  maskedRowsCase(storage, [0, 12], 4),
  maskedRowsCase(storage, undefined),
  rowsCase(storage, 2, 128),
])

const onMatrices = [
  ...matrixCases({ queries: 20, keys: 16, headSize: 64 }),
  ...matrixCases({ queries: 33, keys: 50, headSize: 64, heads: [4, 2], batch: 2, causal: true }, 2 ** -12),
  ...matrixCases({ queries: 50, keys: 33, headSize: 128, heads: [1, 1], causal: true }, 64),
  ...matrixCases({ queries: 7, keys: 105, headSize: 128, heads: [2, 2] }),
  matrixRowsCase(1, 64),
  matrixRowsCase(37, 128),
]

export const attentionBackwardCases: readonly ParityCase[] = [...cases, ...onMatrices].map(shipped)

/** Around tiles of 16 queries and keys, and every head size. */
const large = (storage: Stored): readonly ParityCase[] => [
  ...[15, 16, 17, 33].flatMap((queries) =>
    [15, 16, 17, 31].flatMap((keys) => gradientCases(storage, { queries, keys, headSize: 8, causal: keys % 2 === 1 })),
  ),
  ...[1, 3, 40, 63, 65, 72, 80, 96, 128, 130].flatMap((headSize) =>
    gradientCases(storage, { queries: 4, keys: 18, headSize, causal: true }),
  ),
  ...[1, 16, 17].flatMap((window) => gradientCases(storage, { queries: 40, keys: 50, headSize: 8, window })),
  ...[15, 16, 17, 33].flatMap((keys) =>
    gradientCases(storage, { queries: 17, keys, headSize: 8, batch: 4, lengths: [keys, keys - 1, 1, 0], causal: true }),
  ),
]

export const fullCases: readonly ParityCase[] =
  process.env.WEFT_FULL === '1' ? [F32, F16].flatMap(large).map(shipped) : []
