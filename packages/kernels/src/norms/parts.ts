import { type Builder, type Expr, f32, fn, u32 } from '@weft/dsl'
import type { Row } from '../parts/row'
import { rowSum } from '../parts/row-sums'
import type { Storage } from '../parts/storage'

/**
 * What the norms have in common. A row is what is normalized at once: of layernorm and rmsnorm the last axis, of groupnorm the
 * channels of a group with all their places. A workgroup takes a row; elements of a row lie side by side.
 */

export interface Source {
  at(i: Expr<'u32'>): Expr<'f32'>
}

export type Kind = 'layer' | 'rms' | 'group'

/** The params of a norm beside rows and eps. `channels` are those of a group, `groups` all groups of an item. */
export interface Sizes {
  readonly cols: Expr<'u32'>
  readonly eps: Expr<'f32'>
  readonly groups?: Expr<'u32'>
  readonly places?: Expr<'u32'>
}

/** The index of the weight and the bias of element c of a row. */
export function channelOf(kind: Kind, k: Builder, { cols, groups, places }: Sizes, c: Expr<'u32'>): Expr<'u32'> {
  if (kind !== 'group' || !groups || !places) return c
  return u32`${k.workgroupIndex} % ${groups} * (${cols} / ${places}) + ${c} / ${places}`
}

/** Of a row: its first element, the mean of what the elements are above it, and 1 / √(variance + eps). */
export interface Moments {
  readonly first: Expr<'f32'>
  readonly offset: Expr<'f32'>
  readonly rstd: Expr<'f32'>
}

/**
 * The moments of a row, in two passes: E[x²] − E[x]² would lose all digits where the mean is large against the spread. So would the
 * mean itself, which f32 holds to 1e-4 near 1000: it is kept as its distance to the first element, and differences of close numbers
 * are exact. Of rmsnorm both are 0, and the variance is the mean square. `head` is the first element, read before any is written.
 */
export function statistics(
  k: Builder,
  kind: Kind,
  row: Row<'x'>,
  { cols, eps }: Sizes,
  head: () => Expr<'f32'>,
): Moments {
  const inverse = k.let('inverse', f32(1).div(f32(cols)))
  const first = kind === 'rms' ? f32(0) : k.let('first', row.lanes.first(head()))
  const offset = kind === 'rms' ? f32(0) : k.let('offset', rowSum(k, 'sum', row, ({ x }) => x.sub(first)).mul(inverse))
  const squares = rowSum(k, 'squares', row, ({ x }) => {
    const off = kind === 'rms' ? x : k.let('off', x.sub(first).sub(offset))
    return off.mul(off)
  })
  return { first, offset, rstd: k.let('rstd', fn.inverseSqrt(fn.fma(squares, inverse, eps))) }
}

/** (x − mean) · rstd. */
export const normalized = (kind: Kind, x: Expr<'f32'>, { first, offset, rstd }: Moments): Expr<'f32'> =>
  kind === 'rms' ? x.mul(rstd) : x.sub(first).sub(offset).mul(rstd)

export const STORAGES: readonly Storage[] = ['f32', 'f16']
