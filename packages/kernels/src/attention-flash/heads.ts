import { type Expr, u32 } from '@weft/dsl'

/** The head of keys and values that a head of queries reads, both counted over the batch: ⌊head / group⌋ within the batch. */
export const kvHeadOf = (head: Expr<'u32'>, heads: Expr<'u32'>, kvHeads: Expr<'u32'>): Expr<'u32'> =>
  u32`${head} / ${heads} * ${kvHeads} + ${head} % ${heads} / (${heads} / ${kvHeads})`
