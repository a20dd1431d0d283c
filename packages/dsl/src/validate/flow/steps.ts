import { type Cases, isPlace, type Loop, type Of, type Place, type Range, type Stmt } from '../../ir'
import { EFFECTS, type EffectRow } from '../../ops'
import { BREAK } from '../behavior'
import type { Flow } from './flow'
import { BY_SUBGROUP, DIVERGENT, type Mask, translate, UNLIMITED } from './mask'
import { checkStore } from './stores'

/** The rules of the specification for uniformity, statement by statement, and what they say of how great integers are. */

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

const CODE = { workgroup: 'divergent-barrier', subgroup: 'divergent-subgroup' } as const

function effect(s: Of<Stmt, 'effect'>, f: Flow): void {
  const row = ROWS[s.op] as EffectRow
  if (row.flow !== 'any') f.require(row.flow, f.flow, s.op, s, `'${s.op}' stands in control flow that`, CODE[row.flow])
  const args = effectArguments(s, row, f)
  const unknown =
    row.result === 'divergent' ||
    (row.place === 'texture' && row.memory === 'read' && s.place !== null && f.loaded(s.place) === DIVERGENT)
  const mask = unknown ? DIVERGENT : args | f.flow | (row.result === 'subgroup' ? BY_SUBGROUP : 0)
  if (s.result) f.sources.define(s.result.id, mask)
  if (s.exchanged) f.sources.define(s.exchanged.id, mask)
  if (s.place && row.family === 'atomic' && row.memory !== 'read') checkStore(s.place, s.at, 'changed', f)
}

/** What the arguments depend on; those that must be uniform are. */
function effectArguments(s: Of<Stmt, 'effect'>, row: EffectRow, f: Flow): Mask {
  const view: Mask = s.place ? f.view(s.place) : 0
  if (row.place === 'workgroup') f.require('workgroup', view, s.op, s, `the index that '${s.op}' reads`)
  let args = view
  for (let i = 0; i < s.args.length; i++) {
    const mask = f.sources.of(s.args[i]!)
    args |= mask
    // A subgroup matrix belongs to the whole subgroup: so do the offsets, strides and scalars that it is made with.
    if (row.in[i] === 'uniform:u32' || row.family === 'matrix')
      f.require('subgroup', mask | f.flow, s.op, s, `argument ${i + 1} of '${s.op}'`)
  }
  return args
}

function call(s: Of<Stmt, 'call'>, f: Flow): void {
  const summary = f.summaries.get(s.func)
  if (!summary) return
  const { flow } = f
  const args = s.args.map((a) => (isPlace(a) ? passed(a, f) : f.sources.of(a)) | flow)
  for (const scope of ['workgroup', 'subgroup'] as const) {
    const need = summary.needs[scope]
    const what = `'${need?.op}' in '${s.func}' needs uniform control flow, and this call or its arguments`
    if (need) f.require(scope, translate(need.mask, flow, args), need.op, s, what, CODE[scope])
  }
  s.args.forEach((a, i) => {
    const contents = summary.contents[i]
    if (isPlace(a) && contents !== null && contents !== undefined) f.put(a, translate(contents, flow, args) | UNLIMITED)
  })
  if (s.result) f.sources.define(s.result.id, translate(summary.result, flow, args) | flow)
}

/** A pointer depends on its indices and, in function memory, on what it points to. */
const passed = (place: Place, f: Flow): Mask => (f.slotOf(place) === undefined ? f.view(place) : f.loaded(place))

/** As `for (var i = start; i < end; i += step)`: the index is a variable that the continuing block assigns. */
function range(s: Range, f: Flow): void {
  f.flow |= f.sources.of(s.start) | f.sources.of(s.end) | f.sources.of(s.step)
  f.mayLeave()
  f.sources.define(s.index.id, f.flow)
  f.block(s.body)
  f.arrive('continues')
}

function loop(s: Loop, f: Flow): void {
  const mark = f.ranges.mark()
  f.statements(s.header)
  if (f.state && s.test) {
    f.flow |= f.sources.of(s.test)
    f.mayLeave()
    f.ranges.assume(s.test, true)
  }
  f.block(s.body)
  f.arrive('continues')
  f.statements(s.continuing)
  if (f.state && s.breakIf) {
    f.flow |= f.sources.of(s.breakIf)
    f.mayLeave()
  }
  f.ranges.undo(mark)
}

function load(s: Of<Stmt, 'load'>, f: Flow): void {
  f.sources.define(s.result.id, f.loaded(s.place) | f.flow)
  const slot = f.slotOf(s.place)
  if (slot === undefined || !f.state) return
  let leaf = f.ranges.own(s.result.id)
  if (s.place.steps.length === 0) leaf = f.state[slot + 1] ||= leaf
  f.ranges.loaded(s.result.id, leaf, !((f.state[slot] as Mask) & UNLIMITED))
}

const STEP: Cases<Stmt, void, [Flow]> = {
  let: (s, f) => f.sources.define(s.result.id, f.sources.of(s.value) | f.flow),
  var: (s, f) => f.declare(s.variable),
  load,
  store: (s, f) => {
    checkStore(s.place, s.at, 'stored', f)
    f.put(s.place, f.held(s.value, s.place))
  },
  effect,
  call,
  if: (s, f) => {
    const open = f.branch(s, [s.then, s.else])
    // An arm that leaves does not reach what follows, which then knows how the test came out.
    if (open === 1 || open === 2) f.ranges.assume(s.test, open === 1)
  },
  switch: (s, f) => {
    const { breaks } = f
    f.breaks = null
    f.branch(s, [...s.cases.map((c) => c.body), s.default], BREAK)
    f.arrive('breaks')
    f.breaks = breaks
  },
  range: (s, f) => f.repeat(s, range),
  loop: (s, f) => f.repeat(s, loop),
  break: (_s, f) => f.jump('breaks'),
  continue: (_s, f) => f.jump('continues'),
  return: (s, f) => {
    if (s.value) f.result |= f.sources.of(s.value) | f.flow
    f.jump('returned')
  },
}

/** Follows a statement: changes the flow, the state, and what is known. */
export const step = (s: Stmt, f: Flow): void => (STEP[s.kind] as (s: Stmt, f: Flow) => void)(s, f)
