import type { Block, BuiltinName, Call, Expr, Let, Load, Place, Result } from '@weft/dsl/ir'
import type { Special } from './literals'
import type { Memory } from './memory'
import { Settled } from './settle'
import type { Region } from './sites'
import { Uses } from './uses'

/**
 * Where everything of one function body is evaluated: which expressions are written where they are used, and which are
 * bound by a `let`, and before which statement.
 *
 * - An expression used once is written there. Used several times, it is bound once, in the innermost block that holds
 *   all uses, before the first of them; but before a loop, where everything that it is made of is known there.
 * - A load is a statement: it reads when it runs. It is written where its value is used only if no write that may change
 *   its place lies between, and never inside a loop that it stood before when it reads storage or workgroup memory.
 * - What is just a name (a parameter, a lane of one, a constant) is not bound.
 *
 * Statements have times in the order of the text; blocks and loops are intervals of time. Expressions are visited from
 * their uses down, so that the place of a use is known before that of its operands.
 */
export interface Plan {
  readonly root: Region
  /** The expressions that a `let` binds; those before a statement are in its `Site.binds`. */
  readonly bound: ReadonlySet<Expr>
  /** Loads whose values are written where they are used, by the id of the result. */
  readonly inlined: readonly (Load | undefined)[]
  /** Expressions that go by the name of a `let` of the author's, by the id of its result. */
  readonly carried: ReadonlyMap<number, { readonly e: Expr; readonly name: string }>
  /** Variables that take the name of a `let`, by id. */
  readonly adopted: ReadonlyMap<number, Let>
  /** Calls that are written where their value is used, by the id of the result. */
  readonly inlinedCalls: ReadonlyMap<number, Call>
  /** How often each result is used. */
  readonly uses: (result: Result) => number
  /** What a bound expression is for, when that is a good name. */
  readonly hint: (e: Expr) => string | undefined
  /** The built-in values that the body uses. */
  readonly builtins: ReadonlySet<BuiltinName>
  /** The values among its constants that no literal can spell. */
  readonly specials: ReadonlySet<Special>
  /** The author's name of a result that a `let` gives to it. */
  readonly renamed: ReadonlyMap<number, Let>
}

/** `nameOf` names the root of a place, `size` is how many expressions are numbered. */
export const plan = (body: Block, memory: Memory, nameOf: (place: Place) => string, size: number): Plan =>
  new Settled(new Uses(body, memory, nameOf, size))
