import type { Block, Call, Cases, If, Loop, Range, Return, Stmt, Switch } from '@weft/dsl/ir'
import { effect } from './effects'
import { evaluate, evaluateAtoms, zeros } from './expressions'
import type { Frame } from './frame'
import { define } from './program'
import { lanesOf } from './shape'
import { declare, load, write } from './variables'

/** Statements of one invocation as JavaScript. */

export function statement(frame: Frame, s: Stmt): void {
  frame.program.at = s.at
  const emit = STATEMENT[s.kind] as (s: Stmt, frame: Frame) => void
  emit(s, frame)
}

export function block(frame: Frame, body: Block): void {
  for (const s of body) statement(frame, s)
}

const STATEMENT: Cases<Stmt, void, [Frame]> = {
  let: (s, frame) => define(frame, s.result, evaluate(frame, s.value)),
  var: (s, frame) => declare(frame, s.variable),
  load: (s, frame) => load(frame, s.place, s.result),
  store: (s, frame) => write(frame, s.place, evaluate(frame, s.value)),
  effect: (s, frame) => effect(frame, s),
  call: (s, frame) => call(frame, s),
  if: (s, frame) => conditional(frame, s),
  switch: (s, frame) => choice(frame, s),
  range: (s, frame) => range(frame, s),
  loop: (s, frame) => loop(frame, s),
  break: (_, frame) => frame.line(frame.jump('break')),
  continue: (_, frame) => frame.line(frame.jump('continue')),
  return: (s, frame) => leave(frame, s),
}

function conditional(frame: Frame, s: If): void {
  const [test] = evaluate(frame, s.test)
  frame.block(`if (${test}) {`, () => block(frame, s.then))
  if (s.else.length > 0) frame.block('else {', () => block(frame, s.else))
}

function choice(frame: Frame, s: Switch): void {
  const label = frame.program.name('L')
  const [selector] = evaluate(frame, s.selector)
  frame.jumps.push({ break: `break ${label};` })
  frame.block(`${label}: switch (${selector}) {`, () => {
    for (const { selectors, body } of s.cases) {
      frame.block(`${selectors.map((x) => `case ${x}:`).join(' ')} {`, () => block(frame, body), `break ${label}; }`)
    }
    frame.block('default: {', () => block(frame, s.default))
  })
  frame.jumps.pop()
}

/** The head of a JavaScript loop for a range; its bounds are evaluated before. */
export function rangeHead(frame: Frame, s: Range, index: string): string {
  const [start] = evaluate(frame, s.start)
  const [end] = evaluateAtoms(frame, s.end)
  const [step] = evaluateAtoms(frame, s.step)
  const down = s.step.kind === 'const' && (s.step.lanes[0] ?? 0) < 0
  const wrap = s.index.type === 'i32' ? '| 0' : '>>> 0'
  return `for (let ${index} = ${start}; ${index} ${down ? '>' : '<'} ${end}; ${index} = (${index} + ${step}) ${wrap})`
}

function range(frame: Frame, s: Range): void {
  const label = frame.program.name('L')
  const index = `r${s.index.id}_0`
  const head = rangeHead(frame, s, index)
  frame.results.set(s.index.id, [index])
  frame.jumps.push({ break: `break ${label};`, continue: `continue ${label};` })
  frame.block(`${label}: ${head} {`, () => block(frame, s.body))
  frame.jumps.pop()
}

/** What the body declares is visible in the continuing block, unless a `continue` may skip the declaration. */
function loop(frame: Frame, s: Loop): void {
  const label = frame.program.name('L')
  frame.block(`${label}: for (;;) {`, () => {
    frame.jumps.push({ break: `break ${label};`, continue: `break ${label}b;` })
    block(frame, s.header)
    if (s.test) frame.line(`if (!${evaluate(frame, s.test)[0]}) break ${label};`)
    if (continues(s.body)) frame.block(`${label}b: {`, () => block(frame, s.body))
    else block(frame, s.body)
    block(frame, s.continuing)
    if (s.breakIf) frame.line(`if (${evaluate(frame, s.breakIf)[0]}) break ${label};`)
    frame.jumps.pop()
  })
}

/** Whether a `continue` of the loop that `body` belongs to is in it. */
export const continues = (body: Block): boolean =>
  body.some((s) => {
    if (s.kind === 'continue') return true
    if (s.kind === 'if') return continues(s.then) || continues(s.else)
    return s.kind === 'switch' && (s.cases.some((c) => continues(c.body)) || continues(s.default))
  })

function call(frame: Frame, s: Call): void {
  const expansion = frame.program.unit.calls.get(s)
  if (!expansion) throw new RangeError(`no instance of '${s.func}'`)
  const label = frame.program.name('F')
  const names = s.result ? lanesOf(s.result.type).map(() => frame.program.name('c')) : []
  if (s.result) for (const [i, zero] of zeros(s.result.type).entries()) frame.line(`let ${names[i]} = ${zero};`)
  frame.jumps.push({ return: `break ${label};`, returns: names.join(' ') })
  frame.block(`${label}: {`, () => {
    block(frame, expansion.params)
    block(frame, expansion.body)
  })
  frame.jumps.pop()
  if (s.result) define(frame, s.result, names)
}

/** Sets the result of the function, then leaves it. */
function leave(frame: Frame, s: Return): void {
  if (s.value) {
    const lanes = evaluate(frame, s.value)
    const names = frame.jump('returns').split(' ')
    for (const [i, name] of names.entries()) frame.line(`${name} = ${lanes[i]};`)
  }
  frame.line(frame.jump('return'))
}
