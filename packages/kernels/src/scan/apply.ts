import { type Builder, ceilDiv, d, type Expr, each, f32, input, kernel, output, tuple, u32 } from '@weft/dsl'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { SCAN_TILE } from './plan'

const INVOCATIONS = 256
const EACH = SCAN_TILE / INVOCATIONS
/** A word is left out after 32 of them, so that neighbours, who go over eight elements each, meet in no bank of workgroup memory. */
const padded = (i: Expr<'u32'>) => i.add(i.div(32))

/**
 * y[i] = offsets[tile of i] + x[first of the tile] + … + x[i], in tiles of 2,048 (`exclusive`: up to x[i − 1]). With the sums of the
 * tiles, scanned, as offsets, this is a prefix sum in which x is read twice and y written once: reduce, then scan (Merrill and Grimshaw,
 * "Parallel scan for stream architectures", 2009). x, y: n; offsets: ⌈n / 2048⌉.
 *
 * A tile goes through workgroup memory, read and written side by side, added up by invocations that have eight neighbours each.
 *
 * One pass less would need tiles that wait for the sums of those before ("decoupled look-back"), and WebGPU promises to no workgroup that
 * another one makes progress. With x and y counted once, two thirds of copy bandwidth are the most that this way can have: where x is
 * larger than a cache, `scan_step` reads it again while it is still there.
 */
export const scanApply = kernel(
  'scan_apply',
  {
    workgroupSize: [INVOCATIONS],
    bindings: { x: input(d.arrayOf(d.f32)), offsets: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
    params: { n: d.u32, exclusive: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, SCAN_TILE)],
    variants: REDUCE_VARIANTS,
  },
  ({ x, offsets, y, n, exclusive }, k) => {
    const tile = k.workgroup('tile', f32, SCAN_TILE + SCAN_TILE / 32)
    const first = k.let('first', u32`${k.workgroupIndex} * ${SCAN_TILE}`)
    for (const j of each(EACH)) {
      const local = k.localIndex.add(j * INVOCATIONS)
      tile.at(padded(local)).set(k.when(first.add(local).lt(n), () => x.at(first.add(local)), 0))
    }
    k.workgroupBarrier()
    const place = k.let(
      'place',
      k.variant === 'subgroups' ? u32`${k.subgroupId} * ${k.subgroupSize} + ${k.subgroupInvocationId}` : k.localIndex,
    )
    const own = (j: number) => tile.at(padded(place.mul(EACH).add(j)))
    const value = tuple(EACH, (j) => k.let(`value${j}`, own(j)))
    const sum = k.let(
      'sum',
      value.slice(1).reduce((a, v) => a.add(v), value[0]),
    )
    const running = k.var('running', offsets.at(k.workgroupIndex).add(before(k, sum)))
    for (const j of each(EACH)) {
      const left = k.let(`left${j}`, running)
      running.addAssign(value[j])
      own(j).set(k.when(exclusive.ne(0), () => left, running))
    }
    k.workgroupBarrier()
    for (const j of each(EACH)) {
      const local = k.localIndex.add(j * INVOCATIONS)
      k.if(first.add(local).lt(n), () => y.at(first.add(local)).set(tile.at(padded(local))))
    }
  },
)

/** The sum of what the invocations before this one have. */
function before(k: Builder, value: Expr<'f32'>): Expr<'f32'> {
  return k.variant === 'subgroups' ? bySubgroups(k, value) : bySteps(k, value)
}

/** Hillis and Steele, 1986: log₂(256) steps. */
function bySteps(k: Builder, value: Expr<'f32'>): Expr<'f32'> {
  const partial = k.workgroup('partial', f32, INVOCATIONS)
  const i = k.localIndex
  const total = k.var('total', value)
  for (let distance = 1; distance < INVOCATIONS; distance *= 2) {
    partial.at(i).set(total)
    k.workgroupBarrier()
    k.if(i.ge(distance), () => total.addAssign(partial.at(i.sub(distance))))
    k.workgroupBarrier()
  }
  // of the neighbour, and not total − value, which would lose digits
  partial.at(i).set(total)
  k.workgroupBarrier()
  return k.when(i.gt(0), () => partial.at(i.sub(1)), 0)
}

/** Within subgroups, and of their sums. */
function bySubgroups(k: Builder, value: Expr<'f32'>): Expr<'f32'> {
  // subgroups have at least 4 invocations
  const sums = k.workgroup('sums', f32, INVOCATIONS / 4)
  const within = k.let('within', k.subgroupExclusiveAdd(value))
  const all = k.let('all', k.subgroupAdd(value))
  k.if(k.subgroupInvocationId.eq(0), () => sums.at(k.subgroupId).set(all))
  k.workgroupBarrier()
  const total = k.var('total', f32(0))
  k.range('s', 0, k.subgroupId, (s) => total.addAssign(sums.at(s)))
  return total.add(within)
}
