import {
  type Block,
  type Expr,
  type Func,
  forEachStmt,
  type If,
  isPlace,
  type Place,
  type Stmt,
  type Switch,
  type Variable,
} from '../../ir'
import { isInt, isValue, type Type } from '../../types'
import { BREAK, CONTINUE, RETURN } from '../behavior'
import type { Context } from '../context'
import { CALLER, DIVERGENT, FORBIDDEN, type Mask, type Scope, UNLIMITED } from './mask'
import { Ranges } from './ranges'
import { Sources } from './sources'
import { grows, join, type State } from './state'
import { step } from './steps'

/** What a caller must know of a function: the masks are in terms of its parameters and of the flow at the call. */
export interface Summary {
  /** What must be uniform, and the operation that needs it. */
  readonly needs: { [S in Scope]?: { readonly mask: Mask; readonly op: string } }
  readonly result: Mask
  /** The contents of function memory behind each pointer parameter, after the call; null for other parameters. */
  readonly contents: readonly (Mask | null)[]
}

const UNIFORM = 'depend on params, workgroup ids and workgroupUniformLoad only'

const NOTE = {
  'divergent-barrier': `move it out of the branch, or let the condition ${UNIFORM}`,
  'divergent-subgroup': 'move it out of the branch, so that all invocations of a subgroup reach it',
  'not-uniform': `let it ${UNIFORM}`,
} as const

/**
 * One function by abstract interpretation: follows the statements with what is known at each point, and runs loops until
 * nothing grows.
 */
export class Flow {
  readonly sources: Sources
  readonly ranges: Ranges
  /** What the flow of control depends on. */
  flow: Mask = 0
  /** How jumps have left the construct that is open: bits of its behavior other than NEXT. */
  left = 0
  state: State
  /** The states at the jumps that go to the end of the innermost loop or switch, to the next round, to the end. */
  breaks: State = null
  continues: State = null
  returned: State = null
  result: Mask = 0
  readonly needs: Summary['needs'] = {}
  /** Where variables and pointers into function memory stand in the state. */
  readonly #slots: (number | undefined)[] = []
  readonly #pointers = new Map<string, number>()
  readonly #reported = new Set<Stmt>()
  /** Whether there are integer variables: only of them indices are made. */
  readonly #counts: boolean

  constructor(
    readonly context: Context,
    readonly func: Func | null,
    readonly summaries: ReadonlyMap<string, Summary>,
  ) {
    const params = func?.params ?? []
    this.sources = new Sources(context, params)
    this.ranges = new Ranges(context, params)
    const state: number[] = []
    for (const { name } of params)
      if (this.sources.pointer(name)?.space === 'function')
        this.#pointers.set(name, state.push(this.sources.parameter(name) | UNLIMITED, 0) - 2)
    const locals = context.locals.get(func) ?? []
    // In the order of their declarations, with which the state grows.
    locals.forEach((v, i) => {
      this.#slots[v.id] = state.length + 2 * i
    })
    this.#counts = state.length > 0 || locals.some((v) => isInteger(v.type))
    this.state = state
  }

  run(body: Block): Summary {
    if (this.func) this.flow = CALLER
    const asked = this.func ? body.length : this.context.synchronized
    this.statements(body.slice(0, asked))
    // From here on nothing needs to know what values depend on.
    this.sources.off = true
    this.statements(body.slice(asked))
    const end = join(this.state, this.returned)
    const contents = (this.func?.params ?? []).map(({ name }) => {
      const slot = this.#pointers.get(name)
      return slot === undefined ? null : (end?.[slot] ?? 0)
    })
    return { needs: this.needs, result: this.result, contents }
  }

  // Control.

  /** What is learnt within a block ends with it. */
  block(block: Block): void {
    const mark = this.ranges.mark()
    this.statements(block)
    this.ranges.undo(mark)
  }

  statements(block: Block): void {
    for (let i = 0; i < block.length && this.state; i++) step(block[i] as Stmt, this)
  }

  /** Alternatives from one state. Jumps of kind `own` lead to their end. Gives a bit for each that gets there by itself. */
  branch(s: If | Switch, blocks: readonly Block[], own = 0): number {
    const test = s.kind === 'if' ? s.test : s.selector
    const { state, flow, left } = this
    const inside = flow | this.sources.of(test)
    let after: State = null
    let end: Mask = 0
    let open = 0
    this.left = 0
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i] as Block
      this.state = state
      this.flow = inside
      if (state && block.length > 0) {
        const mark = this.ranges.mark()
        this.state = state.slice()
        if (s.kind === 'if' || i < s.cases.length) this.ranges.assume(test, i === 0)
        this.statements(block)
        this.ranges.undo(mark)
      }
      if (this.state) open |= 1 << i
      after = join(after, this.state)
      end |= this.flow
    }
    this.state = after
    this.left &= ~own
    // Flow that nobody left is whole again.
    this.flow = this.left ? end : flow
    this.left |= left
    return open
  }

  /** A loop until neither the state nor the flow at its start grows. `round` is one iteration. */
  repeat<S extends Stmt>(s: S, round: (s: S, f: Flow) => void): void {
    const { flow: before, left, breaks, continues } = this
    this.#loosen(s)
    const entry = this.state as number[]
    let flow = before
    for (;;) {
      this.breaks = this.continues = null
      this.left = 0
      this.state = entry.slice()
      this.flow = flow
      round(s, this)
      if (this.state === null || !(this.flow & ~flow || grows(entry, this.state))) break
      join(entry, this.state)
      flow |= this.flow
    }
    this.state = this.breaks
    this.left &= RETURN
    this.flow = this.left ? flow | this.flow : before
    this.left |= left
    this.breaks = breaks
    this.continues = continues
  }

  /** An integer that a loop assigns may be any at the start of a round. */
  #loosen(loop: Stmt): void {
    if (!this.#counts) return
    forEachStmt([loop], (s) => {
      if (s.kind === 'store') this.put(s.place, UNLIMITED, true)
      else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) this.put(a, UNLIMITED, true)
    })
  }

  /** The loop may end here: a copy, since control also goes on with the state. */
  mayLeave(): void {
    if (this.state) this.breaks = join(this.breaks, this.state.slice())
  }

  /** Control that jumped comes together with that which went on. */
  arrive(from: 'breaks' | 'continues'): void {
    this.state = join(this.state, this[from])
  }

  jump(to: 'breaks' | 'continues' | 'returned'): void {
    this[to] = join(this[to], this.state)
    this.state = null
    this.left |= to === 'breaks' ? BREAK : to === 'continues' ? CONTINUE : RETURN
  }

  // Requirements.

  /** `mask` must be uniform in `scope`: reports where it is not, once a statement, and passes on to callers what depends on them. */
  require(scope: Scope, mask: Mask, op: string, s: Stmt, what: string, code: keyof typeof NOTE = 'not-uniform'): void {
    if (mask & FORBIDDEN[scope] && !this.#reported.has(s)) {
      this.#reported.add(s)
      this.context.report(code, `${what} may differ between the invocations of a ${scope}`, s.at, NOTE[code])
    }
    const symbolic = mask & ~DIVERGENT
    if (symbolic === 0) return
    const before = this.needs[scope]
    this.needs[scope] = { mask: (before?.mask ?? 0) | symbolic, op: before?.op ?? op }
  }

  // Values and places.

  /** What a variable depends on that holds `value`, and whether that is limited: not by a test of what it held before. */
  held(value: Expr, into?: Place): Mask {
    const slot = into && this.slotOf(into)
    const before = slot !== undefined && this.state && (this.state[slot] as Mask) & UNLIMITED ? this.state[slot + 1] : 0
    const limited = this.#counts && isInteger(value.type) && this.ranges.of(value, before) < Infinity
    return this.sources.of(value) | this.flow | (limited ? 0 : UNLIMITED)
  }

  declare({ id, type, init }: Variable): void {
    const slot = this.#slots[id]
    if (slot === undefined || !this.state) return
    this.state[slot] = init ? this.held(init) : this.flow | (isInteger(type) ? 0 : UNLIMITED)
    this.state[slot + 1] = 0
  }

  /** Writes a variable, or a part of it: then what it depended on stays. */
  put(place: Place, mask: Mask, partial = place.steps.length > 0): void {
    const slot = this.slotOf(place)
    if (slot === undefined || !this.state) return
    this.state[slot] = mask | this.sources.indices(place) | (partial ? (this.state[slot] as number) : 0)
    this.state[slot + 1] = 0
  }

  slotOf({ root }: Place): number | undefined {
    return root.kind === 'variable'
      ? this.#slots[root.id]
      : root.kind === 'pointer'
        ? this.#pointers.get(root.name)
        : undefined
  }

  /** What a value loaded from a place depends on, besides the flow. */
  loaded(place: Place): Mask {
    const slot = this.slotOf(place)
    const indices = this.sources.indices(place)
    if (slot !== undefined) return indices | ((this.state?.[slot] ?? 0) & ~UNLIMITED)
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
}

export const isInteger = (type: Type): boolean => isValue(type) && isInt(type)
