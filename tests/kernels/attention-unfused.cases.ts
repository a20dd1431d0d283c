import { attentionWeights, attentionWeightsHalf } from '@weft/kernels/source'
import { attentionRows } from '../../packages/kernels/src/attention-forward/reference.js'
import { NO_WINDOW } from '../../packages/kernels/src/attention-forward/window.js'
import type { ParityCase } from '../parity/case.js'
import { expError, gamma, rowSteps, U } from './bounds.js'
import { F16, F32, type Stored } from './given.js'
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
}

/** Scores as keys of one dimension against queries of 1, so that the reference has them as its products. */
function weightsCase(storage: Stored, sizes: Sizes): ParityCase {
  const { heads, queries, keys, causal = false, past, window, softCap, inPlace = false } = sizes
  const n = heads * queries * keys
  const scores = storage.given(1, n, -3, 3)
  const rows = heads * queries
  const expected = Array.from({ length: rows }, (_, row) => {
    const i = row % queries
    const k = scores.numbers.slice(row * keys, (row + 1) * keys)
    const one = { batch: 1, heads: 1, kvHeads: 1, queries: 1, keys, headSize: 1, scale: 1, q: [1], k, v: k }
    const sight = {
      causal,
      past: i + (past ?? keys - queries),
      ...(window ? { window } : {}),
      ...(softCap ? { softCap } : {}),
    }
    return [...[...attentionRows({ ...one, ...sight })][0]!.weights]
  }).flat()
  const said = Object.entries(sizes).map(([key, value]) => `${key} ${value}`)
  return {
    name: `attention_weights${storage.suffix}, ${said}${inPlace ? ' [case-C38]' : ''}${queries > keys && causal ? ' [case-N01]' : ''}`,
    kernel: storage === F16 ? attentionWeightsHalf : attentionWeights,
    params: {
      ...{ rows, queries, keys, past: past ?? keys - queries, causal: Number(causal || window !== undefined) },
      ...{ window: window ?? NO_WINDOW, cap: softCap ?? 0 },
    },
    bindings: { scores: scores.data, weights: inPlace ? scores.data : storage.empty(n) },
    ...(inPlace ? { alias: ['scores', 'weights'] as const } : {}),
    expect: {
      weights: inPlace
        ? storage.data([...expected, ...new Array<number>(scores.data.length - n).fill(Number.NaN)])
        : storage.filled(expected),
    },
    tolerance: storage.near(
      softCap ? 2 * softCap * (1e-5 + 8 * U) : 0,
      'exp of at most 6 twice, a sum, a division; a soft cap is off by that of tanh, 1e-5',
      2 * expError(6) + gamma(rowSteps(keys)) + 6 * U,
    ),
  }
}

const cases = [F32, F16].flatMap((storage) => [
  weightsCase(storage, { heads: 1, queries: 1, keys: 1 }),
  weightsCase(storage, { heads: 2, queries: 3, keys: 257, causal: true }),
  weightsCase(storage, { heads: 2, queries: 5, keys: 3, causal: true, inPlace: true }),
  weightsCase(storage, { heads: 1, queries: 4, keys: 40, window: 7, softCap: 1.5 }),
  weightsCase(storage, { heads: 3, queries: 2, keys: 9, past: 3, causal: true, inPlace: true }),
])

export const attentionUnfusedCases: readonly ParityCase[] = cases.map(shipped)

/** Around a workgroup of 256. */
const large = (storage: Stored): readonly ParityCase[] => [
  ...[255, 256, 257, 513].map((keys) => weightsCase(storage, { heads: 2, queries: 3, keys, causal: true })),
]

export const fullCases: readonly ParityCase[] =
  process.env.WEFT_FULL === '1' ? [F32, F16].flatMap(large).map(shipped) : []
