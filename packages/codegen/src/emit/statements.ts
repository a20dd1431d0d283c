import { type Call, type Cases, isScalar, isValueName, type Let, type Stmt, type Type, type Var } from '@weft/dsl/ir'
import { assignment } from './assign'
import { writeIf, writeSwitch } from './branches'
import type { Context } from './context'
import { writeEffect } from './effects'
import { print, printCall, printPlace } from './expressions'
import { literal } from './literals'
import { isCounter, writeLoop, writeRange } from './loops'
import { nameFor, nameOf, rootName } from './naming'
import type { Site } from './sites'

export function writeSites(sites: readonly Site[], c: Context): void {
  for (let i = 0; i < sites.length; i++) {
    const at = sites[i] as Site
    const { stmt } = at
    const next = stmt?.kind === 'var' ? sites[i + 1] : undefined
    // before anything is bound here: the head of the loop mentions only what precedes both
    const counter =
      stmt?.kind === 'var' && next?.stmt?.kind === 'loop' && isCounter(stmt, next.stmt, next, c) ? stmt : null
    writeBinds(at, c)
    if (counter && next?.stmt?.kind === 'loop') {
      writeLoop(next.stmt, c, next, counter)
      i++
    } else if (stmt && at.value?.inline !== true)
      (WRITE[stmt.kind] as (s: Stmt, c: Context, at: Site) => void)(stmt, c, at)
  }
}

/** What was planned to be bound before a statement. */
function writeBinds({ binds }: Site, c: Context): void {
  for (let i = binds.length - 1; i >= 0; i--) {
    const value = binds[i] as Site['binds'][number]
    const { e, hint } = value
    const text = print(e, c)
    const name = c.names.declare(hint ?? nameFor(e, c))
    value.name = name
    c.line(`let ${name} = ${text};`, 'at' in e ? e.at : -1)
  }
}

const WRITE: Cases<Stmt, void, [Context, Site]> = {
  let: writeLet,
  var: writeVar,
  load: (s, c) => c.let(s.result, `${rootName(s.place, c)}_value`, printPlace(s.place, c), s.at),
  store: (s, c) => c.line(`${assignment(s, c)};`, s.at),
  effect: writeEffect,
  call: writeCall,
  if: writeIf,
  switch: writeSwitch,
  range: writeRange,
  loop: writeLoop,
  break: (s, c) => c.line('break;', s.at),
  continue: (s, c) => c.line('continue;', s.at),
  return: (s, c) => c.line(s.value ? `return ${print(s.value, c)};` : 'return;', s.at),
}

function writeLet(s: Let, c: Context): void {
  const value = c.valueOf(s.value)
  const load = value?.inline ? value.site?.stmt : null
  const variable = load?.kind === 'load' && load.place.root.kind === 'variable' ? c.declared(load.place.root) : null
  const alias = variable?.heir === s ? variable.name : nameOf(s.value, c)
  if (alias !== undefined) {
    c.define(s.result, alias)
    return
  }
  const named = value?.named?.site.stmt === s && value.named.carries ? value.named : null
  c.let(s.result, named?.name ?? s.name, print(s.value, c), s.at)
  if (named && value) value.name = c.results[s.result.id]?.name ?? ''
}

function writeVar({ variable, at: from }: Var, c: Context, at: Site): void {
  const { id, type, init } = variable
  const value = init ? print(init, c) : at.region.loops > 0 ? zero(type, c) : null
  const name = c.variable(id, c.declared({ kind: 'variable', id }).heir?.name ?? variable.name)
  c.line(value === null ? `var ${name}: ${c.module.type(type)};` : `var ${name} = ${value};`, from)
}

/** The zero of a type: drivers have been seen not to reset a variable without initial value in each round. */
const zero = (type: Type, c: Context): string =>
  isValueName(type) && isScalar(type) ? literal(type, 0) : `${c.module.type(type)}()`

function writeCall(s: Call, c: Context): void {
  const text = printCall(s, c)
  const value = s.result && c.results[s.result.id]
  if (s.result && value && value.uses > 0) c.let(s.result, value.hint ?? `${s.func}_value`, text, s.at)
  else c.line(`${text};`, s.at)
}
