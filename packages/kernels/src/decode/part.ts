import { type Builder, ceilDiv, type Expr, fn, u32 } from '@weft/dsl'

/** The keys of a split: of those that the window leaves, ⌈their number / splits⌉ each, the last splits fewer or none. */
export function partOf(
  k: Builder,
  length: Expr<'u32'>,
  { split, splits, window }: Readonly<Record<'split' | 'splits' | 'window', Expr<'u32'>>>,
) {
  const seen = k.let('seen', fn.min(length, window))
  const each = k.let('each', ceilDiv(seen, splits))
  const from = k.let('from', u32`min(${split} * ${each}, ${seen})`)
  return k.let({
    start: u32`${length} - ${seen} + ${from}`,
    end: u32`${length} - ${seen} + min(${from} + ${each}, ${seen})`,
  })
}
