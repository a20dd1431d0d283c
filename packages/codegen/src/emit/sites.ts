import type { Expr, Stmt } from '@weft/dsl/ir'

/** Most lists are empty. */
export const NONE: readonly never[] = []

/** Appends to what may be the empty list that all share. */
export function appended<T>(list: readonly T[], item: T): readonly T[] {
  if (list.length === 0) return [item]
  ;(list as T[]).push(item)
  return list
}

/** A block; of a loop, also all of its rounds, from the header on. */
export class Region {
  sites: readonly Site[] = NONE
  readonly depth: number
  /** The depth of the innermost loop that this is in, or is. */
  readonly loops: number
  /** The time of the last statement in it. */
  end = 0

  constructor(
    readonly owner: Site | null,
    /** Whether entering it from `owner` enters a loop. */
    readonly loop: boolean,
  ) {
    this.depth = owner ? owner.region.depth + 1 : 0
    this.loops = loop ? this.depth : (owner?.region.loops ?? 0)
  }
}

/** A point of time: just before a statement runs. */
export class Site {
  /**
   * Nested blocks in order. Of a loop: all of it, its body and its continuing block. The first holds the header, then
   * sites without statements for the test and the body, which own nothing but what is bound there.
   */
  inner: readonly Region[] = NONE
  /** Expressions to bind here, dependencies last. */
  binds: readonly Value[] = NONE
  /** What the statement gives. */
  value: Value | null = null

  constructor(
    readonly region: Region,
    readonly time: number,
    readonly stmt: Stmt | null,
    /** The head of a range, which evaluates what is used there in every round. Nothing can be bound in it. */
    readonly isHead = false,
  ) {}
}

/** Whether nothing is written at a site: neither what is bound there nor its statement. */
export const isQuiet = (at: Site): boolean => at.binds.length === 0 && (at.stmt === null || at.value?.inline === true)

/** An expression that is no constant, or the result of a statement: where it is used, and what is decided for it. */
export class Value {
  /** How often it is used, as far as its uses are settled. */
  uses = 0
  /** The last site before all uses, in the innermost block that holds all of them. */
  at: Site | null = null
  /** The last use. */
  last: Site | null = null
  /** The greatest `loops` of a use. */
  loops = 0
  /** Whether it is written where it is used; otherwise a `let` binds it, or its statement gives it. */
  inline: boolean
  /** What it goes by; '' while nothing has declared it. */
  name = ''
  /** What it is for, when that is a good name. */
  hint: string | undefined = undefined
  /** The `let` of the author's that names an expression. */
  named: Named | null = null

  constructor(
    readonly e: Expr,
    /** The innermost block in which an operand becomes known. */
    readonly avail: Region,
    /** The statement that gives a result; null: the head of a range gives its index. */
    readonly site: Site | null,
    readonly cost = 0,
    /** How deep it is nested from the last name on; −1: so deep that it gets one, lest compilers give up. */
    readonly levels = 0,
  ) {
    this.inline = e.kind !== 'result'
  }

  use(at: Site): void {
    this.#merge(1, at, at, at.region.loops)
  }

  /** Is used wherever `other` is. */
  useWith({ uses, at, last, loops }: Value): void {
    this.#merge(uses, at as Site, last as Site, loops)
  }

  #merge(uses: number, at: Site, last: Site, loops: number): void {
    this.uses += uses
    this.at = this.at === null ? at : common(this.at, at)
    if (this.last === null || last.time > this.last.time) this.last = last
    if (loops > this.loops) this.loops = loops
  }
}

/** A `let` as the name of an expression. */
export interface Named {
  readonly site: Site
  /** The number of the builder's call that gave the name, or −1. */
  at: number
  name: string
  /** Whether all other uses of the expression follow, and go by its name. */
  carries: boolean
}

/** The last site before both, in the innermost block that holds both. */
function common(a: Site, b: Site): Site {
  let x = a
  let y = b
  while (x.region !== y.region) {
    if (x.region.depth >= y.region.depth) x = x.region.owner ?? x
    else y = y.region.owner ?? y
  }
  return x.time <= y.time ? x : y
}
