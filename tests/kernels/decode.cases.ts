import { decodeCombine, decodeCombineHalf, decodeSplits, decodeStreams } from '@weft/kernels/source'
import { attentionRows } from '../../packages/kernels/src/attention/reference.js'
import { NO_WINDOW } from '../../packages/kernels/src/attention/window.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { attentionError, expError, gamma, U } from './bounds.js'
import { F16, F32, poisonBehind, type Stored } from './given.js'
import { shipped } from './outputs.js'

interface Sizes {
  readonly batch?: number
  readonly heads?: readonly [number, number]
  readonly keys: number
  readonly capacity?: number
  readonly headSize: number
  readonly splits: number
  readonly window?: number
  readonly softCap?: number
  readonly lengths?: readonly number[]
  /** The kernel that takes several query heads at once. */
  readonly stream?: boolean
}

const FORMS: Readonly<Record<string, readonly [query: Stored, cache: Stored]>> = {
  '': [F32, F32],
  _f16: [F16, F16],
  _f16_cache: [F32, F16],
}

const LOWEST = -3e38

/** The keys of each split, from the first to before the second number: ⌈seen / splits⌉ of those that the window leaves. */
function parts(length: number, window: number, splits: number): (readonly [number, number])[] {
  const seen = Math.min(length, window)
  const each = Math.ceil(seen / splits)
  return Array.from({ length: splits }, (_, s) => {
    const [from, to] = [Math.min(s * each, seen), Math.min((s + 1) * each, seen)]
    return [length - seen + from, length - seen + to] as const
  })
}

function splitCase(suffix: string, sizes: Sizes): ParityCase {
  const { batch = 1, heads: [heads, kvHeads] = [2, 1], keys, capacity = keys, headSize, splits } = sizes
  const { window = NO_WINDOW, softCap, lengths, stream = false } = sizes
  const [query, cache] = FORMS[suffix]!
  const q = query.given(1, batch * heads * headSize)
  const lengthOf = (b: number): number => lengths?.[b] ?? keys
  const [k, v] = [2, 3].map((seed) =>
    poisonBehind(cache, cache.given(seed, batch * kvHeads * capacity * headSize), (i) => {
      const row = Math.floor(i / headSize)
      return row % capacity < lengthOf(Math.floor(row / capacity / kvHeads))
    }),
  )
  const shape = { batch, heads, kvHeads, queries: 1, keys, capacity, headSize, ...(softCap ? { softCap } : {}) }
  const arrays = { q: q.numbers, k: k!.numbers, v: v!.numbers }
  const partial = new Float64Array(batch * heads * splits * headSize)
  const stats = new Float64Array(batch * heads * splits * 2)
  for (let row = 0; row < batch * heads; row++) {
    parts(lengthOf(Math.floor(row / heads)), window, splits).forEach(([from, to], s) => {
      // The softmax of the keys of a split alone: its weights times its sum are the exponentials.
      const mask = {
        data: Array.from({ length: keys }, (_, j) => Number(j >= from && j < to)),
        strides: [0, 0, 0, 1] as const,
      }
      const { weights, lse } = [...attentionRows({ ...shape, ...arrays, mask })][row]!
      const at = row * splits + s
      const largest = Math.max(...weights)
      stats.set(to > from ? [lse + Math.log(largest), 1 / largest] : [LOWEST, 0], 2 * at)
      const kvHead = Math.floor(row / heads) * kvHeads + Math.floor((row % heads) / (heads / kvHeads))
      for (let j = from; j < to; j++) {
        for (let c = 0; c < headSize; c++) {
          partial[at * headSize + c]! += (weights[j]! / largest) * v!.numbers[(kvHead * capacity + j) * headSize + c]!
        }
      }
    })
  }
  const error = attentionError(headSize, keys, Math.sqrt(headSize), softCap)
  const most = Math.ceil(keys / splits)
  const given = lengths ?? (stream ? [keys] : undefined)
  const kernelName = stream ? `decode_stream_${headSize}${suffix}` : `decode_split${lengths ? '_lengths' : ''}${suffix}`
  return {
    name: `decode_${stream ? 'stream' : 'split'}${suffix}, head ${headSize}, ${heads}/${kvHeads} × ${batch}, ${keys}/${capacity} keys in ${splits}${window < NO_WINDOW ? `, window ${window}` : ''}${softCap ? `, cap ${softCap}` : ''}${lengths ? `, lengths ${lengths}` : ''}${keys < splits ? ' [prior-R05]' : ''}`,
    kernel: [...decodeSplits, ...decodeStreams].find(({ name }) => name === kernelName)!,
    ...(stream ? { subgroupSize: 32 } : {}),
    params: {
      ...{ batch, heads, kv_heads: kvHeads, keys, capacity, splits, window, scale: headSize ** -0.5 },
      ...(stream ? { lengths_stride: Number(lengths !== undefined) } : { head_size: headSize, cap: softCap ?? 0 }),
    },
    bindings: {
      ...{ q: q.data, k: k!.data, v: v!.data, partial: F32.empty(partial.length), stats: F32.empty(stats.length) },
      ...(given ? { lengths: Uint32Array.from(given) } : {}),
    },
    expect: { partial: F32.filled(partial), stats: F32.filled(stats) },
    tolerance: F32.near(
      most * 2 * error.weight,
      'each key of a split has a weight of at most 1, off by its score, exp and the sums; |v| ≤ 1; the top is a score',
      2 * U,
    ),
  }
}

function combineCase(
  half: boolean,
  rows: number,
  splits: number,
  headSize: number,
  keyless: (s: number) => boolean,
): ParityCase {
  const storage = half ? F16 : F32
  const partial = uniform(1, rows * splits * headSize, -1, 1).map((x, i) =>
    keyless(Math.floor(i / headSize) % splits) ? 0 : x,
  )
  const stats = uniform(2, rows * splits * 2, 1, 3).map((x, i) =>
    keyless(Math.floor(i / 2) % splits) ? (i % 2 ? 0 : LOWEST) : x,
  )
  const expected = new Float64Array(rows * headSize)
  for (let row = 0; row < rows; row++) {
    const at = (s: number) => row * splits + s
    const factors = Array.from({ length: splits }, (_, s) => (keyless(s) ? 0 : Math.exp(stats[2 * at(s)]!)))
    const sum = factors.reduce((total, factor, s) => total + factor * stats[2 * at(s) + 1]!, 0)
    for (let c = 0; c < headSize && sum > 0; c++) {
      expected[row * headSize + c] =
        factors.reduce((total, factor, s) => total + factor * partial[at(s) * headSize + c]!, 0) / sum
    }
  }
  return {
    name: `decode_combine${storage.suffix}, ${rows} rows of ${splits} × ${headSize}${keyless(splits - 1) ? ', the last without keys [prior-R05]' : ''}${keyless(0) ? ' [case-N01]' : ''}`,
    kernel: half ? decodeCombineHalf : decodeCombine,
    params: { rows, splits, head_size: headSize },
    bindings: { partial, stats, out: storage.empty(expected.length) },
    expect: { out: storage.filled(expected) },
    tolerance: storage.near(
      2 * (expError(2) + gamma(2 * splits + 4)),
      'exp of at most 2, two sums over the splits, a division; |partial| ≤ sum',
    ),
  }
}

const cases = [
  ...Object.keys(FORMS).flatMap((suffix) => [
    splitCase(suffix, { keys: 1, headSize: 4, splits: 1 }),
    splitCase(suffix, { keys: 3, headSize: 64, splits: 5, heads: [4, 2], batch: 2 }),
    splitCase(suffix, { keys: 130, capacity: 150, headSize: 12, splits: 2 }),
    splitCase(suffix, { keys: 70, headSize: 40, splits: 3, heads: [4, 1], window: 11 }),
    splitCase(suffix, { keys: 17, headSize: 256, splits: 2, heads: [1, 1], softCap: 1 }),
    splitCase(suffix, { keys: 20, headSize: 8, splits: 3, batch: 3, lengths: [0, 20, 2] }),
  ]),
  ...Object.keys(FORMS).flatMap((suffix) => [
    splitCase(suffix, { keys: 1, headSize: 64, splits: 1, stream: true }),
    splitCase(suffix, { keys: 35, headSize: 128, splits: 3, heads: [5, 1], stream: true }),
    splitCase(suffix, { keys: 70, capacity: 75, headSize: 64, splits: 2, heads: [8, 2], window: 67, stream: true }),
    splitCase(suffix, {
      keys: 40,
      headSize: 128,
      splits: 2,
      heads: [2, 2],
      batch: 3,
      lengths: [0, 40, 3],
      stream: true,
    }),
  ]),
  ...[1, 2, 4].map((keys) => splitCase('', { keys, headSize: 8, splits: 3 })),
  ...[false, true].flatMap((half) => [
    combineCase(half, 1, 1, 4, () => false),
    combineCase(half, 3, 5, 64, (s) => s > 2),
    combineCase(half, 2, 3, 256, () => true),
  ]),
]

export const decodeCases: readonly ParityCase[] = cases.map(shipped)

/** Around rounds of 64 keys, every head size, fewer and more keys than splits; rows to combine beyond one dimension of workgroups. */
const large = (): readonly ParityCase[] => [
  ...Object.keys(FORMS).flatMap((suffix) => [
    ...[63, 64, 65, 127, 128, 129, 300].map((keys) => splitCase(suffix, { keys, headSize: 16, splits: 2 })),
    ...[4, 28, 72, 80, 96, 128, 132, 252].map((headSize) => splitCase(suffix, { keys: 67, headSize, splits: 1 })),
    ...Array.from({ length: 9 }, (_, i) => splitCase(suffix, { keys: i + 1, headSize: 8, splits: 8 })),
  ]),
  combineCase(false, 65_537, 1, 4, () => false),
]

export const fullCases: readonly ParityCase[] = process.env.WEFT_FULL === '1' ? large().map(shipped) : []
