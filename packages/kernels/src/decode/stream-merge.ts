import {
  type Builder,
  type Expr,
  each,
  f32,
  fn,
  type Tuple,
  u32,
  type VarRef,
  vec2f,
  vec4f,
  type WriteRef,
} from '@weft/dsl'
import { LOWEST } from '../attention-flash/lowest'
import { FOUR, headOf } from '../parts/scatter'

/** What the lanes of a workgroup have at the end of `decode_stream`. */
export interface Parts {
  /** The invocation, its lane within its group of lanes, and that group. */
  readonly i: Expr<'u32'>
  readonly lane: Expr<'u32'>
  readonly own: Expr<'u32'>
  readonly groups: number
  /** Quads of a row, those that a lane has, and where the first and the others of them stand. */
  readonly quads: number
  readonly held: number
  readonly quadAt: (e: number) => Expr<'u32'>
  /** The softmax of one head: its greatest score, as a power of two, and its sum. */
  readonly top: Expr<'f32'>
  readonly sum: Expr<'f32'>
  /** The values of each head. */
  readonly acc: Tuple<Tuple<VarRef<'vec4f'>>>
}

interface Results {
  readonly partial: WriteRef<{ readonly array: 'vec4f' }>
  readonly stats: WriteRef<{ readonly array: 'vec2f' }>
  /** Where the results of head h go, and whether there is such a head. */
  readonly place: (h: number) => { readonly index: Expr<'u32'>; readonly there: Expr<'bool'> }
}

/** The parts of all groups of lanes, head after head through workgroup memory. */
export function merge(k: Builder, parts: Parts, { partial, stats, place }: Results): void {
  const { i, lane, own, groups, quads, held, quadAt, top, sum, acc } = parts
  const tops = k.workgroup('tops', f32, FOUR, groups)
  const sums = k.workgroup('sums', f32, FOUR, groups)
  // two groups share a row, so that rows of 128 of 32 groups fit into 16 KiB
  const half = groups / 2
  const merged = k.workgroup('merged', vec4f, half, quads)
  k.if(lane.lt(FOUR), () => {
    tops.at(headOf(lane), own).set(top)
    sums.at(headOf(lane), own).set(sum)
  })
  k.workgroupBarrier()
  for (const h of each(FOUR)) {
    const most = k.var(`most${h}`, f32(LOWEST))
    k.range('g', 0, groups, (g) => most.set(fn.max(most, tops.at(h, g))))
    const factor = k.let(`factor${h}`, fn.exp2(tops.at(h, own).sub(most)))
    const put = (change: (at: VarRef<'vec4f'>, value: Expr<'vec4f'>) => void): void => {
      for (const e of each(held)) change(merged.at(own.rem(half), quadAt(e)), acc[h][e].mul(factor))
    }
    k.if(own.lt(half), () => put((at, value) => at.set(value)))
    k.workgroupBarrier()
    k.if(own.ge(half), () => put((at, value) => at.addAssign(value)))
    k.workgroupBarrier()
    const { index, there } = place(h)
    k.if(i.lt(quads).and(there), () => {
      const whole = k.var('whole', vec4f())
      k.range('g', 0, half, (g) => whole.addAssign(merged.at(g, i.rem(quads))))
      partial.at(u32`${index} * ${quads} + ${i}`).set(whole)
      k.if(i.eq(0), () => {
        const total = k.var('total', f32(0))
        k.range('g', 0, groups, (g) => total.set(fn.fma(sums.at(h, g), fn.exp2(tops.at(h, g).sub(most)), total)))
        stats.at(index).set(vec2f(fn.select(most.mul(Math.LN2), f32(LOWEST), total.eq(0)), total))
      })
    })
    if (h + 1 < FOUR) k.workgroupBarrier()
  }
}
