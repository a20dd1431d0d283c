import { rope, ropeHalf, ropeQkv, ropeQkvHalf } from '@weft/kernels/source'
import { kvAppendReference } from '../../packages/kernels/src/kv-cache/reference.js'
import { ropeBackwardReference, ropeQkvReference, ropeReference } from '../../packages/kernels/src/rope/reference.js'
import { ropeTable } from '../../packages/kernels/src/rope/table.js'
import type { ParityCase } from '../parity/case.js'
import { U } from './bounds.js'
import { F16, F32, type Stored } from './given.js'
import { shipped } from './outputs.js'

interface Sizes {
  readonly outer?: number
  readonly tokens: number
  readonly inner?: number
  readonly headSize: number
  readonly rotary?: number
  readonly past?: number
  readonly interleaved?: boolean
  readonly backward?: boolean
  readonly inPlace?: boolean
}

function ropeCase(storage: Stored, sizes: Sizes): ParityCase {
  const { outer = 1, tokens, inner = 1, headSize, rotary = headSize, past = 0 } = sizes
  const { interleaved = false, backward = false, inPlace = false } = sizes
  const n = outer * tokens * inner * headSize
  const x = storage.given(1, n)
  const reference = backward ? ropeBackwardReference : ropeReference
  const expected = reference({ x: x.numbers, outer, tokens, inner, headSize, rotary, past, interleaved })
  const params = { outer, tokens, inner, head_size: headSize, pairs: rotary / 2, past }
  // In place the tail of x is the tail of what is expected.
  const whole = storage.data([...expected, ...new Array<number>(x.data.length - n).fill(Number.NaN)])
  return {
    name: `rope${storage.suffix}, ${outer} × ${tokens} × ${inner} × ${headSize}, ${rotary} turned${interleaved ? ', interleaved' : ''}, from ${past}${backward ? ', backward' : ''}${inPlace ? ', in place [case-C38]' : ''}${past > 131_000 ? ' [case-N14]' : ''}`,
    kernel: storage === F32 ? rope : ropeHalf,
    params: { ...params, interleaved: Number(interleaved), direction: backward ? -1 : 1 },
    bindings: {
      x: x.data,
      table: ropeTable({ positions: past + tokens, rotary }),
      out: inPlace ? x.data : storage.empty(n),
    },
    ...(inPlace ? { alias: ['x', 'out'] as const } : {}),
    expect: { out: inPlace ? whole : storage.filled(expected) },
    tolerance: storage.near(
      24 * U,
      'cos and sin: 4 rounded table entries, 2 products, a sum, 8 U in all; with two products and a sum twice 8 U + 3 U, |x| ≤ 1; and reference angles in float64 to 2⁻³⁵',
    ),
  }
}

interface QkvSizes {
  readonly batch: number
  readonly tokens: number
  readonly heads: readonly [number, number]
  readonly headSize: number
  readonly rotary: number
  readonly past: number
  readonly capacity: number
  readonly interleaved?: boolean
}

function qkvCase(storage: Stored, sizes: QkvSizes): ParityCase {
  const {
    batch,
    tokens,
    heads: [heads, kvHeads],
    headSize,
    rotary,
    past,
    capacity,
    interleaved = false,
  } = sizes
  const qkv = storage.given(1, batch * tokens * (heads + 2 * kvHeads) * headSize)
  const held = batch * kvHeads * capacity * headSize
  const [kCache, vCache] = [storage.given(2, held), storage.given(3, held)]
  const split = ropeQkvReference({
    qkv: qkv.numbers,
    ...{ batch, tokens, heads, kvHeads, headSize, rotary, past, interleaved },
  })
  const after = (x: Float64Array, cache: typeof kCache) => {
    const joined = { heads: batch * kvHeads, tokens, capacity, headSize, past }
    const values = kvAppendReference({ x, cache: cache.numbers, ...joined })
    return storage.data([...values, ...new Array<number>(cache.data.length - held).fill(Number.NaN)])
  }
  return {
    name: `rope_qkv${storage.suffix}, ${batch} × ${tokens} tokens of ${heads} + 2 · ${kvHeads} heads of ${headSize}, ${rotary} turned${interleaved ? ', interleaved' : ''}, from ${past}, capacity ${capacity}`,
    kernel: storage === F32 ? ropeQkv : ropeQkvHalf,
    params: {
      ...{ batch, tokens, heads, kv_heads: kvHeads, head_size: headSize, pairs: rotary / 2, past },
      ...{ slot: past % capacity, capacity, interleaved: Number(interleaved) },
    },
    bindings: {
      qkv: qkv.data,
      table: ropeTable({ positions: past + tokens, rotary }),
      q: storage.empty(split.q.length),
      ...{ k_cache: kCache.data, v_cache: vCache.data },
    },
    expect: { q: storage.filled(split.q), k_cache: after(split.k, kCache), v_cache: after(split.v, vCache) },
    tolerance: storage.near(24 * U, 'as for rope'),
  }
}

const cases = [F32, F16].flatMap((storage) => [
  ropeCase(storage, { tokens: 1, headSize: 2 }),
  ropeCase(storage, { outer: 3, tokens: 5, headSize: 64, past: 254 }),
  ropeCase(storage, { outer: 2, tokens: 3, inner: 3, headSize: 80, rotary: 20, interleaved: true, past: 7 }),
  ropeCase(storage, { tokens: 2, inner: 3, headSize: 7, rotary: 4, past: 1000, inPlace: true }),
  ropeCase(storage, { tokens: 3, inner: 2, headSize: 5, rotary: 0 }),
  ropeCase(storage, { outer: 2, tokens: 4, headSize: 6, past: 131_068, interleaved: true }),
  ropeCase(storage, { tokens: 1, headSize: 128, past: 131_071 }),
  ropeCase(storage, { outer: 2, tokens: 3, headSize: 12, rotary: 8, past: 300, backward: true }),
  ropeCase(storage, { outer: 2, tokens: 3, headSize: 6, interleaved: true, backward: true, inPlace: true }),
  qkvCase(storage, { batch: 2, tokens: 3, heads: [4, 2], headSize: 8, rotary: 8, past: 0, capacity: 3 }),
  qkvCase(storage, { batch: 1, tokens: 1, heads: [1, 1], headSize: 2, rotary: 2, past: 600, capacity: 601 }),
  // In slots 4, 0, 1 of a ring.
  qkvCase(storage, {
    batch: 2,
    tokens: 3,
    heads: [3, 1],
    headSize: 7,
    rotary: 4,
    past: 9,
    capacity: 5,
    interleaved: true,
  }),
])

export const ropeCases: readonly ParityCase[] = cases.map(shipped)

/** Positions around the ends of coarse rows, and all widths of the turned part. */
const large = (storage: Stored): readonly ParityCase[] => [
  ...[255, 256, 257, 511, 2000, 65_535, 65_536].map((past) => ropeCase(storage, { tokens: 3, headSize: 8, past })),
  ...[2, 4, 6, 8, 10].flatMap((rotary) =>
    [false, true].map((interleaved) =>
      ropeCase(storage, { tokens: 5, inner: 3, headSize: 11, rotary, past: 9, interleaved }),
    ),
  ),
  ropeCase(storage, { outer: 65_537, tokens: 1, headSize: 2, past: 3 }),
]

export const fullCases: readonly ParityCase[] =
  process.env.WEFT_FULL === '1' ? [F32, F16].flatMap(large).map(shipped) : []
