import { isPlace, type Block, type Cases, type Func, type Of, type Place, type Stmt } from '../../ir'
import { EFFECTS, type EffectRow } from '../../ops'
import type { Context } from '../context'
import { BREAK, CONTINUE, NEXT, RETURN } from '../structure/statements'
import { CALLER, DIVERGENT, FORBIDDEN, paramBit, translate, BY_SUBGROUP, type Mask, type Scope } from './mask'
import { Sources } from './sources'

/** What a caller must know of a function: the masks are in terms of its parameters and of the flow at the call. */
export interface Summary {
  /** What must be uniform, and the operation that needs it. */
  readonly needs: { readonly [S in Scope]: { mask: Mask; op: string } | null }
  readonly result: Mask
  /** The contents of function memory behind each pointer parameter, after the call; null for other parameters. */
  readonly contents: readonly (Mask | null)[]
}

/** The masks of function variables at a point, by slot; null where no control gets. */
type State = Int32Array

const join = (a: State | null, b: State | null): State | null => {
  if (a === null || b === null) return a ?? b
  const out = a.slice()
  for (let i = 0; i < out.length; i++) out[i] = (out[i] ?? 0) | (b[i] ?? 0)
  return out
}
const same = (a: State, b: State): boolean => a.every((x, i) => x === b[i])

/** Where jumps go: the states that arrive, joined. */
interface Exits { breaks: State | null; continues: State | null }

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

/**
 * One function by abstract interpretation: follows the rules of the specification for statements, with a state per
 * point instead of a graph, and runs loops until nothing grows. Faults are reported once per statement.
 */
export class Flow {
  readonly sources: Sources
  private state: State | null
  private readonly slots = new Map<number, number>()
  private readonly pointers = new Map<string, number>()
  private readonly reported = new Set<Stmt>()
  private exits: { loop: Exits; inner: Exits } | null = null
  readonly needs: { workgroup: { mask: Mask; op: string } | null; subgroup: { mask: Mask; op: string } | null } = { workgroup: null, subgroup: null }
  result: Mask = 0
  private returned: State | null = null

  constructor(readonly context: Context, private readonly func: Func | null, slots: ReadonlyMap<number, number>, private readonly summaries: ReadonlyMap<string, Summary>) {
    this.sources = new Sources(context)
    this.slots = new Map(slots)
    const params = func?.params ?? []
    this.sources.params = params
    for (const p of params) if (this.sources.pointer(p.name)?.space === 'function') this.pointers.set(p.name, this.slots.size + this.pointers.size)
    this.state = new Int32Array(this.slots.size + this.pointers.size)
    for (const [name, slot] of this.pointers) this.state[slot] = this.sources.parameter(name)
  }

  run(body: Block): Summary {
    this.block(body, this.func ? CALLER : 0)
    const end = join(this.state, this.returned)
    const contents = (this.func?.params ?? []).map((p) => {
      const slot = this.pointers.get(p.name)
      return slot === undefined ? null : (end?.[slot] ?? 0)
    })
    return { needs: this.needs, result: this.result, contents }
  }

  /** Runs a block from a flow of control with mask `flow`; gives the mask at its end, and how it may be left. */
  private block(block: Block, flow: Mask): { flow: Mask; behavior: number } {
    let behavior = NEXT
    for (const s of block) {
      if (!(behavior & NEXT)) break
      const out = (STEP[s.kind] as (s: Stmt, f: Flow, flow: Mask) => { flow: Mask; behavior: number } | undefined)(s, this, flow)
      if (out === undefined) continue
      flow = out.flow
      behavior = (behavior & ~NEXT) | out.behavior
    }
    return { flow, behavior }
  }

  // Requirements.

  /** `mask` must be uniform in `scope`: reports where it is not, and passes on to callers what depends on them. */
  require(scope: Scope, mask: Mask, op: string, s: Stmt, report: () => void): void {
    if (mask & FORBIDDEN[scope]) {
      if (!this.reported.has(s)) report()
      this.reported.add(s)
    }
    const symbolic = mask & ~DIVERGENT
    if (symbolic === 0) return
    const before = this.needs[scope]
    this.needs[scope] = { mask: (before?.mask ?? 0) | symbolic, op: before?.op ?? op }
  }

  private requireFlow(row: EffectRow, op: string, s: Stmt, flow: Mask): void {
    if (row.flow === 'any') return
    const { context } = this
    if (row.flow === 'workgroup') this.require('workgroup', flow, op, s, () => context.report('divergent-barrier', `'${op}' stands in control flow that may differ between the invocations of a workgroup`, s.at, BARRIER_NOTE))
    else this.require('subgroup', flow, op, s, () => context.report('divergent-subgroup', `'${op}' stands in control flow that may differ within a subgroup`, s.at, SUBGROUP_NOTE))
  }

  // Places.

  private slotOf(place: Place): number | undefined {
    const { root } = place
    return root.kind === 'variable' ? this.slots.get(root.id) : root.kind === 'pointer' ? this.pointers.get(root.name) : undefined
  }

  /** What a value loaded from a place depends on, besides the flow. */
  loaded(place: Place): Mask {
    const slot = this.slotOf(place)
    const indices = this.sources.indices(place)
    if (slot !== undefined) return indices | (this.state?.[slot] ?? 0)
    const { root } = place
    if (root.kind === 'variable') return DIVERGENT
    if (root.kind === 'pointer') return this.sources.pointer(root.name)?.access === 'read' ? indices | this.sources.parameter(root.name) : DIVERGENT
    return this.context.bindings.get(root.name)?.access === 'read' ? indices : DIVERGENT
  }

  /** What a place itself depends on: its indices, and those that the caller gave for a pointer. */
  view(place: Place): Mask {
    return this.sources.indices(place) | (place.root.kind === 'pointer' ? this.sources.parameter(place.root.name) : 0)
  }

  store(place: Place, mask: Mask): void {
    const slot = this.slotOf(place)
    if (slot === undefined || !this.state) return
    const partial = place.steps.length > 0
    this.state[slot] = mask | this.sources.indices(place) | (partial ? (this.state[slot] ?? 0) : 0)
  }

  declare(id: number, mask: Mask): void {
    const slot = this.slots.get(id)
    if (slot !== undefined && this.state) this.state[slot] = mask
  }

  // Statements.

  effect(s: Of<Stmt, 'effect'>, flow: Mask): void {
    const row = ROWS[s.op] as EffectRow
    this.requireFlow(row, s.op, s, flow)
    let args: Mask = s.place ? this.view(s.place) : 0
    s.args.forEach((arg, i) => {
      const mask = this.sources.of(arg)
      args |= mask
      if (row.in[i] === 'uniform:u32') this.require('subgroup', mask | flow, s.op, s, () => this.notUniform(`argument ${i + 1} of '${s.op}'`, 'a subgroup', s))
    })
    if (s.place && row.place === 'workgroup') {
      this.require('workgroup', this.view(s.place), s.op, s, () => this.notUniform(`the index that '${s.op}' reads`, 'a workgroup', s))
    }
    const divergent = row.result === 'divergent' || (row.result === 'args' && row.memory !== 'none' && s.place !== null && this.loaded(s.place) === DIVERGENT)
    const mask = divergent ? DIVERGENT : args | flow | (row.result === 'subgroup' ? BY_SUBGROUP : 0)
    if (s.result) this.sources.define(s.result.id, mask)
    if (s.exchanged) this.sources.define(s.exchanged.id, mask)
  }

  private notUniform(what: string, where: string, s: Stmt): void {
    this.context.report('not-uniform', `${what} may differ between the invocations of ${where}`, s.at)
  }

  call(s: Of<Stmt, 'call'>, flow: Mask): void {
    const summary = this.summaries.get(s.func)
    if (!summary) return
    const args = s.args.map((a) => (isPlace(a) ? this.passed(a) : this.sources.of(a)) | flow)
    for (const scope of ['workgroup', 'subgroup'] as const) {
      const need = summary.needs[scope]
      if (!need) continue
      const mask = translate(need.mask, flow, args)
      this.require(scope, mask, need.op, s, () => this.divergentCall(scope, need.op, s))
    }
    s.args.forEach((a, i) => {
      const contents = summary.contents[i]
      if (isPlace(a) && contents !== null && contents !== undefined) this.store(a, translate(contents, flow, args))
    })
    if (s.result) this.sources.define(s.result.id, translate(summary.result, flow, args) | flow)
  }

  /** A pointer depends on its indices and, in function memory, on what it points to. */
  private passed(place: Place): Mask {
    return this.slotOf(place) === undefined ? this.view(place) : this.loaded(place)
  }

  private divergentCall(scope: Scope, op: string, s: Of<Stmt, 'call'>): void {
    const code = scope === 'workgroup' ? 'divergent-barrier' : 'divergent-subgroup'
    const where = scope === 'workgroup' ? 'between the invocations of a workgroup' : 'within a subgroup'
    this.context.report(code, `'${op}' in '${s.func}' depends on this call, whose flow or arguments may differ ${where}`, s.at, scope === 'workgroup' ? BARRIER_NOTE : SUBGROUP_NOTE)
  }

  return(mask: Mask | null): void {
    if (mask !== null) this.result |= mask
    this.returned = join(this.returned, this.state)
    this.state = null
  }

  jump(kind: 'break' | 'continue'): void {
    if (this.exits) {
      if (kind === 'break') this.exits.inner.breaks = join(this.exits.inner.breaks, this.state)
      else this.exits.loop.continues = join(this.exits.loop.continues, this.state)
    }
    this.state = null
  }

  /** Alternatives from one state, each with the flow `mask`: those of an `if` or `switch`. */
  branch(blocks: readonly Block[], flow: Mask, mask: Mask): { flow: Mask; behavior: number } {
    const before = this.state
    let after: State | null = null
    let end: Mask = 0
    let behavior = 0
    for (const block of blocks) {
      this.state = before && before.slice()
      const out = this.block(block, mask)
      after = join(after, this.state)
      end |= out.flow
      behavior |= out.behavior
    }
    this.state = after
    // Flow that nobody left is whole again.
    return { flow: behavior === NEXT ? flow : end, behavior }
  }

  switch(s: Of<Stmt, 'switch'>, flow: Mask): { flow: Mask; behavior: number } {
    const outer = this.exits
    const own: Exits = { breaks: null, continues: null }
    this.exits = { loop: outer?.loop ?? own, inner: own }
    const out = this.branch([...s.cases.map((c) => c.body), s.default], flow, flow | this.sources.of(s.selector))
    this.exits = outer
    this.state = join(this.state, own.breaks)
    const behavior = out.behavior & BREAK ? (out.behavior & ~BREAK) | NEXT : out.behavior
    return { flow: behavior === NEXT ? flow : out.flow, behavior }
  }

  /**
   * A loop until neither the state nor the flow at its start grows. `round` runs one iteration from a flow and gives
   * the flow after it, and how its body may be left.
   */
  repeat(flow: Mask, round: (flow: Mask) => { flow: Mask; behavior: number }): { flow: Mask; behavior: number } {
    const outer = this.exits
    let start = flow
    let entry = this.state as State
    let own: Exits
    let out: { flow: Mask; behavior: number }
    for (;;) {
      own = { breaks: null, continues: null }
      this.exits = { loop: own, inner: own }
      this.state = entry.slice()
      out = round(start)
      const again = out.behavior & (NEXT | CONTINUE)
      const next = again ? join(entry, this.state) as State : entry
      const nextStart = again ? start | out.flow : start
      if (nextStart === start && same(next, entry)) break
      start = nextStart
      entry = next
    }
    this.exits = outer
    this.state = own.breaks
    const returns = (out.behavior & RETURN) !== 0
    return { flow: returns ? start | out.flow : flow, behavior: (own.breaks ? NEXT : 0) | (out.behavior & RETURN) }
  }

  /** Leaves the loop where `mask` decides so, and goes on with the flow that this leaves. */
  leaveIf(): void {
    if (this.exits) this.exits.inner.breaks = join(this.exits.inner.breaks, this.state)
  }

  arrive(): void {
    if (this.exits) this.state = join(this.state, this.exits.loop.continues)
  }

  runBlock(block: Block, flow: Mask): { flow: Mask; behavior: number } {
    return this.block(block, flow)
  }
}

const BARRIER_NOTE = 'move it out of the branch, and let the condition depend on params, workgroup ids or workgroupUniformLoad only'
const SUBGROUP_NOTE = 'move it out of the branch, so that all invocations of a subgroup reach it'

type Outcome = { flow: Mask; behavior: number } | undefined

const STEP: Cases<Stmt, Outcome, [Flow, Mask]> = {
  let: (s, f, flow) => void f.sources.define(s.result.id, f.sources.of(s.value) | flow),
  var: (s, f, flow) => void f.declare(s.variable.id, flow | (s.variable.init ? f.sources.of(s.variable.init) : 0)),
  load: (s, f, flow) => void f.sources.define(s.result.id, f.loaded(s.place) | flow),
  store: (s, f, flow) => void f.store(s.place, f.sources.of(s.value) | flow),
  effect: (s, f, flow) => void f.effect(s, flow),
  call: (s, f, flow) => void f.call(s, flow),
  if: (s, f, flow) => f.branch([s.then, s.else], flow, flow | f.sources.of(s.test)),
  switch: (s, f, flow) => f.switch(s, flow),
  range: (s, f, flow) => {
    // As `for (var i = start; i < end; i += step)`: the index is a variable that the continuing block assigns.
    const bounds = f.sources.all([s.start, s.end, s.step])
    return f.repeat(flow, (start) => {
      const inside = start | bounds
      f.leaveIf()
      f.sources.define(s.index.id, inside)
      const out = f.runBlock(s.body, inside)
      f.arrive()
      return { flow: out.flow, behavior: out.behavior | BREAK }
    })
  },
  loop: (s, f, flow) => f.repeat(flow, (start) => {
    const header = f.runBlock(s.header, start)
    let inside = header.flow
    if (s.test) {
      inside |= f.sources.of(s.test)
      f.leaveIf()
    }
    const body = f.runBlock(s.body, inside)
    f.arrive()
    let end = f.runBlock(s.continuing, body.flow).flow
    if (s.breakIf) {
      end |= f.sources.of(s.breakIf)
      f.leaveIf()
    }
    return { flow: end, behavior: body.behavior | (header.behavior & ~NEXT) }
  }),
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

export { paramBit }
