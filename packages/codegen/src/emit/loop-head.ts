import {
  type Block,
  type Expr,
  forEachStmt,
  isPlace,
  type Loop,
  type Place,
  placeOperands,
  type Root,
  type Store,
  type Var,
} from '@weft/dsl/ir'
import { argsOf, numberOf } from '../passes/node'
import type { Context } from './context'
import { areQuiet, isQuiet } from './silent'
import type { Region, Site } from './sites'

/** What of a loop can stand in the head of a `while` or `for`. */

export interface LoopParts {
  readonly header: readonly Site[]
  readonly test: Site
  readonly body: Site
  readonly continuing: Region
}

export function partsOf(s: Loop, at: Site): LoopParts {
  const { sites } = at.inner[0] as Region
  const n = s.header.length
  const body = sites[n + 1] as Site
  const last = sites[n + 2] ?? (body.inner[0] as Region).sites.at(-1)
  return { header: sites.slice(0, n), test: sites[n] as Site, body, continuing: (last as Site).inner[0] as Region }
}

/** Whether the head of a `while` or `for` can hold all that runs before the test. */
export const hasHead = (s: Loop, parts: LoopParts, c: Context): boolean =>
  s.test !== null &&
  s.breakIf === null &&
  areQuiet(parts.header, c) &&
  parts.test.binds.length === 0 &&
  parts.body.binds.length === 0

/** The one store of a continuing block, if that is all that is in it. */
export function updateOf(parts: LoopParts, c: Context): Store | null {
  let update: Store | null = null
  for (const at of parts.continuing.sites) {
    if (isQuiet(at, c)) continue
    if (at.binds.length > 0 || at.stmt?.kind !== 'store' || update) return null
    update = at.stmt
  }
  if (!update) return null
  const counter = update.place.root.kind === 'variable' ? update.place.root.id : null
  return [...placeOperands(update.place), update.value].every((e) => isDeclared(e, c, counter)) ? update : null
}

/** Whether all that `e` mentions is declared by now: the head of a loop does not see what its body declares. */
function isDeclared(e: Expr, c: Context, counter: number | null): boolean {
  if (c.plan.bound.has(e)) return c.bound[numberOf(e)] !== undefined
  if (e.kind !== 'result') return argsOf(e).every((o) => isDeclared(o, c, counter))
  const load = c.plan.inlined[e.id]
  if (!load) return c.results.has(e.id)
  return (
    isRootDeclared(load.place.root, c, counter) && placeOperands(load.place).every((o) => isDeclared(o, c, counter))
  )
}

const isRootDeclared = (root: Root, c: Context, counter: number | null): boolean =>
  root.kind !== 'variable' || root.id === counter || c.variables.has(root.id) || c.module.names.variables.has(root.id)

/** Whether `s` declares the counter of the loop that follows, and nothing else uses it. */
export function isCounter(s: Var, loop: Loop, next: Site, sites: readonly Site[], c: Context): boolean {
  const parts = partsOf(loop, next)
  if (!s.variable.init || next.binds.length > 0 || !hasHead(loop, parts, c)) return false
  const update = updateOf(parts, c)
  if (update?.place.root.kind !== 'variable' || update.place.root.id !== s.variable.id) return false
  const after = sites.slice(sites.indexOf(next) + 1)
  return !after.some((at) => at.stmt !== null && mentions([at.stmt], s.variable.id))
}

function mentions(block: Block, variable: number): boolean {
  let found = false
  const check = (place: Place | null): void => {
    if (place?.root.kind === 'variable' && place.root.id === variable) found = true
  }
  forEachStmt(block, (s) => {
    if (s.kind === 'load' || s.kind === 'store' || s.kind === 'effect') check(s.place)
    else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) check(a)
  })
  return found
}
