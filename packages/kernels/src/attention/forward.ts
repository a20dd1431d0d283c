import {
  type Builder,
  bool,
  ceilDiv,
  d,
  type Expr,
  f32,
  fn,
  input,
  kernel,
  output,
  u32,
  type WriteRef,
} from '@weft/dsl'
import { flashBody } from '../attention-flash/flash-body'
import { isPadded, keyTile, quadsOf, ROWS } from '../attention-flash/flash-plan'
import type { Sight } from '../attention-flash/flash-steps'
import { LOWEST } from '../attention-flash/lowest'
import { type Rows, rowsType } from '../attention-flash/quads'
import { randomBits } from '../parts/random'
import { named, type Storage } from '../parts/storage'
import { keysSeen, type Lengths, lengthOf, PAIR_PARAMS, type Pairs, pairInputs, pairsOf, softCapped } from './sight'

/**
 * out = dropout(softmax(softcap(scale · q·kᵀ) + bias)) · v, and the logarithm of each row's sum: flash attention forward (Dao et al.,
 * 2022; Dao, 2023) with what models of today ask for. `attention/flash-body.ts` says how it is computed.
 *
 *     q, out: [batch, heads, queries, head_size]   k, v: [batch, kv_heads, capacity, head_size]   f32 or f16
 *     lse:    [batch, heads, queries] f32: ln Σ exp(score), natural; −3e38 where no key is seen
 *
 * Query i stands at position i + past. It sees key j where j < keys; j ≤ its position if `causal`; j > its position − `window`. Rows
 * from `keys` to `capacity`, of a cache that is not full, are not read. A row that sees no key gives zeros.
 *
 * The masked form has in addition, each with strides that may be 0 (batch, head, query, key):
 *
 *     lengths: [batch] keys that are there, with stride 0 or 1; with `from_end` the last query stands on the last of them
 *     bias:    added to the score after the soft cap (ALiBi, T5, −3e38 or less to hide)     mask: 0 hides a key
 *     dropout: a weight is dropped where the random bits of (head, query, key) are below `threshold`; the others are multiplied by
 *              `keep_scale`. The sum of the softmax is over all.
 *
 * Products, softmax and sums are f32 with either storage. What is hidden before `keys` must be finite: its weight is 0, and 0 · NaN is not.
 */

export interface ForwardOptions {
  /** The greatest head size; it must be a multiple of 4 then, and `head_size` too. Or the only one, with `exact`. */
  readonly headSize: number
  readonly exact?: boolean
  readonly storage?: Storage
  /** With lengths, bias, mask and dropout. */
  readonly masked?: boolean
}

/** The params of a key's place among what is given for pairs. */
const MASK_PARAMS = {
  ...PAIR_PARAMS,
  seed: d.u32,
  threshold: d.u32,
  keep_scale: d.f32,
}

/** What the body sees of the masked form. */
interface Masks extends Lengths, Pairs {
  readonly seed: Expr<'u32'>
  readonly threshold: Expr<'u32'>
  readonly keep_scale: Expr<'f32'>
}

export function attentionForwardOf(name: string, options: ForwardOptions) {
  const { headSize, exact = false, storage = 'f32', masked = false } = options
  const whole = !exact || headSize % 4 === 0
  const element = rowsType({ whole, storage })
  return kernel(
    name,
    {
      doc: `softmax(softcap(scale q k^T)${masked ? ' + bias' : ''}) v with causal masks and windows${masked ? ', masks, lengths and dropout' : ''}, and its row sums; head sizes ${exact ? 'of' : 'up to'} ${headSize}`,
      workgroupSize: [ROWS],
      bindings: {
        q: input(element),
        k: input(element),
        v: input(element),
        out: output(element),
        lse: output(d.arrayOf(d.f32)),
        ...((masked ? pairInputs() : {}) as Record<never, never>),
      },
      params: {
        batch: d.u32,
        heads: d.u32,
        kv_heads: d.u32,
        queries: d.u32,
        keys: d.u32,
        capacity: d.u32,
        head_size: d.u32,
        past: d.i32,
        causal: d.u32,
        window: d.u32,
        scale: d.f32,
        cap: d.f32,
        ...((masked ? MASK_PARAMS : {}) as Record<never, never>),
      },
      workgroups: ({ batch, heads, queries }) => [ceilDiv(queries, ROWS).mul(batch).mul(heads)],
    },
    (view, k) => {
      const { queries, head_size, cap } = view
      const rows: Rows = exact
        ? { size: headSize, quads: quadsOf(headSize), whole, padded: isPadded(headSize), storage }
        : { size: head_size, quads: head_size.div(4), whole, padded: true, storage }
      const masks = masked ? (view as unknown as Masks) : null
      flashBody(k, {
        ...view,
        rows,
        headSize,
        ...(masks ? { total: masks.keep_scale } : {}),
        place: () => {
          const tiles = k.let('tiles', ceilDiv(queries, ROWS))
          return k.let({ head: k.workgroupIndex.div(tiles), tile: k.workgroupIndex.rem(tiles) })
        },
        sight: (place) => sightOf(k, view, masks, place, keyTile(headSize), cap),
        finish: ({ head, index, top, sum }) => {
          k.if(index.lt(queries), () => {
            const value = fn.select(top.add(fn.log(sum)), f32(LOWEST), sum.eq(0))
            ;(view.lse as WriteRef<{ readonly array: 'f32' }>).at(u32`${head} * ${queries} + ${index}`).set(value)
          })
        },
      })
    },
  )
}

interface View {
  readonly heads: Expr<'u32'>
  readonly queries: Expr<'u32'>
  readonly keys: Expr<'u32'>
  readonly past: Expr<'i32'>
  readonly causal: Expr<'u32'>
  readonly window: Expr<'u32'>
}

interface Place {
  readonly head: Expr<'u32'>
  readonly tileStart: Expr<'u32'>
  readonly i: Expr<'u32'>
}

function sightOf(k: Builder, view: View, masks: Masks | null, place: Place, tile: number, cap: Expr<'f32'>): Sight {
  const { heads, queries } = view
  const { head, tileStart, i } = place
  const { keys, past } = masks ? lengthOf(k, view, masks, head) : view
  const of = { ...view, past }
  const lastRow = k.let('last_row', u32`min(${tileStart} + ${ROWS}, ${queries}) - 1`)
  const row = k.let('row', fn.min(tileStart.add(i), lastRow))
  const own = keysSeen(k, 'row', row, keys, of)
  const first = keysSeen(k, 'first', tileStart, keys, of)
  const last = keysSeen(k, 'last', lastRow, keys, of)
  const inRange = (key: Expr<'u32'>): Expr<'bool'> => bool`${key} >= ${own.from} && ${key} < ${own.to}`
  const range = { from: k.let('start', u32`${first.from} / ${tile} * ${tile}`), to: last.to, keys }
  const capped = (score: Expr<'f32'>): Expr<'f32'> => softCapped(k, score, cap)
  if (!masks) return { ...range, seen: inRange, score: capped }

  const pairs = pairsOf(k, masks, { head, heads, query: row })
  return {
    ...range,
    seen: (key) => k.when(inRange(key), () => pairs.shown(key), false),
    score: (score, key, seen) => k.when(seen, () => capped(score).add(pairs.bias(key())), 0),
    weight: (weight, key) => fn.select(weight, 0, randomBits(masks.seed, [head, row, key()]).lt(masks.threshold)),
  }
}

/** The kernels that ship: for head sizes that are multiples of 4, up to the one in the name. */
export const SHIPPED_HEAD_SIZES = [64, 128, 256] as const

export const forwardName = (headSize: number, masked: boolean, storage: Storage): string =>
  named(`attention_forward_${masked ? 'masked_' : ''}${headSize}`, storage)

export const attentionForwards = (['f32', 'f16'] as const).flatMap((storage) =>
  [false, true].flatMap((masked) =>
    SHIPPED_HEAD_SIZES.map((headSize) =>
      attentionForwardOf(forwardName(headSize, masked, storage), { headSize, masked, storage }),
    ),
  ),
)
