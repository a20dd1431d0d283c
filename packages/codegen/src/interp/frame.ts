import type { Expr, ScalarName } from '@weft/dsl/ir'
import type { Program } from './program'

/**
 * The JavaScript of one function while it is written: the workgroup's control flow, or a segment. Names that live
 * outside of it are noted, since they become local constants or parameters of the function.
 */
export class Frame {
  readonly lines: string[] = []
  /** What each invocation does first and last: reading and keeping what outlives the segment. */
  readonly head: string[] = []
  readonly tail: string[] = []
  /** Names of the module, copied into local constants. */
  readonly needs = new Set<string>()
  /** Names of the workgroup's function, given as parameters. */
  readonly outer = new Set<string>()
  /** Lanes of results that are known here. */
  readonly results = new Map<number, readonly string[]>()
  /** Kept variables that are in local variables here; the value says whether they are kept again at the end. */
  readonly variables = new Map<number, boolean>()
  /** How to jump, by what is jumped out of, the innermost last. */
  readonly jumps: Jumps[] = []
  private readonly scopes: Map<Expr, readonly string[]>[] = [new Map()]
  /** By variable: results that are read from it and not copied, since each is used once and soon. */
  private readonly aliases = new Map<number, Map<number, { readonly names: readonly string[]; used: boolean }>>()

  constructor(
    readonly program: Program,
    readonly level: 'workgroup' | 'invocation' | 'subgroup',
    /** `evaluate` of expressions.ts: handed in, since expressions index memory and memory is indexed by expressions. */
    private readonly lanes: (frame: Frame, e: Expr) => readonly string[],
  ) {}

  /** A scalar expression as JavaScript. */
  evaluate(e: Expr): string {
    return this.lanes(this, e)[0] as string
  }

  line(code: string): void {
    this.lines.push(code)
  }

  /** A name of the module for use here. */
  use(name: string): string {
    this.needs.add(name)
    return name
  }

  /** A name of the workgroup's function for use here. */
  shared(name: string): string {
    this.outer.add(name)
    return name
  }

  /** A nested block of JavaScript. */
  block(open: string, body: () => void, close = '}'): void {
    for (const variable of [...this.aliases.keys()]) this.settle(variable)
    this.line(open)
    this.scopes.push(new Map())
    body()
    this.scopes.pop()
    this.line(close)
  }

  /** A fresh constant with the value of `code`; `code` itself when it is a name or a number already. */
  atom(code: string): string {
    if (isAtom(code)) return code
    const name = this.program.name('t')
    this.line(`const ${name} = ${code};`)
    return name
  }

  /** A result that is the value of a variable until that is written or a block begins: then `settle` copies it. */
  alias(variable: number, result: number, names: readonly string[]): void {
    const list = this.aliases.get(variable) ?? new Map()
    list.set(result, { names, used: false })
    this.aliases.set(variable, list)
    this.results.set(result, names)
  }

  /** The lanes of a result that is known here. */
  known(result: number): readonly string[] | undefined {
    for (const list of this.aliases.values()) {
      const found = list.get(result)
      if (found) found.used = true
    }
    return this.results.get(result)
  }

  /** Copies what still has to be read from a variable that is about to change. */
  settle(variable: number): void {
    for (const [result, { names, used }] of this.aliases.get(variable) ?? []) {
      if (used) {
        this.results.delete(result)
        continue
      }
      const copies = names.map((_, i) => `r${result}_${i}`)
      for (const [i, name] of names.entries()) this.line(`const ${copies[i]} = ${name};`)
      this.results.set(result, copies)
    }
    this.aliases.delete(variable)
  }

  cached(e: Expr): readonly string[] | undefined {
    for (let i = this.scopes.length - 1; i >= 0; i--) {
      const found = this.scopes[i]?.get(e)
      if (found) return found
    }
    return undefined
  }

  cache(e: Expr, lanes: readonly string[]): void {
    this.scopes.at(-1)?.set(e, lanes)
  }

  jump(kind: keyof Jumps): string {
    for (let i = this.jumps.length - 1; i >= 0; i--) {
      const code = this.jumps[i]?.[kind]
      if (code !== undefined) return code
    }
    throw new RangeError(`${kind} stands outside of what it could leave`)
  }
}

export interface Jumps {
  readonly break?: string | undefined
  readonly continue?: string | undefined
  readonly return?: string | undefined
  /** The lanes that a return sets. */
  readonly returns?: string
}

/** Names of variables are none: they change. */
export const isAtom = (code: string): boolean => /^((?!v\d)\w+|\(-[\d.e+-]+\)|[\d.]+(e[+-]?\d+)?)$/.test(code)

/** A number as JavaScript. */
export function literal(x: number, scalar: ScalarName): string {
  if (scalar === 'bool') return x ? 'true' : 'false'
  if (Object.is(x, -0)) return '(-0)'
  if (Number.isNaN(x)) return 'NaN'
  if (x === -Infinity) return '(-Infinity)'
  return x < 0 ? `(${x})` : String(x)
}

/** The typed array that keeps scalars of a type. */
export const ARRAY: { readonly [S in ScalarName]: string } = {
  bool: 'Uint8Array',
  f16: 'Float32Array',
  f32: 'Float32Array',
  i32: 'Int32Array',
  u32: 'Uint32Array',
}

/** A kept value read and written: bools are bytes in memory and bools in JavaScript. */
export const fromKept = (code: string, scalar: ScalarName): string => (scalar === 'bool' ? `${code} !== 0` : code)
export const toKept = (code: string, scalar: ScalarName): string => (scalar === 'bool' ? `(${code}) ? 1 : 0` : code)
