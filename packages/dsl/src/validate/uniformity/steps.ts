import { type Cases, isPlace, type Of, type Place, type Stmt } from '../../ir'
import { EFFECTS, type EffectRow } from '../../ops'
import { BREAK, CONTINUE, NEXT, RETURN } from '../behavior'
import type { Flow, Outcome, Step } from './flow'
import { BY_SUBGROUP, DIVERGENT, type Mask, type Scope, translate } from './mask'

/** The rules of the specification, statement by statement. */

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

const FAULT = {
  workgroup: {
    code: 'divergent-barrier',
    where: 'between the invocations of a workgroup',
    note: 'move it out of the branch, or let the condition depend on params, workgroup ids and workgroupUniformLoad only',
  },
  subgroup: {
    code: 'divergent-subgroup',
    where: 'within a subgroup',
    note: 'move it out of the branch, so that all invocations of a subgroup reach it',
  },
} as const

function effect(s: Of<Stmt, 'effect'>, f: Flow, flow: Mask): void {
  const row = ROWS[s.op] as EffectRow
  const { flow: scope } = row
  if (scope !== 'any') {
    const { code, where, note } = FAULT[scope]
    f.require(scope, flow, s.op, s, () =>
      f.context.report(code, `'${s.op}' stands in control flow that may differ ${where}`, s.at, note),
    )
  }
  const args = effectArguments(s, row, f, flow)
  const unknown =
    row.result === 'divergent' ||
    (row.place === 'texture' && row.memory === 'read' && s.place !== null && f.loaded(s.place) === DIVERGENT)
  const mask = unknown ? DIVERGENT : args | flow | (row.result === 'subgroup' ? BY_SUBGROUP : 0)
  if (s.result) f.sources.define(s.result.id, mask)
  if (s.exchanged) f.sources.define(s.exchanged.id, mask)
}

/** What the arguments depend on; those that must be uniform are. */
function effectArguments(s: Of<Stmt, 'effect'>, row: EffectRow, f: Flow, flow: Mask): Mask {
  let args: Mask = s.place ? f.view(s.place) : 0
  s.args.forEach((arg, i) => {
    const mask = f.sources.of(arg)
    args |= mask
    // A subgroup matrix belongs to the whole subgroup: so do the offsets, strides and scalars that it is made with.
    if (row.in[i] === 'uniform:u32' || row.family === 'matrix')
      f.require('subgroup', mask | flow, s.op, s, () =>
        notUniform(`argument ${i + 1} of '${s.op}'`, 'a subgroup', s, f),
      )
  })
  if (s.place && row.place === 'workgroup') {
    f.require('workgroup', f.view(s.place), s.op, s, () =>
      notUniform(`the index that '${s.op}' reads`, 'a workgroup', s, f),
    )
  }
  return args
}

const notUniform = (what: string, where: string, s: Stmt, f: Flow): void =>
  f.context.report('not-uniform', `${what} may differ between the invocations of ${where}`, s.at)

function call(s: Of<Stmt, 'call'>, f: Flow, flow: Mask): void {
  const summary = f.summaries.get(s.func)
  if (!summary) return
  const args = s.args.map((a) => (isPlace(a) ? passed(a, f) : f.sources.of(a)) | flow)
  for (const scope of ['workgroup', 'subgroup'] as const) {
    const need = summary.needs[scope]
    if (need) f.require(scope, translate(need.mask, flow, args), need.op, s, () => divergentCall(scope, need.op, s, f))
  }
  s.args.forEach((a, i) => {
    const contents = summary.contents[i]
    if (isPlace(a) && contents !== null && contents !== undefined) f.store(a, translate(contents, flow, args))
  })
  if (s.result) f.sources.define(s.result.id, translate(summary.result, flow, args) | flow)
}

/** A pointer depends on its indices and, in function memory, on what it points to. */
const passed = (place: Place, f: Flow): Mask => (f.slotOf(place) === undefined ? f.view(place) : f.loaded(place))

function divergentCall(scope: Scope, op: string, s: Of<Stmt, 'call'>, f: Flow): void {
  const { code, where, note } = FAULT[scope]
  f.context.report(
    code,
    `'${op}' in '${s.func}' needs uniform control flow, and this call or its arguments may differ ${where}`,
    s.at,
    note,
  )
}

/** As `for (var i = start; i < end; i += step)`: the index is a variable that the continuing block assigns. */
function range(s: Of<Stmt, 'range'>, f: Flow, flow: Mask): Outcome {
  const bounds = f.sources.of(s.start) | f.sources.of(s.end) | f.sources.of(s.step)
  return f.repeat(flow, (start) => {
    const inside = start | bounds
    f.mayLeave()
    f.sources.define(s.index.id, inside)
    const out = f.block(s.body, inside)
    f.arrive()
    return out
  })
}

const loop = (s: Of<Stmt, 'loop'>, f: Flow, flow: Mask): Outcome =>
  f.repeat(flow, (start) => {
    const header = f.block(s.header, start)
    if (!(header.behavior & NEXT)) return header
    let inside = header.flow
    if (s.test) {
      inside |= f.sources.of(s.test)
      f.mayLeave()
    }
    const body = f.block(s.body, inside)
    const behavior = body.behavior | (header.behavior & ~NEXT)
    f.arrive()
    // A body that always leaves never gets to the continuing block.
    if (!(body.behavior & (NEXT | CONTINUE))) return { flow: body.flow, behavior }
    let end = f.block(s.continuing, body.flow).flow
    if (s.breakIf) {
      end |= f.sources.of(s.breakIf)
      f.mayLeave()
    }
    return { flow: end, behavior }
  })

const STEP: Cases<Stmt, Outcome | undefined, [Flow, Mask]> = {
  let: (s, f, flow) => void f.sources.define(s.result.id, f.sources.of(s.value) | flow),
  var: (s, f, flow) => void f.declare(s.variable.id, flow | (s.variable.init ? f.sources.of(s.variable.init) : 0)),
  load: (s, f, flow) => void f.sources.define(s.result.id, f.loaded(s.place) | flow),
  store: (s, f, flow) => void f.store(s.place, f.sources.of(s.value) | flow),
  effect: (s, f, flow) => void effect(s, f, flow),
  call: (s, f, flow) => void call(s, f, flow),
  if: (s, f, flow) => f.branch([s.then, s.else], flow, flow | f.sources.of(s.test)),
  switch: (s, f, flow) => f.switch(s, flow),
  range,
  loop,
  break: (_s, f, flow) => {
    f.jump('break')
    return { flow, behavior: BREAK }
  },
  continue: (_s, f, flow) => {
    f.jump('continue')
    return { flow, behavior: CONTINUE }
  },
  return: (s, f, flow) => {
    f.return(s.value ? f.sources.of(s.value) | flow : null)
    return { flow, behavior: RETURN }
  },
}

export const step: Step = (s, f, flow) => (STEP[s.kind] as Step)(s, f, flow)
