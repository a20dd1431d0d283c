import type { Expr, Stmt } from '@weft/dsl/ir'

/** A point of time: just before a statement runs. */
export class Site {
  /**
   * Nested blocks in order. Of a loop, one region for all of it: its header, then sites without statements for the test
   * and the body, and where the continuing block stands: in the body's region or after it.
   */
  inner: readonly Region[] = NONE
  /** Expressions to bind here, dependencies last. */
  binds: readonly Expr[] = NONE

  constructor(
    readonly region: Region,
    readonly time: number,
    readonly stmt: Stmt | null,
    /** The loop that evaluates again what is used here: the end and step of a range, whose own site is `base`. */
    readonly through: Region | null = null,
    readonly base: Site | null = null,
  ) {}
}

/** A block. Entering it from `owner` enters a loop if `loop`. */
export interface Region {
  readonly owner: Site | null
  readonly depth: number
  readonly loop: boolean
  readonly sites: Site[]
  end: number
}

/** An expression, or a result with the statement that gives it. */
export class Info {
  sites: Site[] = []
  hint: string | undefined = undefined

  constructor(
    readonly e: Expr,
    /** The innermost block in which an operand becomes known. */
    readonly avail: Region,
    readonly cost: number,
    /** Nested so deep that compilers would give up. */
    readonly deep: boolean,
    readonly levels: number,
    readonly stmt: Stmt | null,
    readonly site: Site | null,
  ) {}
}

/** Most sites have neither blocks nor binds. */
const NONE: readonly never[] = []

/** Appends to what may be the empty list that sites share. */
export const appended = <T>(list: readonly T[], item: T): readonly T[] => {
  if (list.length === 0) return [item]
  ;(list as T[]).push(item)
  return list
}

/** Where something that is used at a site can be bound. */
export const base = (at: Site): Site => at.base ?? at

/** The last site before both, in the innermost block that holds both. */
export function common(a: Site, b: Site): Site {
  let x = a
  let y = b
  while (x.region !== y.region) {
    if (x.region.depth >= y.region.depth) x = x.region.owner ?? x
    else y = y.region.owner ?? y
  }
  return x.time <= y.time ? x : y
}
