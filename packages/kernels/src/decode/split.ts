import {
  type ArrayValue,
  type Builder,
  d,
  type Expr,
  f32,
  fn,
  input,
  kernel,
  output,
  u32,
  type ValuesRef,
  vec2f,
  vec4f,
} from '@weft/dsl'
import { softCapped } from '../attention/sight'
import { kvHeadOf } from '../attention-flash/heads'
import { LOWEST } from '../attention-flash/lowest'
import { loadQuad, type Rows, rowsType } from '../attention-flash/quads'
import { MAX, REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import type { Storage } from '../parts/storage'
import { partOf } from './part'

/**
 * Attention of one query over a long cache, its keys cut into splits that are worked on side by side ("Flash-Decoding", Dao et al., 2023):
 * with one query there are but batch · heads rows, too few for a device. A split gives its softmax unfinished,
 *
 *     stats[row, s] = (m, Σ exp(score − m))      partial[row, s, :] = Σ exp(score − m) · v      m = the greatest score of the split
 *
 * and `decode_combine` puts them together. A split without keys – there may be fewer keys than splits – gives m = −3e38, 0 and zeros, which
 * change nothing.
 *
 *     q: [batch, heads, head_size]   k, v: [batch, kv_heads, capacity, head_size]   head_size: a multiple of 4, at most 256
 *
 * A workgroup of 64 takes the keys of a split 64 at a time: invocation i makes the score of key i; then lane by lane of the head, as many
 * keys side by side as fit into 64 invocations, the weighted values are summed. All of it is f32, with either storage.
 */

/** Invocations of a workgroup, keys of a round, and quads of the largest head. */
export const ROUND = 64

interface Form {
  readonly name: string
  /** Of q, and of k and v. */
  readonly query: Storage
  readonly cache: Storage
  /** With a number of keys for each batch. */
  readonly lengths: boolean
}

const splitOf = ({ name, query, cache, lengths }: Form) =>
  kernel(
    name,
    {
      doc: `a split of the keys of attention with one query${lengths ? ', lengths for each batch' : ''}: its greatest score, its sum, and its weighted values`,
      workgroupSize: [ROUND],
      bindings: {
        q: input(rowsType({ whole: true, storage: query })),
        k: input(rowsType({ whole: true, storage: cache })),
        v: input(rowsType({ whole: true, storage: cache })),
        partial: output(d.arrayOf(d.vec4f)),
        stats: output(d.arrayOf(d.vec2f)),
        ...((lengths ? { lengths: input(d.arrayOf(d.u32)) } : {}) as Record<never, never>),
      },
      params: {
        batch: d.u32,
        heads: d.u32,
        kv_heads: d.u32,
        keys: d.u32,
        capacity: d.u32,
        head_size: d.u32,
        splits: d.u32,
        window: d.u32,
        scale: d.f32,
        cap: d.f32,
      },
      workgroups: ({ batch, heads, splits }) => [batch.mul(heads).mul(splits)],
      variants: REDUCE_VARIANTS,
    },
    (view, k) => {
      const { heads, kv_heads, capacity, head_size, splits, window, scale, cap } = view
      const given = lengths ? (view as unknown as { readonly lengths: ArrayValue<'u32'> }).lengths : null
      const quads = k.let('quads', head_size.div(4))
      const rows = (storage: Storage): Rows => ({ size: head_size, quads, whole: true, padded: false, storage })
      const i = k.localIndex
      const { row, split } = k.let({ row: k.workgroupIndex.div(splits), split: k.workgroupIndex.rem(splits) })
      const kvHead = k.let('kv_head', kvHeadOf(row, heads, kv_heads))
      const length = given ? k.let('length', fn.min(given.at(row.div(heads)), view.keys)) : view.keys
      const { start, end } = partOf(k, length, { split, splits, window })

      const scaled = k.workgroup('query', vec4f, ROUND)
      const weights = k.workgroup('weights', f32, ROUND)
      k.if(i.lt(quads), () => scaled.at(i).set(loadQuad(k, view.q, row, i, rows(query)).mul(scale)))
      k.workgroupBarrier()

      const lanes = lanesOf(k, quads)
      const acc = k.var('acc', vec4f())
      const { top, sum } = k.var({ top: f32(LOWEST), sum: f32(0) })
      k.range('j0', start, end, ROUND, (j0) => {
        const there = k.let('there', j0.add(i).lt(end))
        const keyRow = u32`${kvHead} * ${capacity} + ${j0} + ${i}`
        const score = k.when(there, () => scoreOf(k, scaled, view.k, keyRow, rows(cache), cap), LOWEST)
        const newTop = k.let('new_top', fn.max(top, workgroupReduce(k, 'round_top', score, MAX)))
        const rescale = k.let('rescale', fn.exp(top.sub(newTop)))
        const weight = k.let('weight', fn.select(f32(0), fn.exp(score.sub(newTop)), there))
        top.set(newTop)
        sum.set(fn.fma(sum, rescale, weight))
        // Nobody reads the weights of the round before any more: the reduction has a barrier.
        weights.at(i).set(weight)
        k.workgroupBarrier()
        acc.mulAssign(rescale)
        k.range('j', lanes.firstKey, u32`min(${end} - ${j0}, ${ROUND})`, lanes.groups, (j) => {
          const value = loadQuad(k, view.v, u32`${kvHead} * ${capacity} + ${j0} + ${j}`, lanes.lane, rows(cache))
          acc.set(fn.fma(vec4f(weights.at(j)), value, acc))
        })
      })

      const total = k.let('total', workgroupReduce(k, 'split_sum', sum, SUM))
      const whole = mergedOf(k, acc, lanes)
      k.if(i.lt(quads), () => view.partial.at(u32`${k.workgroupIndex} * ${quads} + ${i}`).set(whole()))
      k.if(i.eq(0), () => view.stats.at(k.workgroupIndex).set(vec2f(top, total)))
    },
  )

interface Lanes {
  readonly quads: Expr<'u32'>
  /** Keys side by side. */
  readonly groups: Expr<'u32'>
  /** The quad of the head that this invocation sums, and the first of its keys. */
  readonly lane: Expr<'u32'>
  readonly firstKey: Expr<'u32'>
}

/** Invocation i sums quad `lane` of every groups-th key from its group on; those that are left over sum none. */
function lanesOf(k: Builder, quads: Expr<'u32'>): Lanes {
  const groups = k.let('groups', u32(ROUND).div(quads))
  const { lane, group } = k.let({ lane: k.localIndex.rem(quads), group: k.localIndex.div(quads) })
  return { quads, groups, lane, firstKey: k.let('first_key', fn.select(u32(ROUND), group, group.lt(groups))) }
}

/** The scaled query times a key, behind the soft cap. */
function scoreOf(
  k: Builder,
  query: ValuesRef<'vec4f'>,
  keys: ArrayValue<'vec4f'>,
  row: Expr<'u32'>,
  rows: Rows,
  cap: Expr<'f32'>,
): Expr<'f32'> {
  const products = k.var('products', vec4f())
  const at = k.let('key_row', row)
  k.range('c', u32(0), rows.quads, (c) => products.set(fn.fma(query.at(c), loadQuad(k, keys, at, c, rows), products)))
  return softCapped(k, f32`(${products}.x + ${products}.y) + (${products}.z + ${products}.w)`, cap)
}

/** The sums of all groups through workgroup memory; what it gives adds them up, for one quad of the head. */
function mergedOf(k: Builder, acc: Expr<'vec4f'>, { groups, quads }: Lanes): () => Expr<'vec4f'> {
  const merged = k.workgroup('merged', vec4f, ROUND)
  merged.at(k.localIndex).set(acc)
  k.workgroupBarrier()
  return () => {
    const whole = k.var('whole', merged.at(k.localIndex))
    k.range('g', 1, groups, (g) => whole.addAssign(merged.at(u32`${g} * ${quads} + ${k.localIndex}`)))
    return whole
  }
}

const FORMS = [
  ['', 'f32', 'f32'],
  ['_f16', 'f16', 'f16'],
  ['_f16_cache', 'f32', 'f16'],
] as const

export const decodeSplits = FORMS.flatMap(([suffix, query, cache]) =>
  [false, true].map((lengths) =>
    splitOf({ name: `decode_split${lengths ? '_lengths' : ''}${suffix}`, query, cache, lengths }),
  ),
)
