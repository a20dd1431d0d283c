import type { Expr, Of, Result, Stmt } from '../../ir'
import { BUILTINS, type BuiltinName } from '../../ops'
import { factsOf, isValue } from '../../types'

/**
 * A leaf of an index: a lane of a built-in value, a result, a value that a variable had, an argument. Leaves are
 * compared as numbers.
 */
export type Leaf = number

const NAMES = Object.keys(BUILTINS) as BuiltinName[]
const BUILTIN_BASE = new Map<BuiltinName, number>(NAMES.map((name, i) => [name, -4 * (i + 1)]))
/** Results take even numbers, versions of variables and arguments odd ones. */
const builtinLeaf = (name: BuiltinName, lane: number): Leaf => (BUILTIN_BASE.get(name) ?? 0) + lane
export const resultLeaf = (r: Result): Leaf => 2 * r.id

/** What is known at the point that the walk has reached. Facts learnt from a test end with the block it guards. */
export class Facts {
  private readonly limited = new Set<Leaf>()
  private readonly trail: Leaf[] = []
  private readonly always = new Set<Leaf>()
  private readonly made = new Map<number, Stmt>()
  private readonly loads = new Map<number, Leaf>()
  private readonly arguments = new Map<string, Leaf>()
  private next = 1
  /** The value that each integer variable holds now, by variable id. */
  versions = new Map<number, Leaf>()

  mark(): number {
    return this.trail.length
  }

  undo(to: number): void {
    while (this.trail.length > to) this.limited.delete(this.trail.pop() as Leaf)
  }

  learn(leaf: Leaf): void {
    if (this.limited.has(leaf)) return
    this.limited.add(leaf)
    this.trail.push(leaf)
  }

  learnForGood(leaf: Leaf): void {
    this.always.add(leaf)
  }

  isLimited(leaf: Leaf): boolean {
    return this.limited.has(leaf) || this.always.has(leaf)
  }

  isLimitedForGood(leaf: Leaf): boolean {
    return this.always.has(leaf)
  }

  /** A value that no leaf stands for yet. */
  fresh(): Leaf {
    this.next += 2
    return this.next
  }

  /** Remembers the statement that makes a result; `leaf` is given where the result is the value of a variable. */
  define(r: Result, by: Stmt, leaf?: Leaf): void {
    this.made.set(r.id, by)
    if (leaf !== undefined) this.loads.set(r.id, leaf)
  }

  maker(r: Result): Stmt | undefined {
    return this.made.get(r.id)
  }

  leafOf(r: Result): Leaf {
    return this.loads.get(r.id) ?? resultLeaf(r)
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
      const by = this.made.get(at.id)
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

  /** The lanes of a built-in value that `e` is, or null. */
  builtin(e: Expr): { name: BuiltinName; leaves: readonly Leaf[] } | null {
    const of = e.kind === 'swizzle' ? this.resolve(e.of) : e
    if (of.kind !== 'builtin') return null
    const lanes = e.kind === 'swizzle' ? e.lanes : of.type === 'u32' ? [0] : [0, 1, 2]
    return { name: of.name, leaves: lanes.map((lane) => builtinLeaf(of.name, lane)) }
  }
}
