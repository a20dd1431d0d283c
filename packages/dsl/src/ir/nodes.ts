import type { BuiltinName, EffectName, PureName } from '../ops'
import type { AddressSpace, Type, ValueName } from '../types'

/**
 * The IR.
 *
 * Expressions are pure: frozen plain data, shared freely (a DAG). Whatever has a time — reading memory, writing
 * it, waiting, exchanging values — is a statement; its value, if it has one, is named by a `Result`, which later
 * expressions refer to. A block is an ordered list of statements, and a result is visible to the statements after
 * it in its block and in blocks nested in those.
 *
 * `at` numbers the call of the builder that made a node. The author's file, line and column of a number are looked
 * up by running the builder once more with stack traces on, and only when somebody asks: an error, a source map.
 * Neither `at` nor anything derived from it is part of the hash, the printed IR or the WGSL.
 */
export type Expr =
  | Const | Builtin | Param | Override | Constant | Argument | Result
  | Op | Construct | Convert | Bitcast | Swizzle | Index | Member | Length

/** `lanes` are exact values (bools 0 or 1), column-major for matrices; NaN and ±∞ are allowed for floats. */
export interface Const { readonly kind: 'const'; readonly type: ValueName; readonly lanes: readonly number[] }
export interface Builtin { readonly kind: 'builtin'; readonly type: ValueName; readonly name: BuiltinName }
/** A launch parameter of the kernel: uniform over the dispatch. */
export interface Param { readonly kind: 'param'; readonly type: Type; readonly name: string }
export interface Override { readonly kind: 'override'; readonly type: ValueName; readonly name: string }
/** A module-scope constant, see `Kernel.constants`. */
export interface Constant { readonly kind: 'constant'; readonly type: Type; readonly name: string }
/** A value parameter of the function whose body this is in. */
export interface Argument { readonly kind: 'argument'; readonly type: Type; readonly name: string }
/** The value of the statement that holds this same node; `id` is unique within the kernel. */
export interface Result { readonly kind: 'result'; readonly type: Type; readonly id: number }
/** A row of the table of pure ops; `product` is every multiplication that involves a matrix. */
export interface Op { readonly kind: 'op'; readonly at: number; readonly type: ValueName; readonly op: PureName | 'product'; readonly args: readonly Expr[] }
/** A vector from scalars and vectors (one scalar: splat), a matrix from columns or scalars, an array or struct from its parts; no arguments: zeros. */
export interface Construct { readonly kind: 'construct'; readonly at: number; readonly type: Type; readonly args: readonly Expr[] }
/** Conversion of each lane to the scalar type of `type`, which has the shape of `arg`. */
export interface Convert { readonly kind: 'convert'; readonly at: number; readonly type: ValueName; readonly arg: Expr }
export interface Bitcast { readonly kind: 'bitcast'; readonly at: number; readonly type: ValueName; readonly arg: Expr }
/** One to four lanes of a vector; of a single lane, `type` is a scalar. */
export interface Swizzle { readonly kind: 'swizzle'; readonly at: number; readonly type: ValueName; readonly of: Expr; readonly lanes: readonly number[] }
/** An element of an array value, a column of a matrix or a lane of a vector. */
export interface Index { readonly kind: 'index'; readonly at: number; readonly type: Type; readonly of: Expr; readonly index: Expr }
export interface Member { readonly kind: 'member'; readonly at: number; readonly type: Type; readonly of: Expr; readonly name: string }
/** `arrayLength`, the number of elements of a runtime-sized array: the size of the binding divided by the stride. */
export interface Length { readonly kind: 'length'; readonly at: number; readonly type: 'u32'; readonly of: Place }

/** A place in memory: a variable and the steps into it. Indices were evaluated when the place was made. */
export interface Place {
  readonly kind: 'place'
  readonly type: Type
  readonly root: Root
  readonly steps: readonly Step[]
}

export type Root =
  | { readonly kind: 'binding'; readonly name: string }
  | { readonly kind: 'variable'; readonly id: number }
  /** A pointer parameter of the function whose body this is in. */
  | { readonly kind: 'pointer'; readonly name: string }
  /** `bufferView<type>(&binding, offset)`; offset in bytes. */
  | { readonly kind: 'view'; readonly name: string; readonly type: Type; readonly offset: Expr }

export type Step =
  | { readonly kind: 'index'; readonly index: Expr; readonly type: Type }
  | { readonly kind: 'member'; readonly name: string; readonly type: Type }

/** A variable. `id` is unique within the kernel, `at` where it is declared. Only function and private variables have an initial value. */
export interface Variable {
  readonly id: number
  readonly at?: number
  readonly name: string
  readonly space: Extract<AddressSpace, 'function' | 'private' | 'workgroup'>
  readonly type: Type
  readonly init: Expr | null
}

export type Block = readonly Stmt[]

export type Stmt =
  | Let | Var | Load | Store | Effect | Call
  | If | Switch | Range | Loop | Break | Continue | Return

/** Names a value: it is evaluated here, once. */
export interface Let { readonly kind: 'let'; readonly at: number; readonly name: string; readonly value: Expr; readonly result: Result }
export interface Var { readonly kind: 'var'; readonly at: number; readonly variable: Variable }
export interface Load { readonly kind: 'load'; readonly at: number; readonly place: Place; readonly result: Result }
export interface Store { readonly kind: 'store'; readonly at: number; readonly place: Place; readonly value: Expr }
/** A row of the table of effects. `place` is its first argument where the row has one. A `cas` gives `old` and `exchanged`. */
export interface Effect {
  readonly kind: 'effect'
  readonly at: number
  readonly op: EffectName
  readonly place: Place | null
  readonly args: readonly Expr[]
  readonly result: Result | null
  /** Of `atomicCompareExchangeWeak`: whether it was exchanged (bool); `result` is the old value. */
  readonly exchanged: Result | null
  /** Of subgroup-matrix loads and stores. */
  readonly majorness: 'row' | 'col' | null
}
/** Calls `func`; a pointer parameter gets a place, a value parameter an expression. */
export interface Call { readonly kind: 'call'; readonly at: number; readonly func: string; readonly args: readonly (Expr | Place)[]; readonly result: Result | null }
export interface If { readonly kind: 'if'; readonly at: number; readonly test: Expr; readonly then: Block; readonly else: Block }
/** Without fall-through; no two cases share a selector; `default` runs when none matches. */
export interface Switch { readonly kind: 'switch'; readonly at: number; readonly selector: Expr; readonly cases: readonly { readonly selectors: readonly number[]; readonly body: Block }[]; readonly default: Block }
/** `index` runs from `start` by `step` while below `end` (above, when `step` is a negative i32 constant). The three are evaluated once, before. `unroll` is a request, honoured by the pass of that name: all rounds, or so many at a time. */
export interface Range { readonly kind: 'range'; readonly at: number; readonly name: string; readonly index: Result; readonly start: Expr; readonly end: Expr; readonly step: Expr; readonly body: Block; readonly unroll: boolean | number }
/** Each round: `header`, then leave unless `test`; `body`; `continuing`, then leave if `breakIf`. `continue` goes to `continuing`. */
export interface Loop { readonly kind: 'loop'; readonly at: number; readonly header: Block; readonly test: Expr | null; readonly body: Block; readonly continuing: Block; readonly breakIf: Expr | null }
export interface Break { readonly kind: 'break'; readonly at: number }
export interface Continue { readonly kind: 'continue'; readonly at: number }
export interface Return { readonly kind: 'return'; readonly at: number; readonly value: Expr | null }

export type Of<N extends { readonly kind: string }, K extends N['kind']> = Extract<N, { readonly kind: K }>
/** A total function over nodes, one case per kind: a missing case does not compile. */
export type Cases<N extends { readonly kind: string }, R, A extends readonly unknown[] = []> = {
  readonly [K in N['kind']]: (node: Of<N, K>, ...rest: A) => R
}
