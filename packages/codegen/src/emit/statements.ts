import {
  type Call,
  type Cases,
  isPlace,
  isScalar,
  isValueName,
  type Let,
  type Stmt,
  type Type,
  type Var,
} from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import { assignment } from './assign'
import { writeIf, writeSwitch } from './branches'
import type { Context } from './context'
import { writeEffect } from './effects'
import { alone, list, pointer, printPlace } from './expressions'
import type { Output } from './lines'
import { literal } from './literals'
import { isCounter } from './loop-head'
import { writeFor, writeLoop, writeRange } from './loops'
import { givenName, nameOf, rootName } from './naming'
import { isSilent } from './silent'
import type { Region, Site } from './sites'
import { Writer } from './writer'

export function writeBody(region: Region, c: Context, out: Output): void {
  new Writer(c, out, writeSites).region(region)
}

function writeSites(sites: readonly Site[], w: Writer): void {
  for (let i = 0; i < sites.length; i++) {
    const at = sites[i] as Site
    const { stmt } = at
    const next = stmt?.kind === 'var' ? sites[i + 1] : undefined
    // before anything is bound here: the head of the loop mentions only what precedes both
    if (next?.stmt?.kind === 'loop' && isCounter(stmt as Var, next.stmt, next, sites, w.c)) {
      w.binds(at)
      writeFor(next.stmt, w, next, stmt as Var)
      i++
      continue
    }
    w.binds(at)
    if (stmt && !isSilent(stmt, w.c)) (STATEMENTS[stmt.kind] as (s: Stmt, w: Writer, at: Site) => void)(stmt, w, at)
  }
}

const STATEMENTS: Cases<Stmt, void, [Writer, Site]> = {
  let: writeLet,
  var: writeVar,
  load: (s, w) => w.let(s.result, `${rootName(s.place, w.c)}_value`, printPlace(s.place, w.c), s.at),
  store: (s, w) => w.line(`${assignment(s, w.c)};`, s.at),
  effect: writeEffect,
  call: writeCall,
  if: writeIf,
  switch: writeSwitch,
  range: writeRange,
  loop: writeLoop,
  break: (s, w) => w.line('break;', s.at),
  continue: (s, w) => w.line('continue;', s.at),
  return: (s, w) => w.line(s.value ? `return ${alone(s.value, w.c)};` : 'return;', s.at),
}

function writeLet(s: Let, w: Writer): void {
  const { c } = w
  const alias = adoptedName(s, c) ?? nameOf(s.value, c)
  if (alias !== undefined) {
    c.results.set(s.result.id, alias)
    return
  }
  const carried = c.plan.carried.get(s.result.id)
  w.let(s.result, carried?.name ?? s.name, alone(s.value, c), s.at)
  if (carried) c.bound[numberOf(carried.e)] = c.results.get(s.result.id) as string
}

/** The name of a variable that took the one of this `let`. */
function adoptedName(s: Let, c: Context): string | undefined {
  const load = s.value.kind === 'result' ? c.plan.inlined[s.value.id] : undefined
  if (load?.place.root.kind !== 'variable' || c.plan.adopted.get(load.place.root.id) !== s) return undefined
  return c.variables.get(load.place.root.id)
}

function writeVar(s: Var, w: Writer, at: Site): void {
  const { c } = w
  const { variable } = s
  const init = variable.init ? alone(variable.init, c) : inLoop(at) ? zero(variable.type, c) : null
  const name = c.names.declare(c.plan.adopted.get(variable.id)?.name ?? variable.name)
  c.variables.set(variable.id, name)
  w.line(init === null ? `var ${name}: ${c.module.type(variable.type)};` : `var ${name} = ${init};`, s.at)
}

function inLoop(at: Site): boolean {
  for (let r: Region | undefined = at.region; r; r = r.owner?.region) if (r.loop) return true
  return false
}

/** The zero of a type: drivers have been seen not to reset a variable without initial value in each round. */
const zero = (type: Type, c: Context): string =>
  typeof type === 'string' && isValueName(type) && isScalar(type) ? literal(type, 0) : `${c.module.type(type)}()`

function writeCall(s: Call, w: Writer): void {
  const { c } = w
  const args = s.args.map((a) => (isPlace(a) ? pointer(a, c) : list([a], c)))
  const text = `${c.module.names.functions.get(s.func) ?? s.func}(${args.join(', ')})`
  if (s.result && c.plan.uses(s.result) > 0) w.let(s.result, givenName(s.result, `${s.func}_value`, c), text, s.at)
  else w.line(`${text};`, s.at)
}
