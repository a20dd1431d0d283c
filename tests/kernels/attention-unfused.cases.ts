import { attentionWeights } from '@weft/kernels/source'
import { attentionRows } from '../../packages/kernels/src/attention/reference.js'
import { NO_WINDOW } from '../../packages/kernels/src/attention/window.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { expError, gamma, rowSteps, U } from './bounds.js'
import { F16, F32, poisonBehind, type Stored } from './given.js'
import { shipped } from './outputs.js'

interface Sizes {
  readonly heads: number
  readonly queries: number
  readonly keys: number
  readonly causal?: boolean
  readonly past?: number
  readonly window?: number
  readonly softCap?: number
  readonly inPlace?: boolean
  readonly batch?: number
  readonly lengths?: readonly number[]
  /** Strides of the bias, of which a fifth hides, and of the mask. */
  readonly bias?: readonly [batch: number, head: number, query: number, key: number]
  readonly mask?: readonly [batch: number, head: number, query: number, key: number]
}

const LARGEST_BIAS = 2

/** Scores as keys of one dimension against queries of 1, so that the reference has them as its products. */
function weightsCase(storage: Stored, sizes: Sizes): ParityCase {
  const { heads, queries, keys, causal = false, past, window, softCap, inPlace = false } = sizes
  const { batch = 1, lengths, bias, mask } = sizes
  const masked = Boolean(lengths ?? bias ?? mask)
  const rows = batch * heads * queries
  const n = rows * keys
  const lengthAt = (row: number) => lengths?.[Math.floor(row / heads / queries)] ?? keys
  // what lies behind the length of a batch is not read
  const scores = poisonBehind(storage, storage.given(1, n, -3, 3), (at) => at % keys < lengthAt(Math.floor(at / keys)))
  const biasData = uniform(2, 700, -LARGEST_BIAS, LARGEST_BIAS).map((x, at) => (at % 5 === 3 ? -3e38 : x))
  const maskData = integers(3, 700, 3)
  const expected = Array.from({ length: rows }, (_, row) => {
    const i = row % queries
    const k = scores.numbers.slice(row * keys, (row + 1) * keys)
    const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys, headSize: 1, scale: 1, q: [1], k, v: k }
    const place = [Math.floor(row / heads / queries), Math.floor(row / queries) % heads, i] as const
    const own = (data: ArrayLike<number>, strides: readonly number[]) => ({
      data: [...Array(keys).keys()].map(
        (j) => data[[...place, j].reduce((at, c, axis) => at + c * strides[axis]!, 0)]!,
      ),
      strides: [0, 0, 0, 1] as const,
    })
    const sight = {
      causal,
      past: i + (past ?? lengthAt(row) - queries),
      ...(lengths ? { lengths: [lengthAt(row)] } : {}),
      ...(bias ? { bias: own(biasData, bias) } : {}),
      ...(mask ? { mask: own(maskData, mask) } : {}),
      ...(window ? { window } : {}),
      ...(softCap ? { softCap } : {}),
    }
    return [...[...attentionRows({ ...one, ...sight })][0]!.weights]
  }).flat()
  const name = `attention_weights${masked ? '_masked' : ''}${storage.suffix}`
  const said = Object.entries(sizes).map(([key, value]) => `${key} ${value}`)
  return {
    name: `${name}, ${said}${inPlace ? ' [case-C38]' : ''}${queries > keys && causal ? ' [case-N01]' : ''}`,
    kernel: attentionWeights.find((kernel) => kernel.name === name)!,
    params: {
      ...{ rows, queries, keys, past: past ?? keys - queries, causal: Number(causal || window !== undefined) },
      ...{ window: window ?? NO_WINDOW, cap: softCap ?? 0 },
      ...(masked
        ? {
            ...{ heads, lengths_stride: Number(lengths !== undefined) },
            from_end: Number(lengths !== undefined && past === undefined),
            ...{ bias_strides: bias ?? [0, 0, 0, 0], mask_strides: mask ?? [0, 0, 0, 0] },
          }
        : {}),
    },
    bindings: {
      ...{ scores: scores.data, weights: inPlace ? scores.data : storage.empty(n) },
      ...(masked
        ? {
            lengths: Uint32Array.from(lengths ?? [keys]),
            bias: bias ? biasData : Float32Array.of(0),
            mask: mask ? maskData : Uint32Array.of(1),
          }
        : {}),
    },
    ...(inPlace ? { alias: ['scores', 'weights'] as const } : {}),
    expect: {
      weights: inPlace
        ? storage.data([...expected, ...new Array<number>(scores.data.length - n).fill(Number.NaN)])
        : storage.filled(expected),
    },
    tolerance: storage.near(
      softCap ? 2 * softCap * (1e-5 + 8 * U) : 0,
      'exp of at most 6, and the range of the bias, twice, a sum, a division; a soft cap is off by that of tanh, 1e-5',
      2 * expError(6 + (bias ? 2 * LARGEST_BIAS : 0)) + gamma(rowSteps(keys)) + 6 * U,
    ),
  }
}

const cases = [F32, F16].flatMap((storage) => [
  weightsCase(storage, { heads: 1, queries: 1, keys: 1 }),
  weightsCase(storage, { heads: 2, queries: 3, keys: 257, causal: true }),
  weightsCase(storage, { heads: 2, queries: 5, keys: 3, causal: true, inPlace: true }),
  weightsCase(storage, { heads: 1, queries: 4, keys: 40, window: 7, softCap: 1.5 }),
  weightsCase(storage, { heads: 3, queries: 2, keys: 9, past: 3, causal: true, inPlace: true }),
  weightsCase(storage, { heads: 2, queries: 3, keys: 19, batch: 4, lengths: [19, 0, 2, 16], causal: true }),
  weightsCase(storage, { heads: 2, queries: 3, keys: 7, batch: 2, lengths: [3, 7], past: 1, window: 2, inPlace: true }),
  weightsCase(storage, { heads: 2, queries: 4, keys: 18, bias: [0, 72, 18, 1], softCap: 1.5 }),
  weightsCase(storage, { heads: 2, queries: 5, keys: 13, batch: 2, bias: [13, 0, 0, 1], mask: [0, 0, 13, 1] }),
  // A row of the mask is 0 throughout.
  weightsCase(storage, { heads: 1, queries: 16, keys: 3, mask: [0, 0, 1, 0] }),
])

export const attentionUnfusedCases: readonly ParityCase[] = cases.map(shipped)

/** Around a workgroup of 256. */
const large = (storage: Stored): readonly ParityCase[] => [
  ...[255, 256, 257, 513].map((keys) => weightsCase(storage, { heads: 2, queries: 3, keys, causal: true })),
]

export const fullCases: readonly ParityCase[] =
  process.env.WEFT_FULL === '1' ? [F32, F16].flatMap(large).map(shipped) : []
