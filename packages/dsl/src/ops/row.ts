import type { ScalarName, ValueName } from '../types'
import type { BoundsName } from './accuracy'
import type { FeatureName } from './features'

/**
 * One row of the table of pure ops. Everything that weft knows about a built-in function or operator stands in
 * its row: signature, spelling, evaluation, accuracy, required feature. TypeScript signatures, run-time checks,
 * constant folding, the interpreter, the tests on real engines and the reference docs are derived from it.
 */
export interface Row {
  /** The types that `T` ranges over. Empty for rows whose signature has no `T`. */
  readonly over: readonly ValueName[]
  readonly in: readonly Slot[]
  readonly out: Slot
  readonly form: 'infix' | 'prefix' | 'call'
  /** The operator or function name in WGSL. */
  readonly wgsl: string
  /** Lane by lane, in exact arithmetic; whoever calls it rounds or wraps to the result's scalar type. */
  readonly eval?: LaneEval
  /** For ops that mix lanes: flat column-major lanes in and out; `round` rounds to the scalar type of `T`. */
  readonly whole?: WholeEval
  /** By the WGSL specification, §"Floating Point Accuracy". Integer and bool results are always exact. */
  readonly accuracy: Accuracy
  /** Arguments for which an expression of constants only is an error in WGSL. */
  readonly refuse?: Refuse
  /** Constant arguments that are an error even where the other arguments are not constant. */
  readonly refuseAny?: Refuse | { readonly [K in 'f32' | 'f16' | 'i32' | 'u32']?: Refuse }
  readonly feature?: FeatureName
  /** Of a function that returns a struct: the member that is the result, as `frexp(x).exp`. */
  readonly member?: string
}

/**
 * A type in a signature. `T`: the overloaded type itself; `S` its scalar; `B`, `U`, `I` its shape with bool, u32,
 * i32 lanes; `R` the transposed matrix; `C` its column vector; `V` its row vector; `TS`: `T` or `S`; `BS`: `B` or bool; a name: that type.
 */
export type Slot = 'T' | 'S' | 'B' | 'U' | 'I' | 'R' | 'TS' | 'BS' | ValueName

export type LaneFn = (...lanes: number[]) => number
export type LaneEval = LaneFn | { readonly [K in 'float' | 'i32' | 'u32' | 'bool']?: LaneFn }
/** By lane: what is wrong, or null. */
export type Refuse = (...lanes: number[]) => string | null
export type Round = (x: number) => number
export type WholeEval = (round: Round, args: readonly (readonly number[])[], rows: readonly number[]) => number[]

/**
 * `exact`: correctly rounded, compare bits. `inherited`: whatever the expression that it is defined by gives. Else the
 * name of bounds in accuracy.ts, apart from the rows since only tests ask for them.
 */
export type Accuracy = 'exact' | 'inherited' | BoundsName

export const evalFor = (row: Row, scalar: ScalarName): LaneFn | undefined => {
  const { eval: e } = row
  if (typeof e === 'function' || e === undefined) return e
  return scalar === 'f32' || scalar === 'f16' ? e.float : e[scalar]
}
