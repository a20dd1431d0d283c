import { type Builder, type Expr, each, f32, fn } from '@weft/dsl'
import { LOWEST } from './lowest'
import { MAX, SUM, workgroupReduce } from './reduce'
import type { Place, Row, Values } from './row'

/** What a whole row gives: sums over it, and its maximum with the sum of its exponentials. */

type F32 = Expr<'f32'>

/** Σ `of` over the row, for every invocation. */
export function rowSum<N extends string>(
  k: Builder,
  name: string,
  row: Row<N>,
  of: (values: Values<N>, at: Place) => F32,
): F32 {
  const { lanes } = row
  const sum = k.var(`${name}_part`, lanes.of(0))
  row.each((values, at) => sum.addAssign(of(values, at)))
  return k.let(name, workgroupReduce(k, `${name}_row`, lanes.sum(sum), SUM))
}

/** Several sums at once, of which the workgroup exchanges one after the other. */
export function rowSums<N extends string>(
  k: Builder,
  name: string,
  row: Row<N>,
  count: number,
  of: (values: Values<N>, at: Place) => readonly F32[],
): F32[] {
  const sums = each(count).map((s) => k.var(`${name}_part${s}`, f32(0)))
  row.each((values, at) => {
    const terms = of(values, at)
    for (const [s, sum] of sums.entries()) sum.addAssign(terms[s] as F32)
  })
  return sums.map((sum, s) => k.let(`${name}${s}`, workgroupReduce(k, `${name}_row${s}`, sum, SUM)))
}

const { exp, max } = fn

/**
 * The maximum m of the row and Σ exp(x − m), which no finite input overflows; of a row of −∞ the sum is 0. A streamed row is read
 * once for both (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018): the sum is relative to the maximum so
 * far, and is scaled where several new elements raise that.
 */
export function normalizer<N extends string>(
  k: Builder,
  row: Row<N>,
  of: (values: Values<N>) => F32,
): { readonly top: F32; readonly total: F32 } {
  const { lanes } = row
  const { highest, sum } = k.var({ highest: lanes.of(LOWEST), sum: lanes.of(0) })
  if (row.held) {
    row.each((values) => highest.set(max(highest, of(values))))
    const top = k.let('top', workgroupReduce(k, 'row_max', lanes.max(highest), MAX))
    row.each((values) => sum.addAssign(exp(of(values).sub(top))))
    return { top, total: k.let('total', workgroupReduce(k, 'row_sum', lanes.sum(sum), SUM)) }
  }
  row.batches((values) => {
    const seen = values.map(of)
    const above = k.let(
      'above',
      seen.reduce((a, x) => max(a, x), highest as F32),
    )
    const added = seen.map((x) => exp(x.sub(above))).reduce((a, x) => a.add(x))
    sum.set(fn.fma(sum, exp(highest.sub(above)), added))
    highest.set(above)
  })
  const top = k.let('top', workgroupReduce(k, 'row_max', lanes.max(highest), MAX))
  const scaled = lanes.sum(sum.mul(exp(highest.sub(top))))
  return { top, total: k.let('total', workgroupReduce(k, 'row_sum', scaled, SUM)) }
}

/** ln Σ exp(x − m) of such a sum; 0 for a row of −∞, whose sum is 0: of the logarithm of 0 not every device makes −∞, and −∞ − (−∞) is no number. */
export const logarithm = (total: F32): F32 => fn.select(fn.log(total), 0, total.eq(0))
