import type { Call, Expr, Let, Load, Place } from '@weft/dsl/ir'
import { argsOf } from '../passes/node'
import type { Context, Declared } from './context'
import { CHEAP, isLeaf, isTrivial } from './costs'
import { isClobbered } from './memory'
import type { Scan } from './scan'
import { appended, type Site, type Value } from './sites'

/**
 * Decides where everything of one function body is evaluated: which expressions are written where they are used, and
 * which are bound by a `let`, and before which statement.
 *
 * - An expression used once is written there. Used several times, it is bound once, in the innermost block that holds
 *   all uses, before the first of them; but before a loop, where everything that it is made of is known there.
 * - A load is a statement: it reads when it runs. It is written where its value is used only if no write that may change
 *   its place lies between, and never inside a loop that it stood before when it reads storage or workgroup memory.
 * - What is just a name (a parameter, a lane of one, a constant) is not bound.
 *
 * Statements have times in the order of the text; blocks and loops are intervals of time. Expressions are visited from
 * their uses down: when one is settled, everything that it is written in is, so that all its uses are known; these then
 * are the uses of its operands.
 */
export function settle(scan: Scan, c: Context): void {
  for (let i = scan.order.length - 1; i >= 0; i--) {
    const value = scan.order[i] as Value
    if (value.e.kind !== 'result') {
      if (value.uses > 0) settleExpression(value, c)
    } else if (value.site !== null) settleResult(value, value.site, scan, c)
  }
}

// Expressions.

function settleExpression(value: Value, c: Context): void {
  const { e } = value
  if (e.kind === 'builtin') c.builtins.set(e.name, '')
  const at = isLeaf(e) ? null : bind(value)
  const args = argsOf(e)
  for (let i = 0; i < args.length; i++) settleOperand(args[i] as Expr, value, at, c)
}

/** An operand of what has a place of its own is used there; of what has none, wherever that is. */
function settleOperand(e: Expr, of: Value, at: Site | null, c: Context): void {
  const operand = c.valueOf(e)
  if (at === null) operand?.useWith(of)
  else operand?.use(at)
}

/** Gives an expression a name if it wants one, and says where. */
function bind(value: Value): Site | null {
  const { e, named } = value
  const shared = value.uses > 1
  // the head of a range evaluates its end in every round
  const wanted = value.levels < 0 || (shared ? !isTrivial(e) : value.cost > CHEAP && value.at?.isHead)
  if (shared && named && named.site === value.at) {
    named.carries = true
    return named.site
  }
  if (!wanted) return null
  const at = home(value)
  if (named?.site.region === at.region) value.hint = named.name
  at.binds = appended(at.binds, value)
  value.inline = false
  return at
}

/** Before the first use within the innermost common block; or before a loop that nothing of it comes from. */
function home({ at, avail }: Value): Site {
  let site = at as Site
  for (let r = site.region; r !== avail && r.owner; r = r.owner.region) if (r.loop) site = r.owner
  return site
}

// What statements give.

function settleResult(value: Value, site: Site, scan: Scan, c: Context): void {
  const { stmt } = site
  if (stmt?.kind === 'let') settleLet(value, stmt, site, scan, c)
  else if (stmt?.kind === 'load') settleLoad(value, stmt, site, scan, c)
  else if (stmt?.kind === 'call' && c.module.functions.get(stmt.func)?.isValue) settleCall(value, stmt, site, c)
}

function settleLet(value: Value, s: Let, site: Site, scan: Scan, c: Context): void {
  value.inline = value.uses === 0
  if (value.inline) return
  const named = c.valueOf(s.value)
  if (s.value.kind === 'result' && named) {
    const from = named.site?.stmt
    // what a statement gives takes the name
    if (from?.kind === 'call' || (from?.kind === 'effect' && from.exchanged === null)) named.hint ??= s.name
    else if (from?.kind === 'load') adopt(s, site, from.place, named, scan, c)
  }
  named?.use(site)
}

/** What the builder calls the variable of a lazy choice. */
const UNNAMED = 'value'

/** A variable that the builder made, and whose last value a `let` then names, is called so from the start. */
function adopt(s: Let, at: Site, place: Place, loaded: Value, scan: Scan, c: Context): void {
  const variable = c.declared(place.root)
  const declared = variable.site
  if (place.steps.length > 0 || variable.heir || declared?.region !== at.region) return
  if (declared.stmt?.kind !== 'var' || declared.stmt.variable.name !== UNNAMED) return
  if (!isClobbered(place, variable, scan.log, loaded.site?.time ?? 0, scan.root.end)) variable.heir = s
}

function settleLoad(value: Value, s: Load, site: Site, scan: Scan, c: Context): void {
  value.inline = value.uses === 0 || mayInline(value, s, site, c.declared(s.place.root), scan)
  if (value.uses === 0) return
  const { root, steps } = s.place
  if (root.kind === 'view') settleOperand(root.offset, value, value.inline ? null : site, c)
  for (const step of steps) if (step.kind === 'index') settleOperand(step.index, value, value.inline ? null : site, c)
}

/** Whether a load may run where its value is used. Into a loop: all of its time counts. */
function mayInline({ uses, last, loops }: Value, load: Load, from: Site, root: Declared, scan: Scan): boolean {
  const { place } = load
  const { space } = root
  const own = space === 'function' || space === 'private'
  const isName =
    (own || space === 'uniform') && place.steps.every((x) => x.kind === 'member' || x.index.kind === 'const')
  // more than a name is read once, and once only what costs something
  if ((uses > 1 && !isName) || (loops > from.region.loops && !isName && !own)) return false
  const to = last as Site
  let until = to.time - 1
  for (let r = to.region; r !== from.region && r.owner; r = r.owner.region) if (r.loop) until = r.end
  return !isClobbered(place, root, scan.log, from.time, until)
}

/** A call that sees nothing but its arguments, written where its only use is, if that is in the same block. */
function settleCall(value: Value, s: Call, site: Site, c: Context): void {
  const here = value.uses === 1 && value.at?.region === site.region && value.hint === undefined
  value.inline = here || value.uses === 0
  if (value.uses === 0) return
  for (const a of s.args) if (a.kind !== 'place') c.valueOf(a)?.use(here ? (value.at as Site) : site)
}
