import type { Cases, Loop, Range, Stmt, Switch } from '../../ir'
import { BREAK, CONTINUE, NEXT, RETURN } from '../behavior'
import { WGSL_LIMITS } from '../limits'
import type { Bodies } from './bodies'
import { call } from './calls'
import { effect } from './effects'

/** Looks at a statement, and says how control may leave it. */
export const step = (s: Stmt, b: Bodies): number => (STEP[s.kind] as (s: Stmt, b: Bodies) => number)(s, b)

const STEP: Cases<Stmt, number, [Bodies]> = {
  let: (s, b) => {
    b.value(s.value, s.at)
    b.define(s.result, s)
    return NEXT
  },
  var: (s, b) => {
    b.value(s.variable.init, s.at)
    b.declare(s.variable)
    return NEXT
  },
  load: (s, b) => {
    b.place(s.place, s.at)
    b.define(s.result, s)
    return NEXT
  },
  store: (s, b) => {
    b.store(s.place, s.at)
    b.value(s.value, s.at)
    return NEXT
  },
  effect,
  call,
  if: (s, b) => {
    b.value(s.test, s.at)
    return b.block(s.then) | b.block(s.else)
  },
  switch: choice,
  range,
  loop,
  break: () => BREAK,
  continue: () => CONTINUE,
  return: (s, b) => {
    b.value(s.value, s.at)
    return RETURN
  },
}

function choice(s: Switch, b: Bodies): number {
  b.value(s.selector, s.at)
  let behavior = b.block(s.default)
  let selectors = 0
  for (const c of s.cases) {
    selectors += c.selectors.length
    behavior |= b.block(c.body)
  }
  b.context.limit('bad-switch', 'a switch has', selectors, ' selectors', WGSL_LIMITS.switchSelectors, undefined, s.at)
  return behavior & BREAK ? (behavior & ~BREAK) | NEXT : behavior
}

function range(s: Range, b: Bodies): number {
  b.value(s.start, s.at)
  b.value(s.end, s.at)
  if (b.constants.number(s.step, s.at) === 0) b.context.report('endless-loop', 'the step of this range is 0', s.at)
  const outer = b.enter()
  b.define(s.index, s)
  const behavior = b.block(s.body)
  b.leave(outer)
  return NEXT | (behavior & RETURN)
}

function loop(s: Loop, b: Bodies): number {
  const outer = b.enter()
  const header = b.statements(s.header)
  if (header & CONTINUE) b.context.report('misplaced-statement', 'continue stands in the header of a loop', s.at)
  b.value(s.test, s.at)
  const around = b.enter()
  const behavior = b.statements(s.body) | (header & ~NEXT)
  // What the body makes is seen by the continuing block, unless a continue may skip it.
  if (behavior & CONTINUE) b.leave(around)
  const inside = b.enter()
  b.statements(s.continuing)
  b.value(s.breakIf, s.at)
  b.leave(inside)
  if (!(behavior & CONTINUE)) b.leave(around)
  b.leave(outer)
  const ends = s.test !== null || s.breakIf !== null
  if (!ends && !(behavior & (BREAK | RETURN)))
    b.context.report('endless-loop', 'nothing leaves this loop', s.at, 'break, return, or give it a condition')
  return (ends || behavior & BREAK ? NEXT : 0) | (behavior & RETURN)
}
