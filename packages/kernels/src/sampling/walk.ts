import { type Builder, type Expr, u32 } from '@weft/dsl'
import type { Descent, Found } from './descend'
import { beyond, carried } from './mass'

/**
 * What `descend.ts` finds, for a row of few columns and one invocation, which has no one to wait for: the elements one after the other in their order, of
 * pairs (rank, place), each by a look through the row for the least one behind the last. n steps are n · cols looks at elements that a cache
 * holds.
 */

type Row = Pick<Descent, 'cols' | 'rankAt'>

/** An element of a row, by its rank and its column. */
export interface Place {
  readonly rank: Expr<'u32'>
  readonly place: Expr<'u32'>
}

/** Calls its body with up to `steps` elements of a row, in order. */
export function inOrder(
  k: Builder,
  { cols, rankAt }: Row,
  steps: Expr<'u32'>,
  body: (at: Place, nth: Expr<'u32'>) => void,
) {
  const { rank, place } = k.var({ rank: u32(0), place: u32(0) })
  k.range('nth', 0, steps, (nth) => {
    const next = k.var({ next_rank: u32(0xffff_ffff), next_place: u32(0xffff_ffff) })
    k.range('i', 0, cols, (i) => {
      const own = k.let('own', rankAt(i))
      const isBehind = nth
        .eq(0)
        .or(own.gt(rank))
        .or(own.eq(rank).and(i.gt(place)))
      const isBefore = own.lt(next.next_rank).or(own.eq(next.next_rank).and(i.lt(next.next_place)))
      k.if(isBehind.and(isBefore), () => {
        next.next_rank.set(own)
        next.next_place.set(i)
      })
    })
    rank.set(next.next_rank)
    place.set(next.next_place)
    body({ rank, place }, nth)
  })
  return { rank, place }
}

/** The first element with which the sum is beyond the target. */
export function walk(k: Builder, { cols, rankAt, measure, target }: Descent): Found {
  const sum = k.var({ sum_high: u32(0), sum_low: u32(0) })
  const { rank, place } = inOrder(k, { cols, rankAt }, cols, (at) => {
    const mass = measure?.(at.place, at.rank)
    const more = carried({
      high: sum.sum_high.add(mass?.high ?? 0),
      low: k.let('up_to', sum.sum_low.add(mass?.low ?? 1)),
    })
    sum.sum_high.set(more.high)
    sum.sum_low.set(more.low)
    k.if(beyond({ high: sum.sum_high, low: sum.sum_low }, target), () => k.break())
  })
  return { rank, place, sum: { high: sum.sum_high, low: sum.sum_low } }
}
