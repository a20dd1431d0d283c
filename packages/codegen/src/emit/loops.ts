import type { Expr, Loop, Range, Store, Var } from '@weft/dsl/ir'
import { assignment } from './assign'
import { type Context, RANK } from './context'
import { alone, print } from './expressions'
import { literal } from './literals'
import { hasHead, type LoopParts, partsOf, updateOf } from './loop-head'
import { negated } from './negation'
import { areQuiet } from './silent'
import type { Region, Site } from './sites'
import type { Writer } from './writer'

export function writeRange(s: Range, w: Writer, at: Site): void {
  const { c } = w
  const start = alone(s.start, c)
  const down = s.step.kind === 'const' && (s.step.lanes[0] as number) < 0
  const size = s.step.kind === 'const' ? Math.abs(s.step.lanes[0] as number) : null
  const scalar = s.index.type === 'i32' ? 'i32' : 'u32'
  c.names.open()
  // before the name is declared: they do not see it
  const limit = operand(s.end, c)
  const stepText = size === null ? alone(s.step, c) : literal(scalar, size)
  const name = c.names.declare(s.name)
  c.results.set(s.index.id, name)
  const step = size === 1 ? (down ? `${name}--` : `${name}++`) : `${name} ${down ? '-=' : '+='} ${stepText}`
  w.line(`for (var ${name} = ${start}; ${name} ${down ? '>' : '<'} ${limit}; ${step}) {`, s.at)
  w.region(at.inner[0] as Region)
  w.line('}')
  c.names.close()
}

/** As the right operand of a comparison; of a shift, `i < a >> b` would be read as a template list. */
function operand(e: Expr, c: Context): string {
  const text = print(e, c)
  return c.rank < RANK.shift ? text : `(${text})`
}

/** A loop whose counter nothing else uses, so that its head declares it. */
export function writeFor(s: Loop, w: Writer, at: Site, counter: Var): void {
  const { c } = w
  const parts = partsOf(s, at)
  const update = updateOf(parts, c) as Store
  const init = alone(counter.variable.init as Expr, c)
  c.names.open()
  const name = c.names.declare(counter.variable.name)
  c.variables.set(counter.variable.id, name)
  w.line(`for (var ${name} = ${init}; ${alone(s.test as Expr, c)}; ${assignment(update, c)}) {`, s.at)
  w.region(parts.body.inner[0] as Region)
  w.line('}')
  c.names.close()
}

export function writeLoop(s: Loop, w: Writer, at: Site): void {
  const { c } = w
  const parts = partsOf(s, at)
  const head = hasHead(s, parts, c)
  const update = head ? updateOf(parts, c) : null
  if (head && (update || areQuiet(parts.continuing.sites, c))) {
    const test = alone(s.test as Expr, c)
    w.line(update ? `for (; ${test}; ${assignment(update, c)}) {` : `while (${test}) {`, s.at)
    w.region(parts.body.inner[0] as Region)
    w.line('}')
  } else writeParts(s, w, parts)
}

function writeParts(s: Loop, w: Writer, parts: LoopParts): void {
  const { c } = w
  w.line('loop {', s.at)
  w.open()
  w.sites(parts.header)
  w.binds(parts.test)
  if (s.test) {
    w.line(`if (${negated(s.test, c)}) {`, s.at)
    w.line('  break;', s.at)
    w.line('}')
  }
  w.binds(parts.body)
  c.names.open()
  w.sites((parts.body.inner[0] as Region).sites)
  writeContinuing(s, w, parts.continuing)
  c.names.close()
  w.close()
  w.line('}')
}

function writeContinuing(s: Loop, w: Writer, continuing: Region): void {
  if (!s.breakIf && areQuiet(continuing.sites, w.c)) return
  w.line('continuing {', s.at)
  w.open()
  w.sites(continuing.sites)
  if (s.breakIf) w.line(`break if ${alone(s.breakIf, w.c)};`, s.at)
  w.close()
  w.line('}')
}
