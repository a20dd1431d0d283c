import {
  type ArrayValue,
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  fn,
  input,
  kernel,
  output,
  type Tuple,
  tuple,
  u32,
  type VarRef,
  vec4f,
} from '@weft/dsl'
import { LOWEST } from '../attention-flash/lowest'
import { eights, perLoad, unpackLoad } from '../parts/eights'
import { bitsOf, FOUR, laneOf, scattered } from '../parts/scatter'
import { named, type Storage } from '../parts/storage'
import { partOf } from './part'
import { merge } from './stream-merge'

/**
 * `decode_split` for devices with subgroups: a split of the keys of attention with one query, for four query heads that share a head of keys
 * and values, so that the cache is read once for all of them. Gives what `decode_split` gives, for heads of 64 and of 128.
 *
 *     stats[row, s] = (m, Σ exp(score − m))      partial[row, s, :] = Σ exp(score − m) · v      m = the greatest score of the split
 *
 * A row of the cache is shared by 16 lanes, which read 16 bytes at a time, neighbours side by side. Each group of lanes has keys of its own,
 * a softmax of its own, and no barrier: it reads four keys and values, while it works on the four before. A lane has products of its piece
 * of the row with all four queries; summing them scatters the four scores over four lanes (`scatter.ts`), so that each exponential is made
 * once, and weights come back by a shuffle each. At the end the parts of all groups are put together through workgroup memory.
 *
 * All of it is f32, with either storage; scores are powers of two.
 *
 * What limits it, and what was tried (H200, 32 heads over 8, head size 128; GB/s of keys and values, where a copy has 4,245):
 *     8 × 16,384 / 1 × 131,072 keys, with the dispatch that combines splits: f32 4,000 / 3,910, memory; f16 3,440 / 3,310, instructions:
 *     64 fma and 16 conversions for 16 bytes, as many again for the softmax. Lost, f16:
 *     each lane sums all four scores, eight lanes to a row 2,460 / 2,670; sixteen 2,830 / 3,100
 *     scattered sums, without reading ahead 2,590 / 2,300
 *     eight lanes to a row 2,880 / 3,480; eight keys at once, not ahead 2,980 / 3,400; 256 invocations 2,870 / 2,880
 */

export interface StreamOptions {
  readonly headSize: number
  /** Of q, and of k and v. */
  readonly query: Storage
  readonly cache: Storage
  /** Invocations that share a row: a power of two from 4 on, and at most the size of a subgroup. */
  readonly lanes?: number
  /** Keys of a group of lanes that are read at once. */
  readonly keysEach?: number
  readonly invocations?: number
}

/** How a kernel divides its work, in JavaScript numbers. */
function planOf({ headSize, query, cache, lanes = 16, keysEach = 4, invocations = 128 }: StreamOptions) {
  const chunk = perLoad(cache)
  const quadsOfChunk = chunk / 4
  const chunks = headSize / chunk
  const pieces = chunks / lanes
  const groups = invocations / lanes
  return {
    ...{ headSize, query, cache, lanes, keysEach, invocations, chunk, quadsOfChunk, chunks, pieces, groups },
    quads: headSize / 4,
    /** Quads of a row that a lane has. */
    held: pieces * quadsOfChunk,
    /** Keys of a round. */
    round: groups * keysEach,
  }
}
type Plan = ReturnType<typeof planOf>

/** What a group of lanes works on. */
interface Work {
  readonly plan: Plan
  readonly lane: Expr<'u32'>
  readonly own: Expr<'u32'>
  readonly bits: ReturnType<typeof bitsOf>
  readonly q: Tuple<readonly Expr<'vec4f'>[]>
  readonly acc: Tuple<Tuple<VarRef<'vec4f'>>>
  readonly top: VarRef<'f32'>
  readonly sum: VarRef<'f32'>
}

export function decodeStreamOf(name: string, options: StreamOptions) {
  const plan = planOf(options)
  const { headSize, query, cache, lanes, invocations, groups, quads, held } = plan
  return kernel(
    name,
    {
      doc: `a split of the keys of attention with one query, for ${FOUR} query heads at a time: its greatest scores, sums, and weighted values; head size ${headSize}`,
      workgroupSize: [invocations],
      bindings: {
        q: input(eights(query)),
        k: input(eights(cache)),
        v: input(eights(cache)),
        lengths: input(d.arrayOf(d.u32)),
        partial: output(d.arrayOf(d.vec4f)),
        stats: output(d.arrayOf(d.vec2f)),
      },
      params: {
        batch: d.u32,
        heads: d.u32,
        kv_heads: d.u32,
        keys: d.u32,
        capacity: d.u32,
        lengths_stride: d.u32,
        splits: d.u32,
        window: d.u32,
        scale: d.f32,
      },
      workgroups: ({ batch, heads, kv_heads, splits }) => [
        batch
          .mul(kv_heads)
          .mul(ceilDiv(heads.div(kv_heads), FOUR))
          .mul(splits),
      ],
      variants: { subgroups: ['subgroups', 'subgroup-id'] },
    },
    (view, k) => {
      const { heads, kv_heads, capacity, splits, window } = view
      const group = k.let('group', heads.div(kv_heads))
      const parts = k.let('parts', ceilDiv(group, FOUR))
      const { split, block } = k.let({ split: k.workgroupIndex.rem(splits), block: k.workgroupIndex.div(splits) })
      const { kvHead, part } = k.let({ kvHead: block.div(parts), part: block.rem(parts).mul(FOUR) })
      const given = view.lengths.at(u32`${kvHead} / ${kv_heads} * ${view.lengths_stride}`)
      const length = k.let('length', fn.min(given, view.keys))
      const { start, end } = partOf(k, length, { split, splits, window })
      // heads that the group does not have are computed like its last one, and not stored
      const row = tuple(FOUR, (h) => k.let(`row${h}`, u32`${kvHead} * ${group} + min(${part} + ${h}, ${group} - 1)`))
      // by the ids of subgroups, since nothing says that neighbours in them are neighbours in the workgroup
      const i = k.let('i', u32`${k.subgroupId} * ${k.subgroupSize} + ${k.subgroupInvocationId}`)
      const { lane, own } = k.let({ lane: i.rem(lanes), own: i.rem(invocations).div(lanes) })

      const q = tuple(FOUR, (h) => queryOf(k, plan, view.q, row[h], lane, view.scale, h))
      const acc = tuple(FOUR, (h) => tuple(held, (e) => k.var(`acc${h}_${e}`, vec4f())))
      const work: Work = { plan, lane, own, bits: bitsOf(k, lane), q, acc, ...k.var({ top: f32(LOWEST), sum: f32(0) }) }
      const first = k.let('first', kvHead.mul(capacity))
      const read = (j0: Expr<'u32'>) =>
        rowsOf(k, work, j0, end, (at) => ({ key: view.k.at(at), value: view.v.at(at) }), first)
      const next = mapRows(read(start), (name, chunk) => k.var(name, chunk))
      k.range('j0', start, end, plan.round, (j0) => {
        const rows = mapRows(next, (name, chunk) => k.let(`${name}_now`, chunk))
        setRows(next, read(j0.add(plan.round)))
        roundOf(k, work, j0, end, rows)
      })

      const place = (h: number) => ({
        index: k.let(`index${h}`, u32`${row[h]!} * ${splits} + ${split}`),
        there: part.add(h).lt(group),
      })
      const quadAt = (e: number): Expr<'u32'> =>
        u32`(${lane} + ${Math.floor(e / plan.quadsOfChunk) * lanes}) * ${plan.quadsOfChunk} + ${e % plan.quadsOfChunk}`
      merge(k, { ...work, i, groups, quads, held, quadAt }, { ...view, place })
    },
  )
}

/** The one quad, or the two, of what was read at once. */
function quadsOf(k: Builder, name: string, load: Expr<'vec4f'>, storage: Storage): readonly Expr<'vec4f'>[] {
  const quads = unpackLoad(storage, load)
  return quads.length === 1 ? quads : quads.map((quad, i) => k.let(`${name}_${i === 0 ? 'low' : 'high'}`, quad))
}

/** The quads of query head h that this lane has, scaled so that scores are powers of two. */
function queryOf(
  k: Builder,
  { headSize, query, chunk, quadsOfChunk, pieces, lanes }: Plan,
  q: ArrayValue<'vec4f'>,
  row: Expr<'u32'>,
  lane: Expr<'u32'>,
  scale: Expr<'f32'>,
  h: number,
): readonly Expr<'vec4f'>[] {
  const size = perLoad(query)
  const loaded = each(pieces).flatMap((p) => {
    const first = u32`${row} * ${headSize / size} + (${lane} + ${p * lanes}) * ${chunk / size}`
    return each((quadsOfChunk * 4) / size).flatMap((e) => {
      const name = `q${h}_${p}_${e}`
      return quadsOf(k, name, k.let(name, q.at(first.add(e))), query)
    })
  })
  return loaded.map((quad, e) => k.let(`scaled${h}_${e}`, quad.mul(scale.mul(Math.LOG2E))))
}

/** Chunks of some keys and of their values, as they were read: of key u, those that a lane has. */
interface Rows<T> {
  readonly keys: readonly (readonly T[])[]
  readonly values: readonly (readonly T[])[]
}

const keyAt = ({ plan, own }: Work, j0: Expr<'u32'>, u: number): Expr<'u32'> => u32`${j0} + ${own} + ${u * plan.groups}`

/** The rows of a round: all of them are asked for before the first one is used. A key behind the last one is read as the last one. */
function rowsOf(
  k: Builder,
  work: Work,
  j0: Expr<'u32'>,
  end: Expr<'u32'>,
  read: (at: Expr<'u32'>) => { readonly key: Expr<'vec4f'>; readonly value: Expr<'vec4f'> },
  first: Expr<'u32'>,
): Rows<Expr<'vec4f'>> {
  const { keysEach, chunks, pieces, lanes } = work.plan
  const rows = each(keysEach).map((u) => {
    const at = k.let(`at${u}`, u32`(${first} + min(${keyAt(work, j0, u)}, ${end} - 1)) * ${chunks} + ${work.lane}`)
    return each(pieces).map((p) => read(at.add(p * lanes)))
  })
  return {
    keys: rows.map((row, u) => row.map(({ key }, p) => k.let(`k${u}_${p}`, key))),
    values: rows.map((row, u) => row.map(({ value }, p) => k.let(`v${u}_${p}`, value))),
  }
}

const mapRows = <T, R>({ keys, values }: Rows<T>, f: (name: string, chunk: T) => R): Rows<R> => ({
  keys: keys.map((row, u) => row.map((chunk, p) => f(`key${u}_${p}`, chunk))),
  values: values.map((row, u) => row.map((chunk, p) => f(`value${u}_${p}`, chunk))),
})

function setRows(to: Rows<VarRef<'vec4f'>>, { keys, values }: Rows<Expr<'vec4f'>>): void {
  for (const [u, row] of to.keys.entries()) for (const [p, chunk] of row.entries()) chunk.set(keys[u]![p]!)
  for (const [u, row] of to.values.entries()) for (const [p, chunk] of row.entries()) chunk.set(values[u]![p]!)
}

/** Some keys of each group of lanes. */
function roundOf(k: Builder, work: Work, j0: Expr<'u32'>, end: Expr<'u32'>, rows: Rows<Expr<'vec4f'>>): void {
  const { plan, lane, bits, q, acc, top, sum } = work
  const { keysEach, lanes, held, cache } = plan
  const key = each(keysEach).map((u) => k.let(`key${u}`, keyAt(work, j0, u)))
  const wide = (name: string, list: readonly (readonly Expr<'vec4f'>[])[]) =>
    list.map((row, u) => row.flatMap((chunk, p) => quadsOf(k, `${name}${u}_${p}`, chunk, cache)))
  const keyRows = wide('k', rows.keys)
  const valueRows = wide('v', rows.values)

  const score = keyRows.map((row, u) => {
    const products = tuple(FOUR, (h) => k.let(`product${h}_${u}`, dot(q[h], row)))
    return k.let(`score${u}`, fn.select(f32(LOWEST), scattered(k, products, bits, lanes), key[u]!.lt(end)))
  })
  const newTop = k.let(
    'new_top',
    score.reduce<Expr<'f32'>>((a, b) => fn.max(a, b), top),
  )
  const factor = k.let('factor', fn.exp2(top.sub(newTop)))
  const weight = score.map((x, u) => k.let(`weight${u}`, fn.select(f32(0), fn.exp2(x.sub(newTop)), key[u]!.lt(end))))
  top.set(newTop)
  sum.set(weight.reduce<Expr<'f32'>>((a, b) => a.add(b), sum.mul(factor)))

  const four = k.let('four', k.subgroupInvocationId.sub(lane.rem(FOUR)))
  const ofHead = (name: string, value: Expr<'f32'>) =>
    tuple(FOUR, (h) => k.let(`${name}_${h}`, k.subgroupShuffle(value, four.add(laneOf(h)))))
  const factors = ofHead('factor', factor)
  // tops rise seldom after the first rounds
  k.if(fn.min(fn.min(factors[0], factors[1]), fn.min(factors[2], factors[3])).lt(1), () => {
    for (const h of each(FOUR)) for (const e of each(held)) acc[h][e].mulAssign(factors[h])
  })
  weight.forEach((ofKey, u) => {
    const weights = ofHead(`weight${u}`, ofKey)
    for (const h of each(FOUR)) {
      for (const e of each(held)) acc[h][e].set(fn.fma(vec4f(weights[h]), valueRows[u]![e]!, acc[h][e]))
    }
  })
}

/** The products of a lane's quads. */
function dot(q: readonly Expr<'vec4f'>[], key: readonly Expr<'vec4f'>[]): Expr<'f32'> {
  const all = q.slice(1).reduce<Expr<'vec4f'>>((sum, quad, e) => fn.fma(quad, key[e + 1]!, sum), q[0]!.mul(key[0]!))
  return f32`(${all}.x + ${all}.y) + (${all}.z + ${all}.w)`
}

export const STREAM_HEAD_SIZES = [64, 128] as const

export const streamName = (headSize: number, query: Storage, cache: Storage): string =>
  `${named(`decode_stream_${headSize}`, query)}${query === cache ? '' : `_${cache}_cache`}`

export const decodeStreams = STREAM_HEAD_SIZES.flatMap((headSize) =>
  (
    [
      ['f32', 'f32'],
      ['f16', 'f16'],
      ['f32', 'f16'],
    ] as const
  ).map(([query, cache]) =>
    decodeStreamOf(streamName(headSize, query, cache), {
      ...{ headSize, query, cache },
      lanes: Math.min(16, headSize / perLoad(cache)),
    }),
  ),
)
