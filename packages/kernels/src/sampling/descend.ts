import { type Builder, d, type Expr, fn, u32 } from '@weft/dsl'
import { beyond, carried, type Mass } from './mass'

/**
 * Where along a sorted row a sum passes a target, without sorting the row. The order is that of pairs (rank, place), ascending, with
 * the rank a u32 and the place the column, so that no two are equal. The pair is found digit by digit, eight bits at a time, the
 * highest first (radix select; Alabi et al., "Fast k-selection algorithms for graphics processing units", 2012): the elements that share
 * the digits found so far are summed up by their next digit, and the digit whose sum passes the target is the next one. Four passes over
 * the row for the rank, and as many for the place as it has digits: one up to 256 columns, three at most. Everything is an integer, so the
 * order of additions does not matter.
 *
 * Of few columns the search among the digits is what takes the time. So it goes by groups of sixteen, and one invocation does it for all.
 *
 * With 1 for each element this is the k-th greatest; with weights the end of a nucleus, or a draw from the distribution.
 */
const DIGITS = 256
const RANK_PASSES = 4
const PLACE_PASSES = 3
/** Digits of a group. */
const GROUP = 16

interface Bins {
  at(i: Expr<'u32'>): { store(value: number): void; load(): Expr<'u32'>; add(value: Expr<'u32'>): unknown }
}

const words = (k: Builder, name: string, length: number) => k.workgroup(name, d.u32, length)
type Words = ReturnType<typeof words>

/** Workgroup memory of `descend`: one for all of its calls in a kernel. The workgroup has 256 invocations. */
export interface Sums {
  readonly high: Bins
  readonly low: Bins
  /** The same for groups of digits. */
  readonly groupHigh: Words
  readonly groupLow: Words
  /** What one invocation found for all: the digit, the sum before it and the sum up to it. */
  readonly found: Words
}

export const sums = (k: Builder): Sums => ({
  high: k.workgroup('sums_high', d.atomic(d.u32), DIGITS),
  low: k.workgroup('sums_low', d.atomic(d.u32), DIGITS),
  groupHigh: words(k, 'groups_high', DIGITS / GROUP),
  groupLow: words(k, 'groups_low', DIGITS / GROUP),
  found: words(k, 'found_digit', 5),
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
export function descend(k: Builder, memory: Sums, { cols, rankAt, measure, target }: Descent): Found {
  const { high, low, found } = memory
  const { rank, place } = k.var({ rank: u32(0), place: u32(0) })
  const before = k.var({ before_high: u32(0), before_low: u32(0) })
  const sum = k.var({ sum_high: u32(0), sum_low: u32(0) })
  const pass = (byRank: Expr<'bool'>, shift: Expr<'u32'>): void => {
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
    search(k, memory, { high: before.before_high, low: before.before_low }, target)
    const next = k.let('next', found.at(0))
    before.before_high.set(found.at(1))
    before.before_low.set(found.at(2))
    sum.sum_high.set(found.at(3))
    sum.sum_low.set(found.at(4))
    k.if(
      byRank,
      () => rank.set(rank.bitOr(next.shl(shift))),
      () => place.set(place.bitOr(next.shl(shift))),
    )
    k.workgroupBarrier()
  }
  k.range('pass', 0, RANK_PASSES + PLACE_PASSES, (at) => {
    const byRank = k.let('by_rank', at.lt(RANK_PASSES))
    const lowest = fn.select(u32(RANK_PASSES + PLACE_PASSES - 1), u32(RANK_PASSES - 1), byRank)
    const shift = k.let('shift', lowest.sub(at).mul(8))
    // a digit that is 0 in every place needs no pass
    k.if(byRank.or(cols.sub(1).shr(shift).ne(0)), () => pass(byRank, shift))
  })
  return { rank, place, sum: { high: sum.sum_high, low: sum.sum_low } }
}

/** Finds the digit with which the sum passes the target: its group first, of which the last one needs no look, then the digit. */
function search(k: Builder, { high, low, groupHigh, groupLow, found }: Sums, start: Mass, target: Mass): void {
  k.if(k.localIndex.lt(DIGITS / GROUP), () => {
    const all = k.var({ group_high: u32(0), group_low: u32(0) })
    k.range('digit', k.localIndex.mul(GROUP), k.localIndex.mul(GROUP).add(GROUP), (digit) => {
      all.group_high.addAssign(high.at(digit).load())
      all.group_low.addAssign(low.at(digit).load())
    })
    groupHigh.at(k.localIndex).set(all.group_high)
    groupLow.at(k.localIndex).set(all.group_low)
  })
  k.workgroupBarrier()
  k.if(k.localIndex.eq(0), () => {
    const before = k.var({ end_high: start.high, end_low: start.low })
    const passes = (more: Mass): { readonly upTo: Mass; readonly isBeyond: Expr<'bool'> } => {
      const sum = carried({ high: before.end_high.add(more.high), low: k.let('up_to', before.end_low.add(more.low)) })
      const upTo = { high: k.let('up_to_high', sum.high), low: k.let('up_to_low', sum.low) }
      return { upTo, isBeyond: beyond(upTo, target) }
    }
    const group = k.var('group', u32(DIGITS / GROUP - 1))
    k.range('g', 0, DIGITS / GROUP - 1, (g) => {
      const { upTo, isBeyond } = passes({ high: groupHigh.at(g), low: groupLow.at(g) })
      k.if(isBeyond, () => {
        group.set(g)
        k.break()
      })
      before.end_high.set(upTo.high)
      before.end_low.set(upTo.low)
    })
    k.range('digit', group.mul(GROUP), group.mul(GROUP).add(GROUP), (digit) => {
      const { upTo, isBeyond } = passes({ high: high.at(digit).load(), low: low.at(digit).load() })
      found.at(0).set(digit)
      found.at(1).set(before.end_high)
      found.at(2).set(before.end_low)
      found.at(3).set(upTo.high)
      found.at(4).set(upTo.low)
      k.if(isBeyond, () => k.break())
      before.end_high.set(upTo.high)
      before.end_low.set(upTo.low)
    })
  })
  k.workgroupBarrier()
}
