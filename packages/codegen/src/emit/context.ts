import type { Type } from '@weft/dsl/ir'
import type { Working } from '../passes/graph'
import type { Special } from './literals'
import type { Memory } from './memory'
import type { Names } from './names'
import type { Plan } from './plan'

/** What the emission of every part of a module shares. */
export interface Module {
  readonly kernel: Working
  readonly memory: Memory
  /** Bindings, overrides, constants and functions by the author's name; the params variable is `params`. */
  readonly names: {
    readonly globals: ReadonlyMap<string, string>
    readonly variables: ReadonlyMap<number, string>
    readonly functions: ReadonlyMap<string, string>
    readonly structs: ReadonlyMap<string, string>
    /** Members of a struct by the author's names; `null`: those of the params. */
    readonly members: (struct: string | null) => ReadonlyMap<string, string>
    readonly params: string
    readonly visible: ReadonlySet<string>
  }
  readonly type: (t: Type) => string
}

/** What the emission of one function needs. */
export interface Context {
  readonly module: Module
  readonly plan: Plan
  readonly memory: Memory
  readonly names: Names
  /** Names of what a `let` has bound so far, by the numbers of the expressions. */
  readonly bound: (string | undefined)[]
  readonly results: Map<number, string>
  readonly variables: Map<number, string>
  readonly args: Map<string, string>
  /** Names of the built-in values that the body uses. */
  readonly builtins: Map<string, string>
  /** Names of the variables that hold the bits of ∞ and NaN. */
  readonly specials: Map<Special, string>
  /** How tightly the expression that was printed last holds together. */
  rank: Rank
}

/** The levels of WGSL's grammar of expressions. */
export const RANK = {
  primary: 0,
  unary: 1,
  mul: 2,
  add: 3,
  shift: 4,
  relation: 5,
  and: 6,
  or: 7,
  bitAnd: 8,
  bitOr: 9,
  bitXor: 10,
} as const
export type Rank = (typeof RANK)[keyof typeof RANK]
