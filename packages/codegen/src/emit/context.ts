import type { AddressSpace, BuiltinName, Expr, Field, Func, Let, Place, Result, Root, Type } from '@weft/dsl/ir'
import type { Working } from '../passes/graph'
import { numberOf } from '../passes/node'
import type { Output } from './lines'
import type { Special } from './literals'
import type { Names } from './names'
import { RANK, type Rank } from './operators'
import { NONE, type Region, type Site, type Value } from './sites'

/** What the emission of every part of a module shares. */
export interface Module {
  readonly kernel: Working
  readonly names: Names
  /** Bindings, overrides and constants by the author's name, variables by id. */
  readonly declared: Map<string | number, Declared>
  /** By the author's name. */
  readonly functions: Map<string, Callee>
  /** By the author's name, members before what holds them, otherwise in order of appearance. */
  readonly structs: Map<string, { readonly name: string; readonly fields: readonly Field[] }>
  /** A member as structs spell it. */
  readonly member: (name: string) => string
  /** The variable that holds the params, and its struct. */
  readonly params: { readonly name: string; readonly struct: string }
  readonly entryPoint: string
  /** A type as the module writes it. Structs are declared when they are first mentioned. */
  readonly type: (t: Type) => string
  /** The time of the statement that was planned last: each has its own in the whole module. */
  time: number
}

/** `read`: storage that nothing writes while the kernel runs; `handle`: a texture; null: a value, not memory. */
export type Space = AddressSpace | 'read' | 'handle' | null

/** Something with a name that places or expressions mention. */
export interface Declared {
  /** As the module spells it; '' until it is declared. */
  name: string
  readonly space: Space
  /** Of the value, or of what a pointer points to. */
  readonly type: Type
  /** The statement that declares a variable of a function. */
  readonly site: Site | null
  /** When it was mentioned last. */
  last: number
  /** What was written in it, and when. */
  writes: readonly Write[]
  /** The `let` that gives its name to a variable which the builder made. */
  heir: Let | null
}

export interface Write {
  readonly time: number
  readonly place: Place
}

export const declared = (name: string, type: Type, space: Space, site: Site | null = null): Declared => ({
  name,
  space,
  type,
  site,
  last: 0,
  writes: NONE,
  heir: null,
})

export interface Callee {
  readonly name: string
  /** Whether it writes nothing but its own variables and what it is pointed to, and waits for nobody. */
  pure: boolean
  /** Whether a call could stand anywhere: it sees nothing but the values that it is given. */
  isValue: boolean
}

/** What the emission of one function needs; or of an expression outside of any, of which nothing is planned. */
export class Context {
  names: Names
  /** What is planned for expressions, by number. */
  readonly values: (Value | undefined)[]
  /** What is planned for the results of statements, by id. */
  readonly results: (Value | undefined)[] = []
  readonly args = new Map<string, Declared>()
  /** Names of the built-in values that the body uses. */
  readonly builtins = new Map<BuiltinName, string>()
  /** Names of the variables that hold the bits of ∞ and NaN. */
  readonly specials = new Map<Special, string>()
  /** How tightly the expression that was printed last holds together. */
  rank: Rank = RANK.primary
  /** Whether something was printed that is not declared yet. */
  missing = false
  /** How many `else if`s precede: compilers refuse more than 123. */
  chain = 0

  /** `write` is given, so that statements which hold blocks reach the writing of those in them. */
  constructor(
    readonly module: Module,
    readonly out: Output,
    private readonly write: (sites: readonly Site[], c: Context) => void = () => {},
    params: Func['params'] = [],
    size = 0,
  ) {
    this.names = module.names
    this.values = new Array<Value | undefined>(size)
    for (const { name, type } of params) {
      const isPointer = typeof type !== 'string' && type.kind === 'ptr'
      this.args.set(name, declared('', isPointer ? type.of : type, isPointer ? type.space : null))
    }
  }

  valueOf(e: Expr): Value | undefined {
    return e.kind === 'result' ? this.results[e.id] : this.values[numberOf(e)]
  }

  declared(root: Root): Declared {
    if (root.kind === 'pointer') return this.args.get(root.name) as Declared
    return this.module.declared.get(root.kind === 'variable' ? root.id : root.name) as Declared
  }

  // Writing.

  line(text: string, at = -1): void {
    this.out.line(text, at)
  }

  /** A scope of names, and a level of indentation. */
  open(): void {
    this.names.open()
    this.out.indent()
  }

  close(): void {
    this.out.dedent()
    this.names.close()
  }

  sites(sites: readonly Site[]): void {
    this.write(sites, this)
  }

  /** The statements of a block, within braces that the caller writes. */
  region(region: Region): void {
    this.open()
    this.write(region.sites, this)
    this.close()
  }

  /** A statement that holds a block. */
  block(head: string, region: Region, at = -1): void {
    this.line(`${head} {`, at)
    this.region(region)
    this.line('}')
  }

  /** Names the result of a statement. */
  let(result: Result, wanted: string, text: string, at: number): void {
    const name = this.names.declare(wanted)
    this.define(result, name)
    this.line(`let ${name} = ${text};`, at)
  }

  define(result: Result, name: string): void {
    const value = this.results[result.id]
    if (value) value.name = name
  }

  /** Declares a variable, and gives its spelling. */
  variable(id: number, wanted: string): string {
    return (this.declared({ kind: 'variable', id }).name = this.names.declare(wanted))
  }
}
