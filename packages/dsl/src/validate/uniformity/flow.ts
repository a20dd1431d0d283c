import type { Block, Func, Of, Place, Stmt } from '../../ir'
import { BREAK, CONTINUE, NEXT, RETURN } from '../behavior'
import type { Context } from '../context'
import { CALLER, DIVERGENT, FORBIDDEN, type Mask, type Scope } from './mask'
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
type State = Mask[]

const join = (a: State | null, b: State | null): State | null => {
  if (a === null || b === null) return a ?? b
  const out = a.slice()
  for (let i = 0; i < out.length; i++) out[i] = (out[i] ?? 0) | (b[i] ?? 0)
  return out
}
const same = (a: State, b: State): boolean => {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Where jumps go: the states that arrive, joined. */
interface Exits {
  breaks: State | null
  continues: State | null
}

/** The flow of control after a statement, and how it may be left (see `NEXT`). */
export interface Outcome {
  flow: Mask
  behavior: number
}
/** The rule of a statement; undefined: control goes on as it came. */
export type Step = (s: Stmt, f: Flow, flow: Mask) => Outcome | undefined

/**
 * One function by abstract interpretation: follows the rules of the specification for statements, with a state per
 * point instead of a graph, and runs loops until nothing grows. Faults are reported once per statement.
 */
export class Flow {
  readonly sources: Sources
  private state: State | null
  private readonly pointers = new Map<string, number>()
  private readonly reported = new Set<Stmt>()
  private exits: { loop: Exits; inner: Exits } | null = null
  readonly needs: { workgroup: { mask: Mask; op: string } | null; subgroup: { mask: Mask; op: string } | null } = {
    workgroup: null,
    subgroup: null,
  }
  result: Mask = 0
  private returned: State | null = null

  constructor(
    readonly context: Context,
    private readonly func: Func | null,
    private readonly slots: ReadonlyMap<number, number>,
    readonly summaries: ReadonlyMap<string, Summary>,
    private readonly step: Step,
  ) {
    this.sources = new Sources(context)
    const params = func?.params ?? []
    this.sources.params = params
    for (const p of params)
      if (this.sources.pointer(p.name)?.space === 'function')
        this.pointers.set(p.name, this.slots.size + this.pointers.size)
    this.state = new Array<Mask>(this.slots.size + this.pointers.size).fill(0)
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
  block(block: Block, flow: Mask): Outcome {
    let behavior = NEXT
    for (const s of block) {
      if (!(behavior & NEXT)) break
      const out = this.step(s, this, flow)
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

  // Places.

  slotOf(place: Place): number | undefined {
    const { root } = place
    return root.kind === 'variable'
      ? this.slots.get(root.id)
      : root.kind === 'pointer'
        ? this.pointers.get(root.name)
        : undefined
  }

  /** What a value loaded from a place depends on, besides the flow. */
  loaded(place: Place): Mask {
    const slot = this.slotOf(place)
    const indices = this.sources.indices(place)
    if (slot !== undefined) return indices | (this.state?.[slot] ?? 0)
    const { root } = place
    if (root.kind === 'variable') return DIVERGENT
    if (root.kind === 'pointer')
      return this.sources.pointer(root.name)?.access === 'read'
        ? indices | this.sources.parameter(root.name)
        : DIVERGENT
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

  // Control.

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
  branch(blocks: readonly Block[], flow: Mask, mask: Mask): Outcome {
    const before = this.state
    let after: State | null = null
    let end: Mask = 0
    let behavior = 0
    for (const block of blocks) {
      this.state = before?.slice() ?? null
      const out = this.block(block, mask)
      after = join(after, this.state)
      end |= out.flow
      behavior |= out.behavior
    }
    this.state = after
    // Flow that nobody left is whole again.
    return { flow: behavior === NEXT ? flow : end, behavior }
  }

  switch(s: Of<Stmt, 'switch'>, flow: Mask): Outcome {
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
  repeat(flow: Mask, round: (flow: Mask) => Outcome): Outcome {
    const outer = this.exits
    let start = flow
    let entry = this.state as State
    let own: Exits
    let out: Outcome
    for (;;) {
      own = { breaks: null, continues: null }
      this.exits = { loop: own, inner: own }
      this.state = entry.slice()
      out = round(start)
      const again = out.behavior & (NEXT | CONTINUE)
      const next = again ? (join(entry, this.state) as State) : entry
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

  /** The loop may end here. */
  mayLeave(): void {
    // A copy: control goes on with the state and changes it.
    if (this.exits && this.state) this.exits.inner.breaks = join(this.exits.inner.breaks, this.state.slice())
  }

  /** Control that continued comes together with that which went on. */
  arrive(): void {
    if (this.exits) this.state = join(this.state, this.exits.loop.continues)
  }
}
