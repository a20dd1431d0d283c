import { type Builder, d, type Expr, fn, u32 } from '@weft/dsl'
import { beyond, carried, type Mass } from './mass'

/**
 * Where along a sorted row a sum passes a target, without sorting the row. The order is that of pairs (rank, place), ascending, with
 * the rank a u32 and the place the column, so that no two are equal. The pair is found digit by digit, eight bits at a time, the
 * highest first (radix select; Alabi et al., "Fast k-selection algorithms for graphics processing units", 2012): the elements that share
 * the digits found so far are summed up by their next digit, and the digit whose sum passes the target is the next one. Four passes over
 * the row for the rank, three for the place. Everything is an integer, so the order of additions does not matter.
 *
 * With 1 for each element this is the k-th greatest; with weights the end of a nucleus, or a draw from the distribution.
 */
const DIGITS = 256
const RANK_PASSES = 4
const PLACE_PASSES = 3

interface Bins {
  at(i: Expr<'u32'>): { store(value: number): void; load(): Expr<'u32'>; add(value: Expr<'u32'>): unknown }
}

/** Workgroup memory of `descend`: one for all of its calls in a kernel. The workgroup has 256 invocations. */
export interface Sums {
  readonly high: Bins
  readonly low: Bins
}

export const sums = (k: Builder): Sums => ({
  high: k.workgroup('sums_high', d.atomic(d.u32), DIGITS),
  low: k.workgroup('sums_low', d.atomic(d.u32), DIGITS),
})

export interface Descent {
  readonly cols: Expr<'u32'>
  readonly rankAt: (column: Expr<'u32'>) => Expr<'u32'>
  /** What an element counts; 1 when left out. */
  readonly measure?: (column: Expr<'u32'>, rank: Expr<'u32'>) => Mass
  /** Less than the sum of all. */
  readonly target: Mass
}

export interface Found {
  /** The first element with which the sum is beyond the target. */
  readonly rank: Expr<'u32'>
  readonly place: Expr<'u32'>
  /** The sum up to it, with its own. */
  readonly sum: Mass
}

/** Call it in uniform control flow; every invocation gets the same. */
export function descend(k: Builder, { high, low }: Sums, { cols, rankAt, measure, target }: Descent): Found {
  const { rank, place } = k.var({ rank: u32(0), place: u32(0) })
  const before = k.var({ before_high: u32(0), before_low: u32(0) })
  const sum = k.var({ sum_high: u32(0), sum_low: u32(0) })
  k.range('pass', 0, RANK_PASSES + PLACE_PASSES, (pass) => {
    const byRank = k.let('by_rank', pass.lt(RANK_PASSES))
    const lowest = fn.select(u32(RANK_PASSES + PLACE_PASSES - 1), u32(RANK_PASSES - 1), byRank)
    const shift = k.let('shift', lowest.sub(pass).mul(8))
    high.at(k.localIndex).store(0)
    low.at(k.localIndex).store(0)
    k.workgroupBarrier()
    k.range('i', k.localIndex, cols, DIGITS, (i) => {
      const own = k.let('own', rankAt(i))
      const word = k.let('word', fn.select(i, own, byRank))
      const differs = word.bitXor(fn.select(place, rank, byRank))
      // in two steps, as a shift by 32 is none
      const shares = differs.shr(shift).shr(8).eq(0)
      k.if(shares.and(byRank.or(own.eq(rank))), () => {
        const mass = measure?.(i, own)
        const digit = k.let('digit', word.shr(shift).bitAnd(DIGITS - 1))
        if (mass) high.at(digit).add(mass.high)
        low.at(digit).add(mass?.low ?? u32(1))
      })
    })
    k.workgroupBarrier()
    const next = k.var('next', u32(DIGITS - 1))
    k.range('digit', 0, DIGITS, (digit) => {
      const upTo = carried({
        high: before.before_high.add(high.at(digit).load()),
        low: k.let('up_to', before.before_low.add(low.at(digit).load())),
      })
      sum.sum_high.set(upTo.high)
      sum.sum_low.set(upTo.low)
      k.if(beyond({ high: sum.sum_high, low: sum.sum_low }, target), () => {
        next.set(digit)
        k.break()
      })
      before.before_high.set(sum.sum_high)
      before.before_low.set(sum.sum_low)
    })
    k.if(
      byRank,
      () => rank.set(rank.bitOr(next.shl(shift))),
      () => place.set(place.bitOr(next.shl(shift))),
    )
    k.workgroupBarrier()
  })
  return { rank, place, sum: { high: sum.sum_high, low: sum.sum_low } }
}
