import { type ArrayValue, type Builder, bool, d, type Expr, each, f32, fn, u32, vec4f } from '@weft/dsl'
import { keysSeen, softCapped } from '../attention/sight'
import { loadQuad, type Rows } from '../attention-flash/quads'
import { randomBits } from '../parts/random'
import { biasOf, type HeadSight, type Masked, rowStats } from './masked'
import { TILE } from './plan'

/**
 * What both gradient kernels do for 16 queries and 16 keys: the weights again, from the logarithm of the row's sum, and their gradients. A
 * workgroup of 256 has an invocation for each pair of a query and a key.
 *
 *     w = exp(score − lse)      g = kept · dout · v      ds = w (g − δ) · slope · scale
 *
 * Rows of q, k, dout and v come through workgroup memory, four quads of each at a time, so that heads of any size need 4 KiB.
 */

export { TILE }

/** Quads of a row that are staged at a time: 4 arrays × 16 rows × 4 quads are one for each invocation. */
const CHUNK = 4
/** Quads of a row that an invocation accumulates, for heads up to 256. */
export const MOST_QUADS = 4
/** Rows of a tile in workgroup memory, padded so that its columns lie in different banks. */
export const TILE_ROW = TILE + 1

export const PARAMS = {
  batch: d.u32,
  heads: d.u32,
  kv_heads: d.u32,
  queries: d.u32,
  keys: d.u32,
  head_size: d.u32,
  past: d.i32,
  causal: d.u32,
  window: d.u32,
  scale: d.f32,
  cap: d.f32,
  seed: d.u32,
  threshold: d.u32,
  keep_scale: d.f32,
} as const

export interface View {
  readonly q: ArrayValue<'vec4f'>
  readonly k: ArrayValue<'vec4f'>
  readonly v: ArrayValue<'vec4f'>
  readonly dout: ArrayValue<'vec4f'>
  readonly stats: ArrayValue<'vec2f'>
  readonly heads: Expr<'u32'>
  readonly queries: Expr<'u32'>
  readonly keys: Expr<'u32'>
  readonly past: Expr<'i32'>
  readonly causal: Expr<'u32'>
  readonly window: Expr<'u32'>
  readonly scale: Expr<'f32'>
  readonly cap: Expr<'f32'>
  readonly seed: Expr<'u32'>
  readonly threshold: Expr<'u32'>
  readonly keep_scale: Expr<'f32'>
}

/** Where a tile lies: the head of its queries and that of its keys, over the batch, and its first query and key. */
interface Place {
  readonly head: Expr<'u32'>
  readonly kvHead: Expr<'u32'>
  readonly query: Expr<'u32'>
  readonly key: Expr<'u32'>
  /** What the head sees. */
  readonly sight: HeadSight
}

/** For the pair of this invocation: the weight behind the dropout, and the gradient of the product q·k. All 0 where the key is hidden. */
export interface Pair {
  readonly kept: Expr<'f32'>
  readonly ds: Expr<'f32'>
  /** The gradient of what is added to the score. */
  readonly shift: Expr<'f32'>
}

/** The row of a query or of a key, of `count` for each head; behind the end of those that are there the last one again. */
export const rowAt = (head: Expr<'u32'>, count: Expr<'u32'>, index: Expr<'u32'>, there = count): Expr<'u32'> =>
  u32`${head} * ${count} + min(${index}, ${there} - 1)`

/** Declares the memory of a tile; the function that it gives has barriers, and is called in uniform control flow. */
export function tileOf(k: Builder, view: View, rows: Rows, masked: Masked | null): (place: Place) => Pair {
  const staged = k.workgroup('staged', vec4f, 4, TILE, CHUNK)
  const i = k.localIndex
  const { array, stagedRow, stagedQuad } = k.let({
    array: i.div(TILE * CHUNK),
    stagedRow: u32`${i} % ${TILE * CHUNK} / ${CHUNK}`,
    stagedQuad: i.rem(CHUNK),
  })
  const { r, c } = k.let({ r: i.div(TILE), c: i.rem(TILE) })

  return (place) => {
    const { queries, keys } = view
    const queryRow = k.let('query_row', rowAt(place.head, queries, place.query.add(stagedRow)))
    const keyRow = k.let('key_row', rowAt(place.kvHead, keys, place.key.add(stagedRow), place.sight.keys))
    const { products, gradients } = k.var({ products: vec4f(), gradients: vec4f() })
    k.range('chunk', u32(0), rows.quads, CHUNK, (chunk) => {
      const quad = k.let('quad', chunk.add(stagedQuad))
      const stage = (index: number, source: ArrayValue<'vec4f'>, row: Expr<'u32'>): void =>
        k.if(array.eq(index), () =>
          staged.at(index, stagedRow, stagedQuad).set(loadQuad(k, source, row, quad, rows)),
        ) as unknown as void
      stage(0, view.q, queryRow)
      stage(1, view.k, keyRow)
      stage(2, view.dout, queryRow)
      stage(3, view.v, keyRow)
      k.workgroupBarrier()
      for (const g of each(CHUNK)) {
        products.set(fn.fma(staged.at(0, r, g), staged.at(1, c, g), products))
        gradients.set(fn.fma(staged.at(2, r, g), staged.at(3, c, g), gradients))
      }
      k.workgroupBarrier()
    })
    return pairOf(k, view, masked, place, { r, c, products, gradients })
  }
}

interface Sums {
  readonly r: Expr<'u32'>
  readonly c: Expr<'u32'>
  readonly products: Expr<'vec4f'>
  readonly gradients: Expr<'vec4f'>
}

const across = (v: Expr<'vec4f'>): Expr<'f32'> => f32`(${v}.x + ${v}.y) + (${v}.z + ${v}.w)`

function plainStats(k: Builder, { stats }: View, row: Expr<'u32'>) {
  const own = k.let('row_stats', stats.at(row))
  return { lse: own.x, delta: own.y }
}

function pairOf(k: Builder, view: View, masked: Masked | null, place: Place, sums: Sums): Pair {
  const { r, c, products, gradients } = sums
  const { heads, queries, scale, cap } = view
  const { keys, past } = place.sight
  const { query, key } = k.let({ query: place.query.add(r), key: place.key.add(c) })
  const { from, to } = keysSeen(k, 'seen', query, keys, { ...view, past })
  const inside = k.let(masked ? 'inside' : 'seen', bool`${query} < ${queries} && ${key} >= ${from} && ${key} < ${to}`)
  const row = rowAt(place.head, queries, query)
  const stats = masked ? rowStats(k, masked, row) : plainStats(k, view, row)
  const bias = masked && biasOf(k, masked, { head: place.head, heads, query, key }, inside)
  const seen = bias ? k.let('seen', bias.seen) : inside
  const score = k.let('score', softCapped(k, across(products).mul(scale), cap))
  const weight = k.let('weight', fn.select(f32(0), fn.exp((bias ? score.add(bias.added) : score).sub(stats.lse)), seen))
  // tanh′ = 1 − tanh², and tanh = score / cap
  const slope = k.when(cap.ne(0), () => fn.fma(score.div(cap).neg(), score.div(cap), f32(1)), 1)
  const dropped = randomBits(view.seed, [place.head, query, key]).lt(view.threshold)
  const keep = k.let('keep', fn.select(view.keep_scale, 0, dropped))
  const gradient = k.let('gradient', across(gradients).mul(keep).sub(stats.delta))
  return {
    kept: k.let('kept', weight.mul(keep)),
    ds: k.let('ds', fn.select(f32(0), weight.mul(gradient).mul(slope).mul(scale), seen)),
    shift: k.let('shift', fn.select(f32(0), weight.mul(gradient), seen)),
  }
}
