import { attentionForwardOf, attentionForwards, attentionMatrices, attentionTileds } from '@weft/kernels/source'
import {
  type AttentionReferenceArgs,
  type AttentionSight,
  attentionReference,
} from '../../packages/kernels/src/attention/reference.js'
import { NO_WINDOW } from '../../packages/kernels/src/attention/window.js'
import { dropThreshold, randomBitsOf } from '../../packages/kernels/src/parts/random.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { attentionError, gamma, U } from './bounds.js'
import { F16, F32, poisonBehind, type Stored } from './given.js'
import { shipped } from './outputs.js'

export interface Heads {
  readonly batch?: number
  /** Query heads and heads of keys. */
  readonly heads?: readonly [number, number]
  readonly queries: number
  readonly keys: number
  readonly capacity?: number
  readonly headSize: number
}

interface Options extends Pick<AttentionSight, 'past' | 'causal' | 'window' | 'softCap' | 'lengths'> {
  /** As they are given: with strides of their own. */
  readonly bias?: readonly [batch: number, head: number, query: number, key: number]
  readonly mask?: readonly [batch: number, head: number, query: number, key: number]
  /** The value of a bias that hides. */
  readonly hides?: number
  readonly dropout?: number
  /** A kernel for this head size alone. */
  readonly exact?: boolean
  readonly width?: 64 | 128 | 256
  readonly tag?: string
}

const SEED = 0xdead_beef
const LARGEST_BIAS = 2

function forwardCase(storage: Stored, heads: Heads, options: Options = {}): ParityCase {
  const { batch = 1, heads: [h, kv] = [2, 1], queries, keys, capacity = keys, headSize } = heads
  const { causal = false, window, softCap, lengths, bias, mask, dropout, exact = false, width = 64 } = options
  const masked = Boolean(lengths ?? bias ?? mask ?? dropout)
  const half = storage === F16
  const sizes = { batch, heads: h, kvHeads: kv, queries, keys, capacity, headSize }
  const q = storage.given(1, batch * h * queries * headSize)
  const [k, v] = [2, 3].map((seed) => behind(storage, seed, sizes, lengths))
  const biasData = uniform(4, 700, -LARGEST_BIAS, LARGEST_BIAS).map((x, i) => (i % 5 === 3 ? (options.hides ?? x) : x))
  const maskData = integers(5, 700, 3)
  const threshold = dropThreshold(dropout ?? 0)
  const keepScale = 1 / (1 - (dropout ?? 0))
  const reference: AttentionReferenceArgs = {
    ...sizes,
    ...{ q: q.numbers, k: k!.numbers, v: v!.numbers, causal, keepScale },
    ...(options.past === undefined ? {} : { past: options.past }),
    ...(window === undefined ? {} : { window }),
    ...(softCap ? { softCap } : {}),
    ...(lengths ? { lengths } : {}),
    ...(bias ? { bias: { data: biasData, strides: bias } } : {}),
    ...(mask ? { mask: { data: maskData, strides: mask } } : {}),
    keep: (head, i, j) => randomBitsOf(SEED, [head, i, j]) >= threshold,
  }
  const { out, lse } = attentionReference(reference)
  const largest = Math.sqrt(headSize) + (bias ? LARGEST_BIAS : 0)
  const error = attentionError(headSize, keys, largest, softCap)
  const name = `attention_forward_${masked ? 'masked_' : ''}${exact ? headSize : width}${storage.suffix}`
  const shipped = attentionForwards.find((kernel) => kernel.name === name)
  const own = { headSize, exact: true, masked, storage: half ? 'f16' : 'f32' } as const
  const said = Object.entries({ ...options, tag: undefined }).flatMap(([key, value]) =>
    value === undefined || key === 'width' ? [] : [`${key} ${JSON.stringify(value)}`],
  )
  return {
    name: `${name}, head ${headSize}, ${h}/${kv} × ${batch}, ${queries} of ${keys}/${capacity} ${said.join(' ')}${options.tag ?? ''}`,
    kernel: exact ? attentionForwardOf(name, own) : shipped!,
    params: {
      ...{ batch, heads: h, kv_heads: kv, queries, keys, capacity, head_size: headSize },
      past: options.past ?? keys - queries,
      causal: Number(causal || window !== undefined),
      window: window ?? NO_WINDOW,
      scale: headSize ** -0.5,
      cap: softCap ?? 0,
      ...(masked
        ? {
            lengths_stride: Number(lengths !== undefined),
            from_end: Number(lengths !== undefined && options.past === undefined),
            bias_strides: bias ?? [0, 0, 0, 0],
            mask_strides: mask ?? [0, 0, 0, 0],
            ...{ seed: SEED, threshold, keep_scale: keepScale },
          }
        : {}),
    },
    bindings: {
      ...{ q: q.data, k: k!.data, v: v!.data, out: storage.empty(out.length), lse: F32.empty(lse.length) },
      ...(masked
        ? {
            lengths: Uint32Array.from(lengths ?? [keys]),
            bias: bias ? biasData : Float32Array.of(0),
            mask: mask ? maskData : Uint32Array.of(1),
          }
        : {}),
    },
    expect: { out: storage.filled(out), lse: F32.filled(lse) },
    tolerance: storage.near(
      Math.max(2 * keepScale * error.weight, error.score + error.weight + 2 ** -21),
      'scores off by their dot products, weights by that and exp, both sums over the keys; |v| ≤ 1; log within 2⁻²¹',
      4 * U,
    ),
  }
}

/** NaN where no key is: behind `keys`, and behind the length of each batch. */
function behind(
  storage: Stored,
  seed: number,
  {
    batch,
    kvHeads,
    keys,
    capacity,
    headSize,
  }: Readonly<Record<'batch' | 'kvHeads' | 'keys' | 'capacity' | 'headSize', number>>,
  lengths: ArrayLike<number> | undefined,
) {
  return poisonBehind(storage, storage.given(seed, batch * kvHeads * capacity * headSize), (i) => {
    const row = Math.floor(i / headSize)
    return row % capacity < Math.min(keys, lengths?.[Math.floor(row / capacity / kvHeads)] ?? keys)
  })
}

interface FastOptions {
  readonly causal?: boolean
  readonly past?: number
  /** Scores rise from key to key, so that what was summed has to be rescaled again and again. */
  readonly rising?: boolean
  readonly tag?: string
}

/** A kernel without masks, windows and soft caps: on subgroup matrices where it is f16, else in blocks of registers. */
function fastCase(storage: Stored, heads: Heads, options: FastOptions = {}): ParityCase {
  const { batch = 1, heads: [h, kv] = [2, 1], queries, keys, capacity = keys, headSize } = heads
  const { causal = false, past = keys - queries, rising = false } = options
  const half = storage === F16
  const sizes = { batch, heads: h, kvHeads: kv, queries, keys, capacity, headSize }
  const q = storage.given(1, batch * h * queries * headSize, rising ? 0.5 : -1)
  const [k, v] = [2, 3].map((seed) => behind(storage, seed, sizes, undefined))
  if (rising) {
    const row = (i: number) => Math.floor(i / headSize) % capacity
    const ramp = storage.data(k!.numbers.map((_, i) => Math.floor((row(i) / keys) * 16) / 16)) as Float32Array
    for (const i of ramp.keys()) if (row(i) < keys) (k!.data as Float32Array)[i] = ramp[i]!
    k!.numbers.splice(
      0,
      ramp.length,
      ...k!.numbers.map((x, i) => (row(i) < keys ? Math.floor((row(i) / keys) * 16) / 16 : x)),
    )
  }
  const scale = headSize ** -0.5 * (rising ? 3 : 1)
  const arrays = { q: q.numbers, k: k!.numbers, v: v!.numbers }
  const { out, lse } = attentionReference({ ...sizes, ...arrays, causal, past, scale })
  const error = attentionError(headSize, keys, headSize * scale)
  // products of a larger scale; sums of matrix units are cut off, which is two roundings for one
  const more = gamma(2 * headSize + 4) * headSize * scale + (half ? gamma(2 * keys) : 0)
  const rounded = half ? 2 ** -11 : 0
  const name = half ? `attention_matrix_${headSize}_f16` : `attention_tiled_${headSize}`
  return {
    name: `${name}, ${h}/${kv} × ${batch}, ${queries} of ${keys}/${capacity}${causal ? ' causal' : ''}${rising ? ' rising' : ''}${options.tag ?? ''}`,
    kernel: [...attentionMatrices, ...attentionTileds].find((kernel) => kernel.name === name)!,
    params: { batch, heads: h, kv_heads: kv, queries, keys, capacity, past, causal: Number(causal), scale },
    bindings: {
      ...{ q: q.data, k: k!.data, v: v!.data, out: storage.empty(out.length), lse: F32.empty(lse.length) },
    },
    expect: { out: storage.filled(out), lse: F32.filled(lse) },
    ...(half ? { subgroupSize: 32, halves: ['out'] } : {}),
    tolerance: storage.near(
      2 * (error.weight + more) + rounded + 2 ** -21,
      'as the others; products of a larger scale; weights and sums of matrix units rounded to f16 and cut off; |v| ≤ 1',
      4 * U,
    ),
  }
}

const n01 = ' [case-N01]'
const n04 = ' [case-N04]'
const n08 = ' [case-N08]'
const n11 = ' [case-N11]'

const cases = [F32, F16].flatMap((storage) => [
  forwardCase(storage, { queries: 1, keys: 1, headSize: 4 }),
  forwardCase(storage, { queries: 65, keys: 17, headSize: 64, heads: [2, 2] }),
  // More queries than keys: the first ones see none.
  forwardCase(storage, { queries: 9, keys: 4, headSize: 8, batch: 2 }, { causal: true, tag: n01 }),
  forwardCase(storage, { queries: 4, keys: 24, headSize: 64, batch: 2, capacity: 31 }, { causal: true, tag: n04 }),
  forwardCase(storage, { queries: 3, keys: 12, headSize: 20, heads: [4, 1] }, { causal: true, past: 2, tag: n04 }),
  // Whole tiles lie outside of the window.
  forwardCase(storage, { queries: 40, keys: 40, headSize: 32 }, { causal: true, window: 4, tag: n08 }),
  forwardCase(storage, { queries: 2, keys: 40, headSize: 16 }, { window: 9, past: 45, tag: n01 }),
  forwardCase(storage, { queries: 5, keys: 19, headSize: 64 }, { softCap: 0.5, causal: true }),
  forwardCase(
    storage,
    { queries: 3, keys: 17, headSize: 16, batch: 3, capacity: 20 },
    { lengths: [17, 0, 5], causal: true, tag: n01 },
  ),
  forwardCase(storage, { queries: 6, keys: 13, headSize: 8, batch: 2 }, { lengths: [4, 13], past: 0, causal: true }),
  forwardCase(storage, { queries: 5, keys: 11, headSize: 12, batch: 2 }, { bias: [110, 55, 11, 1], hides: -3e38 }),
  forwardCase(
    storage,
    { queries: 5, keys: 11, headSize: 12 },
    { bias: [0, 11, 0, 1], mask: [0, 0, 11, 1], softCap: 2 },
  ),
  // A row of the mask is 0 throughout.
  forwardCase(storage, { queries: 64, keys: 1, headSize: 4 }, { mask: [0, 0, 1, 0], tag: n01 }),
  forwardCase(storage, { queries: 7, keys: 21, headSize: 16, batch: 2 }, { dropout: 0.375, causal: true }),
  ...[40, 72, 80, 96, 128].map((headSize) =>
    forwardCase(
      storage,
      { queries: 5, keys: 17, headSize, heads: [4, 1] },
      { width: headSize > 64 ? 128 : 64, tag: n11 },
    ),
  ),
  forwardCase(storage, { queries: 5, keys: 17, headSize: 256, heads: [4, 1] }, { width: 256, causal: true, tag: n11 }),
  forwardCase(storage, { queries: 3, keys: 9, headSize: 5 }, { exact: true, causal: true }),
])

const fast = [F16, F32].flatMap((storage) => [
  fastCase(storage, { queries: 20, keys: 16, headSize: 64 }),
  fastCase(storage, { queries: 70, keys: 70, headSize: 64, batch: 2, heads: [2, 2] }, { causal: true }),
  fastCase(
    storage,
    { queries: 33, keys: 101, capacity: 110, headSize: 128, heads: [4, 2] },
    { causal: true, tag: n04 },
  ),
  fastCase(storage, { queries: 17, keys: 129, headSize: 128 }, { rising: true }),
  fastCase(storage, { queries: 140, keys: 90, headSize: 64, heads: [1, 1] }, { causal: true, tag: n01 }),
  fastCase(storage, { queries: 40, keys: 50, headSize: 64, heads: [1, 1] }, { causal: true, past: 3, rising: true }),
])

export const attentionCases: readonly ParityCase[] = [...cases, ...fast].map(shipped)

/** Around the tiles of 64 queries and 8 or 4 keys. */
const large = (storage: Stored): readonly ParityCase[] => [
  ...[63, 64, 65, 129].flatMap((queries) =>
    [7, 8, 9, 63, 64, 65].map((keys) =>
      forwardCase(storage, { queries, keys, headSize: 8 }, { causal: queries % 2 === 0 }),
    ),
  ),
  ...[3, 4, 5, 12].map((keys) =>
    forwardCase(storage, { queries: 5, keys, headSize: 256 }, { width: 256, causal: true }),
  ),
  ...[1, 2, 3, 7, 65, 130, 255].map((headSize) =>
    forwardCase(storage, { queries: 3, keys: 9, headSize }, { exact: true, causal: true }),
  ),
  ...[8, 9, 64].map((window) => forwardCase(storage, { queries: 130, keys: 150, headSize: 16 }, { window })),
]

export const fullCases: readonly ParityCase[] =
  process.env.WEFT_FULL === '1' ? [F32, F16].flatMap(large).map(shipped) : []
