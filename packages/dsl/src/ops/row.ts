import type { ScalarName, ValueName } from '../types'

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
 * `exact`: correctly rounded, compare bits. `ulp`: within so many units in the last place of the exact result.
 * `abs`: absolute error. `inherited`: whatever the expression that it is defined by gives.
 * `on` restricts it to the domain for which the specification states it.
 */
export type Accuracy =
  | 'exact'
  | 'inherited'
  | { readonly f32: Bound; readonly f16: Bound }

export interface Bound {
  readonly ulp?: number | ((...lanes: number[]) => number)
  readonly abs?: number | ((...lanes: number[]) => number)
  readonly on?: (...lanes: number[]) => boolean
}

export const evalFor = (row: Row, scalar: ScalarName): LaneFn | undefined => {
  const { eval: e } = row
  if (typeof e === 'function' || e === undefined) return e
  return scalar === 'f32' || scalar === 'f16' ? e.float : e[scalar]
}
