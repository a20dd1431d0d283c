import type { Loop, Range, Store, Var } from '@weft/dsl/ir'
import { assignment } from './assign'
import type { Context } from './context'
import { print } from './expressions'
import { literal } from './literals'
import { negated } from './negation'
import { RANK } from './operators'
import { isQuiet, type Region, type Site } from './sites'

export function writeRange(s: Range, c: Context, at: Site): void {
  const start = print(s.start, c)
  // before the name is declared: they do not see it; of a shift, `i < a >> b` would be read as a template list
  const end = print(s.end, c)
  const limit = c.rank < RANK.shift ? end : `(${end})`
  const constant = s.step.kind === 'const' ? (s.step.lanes[0] as number) : null
  const down = constant !== null && constant < 0
  const by = constant === null ? print(s.step, c) : literal(s.index.type === 'i32' ? 'i32' : 'u32', Math.abs(constant))
  c.names.open()
  const name = c.names.declare(s.name)
  c.define(s.index, name)
  const step = constant === 1 || constant === -1 ? (down ? '--' : '++') : `${down ? ' -= ' : ' += '}${by}`
  const head = `for (var ${name} = ${start}; ${name} ${down ? '>' : '<'} ${limit}; ${name}${step})`
  c.block(head, at.inner[0] as Region, s.at)
  c.names.close()
}

/** With `counter`, the head declares that variable. */
export function writeLoop(s: Loop, c: Context, at: Site, counter: Var | null = null): void {
  const update = updateOf(s, at)
  if (!s.test || update === undefined || (update && !counter && !isDeclared(update, c))) {
    writeParts(s, c, at)
    return
  }
  let init = ''
  c.names.open()
  if (counter?.variable.init) {
    const value = print(counter.variable.init, c)
    init = `var ${c.variable(counter.variable.id, counter.variable.name)} = ${value}`
  }
  const test = print(s.test, c)
  const head = update ? `for (${init}; ${test}; ${assignment(update, c)})` : `while (${test})`
  c.block(head, at.inner[1] as Region, s.at)
  c.names.close()
}

/** Whether `s` declares the counter of the loop that follows, and nothing else uses it. */
export function isCounter(s: Var, loop: Loop, at: Site, c: Context): boolean {
  const { id, init, name } = s.variable
  const update = updateOf(loop, at)
  if (!init || !update || at.binds.length > 0) return false
  const counter = c.declared({ kind: 'variable', id })
  if (c.declared(update.place.root) !== counter || counter.last > (at.inner[0] as Region).end) return false
  counter.name = name
  const declared = isDeclared(update, c)
  counter.name = ''
  return declared
}

/**
 * What the head of a `for` has to do between rounds: the one store of the continuing block, or null if there is nothing.
 * Undefined if the loop does more than the head of a `for` or `while` can hold.
 */
function updateOf(s: Loop, at: Site): Store | null | undefined {
  const [all, , continuing] = at.inner as [Region, Region, Region]
  if (!s.test || s.breakIf || !all.sites.every(isQuiet)) return undefined
  const [first, ...more] = continuing.sites.filter((x) => !isQuiet(x))
  if (!first) return null
  return more.length === 0 && first.binds.length === 0 && first.stmt?.kind === 'store' ? first.stmt : undefined
}

/** Whether all that a store mentions is declared by now: the head of a loop does not see what its body declares. */
function isDeclared(update: Store, c: Context): boolean {
  c.missing = false
  assignment(update, c)
  return !c.missing
}

function writeParts(s: Loop, c: Context, at: Site): void {
  const [all, body, continuing] = at.inner as [Region, Region, Region]
  const n = s.header.length
  c.line('loop {', s.at)
  c.open()
  c.sites(all.sites.slice(0, n + 1))
  if (s.test) {
    c.line(`if (${negated(s.test, c)}) {`, s.at)
    c.line('  break;', s.at)
    c.line('}')
  }
  c.sites(all.sites.slice(n + 1))
  c.names.open()
  c.sites(body.sites)
  if (s.breakIf || !continuing.sites.every(isQuiet)) {
    c.line('continuing {', s.at)
    c.open()
    c.sites(continuing.sites)
    if (s.breakIf) c.line(`break if ${print(s.breakIf, c)};`, s.at)
    c.close()
    c.line('}')
  }
  c.names.close()
  c.close()
  c.line('}')
}
