import { type ArrayValue, type Builder, bitcast, d, type Expr, f32, fn, i32, input, vec4u } from '@weft/dsl'
import { LOWEST } from '../attention-flash/lowest'

/**
 * The masked form of the gradients: with the lengths of a padded batch and a bias, as the forward had them.
 *
 * Every device has eight storage buffers for a kernel, and dk and dv take seven with what they need. So there is one more for the bias; a
 * mask comes as a bias that hides (−3e38 and less); and what the lengths say comes with the rows: `rows.ts` writes, beside lse and δ of
 * each, how many keys its batch has, and the position of its first query.
 *
 *     bias:  f32, with strides (batch, head, query, key) that may be 0
 *     stats: [batch, heads, queries] of (lse, δ, keys, past), the bits of two f32, a u32 and an i32
 */
export interface Masked {
  readonly stats: ArrayValue<'vec4u'>
  readonly bias: ArrayValue<'f32'>
  readonly bias_strides: Expr<'vec4u'>
}

export const maskedBindings = () => ({ bias: input(d.arrayOf(d.f32)) })
export const MASKED_PARAMS = { bias_strides: d.vec4u }

/** Of stats; TypeScript sees the plain form. */
export const statsType = (masked: boolean) => d.arrayOf((masked ? d.vec4u : d.vec2f) as typeof d.vec2f)

/** The keys that are there for a head, and the position of its first query. */
export interface HeadSight {
  readonly keys: Expr<'u32'>
  readonly past: Expr<'i32'>
}

/** That of all rows of a head, from its first one. */
export function headSight(k: Builder, { stats }: Masked, row: Expr<'u32'>): HeadSight {
  const { length, past } = k.let({ length: stats.at(row).z, past: bitcast(i32, stats.at(row).w) })
  return { keys: length, past }
}

/** The logarithm of a row's sum, and its δ. */
export function rowStats(k: Builder, { stats }: Masked, row: Expr<'u32'>) {
  const own = k.let('row_stats', stats.at(row))
  return { lse: bitcast(f32, own.x), delta: bitcast(f32, own.y) }
}

/** What is added to the score of a pair, and whether the key is seen: `inside` is what is known without the bias. */
export function biasOf(
  k: Builder,
  { bias, bias_strides }: Masked,
  pair: {
    readonly head: Expr<'u32'>
    readonly heads: Expr<'u32'>
    readonly query: Expr<'u32'>
    readonly key: Expr<'u32'>
  },
  inside: Expr<'bool'>,
) {
  const { head, heads, query, key } = pair
  const at = fn.dot(vec4u(head.div(heads), head.rem(heads), query, key), bias_strides)
  const added = k.let(
    'added',
    k.when(inside, () => bias.at(at), LOWEST),
  )
  return { added, seen: inside.and(added.gt(LOWEST)) }
}
