import {
  type Block,
  EFFECTS,
  type Expr,
  isInt,
  type Let,
  type Load,
  type Loop,
  type Place,
  type Range,
  type Result,
  type Root,
  type Stmt,
  type Switch,
  type Type,
  type ValueName,
  type Variable,
} from '@weft/dsl/ir'
import { flatSteps } from './flatten'
import type { Graph } from './graph'
import { Loops } from './licm'
import type { Module } from './module'
import type { Node } from './node'
import { opOf, splatConst } from './nodes'
import { knownConstant } from './operands'
import { mapPlace, mapRoot, mapSteps, placeKey } from './places'
import { counting, grouped } from './rounds'
import { isSpecial } from './special'
import { hasJump, isShort, MOST_ROUNDS, type Rounds, roundsOf } from './unroll'
import { leaves, rangeWith, Walk } from './walk'

/** One body: its statements, whose expressions the graph makes nodes of. */
export class Body extends Walk {
  /** The places that its pointer parameters are made for. */
  readonly pointers = new Map<string, Place>()
  readonly #module: Module
  readonly graph: Graph
  readonly loops: Loops
  /** Loads of memory that nobody writes, by place; a block that is no longer open hides its own. */
  readonly #loads = new Map<string, { readonly result: Node; readonly block: number }>()
  readonly #open: boolean[] = []
  #block = 0

  constructor(module: Module) {
    super()
    this.#module = module
    this.graph = module.graph
    this.loops = new Loops(module.graph, module.how.hoist)
  }

  // Parts of statements.

  override expr(e: Expr): Expr {
    return this.loops.hoisted(this.graph.expr(e)) as Expr
  }

  override place(place: Place, stored: boolean): Place {
    return this.#moved(this.placed(place), stored)
  }

  /** With what its indices were moved to. */
  #moved(place: Place, stored: boolean): Place {
    if (place.root.kind === 'variable' && !stored) this.graph.read.add(place.root.id)
    return this.loops.depth === 0 ? place : mapPlace(place, this.loops.hoisted)
  }

  /** A place of the kernel as one of this body. */
  readonly placed = ({ type, root, steps }: Place): Place => {
    const to = root.kind === 'pointer' ? this.pointers.get(root.name) : undefined
    const mapped = mapSteps(steps, this.graph.expr)
    const flat = root.kind === 'variable' ? this.#module.flat.get(root.id) : undefined
    const inner = flat ? flatSteps(mapped, flat, this.graph) : mapped
    return { kind: 'place', type, root: to?.root ?? this.#root(root), steps: to ? [...to.steps, ...inner] : inner }
  }

  #root(root: Root): Root {
    if (root.kind === 'variable') return this.#module.roots[root.id] as Root
    if (root.kind === 'view') this.graph.special = true
    const made = mapRoot(root, this.graph.expr)
    return this.#module.how.root?.(made) ?? made
  }

  override result({ type, id }: Result): Result {
    const made = this.fresh(type)
    this.graph.results[id] = made
    return made
  }

  readonly fresh = (type: Type): Result & Node => {
    return this.graph.result(type, this.loops.depth)
  }

  /** A variable that the kernel did not have, which is read. */
  local(type: Type): Place & { root: { kind: 'variable' } } {
    const id = this.graph.ids++
    this.graph.read.add(id)
    return { kind: 'place', type, root: { kind: 'variable', id }, steps: [] }
  }

  override variable(v: Variable): Variable {
    const id = this.graph.ids++
    this.#module.declare(v, id)
    if (isSpecial(v.type)) this.graph.special = true
    return { id, name: v.name, space: v.space, type: v.type, init: v.init && this.expr(v.init) }
  }

  // Statements.

  override block(block: Block): Block {
    if (block.length === 0) return block
    const outer = this.#openBlock()
    const out = this.#statements(block, [])
    this.#closeBlock(outer)
    return out
  }

  /** Until one of them leaves. */
  #statements(block: Block, out: Stmt[]): Stmt[] {
    for (const s of block) {
      this.stmt(s, out)
      if (leaves(out)) break
    }
    return out
  }

  /** What is loaded from now on is visible in this block only; gives the one around it. */
  #openBlock(): number {
    const outer = this.#block
    this.#block = this.#open.push(true) - 1
    return outer
  }

  #closeBlock(outer: number): void {
    this.#open[this.#block] = false
    this.#block = outer
  }

  override stmt(s: Stmt, out: Stmt[]): void {
    switch (s.kind) {
      case 'let':
        return void this.#let(s, out)
      case 'load':
        return void this.#load(s, out)
      case 'effect':
        if ('feature' in EFFECTS[s.op]) this.graph.special = true
        break
      case 'call':
        if (!this.#module.pointers) break
        return void this.#module.pointers.call(s, this, out)
      case 'if': {
        const test = this.graph.expr(s.test)
        if (test.kind === 'const') return void out.push(...this.block(test.lanes[0] ? s.then : s.else))
        break
      }
      case 'switch':
        return void this.#switch(s, out)
      case 'range':
        return void this.#range(s, out)
      case 'loop':
        return void this.#loop(s, out)
    }
    out.push(this.rebuild(s))
  }

  #let(s: Let, out: Stmt[]): void {
    const next = this.rebuild(s) as Let
    this.graph.facts.results[next.result.id] = next.value as Node
    const value = knownConstant(next.value, this.graph.constants)
    if (value && isInt(value.type)) this.graph.constants.set(next.result.id, value)
    out.push(next)
  }

  #load(s: Load, out: Stmt[]): void {
    const place = this.placed(s.place)
    const isReadOnly = place.root.kind === 'binding' && this.#module.readOnly.has(place.root.name)
    const key = isReadOnly ? placeKey(place) : ''
    const earlier = isReadOnly && this.#loads.get(key)
    if (earlier && this.#open[earlier.block]) {
      this.graph.results[s.result.id] = earlier.result
      return
    }
    const result = this.result(s.result)
    if (isReadOnly) this.#loads.set(key, { result: result as Node, block: this.#block })
    out.push({ kind: 'load', at: s.at, place: this.#moved(place, false), result })
  }

  /** Where it is known which block of it is taken, that one; unless a `break` would leave something else then. */
  #switch(s: Switch, out: Stmt[]): void {
    const next = this.rebuild(s) as Switch
    const { selector, cases } = next
    const value = selector.kind === 'const' ? (selector.lanes[0] as number) : null
    const taken = value === null ? null : (cases.find((c) => c.selectors.includes(value))?.body ?? next.default)
    if (taken === null || hasJump(taken, 'break')) out.push(next)
    else out.push(...taken)
  }

  #range(s: Range, out: Stmt[]): void {
    const { unroll, ranges } = this.#module.how
    const bound = (e: Expr): Node => {
      const made = this.graph.expr(e)
      return s.unroll && unroll ? this.graph.folded(made) : made
    }
    const rounds = roundsOf(bound(s.start), bound(s.end), bound(s.step), this.graph.facts)
    if (rounds?.count === 0) return
    // a loop of one round is none, asked or not
    const most = (unroll && (s.unroll === true ? MOST_ROUNDS : s.unroll)) || (ranges ? 1 : 0)
    if (rounds && rounds.count <= most && isShort(s, rounds.count)) return void this.#unroll(s, rounds, out)
    const several = unroll && !rounds && typeof s.unroll === 'number' && s.unroll > 1
    if (several && s.step.kind === 'const' && !hasJump(s.body, 'break'))
      return void grouped(s, s.step.lanes[0] as number, this, out)
    const [start, end, step] = [this.expr(s.start), this.expr(s.end), this.expr(s.step)]
    // engines prove an index that goes by 1 between constants, and that such a loop ends
    const counted = rounds && ranges && !(start.kind === 'const' && Math.abs(rounds.by) === 1)
    this.loops.within(out, () => {
      if (!counted) return [rangeWith(s, this.result(s.index), start, end, step, this.block(s.body))]
      return [counting(s, start, rounds, this)]
    })
  }

  #unroll(s: Range, { start, by, count }: Rounds, out: Stmt[]): void {
    this.graph.unrolled = true
    const { type } = s.index
    for (let round = 0; round < count; round++) {
      const index =
        start.kind === 'const'
          ? splatConst(type as ValueName, (start.lanes[0] as number) + round * by)
          : round === 0
            ? start
            : opOf(s.at, 'add', start, round * by)
      this.graph.results[s.index.id] = this.graph.made(index)
      this.graph.round(() => this.#statements(s.body, out))
      if (leaves(out)) return
    }
  }

  #loop(s: Loop, out: Stmt[]): void {
    this.loops.within(out, () => {
      const outer = this.#openBlock() // what the header loads is visible in the rest
      const made = this.#parts(s)
      this.#closeBlock(outer)
      return made
    })
  }

  /** What stands for a loop. */
  #parts(s: Loop): readonly Stmt[] {
    const header = this.#statements(s.header, [])
    const test = s.test && this.expr(s.test)
    const isConstant = test?.kind === 'const'
    // left after the header has run once
    if (isConstant && !test.lanes[0]) return header
    const body = this.block(s.body)
    const continuing = this.block(s.continuing)
    const breakIf = s.breakIf && this.expr(s.breakIf)
    return [{ ...s, header, test: isConstant ? null : test, body, continuing, breakIf }]
  }
}
