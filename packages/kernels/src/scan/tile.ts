import { type Builder, type Expr, each, fn, tuple, u32 } from '@weft/dsl'
import { type Element, typesOf } from './element'

/**
 * A tile of quads that a workgroup scans. What scans together is a unit: a subgroup, or all of the workgroup where there are none. A unit
 * has a run of the tile to itself, of which its invocations hold the quads side by side: those of number 0, behind them those of number 1
 * and so on. So sums go from one number to the next in registers, and units exchange but one sum each.
 */

type U32 = Expr<'u32'>
type One = Expr<'f32'>
export type Quad = Expr<'vec4f'>

export interface Quads {
  at(i: U32): Quad
}
interface Target {
  at(i: U32): { set(value: Quad): void }
}

export interface Tile {
  readonly element: Element
  /** Quads of an invocation. */
  readonly held: number
}

/** The least number of invocations that a subgroup may have (WGSL specification, `subgroup_size`). */
const LEAST_SUBGROUP = 4

const bySubgroups = (k: Builder): boolean => k.variant === 'subgroups'

/** Which unit this invocation is in, which of its invocations it is, and how many it has. */
const placeOf = (k: Builder): readonly [unit: U32, lane: U32, size: U32] =>
  bySubgroups(k) ? [k.subgroupId, k.subgroupInvocationId, k.subgroupSize] : [u32(0), k.localIndex, u32(k.workgroupSize)]

/** The index of the quads of this invocation in a tile, by their number of `held`. */
function placed(k: Builder, { held }: Tile): (tile: U32, j: number) => U32 {
  const [unit, lane, size] = placeOf(k)
  return (tile, j) => u32`${tile} * ${held * k.workgroupSize} + (${unit} * ${held} + ${j}) * ${size} + ${lane}`
}

/** What an invocation holds of a tile, and zeros behind the end. */
export function readTile(k: Builder, of: Tile, x: Quads, quads: U32, tile: U32): readonly Quad[] {
  const at = placed(k, of)
  return tuple(of.held, (j) => {
    const i = k.let('i', at(tile, j))
    return k.let(
      `value${j}`,
      k.when(i.lt(quads), () => x.at(i), typesOf(of.element).quad(0)),
    )
  })
}

const lanes = (v: Quad): One => v.x.add(v.y).add(v.z.add(v.w))

/** What this invocation has of a tile. */
export function ownSum(k: Builder, values: readonly Quad[]): One {
  const [first, ...rest] = values as [Quad, ...Quad[]]
  return k.let(
    'own',
    rest.reduce((sum, value) => sum.add(lanes(value)), lanes(first)),
  )
}

/** The same as `ownSum`, in the same order, of a tile that nobody holds: in a loop, since registers for it are taken from all. */
export function sumAgain(k: Builder, { element, held }: Tile, x: Quads, quads: U32, tile: U32): One {
  const [unit, lane, size] = placeOf(k)
  const first = k.let('first', u32`${tile} * ${held * k.workgroupSize} + ${unit} * ${held} * ${size}`)
  const end = k.let('end', fn.min(first.add(size.mul(held)), quads))
  const sum = k.var('again', typesOf(element).one(0))
  k.range('q', first.add(lane), end, size, (q) => sum.addAssign(lanes(k.let('quad', x.at(q)))))
  return sum
}

/** The sum of what units have that come before this one. */
export function unitsBefore(k: Builder, { element }: Tile, own: One): One {
  const { one } = typesOf(element)
  if (!bySubgroups(k)) return one(0)
  const units = k.workgroup('units', one, k.workgroupSize / LEAST_SUBGROUP)
  const unit = k.let('unit', k.subgroupAdd(own))
  k.if(k.subgroupInvocationId.eq(0), () => units.at(k.subgroupId).set(unit))
  k.workgroupBarrier()
  const before = k.var('before', one(0))
  k.range('s', 0, k.subgroupId, (s) => before.addAssign(units.at(s)))
  return before
}

/** The prefix sums of a tile within its units; what is written is `start` higher. */
export function scanTile(k: Builder, of: Tile, values: readonly Quad[]) {
  const { one, quad: quadOf } = typesOf(of.element)
  const quad = values.map((v) => prefixes(k, v))
  const left = ahead(
    k,
    of.element,
    quad.map(([, , , all]) => all),
  )
  return {
    write: (y: Target, quads: U32, tile: U32, start: One, exclusive: Expr<'bool'>): void => {
      const at = placed(k, of)
      for (const j of each(of.held)) {
        const [a, b, c, all] = quad[j] as (typeof quad)[0]
        const zero = one(0)
        const within = fn.select(quadOf(a, b, c, all), quadOf(zero, a, b, c), exclusive)
        const i = k.let('i', at(tile, j))
        k.if(i.lt(quads), () => y.at(i).set(within.add(start.add(left[j] as One))))
      }
    },
  }
}

function prefixes(k: Builder, v: Quad): readonly [One, One, One, One] {
  const b = k.let('two', v.x.add(v.y))
  const c = k.let('three', b.add(v.z))
  return [v.x, b, c, k.let('four', c.add(v.w))]
}

/** What comes before each quad of this invocation, within the unit, of sums of the quads. */
function ahead(k: Builder, element: Element, sums: readonly One[]): readonly One[] {
  const run = k.var('run', typesOf(element).one(0))
  return (bySubgroups(k) ? ofSubgroup : ofWorkgroup)(k, element, sums).map(([left, all], j) => {
    const start = k.let(`left${j}`, run.add(left))
    run.addAssign(all)
    return start
  })
}

type Scanned = readonly (readonly [left: One, all: One])[]

/** One scan, of which the last sum is that of all: half of what a scan and a sum cost. */
function ofSubgroup(k: Builder, element: Element, sums: readonly One[]): Scanned {
  return sums.map((sum) => {
    const upTo = k.let('up_to', k.subgroupInclusiveAdd(sum))
    // of the neighbour, and not a difference, which would lose digits
    const left = k.let('left', k.subgroupShuffleUp(upTo, 1))
    return [
      fn.select(left, typesOf(element).one(0), k.subgroupInvocationId.eq(0)),
      k.subgroupShuffle(upTo, k.subgroupSize.sub(1)),
    ]
  })
}

/** Hillis and Steele, 1986: log₂(workgroup size) steps. */
function ofWorkgroup(k: Builder, element: Element, sums: readonly One[]): Scanned {
  const partial = k.workgroup('partial', typesOf(element).one, sums.length, k.workgroupSize)
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
