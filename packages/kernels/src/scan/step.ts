import { type Builder, d, type Expr, each, f32, fn, inout, input, kernel, output, tuple, u32, vec4f } from '@weft/dsl'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { SCAN_STEP_TILE } from './plan'

const INVOCATIONS = 256
/** Quads that an invocation holds: those of one number are side by side over the workgroup. */
const HELD = SCAN_STEP_TILE / 4 / INVOCATIONS
/** Sums of quads are scanned four at a time. */
const PARTS = HELD / 4

type Quad = Expr<'vec4f'>

/**
 * One step of a prefix sum by chunks which fit a cache: the sums of the tiles of one chunk, and in the same dispatch y of the chunk
 * before, whose sums the step before has left.
 *
 *   y[i] = carries[chunk − 1] + sums of the tiles of the chunk before that of i + x[first of the tile] + … + x[i]   (`exclusive`: up to x[i − 1])
 *
 * Reduce, then scan (Merrill and Grimshaw, 2009) reads x twice, so that it can have two thirds of copy bandwidth at the most with x and y
 * counted once. Here the second reading comes so soon after the first that a cache still has what it reads: memory is read once. A
 * workgroup adds up by itself the sums of those tiles of its chunk that come before its own, a few hundred words, and the last one leaves
 * the sum of everything so far for the next step, so that a step is all that a chunk takes. Workgroups of both kinds alternate, which
 * keeps memory reading and writing at once.
 *
 * x, y: quads, of which 2,048 make a tile; sums: one for each tile; carries: one for each chunk. Tiles `first` … `first + applied − 1`
 * are chunk number `chunk`, whose y is written; the `reduced` ones after them are summed.
 *
 * Numerics: f32; a result is a sum of sums of at most 4 + 8 + 64 + 8 terms in a tile, of at most ⌈tiles of a chunk / 256⌉ + 64 + 8 tiles,
 * and of chunks.
 */
export const scanStep = kernel(
  'scan_step',
  {
    workgroupSize: [INVOCATIONS],
    bindings: {
      x: input(d.arrayOf(d.vec4f)),
      sums: inout(d.arrayOf(d.f32)),
      carries: inout(d.arrayOf(d.f32)),
      y: output(d.arrayOf(d.vec4f)),
    },
    params: { quads: d.u32, exclusive: d.u32, first: d.u32, applied: d.u32, reduced: d.u32, chunk: d.u32 },
    workgroups: ({ applied, reduced }) => [applied.add(reduced)],
    variants: REDUCE_VARIANTS,
  },
  ({ x, sums, carries, y, quads, exclusive, first, applied, reduced, chunk }, k) => {
    const i = k.workgroupIndex
    const both = k.let('both', u32`min(${applied}, ${reduced})`)
    // of those that have no other beside them: behind the pairs
    const paired = i.lt(both.mul(2))
    const alone = k.let('alone', i.sub(both))
    const applies = k.let('applies', fn.select(alone.lt(applied), i.rem(2).eq(0), paired))
    const number = k.let('number', fn.select(alone, i.div(2), paired))
    const tile = k.let('tile', first.add(fn.select(applied.add(number), number, applies)))

    const place = k.let(
      'place',
      k.variant === 'subgroups' ? u32`${k.subgroupId} * ${k.subgroupSize} + ${k.subgroupInvocationId}` : k.localIndex,
    )
    const at = (j: number) => u32`${tile} * ${SCAN_STEP_TILE / 4} + ${place} + ${j * INVOCATIONS}`
    const value = tuple(HELD, (j) =>
      k.let(
        `value${j}`,
        k.when(at(j).lt(quads), () => x.at(at(j)), vec4f(0)),
      ),
    )
    k.if(
      applies,
      () => {
        const ahead = k.var('ahead', f32(0))
        k.range('t', k.localIndex, number, INVOCATIONS, (t) => ahead.addAssign(sums.at(first.add(t))))
        const carry = k.when(chunk.gt(0), () => carries.at(chunk.sub(1)), 0)
        const before = k.var('before', workgroupReduce(k, 'ahead_part', ahead, SUM).add(carry))
        const { left, total } = scanSums(k, value)
        for (const j of each(HELD)) {
          const [a, b, c, all] = prefixes(k, value[j])
          const zero = f32(0)
          const within = fn.select(vec4f(a, b, c, all), vec4f(zero, a, b, c), exclusive.ne(0))
          k.if(at(j).lt(quads), () => y.at(at(j)).set(within.add(before.add(left(j)))))
          before.addAssign(total(j))
        }
        k.if(number.eq(applied.sub(1)).and(k.localIndex.eq(0)), () => carries.at(chunk).set(before))
      },
      () => {
        const quad = value.slice(1).reduce((a: Quad, v) => a.add(v), value[0])
        const sum = workgroupReduce(k, 'part', lanes(k.let('quad', quad)), SUM)
        k.if(k.localIndex.eq(0), () => sums.at(tile).set(sum))
      },
    )
  },
)

const lanes = (v: Quad): Expr<'f32'> => v.x.add(v.y).add(v.z.add(v.w))

function prefixes(k: Builder, v: Quad): readonly [Expr<'f32'>, Expr<'f32'>, Expr<'f32'>, Expr<'f32'>] {
  const b = k.let('two', v.x.add(v.y))
  const c = k.let('three', b.add(v.z))
  return [v.x, b, c, k.let('four', c.add(v.w))]
}

interface Scanned {
  /** Of the quads of number j: the sum of what the invocations before this one have, and of what all have. */
  readonly left: (j: number) => Expr<'f32'>
  readonly total: (j: number) => Expr<'f32'>
}

function scanSums(k: Builder, value: readonly Quad[]): Scanned {
  const sums = each(PARTS).map((p) => {
    const of = (j: number) => prefixes(k, value[4 * p + j] as Quad)[3]
    return k.let(`sums${p}`, vec4f(of(0), of(1), of(2), of(3)))
  })
  const both = k.variant === 'subgroups' ? bySubgroups(k, sums) : bySteps(k, sums)
  const lane = (vectors: readonly Quad[]) => (j: number) => (vectors[Math.floor(j / 4)] as Quad).at(j % 4)
  return { left: lane(both.map(([left]) => left)), total: lane(both.map(([, total]) => total)) }
}

type Both = readonly (readonly [left: Quad, total: Quad])[]

/** Hillis and Steele, 1986: log₂(256) steps. */
function bySteps(k: Builder, sums: readonly Quad[]): Both {
  const partial = k.workgroup('partial', vec4f, PARTS, INVOCATIONS)
  const i = k.localIndex
  const total = sums.map((sum, p) => k.var(`total${p}`, sum))
  const share = () => {
    for (const [p, sum] of total.entries()) partial.at(p, i).set(sum)
    k.workgroupBarrier()
  }
  for (let distance = 1; distance < INVOCATIONS; distance *= 2) {
    share()
    k.if(i.ge(distance), () => {
      for (const [p, sum] of total.entries()) sum.addAssign(partial.at(p, i.sub(distance)))
    })
    k.workgroupBarrier()
  }
  share()
  // of the neighbour, and not total − value, which would lose digits
  return total.map((_, p) => [
    k.let(
      `left${p}`,
      k.when(i.gt(0), () => partial.at(p, i.sub(1)), vec4f(0)),
    ),
    k.let(`all${p}`, partial.at(p, INVOCATIONS - 1)),
  ])
}

/** Within subgroups, and of their sums. */
function bySubgroups(k: Builder, sums: readonly Quad[]): Both {
  // subgroups have at least 4 invocations
  const partial = k.workgroup('partial', vec4f, PARTS, INVOCATIONS / 4)
  const within = sums.map((sum, p) => k.let(`within${p}`, k.subgroupExclusiveAdd(sum)))
  for (const [p, sum] of sums.entries()) {
    const all = k.let('all', k.subgroupAdd(sum))
    k.if(k.subgroupInvocationId.eq(0), () => partial.at(p, k.subgroupId).set(all))
  }
  k.workgroupBarrier()
  const left = sums.map((_, p) => k.var(`left${p}`, vec4f(0)))
  const total = sums.map((_, p) => k.var(`total${p}`, vec4f(0)))
  k.range('s', 0, k.numSubgroups, (s) => {
    k.if(s.eq(k.subgroupId), () => {
      for (const p of each(PARTS)) (left[p] as (typeof left)[0]).set(total[p] as (typeof total)[0])
    })
    for (const p of each(PARTS)) (total[p] as (typeof total)[0]).addAssign(partial.at(p, s))
  })
  return left.map((sum, p) => [sum.add(within[p] as Quad), total[p] as Quad])
}

/**
 * The last elements of a prefix sum whose y is there up to `from` ≥ 1: y[i] = y[i − 1] + x[i], or + x[i − 1] if `exclusive`. By one
 * invocation: for the one, two or three that make up no quad.
 */
export const scanTail = kernel(
  'scan_tail',
  {
    workgroupSize: [1],
    bindings: { x: input(d.arrayOf(d.f32)), y: inout(d.arrayOf(d.f32)) },
    params: { from: d.u32, n: d.u32, exclusive: d.u32 },
    workgroups: () => [1],
  },
  ({ x, y, from, n, exclusive }, k) => {
    const total = k.var('total', y.at(from.sub(1)))
    k.range('i', from, n, (i) => {
      total.addAssign(x.at(i.sub(fn.select(u32(0), u32(1), exclusive.ne(0)))))
      y.at(i).set(total)
    })
  },
)
