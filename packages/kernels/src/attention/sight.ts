import { type Arg, type ArrayValue, type Builder, d, type Expr, fn, i32, input, u32, vec4u } from '@weft/dsl'
import { LOWEST } from '../attention-flash/lowest'

/** Where a query stands and what it may see, as kernels have it in their params. */
export interface SightParams {
  /** The position of the first query; negative where there are more queries than keys. */
  readonly past: Expr<'i32'>
  readonly causal: Expr<'u32'>
  /** How many keys up to its own position a query sees. */
  readonly window: Expr<'u32'>
}

/**
 * The keys from `from` on and before `to` that a query sees, of those before `length`: up to its own position p = query + past where it
 * is causal, and none at p − window or before. In signed numbers, since p is below 0 for queries that come before all keys.
 */
export function keysSeen(
  k: Builder,
  name: string,
  query: Expr<'u32'>,
  length: Expr<'u32'>,
  { past, causal, window }: SightParams,
): { readonly from: Expr<'u32'>; readonly to: Expr<'u32'> } {
  const end = k.let(`${name}_end`, i32`i32(${query}) + ${past} + 1`)
  const within = (x: Expr<'i32'>): Expr<'u32'> => u32(fn.clamp(x, 0, i32(length)))
  return {
    from: k.let(`${name}_from`, within(end.sub(i32(window)))),
    to: k.let(`${name}_to`, fn.select(length, within(end), causal.ne(0))),
  }
}

/** The queries from `from` on and before `to` that see a key of `first` … `last`: the converse of {@link keysSeen}. */
export function queriesSeeing(
  k: Builder,
  first: Expr<'u32'>,
  last: Expr<'u32'>,
  queries: Expr<'u32'>,
  { past, causal, window }: SightParams,
): { readonly from: Expr<'u32'>; readonly to: Expr<'u32'> } {
  const within = (x: Expr<'i32'>): Expr<'u32'> => u32(fn.clamp(x, 0, i32(queries)))
  return {
    from: k.let('seen_from', fn.select(u32(0), within(i32`i32(${first}) - ${past}`), causal.ne(0))),
    to: k.let('seen_to', within(i32`i32(${last}) - ${past} + i32(${window})`)),
  }
}

/** How many keys each batch has. */
export interface Lengths {
  /** [batch], or one for all, with a stride of 0 */
  readonly lengths: ArrayValue<'u32'>
  readonly lengths_stride: Expr<'u32'>
  /** The last query stands on the last of them, whatever `past` says. */
  readonly from_end: Expr<'u32'>
}

/** The keys of a head's batch, and where its first query stands. */
export function lengthOf(
  k: Builder,
  view: Readonly<Record<'heads' | 'queries' | 'keys', Expr<'u32'>>> & Pick<SightParams, 'past'>,
  { lengths, lengths_stride, from_end }: Lengths,
  head: Expr<'u32'>,
) {
  const given = lengths.at(u32`${head} / ${view.heads} * ${lengths_stride}`)
  const keys = k.let('length', fn.min(given, view.keys))
  const aligned = k.let('aligned', fn.select(view.past, i32`i32(${keys}) - i32(${view.queries})`, from_end.ne(0)))
  return { keys, past: aligned }
}

/** What is given for pairs of a query and a key, with strides (batch, head, query, key) that may be 0. */
export interface Pairs {
  /** Added to the score; {@link LOWEST} and less hides the key. */
  readonly bias: ArrayValue<'f32'>
  /** 0 hides the key. */
  readonly mask: ArrayValue<'u32'>
  readonly bias_strides: Expr<'vec4u'>
  readonly mask_strides: Expr<'vec4u'>
}

/** The bindings of lengths and pairs, and their params. */
export const pairInputs = () => ({
  lengths: input(d.arrayOf(d.u32)),
  bias: input(d.arrayOf(d.f32)),
  mask: input(d.arrayOf(d.u32)),
})

export const PAIR_PARAMS = {
  lengths_stride: d.u32,
  from_end: d.u32,
  bias_strides: d.vec4u,
  mask_strides: d.vec4u,
}

/** What is given for the pairs of one query, of a head that is counted over the batch. */
export function pairsOf(
  k: Builder,
  { bias, mask, bias_strides, mask_strides }: Pairs,
  { head, heads, query }: Readonly<Record<'head' | 'heads' | 'query', Expr<'u32'>>>,
) {
  const placed = k.let('placed', vec4u(head.div(heads), head.rem(heads), query, u32(0)))
  const at = (strides: Expr<'vec4u'>, name: string) => {
    const start = k.let(name, fn.dot(placed, strides))
    return (key: Expr<'u32'>): Expr<'u32'> => start.add(key.mul(strides.w))
  }
  const maskAt = at(mask_strides, 'mask_row')
  const biasAt = at(bias_strides, 'bias_row')
  const biasOf = (key: Expr<'u32'>): Expr<'f32'> => bias.at(biasAt(key))
  return {
    bias: biasOf,
    /** Whether neither mask nor bias hide the key. */
    shown: (key: Expr<'u32'>): Expr<'bool'> => mask.at(maskAt(key)).ne(0).and(biasOf(key).gt(LOWEST)),
  }
}

/** The scaled score behind a soft cap, cap · tanh(score / cap); as it is where the cap is 0. */
export function softCapped(k: Builder, score: Expr<'f32'>, cap: Expr<'f32'>): Expr<'f32'> {
  return k.when(cap.ne(0), () => cap.mul(fn.tanh(fn.clamp(score.div(cap), -15, 15))), score as Arg<'f32'>)
}
