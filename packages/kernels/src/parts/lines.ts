import { type Builder, type Expr, f32, fn, u32, type VarRef } from '@weft/dsl'
import type { Eight } from './eights'

/**
 * Products of lines, the rows of a matrix W, with few vectors. Every value of W is used only as often as there are vectors, so that reading
 * W is all the time there is, and what counts is how many bytes of it are on their way: invocations go along a line side by side, 16 bytes
 * or so each, several lines at once, and read all of that before they use any of it. What is read of the vectors serves
 * all lines. Sums are f32.
 */

type U32 = Expr<'u32'>

/** Neighbours of a line that share a scale: scale · quad - least each. */
export interface Part {
  /** Two for each eight. */
  readonly quads: readonly Expr<'vec4f'>[]
  /** Left out where a line has one scale, which is multiplied to its sum. */
  readonly scale?: Expr<'f32'>
  readonly least?: Expr<'f32'>
}

/** Reads chunk c of a line, and gives what it comes to: the reads are named at once, the arithmetic may follow later. */
export type Line = (c: U32) => () => readonly Part[]

/** Reads the eight of a vector at a place, counted in eights, in the same way. */
export type Vector = (place: U32) => () => Eight

export interface LineSums {
  readonly lines: readonly Line[]
  readonly vectors: readonly Vector[]
  /** Where in a line the eights of chunk c are, in the order of the quads of its parts. */
  readonly places: (c: U32) => readonly U32[]
  /** The chunks of a line; this invocation has those from its index on, in steps of the workgroup size. */
  readonly chunks: U32
}

const lanes = (v: Expr<'vec4f'>): Expr<'f32'> => v.x.add(v.y).add(v.z.add(v.w))

function product(quads: readonly Expr<'vec4f'>[], by: readonly Expr<'vec4f'>[]): Expr<'vec4f'> {
  const [first, ...rest] = quads as [Expr<'vec4f'>, ...Expr<'vec4f'>[]]
  return rest.reduce((sum, quad, i) => fn.fma(quad, by[i + 1] as Expr<'vec4f'>, sum), first.mul(by[0] as Expr<'vec4f'>))
}

/** The sums of this invocation: of line l with vector v at [l][v]. */
export function lineSums(
  k: Builder,
  { lines, vectors, places, chunks }: LineSums,
): readonly (readonly VarRef<'f32'>[])[] {
  const sums = lines.map((_, l) => vectors.map((_, v) => k.var(`sum${l}_${v}`, f32(0))))
  k.range('c', k.localIndex, chunks, k.workgroupSize, (c) => {
    const parts = lines.map((line) => line(c))
    const at = places(c).map((place) => k.let('place', place))
    const loads = vectors.map((vector) => at.map((place) => vector(place)))
    const named = (part: () => readonly Part[]) =>
      part().map((one) => ({ ...one, quads: one.quads.map((quad) => k.let('w_quad', quad)) }))
    const unpack = (eights: readonly (() => Eight)[]) =>
      eights.flatMap((eight) => eight()).map((quad) => k.let('x_quad', quad))
    if (loads.length === 1) {
      // one line after another, so that the values of only one are in registers
      const x = unpack(loads[0] as (typeof loads)[0])
      const shares: Shares = []
      for (const [l, part] of parts.entries()) accumulate(k, named(part), x, shares, sums[l]?.[0] as VarRef<'f32'>)
    } else {
      const lines = parts.map(named)
      loads.forEach((eights, v) => {
        const x = unpack(eights)
        const shares: Shares = []
        for (const [l, line] of lines.entries()) accumulate(k, line, x, shares, sums[l]?.[v] as VarRef<'f32'>)
      })
    }
  })
  return sums
}

/** The sum of the vector's quads that belong to each part: the same for all lines, so the first one computes it. */
type Shares = (Expr<'f32'> | undefined)[]

/** Adds the products of a line's chunk with the same part of a vector. */
function accumulate(
  k: Builder,
  parts: readonly Part[],
  x: readonly Expr<'vec4f'>[],
  shares: Shares,
  sum: VarRef<'f32'>,
): void {
  let from = 0
  parts.forEach(({ quads, scale, least }, p) => {
    const share = x.slice(from, from + quads.length)
    from += quads.length
    if (least) shares[p] ??= k.let('x_sum', lanes(share.reduce((total, quad) => total.add(quad))))
    const inner = lanes(k.let('products', product(quads, share)))
    const outer = scale ? fn.fma(scale, inner, sum) : sum.add(inner)
    sum.set(least ? fn.fma(least.neg(), shares[p] as Expr<'f32'>, outer) : outer)
  })
}

/** The least number of invocations that a subgroup may have (WGSL specification, `subgroup_size`). */
const LEAST_SUBGROUP = 4

/**
 * Adds up each of some sums over the workgroup. Invocation i, of as many as there are sums, goes on with the i-th total. By subgroups, where
 * the variant has them, or by a tree in workgroup memory. Call it once, in uniform control flow.
 */
export function joinSums(k: Builder, sums: readonly Expr<'f32'>[], use: (i: U32, total: Expr<'f32'>) => void): void {
  const i = k.localIndex
  if (k.variant === 'subgroups') {
    const part = k.workgroup('part', f32, sums.length, k.workgroupSize / LEAST_SUBGROUP)
    const mine = sums.map((sum, n) => k.let(`of_subgroup${n}`, k.subgroupAdd(sum)))
    k.if(k.subgroupInvocationId.eq(0), () => {
      for (const [n, sum] of mine.entries()) part.at(n, k.subgroupId).set(sum)
    })
    k.workgroupBarrier()
    k.if(i.lt(sums.length), () => {
      const total = k.var('total', part.at(i, 0))
      k.range('s', 1, k.numSubgroups, (s) => total.addAssign(part.at(i, s)))
      use(i, total)
    })
    return
  }
  const part = k.workgroup('part', f32, sums.length, k.workgroupSize)
  for (const [n, sum] of sums.entries()) part.at(n, i).set(sum)
  k.workgroupBarrier()
  for (let half = k.workgroupSize / 2; half >= 1; half /= 2) {
    k.if(i.lt(half), () => {
      for (const n of sums.keys()) part.at(n, i).addAssign(part.at(n, u32`${i} + ${half}`))
    })
    k.workgroupBarrier()
  }
  k.if(i.lt(sums.length), () => use(i, part.at(i, 0)))
}
