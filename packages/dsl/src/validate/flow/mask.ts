/**
 * What a value, a variable or the flow of control depends on, as a set of bits: the analysis of the WGSL
 * specification (§"Uniformity") builds a graph and asks which sources a node reaches; the bits are those sources.
 * 0 is uniform in the workgroup.
 */
export type Mask = number

/** Differs between subgroups: not uniform in the workgroup. */
export const BY_SUBGROUP: Mask = 1
/** Differs within a subgroup, too. */
export const WITHIN: Mask = 2
export const DIVERGENT: Mask = BY_SUBGROUP | WITHIN
/** In functions: the flow of control at the call. */
export const CALLER: Mask = 4
/** Only of variables, and no matter of uniformity: nothing limits the integer in it (see `Ranges`). */
export const UNLIMITED: Mask = 8
const FIRST_PARAM = 4
const PARAM_BITS = 27

/** In functions: what parameter `i` depends on. Parameters beyond 27 share a bit, which makes them less uniform. */
export const paramBit = (i: number): Mask => 1 << (FIRST_PARAM + Math.min(i, PARAM_BITS - 1))

/** The scope of uniformity that something needs. */
export type Scope = 'workgroup' | 'subgroup'
export const FORBIDDEN: { readonly [S in Scope]: Mask } = { workgroup: DIVERGENT, subgroup: WITHIN }

/** A mask of a callee in terms of the caller, whose flow and arguments have these masks. */
export function translate(mask: Mask, flow: Mask, args: readonly Mask[]): Mask {
  let out = mask & DIVERGENT
  if (mask & CALLER) out |= flow
  for (let i = 0; i < args.length; i++) if (mask & paramBit(i)) out |= args[i] ?? 0
  return out
}
