import { type Builder, type Expr, each, f32, fn, tuple, u32, vec4f } from '@weft/dsl'
import { SUM, workgroupReduce } from '../parts/reduce'

/**
 * A tile of quads that a workgroup scans. What scans together is a unit: a subgroup, or all of the workgroup where there are none. A unit
 * has a run of the tile to itself, of which its invocations hold the quads side by side: those of number 0, behind them those of number 1
 * and so on. So sums go from one number to the next in registers, and units exchange but one sum each.
 */

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>
export type Quad = Expr<'vec4f'>

interface Quads {
  at(i: U32): Quad
}
interface Target {
  at(i: U32): { set(value: Quad): void }
}

/** The least number of invocations that a subgroup may have (WGSL specification, `subgroup_size`). */
const LEAST_SUBGROUP = 4

const bySubgroups = (k: Builder): boolean => k.variant === 'subgroups'

/** The index of the quads of this invocation in a tile, by their number of `held`. */
function placed(k: Builder, held: number): (tile: U32, j: number) => U32 {
  const [unit, lane, size] = bySubgroups(k)
    ? [k.subgroupId, k.subgroupInvocationId, k.subgroupSize]
    : [u32(0), k.localIndex, u32(k.workgroupSize)]
  return (tile, j) => u32`${tile} * ${held * k.workgroupSize} + (${unit} * ${held} + ${j}) * ${size} + ${lane}`
}

/** What an invocation holds of a tile, and zeros behind the end. */
export function readTile(k: Builder, x: Quads, quads: U32, tile: U32, held: number): readonly Quad[] {
  const at = placed(k, held)
  return tuple(held, (j) => {
    const i = k.let('i', at(tile, j))
    return k.let(
      `value${j}`,
      k.when(i.lt(quads), () => x.at(i), vec4f(0)),
    )
  })
}

/** The sum of a tile, and of those units that come before this one. */
export function tileSum(k: Builder, values: readonly Quad[]): { readonly before: F32; readonly total: F32 } {
  const lanes = (v: Quad): F32 => v.x.add(v.y).add(v.z.add(v.w))
  const [first, ...rest] = values as [Quad, ...Quad[]]
  const own = k.let(
    'own',
    rest.reduce((sum, value) => sum.add(lanes(value)), lanes(first)),
  )
  if (!bySubgroups(k)) return { before: f32(0), total: workgroupReduce(k, 'units', own, SUM) }
  const units = k.workgroup('units', f32, k.workgroupSize / LEAST_SUBGROUP)
  const unit = k.let('unit', k.subgroupAdd(own))
  k.if(k.subgroupInvocationId.eq(0), () => units.at(k.subgroupId).set(unit))
  k.workgroupBarrier()
  const { before, total } = k.var({ before: f32(0), total: f32(0) })
  k.range('s', 0, k.numSubgroups, (s) => {
    k.if(s.eq(k.subgroupId), () => before.set(total))
    total.addAssign(units.at(s))
  })
  return { before, total }
}

/** The prefix sums of a tile within its units; what is written is `start` higher. */
export function scanTile(k: Builder, values: readonly Quad[]) {
  const quad = values.map((v) => prefixes(k, v))
  const left = ahead(
    k,
    quad.map(([, , , all]) => all),
  )
  return {
    write: (y: Target, quads: U32, tile: U32, start: F32, exclusive: Expr<'bool'>): void => {
      const at = placed(k, values.length)
      for (const j of each(values.length)) {
        const [a, b, c, all] = quad[j] as (typeof quad)[0]
        const zero = f32(0)
        const within = fn.select(vec4f(a, b, c, all), vec4f(zero, a, b, c), exclusive)
        const i = k.let('i', at(tile, j))
        k.if(i.lt(quads), () => y.at(i).set(within.add(start.add(left[j] as F32))))
      }
    },
  }
}

function prefixes(k: Builder, v: Quad): readonly [F32, F32, F32, F32] {
  const b = k.let('two', v.x.add(v.y))
  const c = k.let('three', b.add(v.z))
  return [v.x, b, c, k.let('four', c.add(v.w))]
}

/** What comes before each quad of this invocation, within the unit, of sums of the quads. */
function ahead(k: Builder, sums: readonly F32[]): readonly F32[] {
  const run = k.var('run', f32(0))
  return (bySubgroups(k) ? ofSubgroup(k, sums) : ofWorkgroup(k, sums)).map(([left, all], j) => {
    const start = k.let(`left${j}`, run.add(left))
    run.addAssign(all)
    return start
  })
}

type Scanned = readonly (readonly [left: F32, all: F32])[]

/** One scan, of which the last sum is that of all: half of what a scan and a sum cost. */
function ofSubgroup(k: Builder, sums: readonly F32[]): Scanned {
  return sums.map((sum) => {
    const upTo = k.let('up_to', k.subgroupInclusiveAdd(sum))
    // of the neighbour, and not a difference, which would lose digits
    const left = k.let('left', k.subgroupShuffleUp(upTo, 1))
    return [fn.select(left, f32(0), k.subgroupInvocationId.eq(0)), k.subgroupShuffle(upTo, k.subgroupSize.sub(1))]
  })
}

/** Hillis and Steele, 1986: log₂(workgroup size) steps. */
function ofWorkgroup(k: Builder, sums: readonly F32[]): Scanned {
  const partial = k.workgroup('partial', f32, sums.length, k.workgroupSize)
  const i = k.localIndex
  const total = sums.map((sum, j) => k.var(`total${j}`, sum))
  const share = () => {
    for (const [j, sum] of total.entries()) partial.at(j, i).set(sum)
    k.workgroupBarrier()
  }
  for (let distance = 1; distance < k.workgroupSize; distance *= 2) {
    share()
    k.if(i.ge(distance), () => {
      for (const [j, sum] of total.entries()) sum.addAssign(partial.at(j, i.sub(distance)))
    })
    k.workgroupBarrier()
  }
  share()
  return total.map((_, j) => [
    k.let(
      `near${j}`,
      k.when(i.gt(0), () => partial.at(j, i.sub(1)), 0),
    ),
    k.let(`all${j}`, partial.at(j, k.workgroupSize - 1)),
  ])
}
