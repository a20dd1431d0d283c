import type { Expr, Of, Result, Stmt } from '../../ir'
import { BUILTINS, type BuiltinName } from '../../ops'
import { factsOf, isValue } from '../../types'
import type { Context } from '../context'

const NOW = 1
const ALWAYS = 2

/**
 * A leaf of an index: a lane of a built-in value, a result, a value that a variable had, an argument. Leaves are
 * compared as numbers.
 */
export type Leaf = number

const NAMES = Object.keys(BUILTINS) as BuiltinName[]
/** Lanes of built-in values come first, then results take even numbers, versions of variables and arguments odd ones. */
const FIRST = 4 * NAMES.length
const BUILTIN_BASE = Object.fromEntries(NAMES.map((name, i) => [name, 4 * i])) as Record<BuiltinName, number>
const SCALAR = [0]
const VECTOR = [0, 1, 2]
export const resultLeaf = (r: Result): Leaf => FIRST + 2 * r.id

/** What is known at the point that the walk has reached. Facts learnt from a test end with the block it guards. */
export class Facts {
  /** By leaf: `ALWAYS`, or `NOW` for what is learnt from a test; the trail says in which order. */
  private readonly known: (number | undefined)[] = []
  private readonly trail: Leaf[] = []
  private readonly loads: (Leaf | undefined)[] = []
  private readonly arguments = new Map<string, Leaf>()
  private next = FIRST + 1
  /** The value that each integer variable holds now, by variable id. */
  versions = new Map<number, Leaf>()

  constructor(private readonly context: Context) {}

  mark(): number {
    return this.trail.length
  }

  undo(to: number): void {
    while (this.trail.length > to) {
      const leaf = this.trail.pop() as Leaf
      if (this.known[leaf] === NOW) this.known[leaf] = 0
    }
  }

  /** False where it was known. */
  learn(leaf: Leaf): boolean {
    if (this.known[leaf]) return false
    this.known[leaf] = NOW
    this.trail.push(leaf)
    return true
  }

  learnForGood(leaf: Leaf): void {
    this.known[leaf] = ALWAYS
  }

  isLimited(leaf: Leaf): boolean {
    return (this.known[leaf] ?? 0) !== 0
  }

  isLimitedForGood(leaf: Leaf): boolean {
    return this.known[leaf] === ALWAYS
  }

  /** A value that no leaf stands for yet. */
  fresh(): Leaf {
    this.next += 2
    return this.next
  }

  /** The result is the value that a variable had. */
  loaded(r: Result, leaf: Leaf): void {
    this.loads[r.id] = leaf
  }

  /** The statement that makes a result. */
  maker(r: Result): Stmt | undefined {
    return this.context.makers[r.id]
  }

  leafOf(r: Result): Leaf {
    return this.loads[r.id] ?? resultLeaf(r)
  }

  argument(name: string): Leaf {
    const known = this.arguments.get(name) ?? this.fresh()
    this.arguments.set(name, known)
    return known
  }

  /** The expression that a name stands for, through any number of lets. */
  resolve(e: Expr): Expr {
    let at = e
    while (at.kind === 'result') {
      const by = this.context.makers[at.id]
      if (by?.kind !== 'let') return at
      at = by.value
    }
    return at
  }

  /** The part of a vector that a swizzle of one lane takes, where the parts are known. */
  part(e: Of<Expr, 'swizzle'>): Expr | null {
    const of = this.resolve(e.of)
    if (of.kind !== 'construct' || !of.args.every((a) => isValue(a.type) && factsOf(a.type).rows === 1)) return null
    return of.args[of.args.length === 1 ? 0 : (e.lanes[0] ?? 0)] ?? null
  }

  /** The built-in value of which `e` is lanes, or null. */
  builtin(e: Expr): Of<Expr, 'builtin'> | null {
    if (e.kind === 'builtin') return e
    if (e.kind !== 'swizzle') return null
    const of = this.resolve(e.of)
    return of.kind === 'builtin' ? of : null
  }

  /** Whether all lanes that `e` is of a built-in value are limited; `learnt` makes them so. */
  lanes(e: Expr, { name, type }: Of<Expr, 'builtin'>, learnt = false): boolean {
    const base = BUILTIN_BASE[name]
    let all = true
    for (const lane of e.kind === 'swizzle' ? e.lanes : type === 'u32' ? SCALAR : VECTOR) {
      if (learnt) this.learn(base + lane)
      all &&= this.isLimited(base + lane)
    }
    return all
  }
}
