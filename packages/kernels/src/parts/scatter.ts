import { type Builder, type Expr, fn } from '@weft/dsl'

/** Values that are summed at once, and invocations that share their sums. */
export const FOUR = 4

/** The lane, of four neighbours, that gets the sum of value h. */
export const laneOf = (h: number): number => (h >> 1) | ((h & 1) << 1)

/** Which of the four values a lane gets: the converse of {@link laneOf}. */
export const headOf = (lane: Expr<'u32'>): Expr<'u32'> => lane.rem(2).mul(2).add(lane.div(2).rem(2))

/** What `scattered` asks of a lane: its two lowest bits. */
export const bitsOf = (k: Builder, lane: Expr<'u32'>) =>
  k.let({ odd: lane.rem(2).ne(0), upper: lane.div(2).rem(2).ne(0) })

/**
 * The sums of four values over so many neighbouring lanes, a power of two from 4 on: each lane gets one of the sums. Two lanes exchange the
 * halves that they do not keep, so that four sums take three shuffles, and one more for each doubling beyond four lanes; sums for everyone
 * would take two for each value, and more.
 */
export function scattered(
  k: Builder,
  [a, b, c, e]: readonly [Expr<'f32'>, Expr<'f32'>, Expr<'f32'>, Expr<'f32'>, ...unknown[]],
  { odd, upper }: ReturnType<typeof bitsOf>,
  lanes: number,
): Expr<'f32'> {
  const exchanged = (keep: Expr<'f32'>, send: Expr<'f32'>, mask: number): Expr<'f32'> =>
    k.let('exchanged', keep.add(k.subgroupShuffleXor(send, mask)))
  const first = exchanged(fn.select(a, c, odd), fn.select(c, a, odd), 1)
  const second = exchanged(fn.select(b, e, odd), fn.select(e, b, odd), 1)
  let sum = exchanged(fn.select(first, second, upper), fn.select(second, first, upper), 2)
  for (let mask = FOUR; mask < lanes; mask *= 2) sum = exchanged(sum, sum, mask)
  return sum
}
