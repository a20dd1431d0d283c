import {
  type Builder,
  type Expr,
  f16,
  f32,
  fn,
  type Ref,
  type ShapeOf,
  subgroupMatrix,
  u32,
  type Value,
  vec2f,
  vec4u,
} from '@weft/dsl'

/**
 * Subgroup matrices of 16 × 16: f16 operands, f32 results. A subgroup of 32 holds them spread over its invocations in an order that WGSL
 * does not tell, so single elements are reached through memory only.
 *
 * Matrices are loaded from arrays of vec4u, 16 bytes and eight f16 an element; offsets and strides count those. Tint checks each load that it
 * cannot prove to be in range, at a cost of a fifth to a third: it proves constants, and what `%` of a constant limits. (In `array<vec2u>`
 * they come wrong from an H200, driver 580.)
 */
export const SIDE = 16
/** Invocations of a subgroup. */
export const SUBGROUP = 32

export const LEFT = subgroupMatrix('left', f16, { rows: SIDE, cols: SIDE })
export const RIGHT = subgroupMatrix('right', f16, { rows: SIDE, cols: SIDE })
export const RESULT = subgroupMatrix('result', f32, { rows: SIDE, cols: SIDE })

export type Left = Value<ShapeOf<typeof LEFT>>
/** A result that is summed in a variable. */
export type Sums = Ref<ShapeOf<typeof RESULT>>

/** The variant of a kernel on subgroup matrices. */
export const MATRIX_VARIANT = { matrix: ['f16', 'subgroups', 'subgroup-id', 'subgroup-matrix'] } as const

/** The subgroup of an invocation, of so many, and its lane there, so that Tint knows the limits of both. */
export const subgroupOf = (k: Builder, subgroups: number) =>
  k.let({ subgroup: k.subgroupId.rem(subgroups), lane: k.subgroupInvocationId.rem(SUBGROUP) })

type Quad = readonly [Expr<'f32'>, Expr<'f32'>, Expr<'f32'>, Expr<'f32'>]

/** The components of a vec4f. */
export const components = (v: Expr<'vec4f'>): Quad => [v.x, v.y, v.z, v.w]

/** Eight f32 as eight f16, rounded to nearest. */
export const packed = ([a, b, c, d]: Quad, [e, f, g, h]: Quad): Expr<'vec4u'> =>
  vec4u(
    fn.pack2x16float(vec2f(a, b)),
    fn.pack2x16float(vec2f(c, d)),
    fn.pack2x16float(vec2f(e, f)),
    fn.pack2x16float(vec2f(g, h)),
  )

/** Words of 16 bytes that lie in different banks of workgroup memory: a store of eight invocations takes one turn then. */
const BANKS = 8

/**
 * The row of an invocation, by its number among those that put the same word of their rows into workgroup memory, of rows of `across` words with
 * one to spare between them. Rows of 4 words are 5 apart, so that 8 invocations that put two neighbours meet in a bank, and two
 * that are 4 apart do not: 4 · 5 ≡ 4 mod 8.
 */
export function rowInTurn(k: Builder, name: string, across: number, number: Expr<'u32'>): Expr<'u32'> {
  const rows = BANKS / across
  if (rows <= 1) return k.let(name, number)
  const n = k.let(`${name}_number`, number)
  return k.let(name, u32`${n} / ${BANKS} * ${BANKS} + ${n} % ${rows} * ${across} + ${n} % ${BANKS} / ${rows}`)
}
