import {
  type Binding,
  type Block,
  EFFECTS,
  type Expr,
  type Func,
  isInt,
  type Kernel,
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
import { Graph, type Rule, Scope, type Working } from './graph'
import { Pointers, takesPointers } from './legalize/pointers'
import { Loops } from './licm'
import type { Node } from './node'
import { splatConst } from './nodes'
import { knownConstant } from './operands'
import { mapPlace, mapRoot, mapSteps, placeKey } from './places'
import { declaresSpecial, isSpecial } from './special'
import { hasJump, isShort, roundsOf } from './unroll'
import { leaves, Walk } from './walk'

/** What is done in one walk down a kernel. */
export interface Rewriting {
  /** With the declarations as they are to be. */
  kernel: Kernel
  /** What is done to each expression, operands first, until no rule applies. */
  readonly rules: Rule[]
  /** Equal expressions become one node, and read-only memory is read once. */
  share: boolean
  /** Ranges that ask for it are written out. */
  unroll: boolean
  /** What a loop does not change is moved before it: see `licm.ts`. */
  hoist: boolean
  /** Functions are made for the pointers that they are given; `native`: only where there are none, to lanes. */
  pointers: 'native' | 'specialized' | null
  /** What stands for the root of a place. */
  root: ((root: Root) => Root) | null
}

/** A walk that does nothing yet. */
export const rewriting = (kernel: Kernel): Rewriting => ({
  kernel,
  rules: [],
  share: false,
  unroll: false,
  hoist: false,
  pointers: null,
  root: null,
})

/** A kernel as the passes and the emitter want it. */
export const working = (kernel: Kernel): Working =>
  'graph' in kernel ? (kernel as Working) : rewrite(rewriting(kernel))

/** Whether a loop of it was written out. */
export const isUnrolled = (kernel: Kernel): boolean => 'graph' in kernel && (kernel as Working).graph.unrolled

/**
 * Everything that is done to single expressions and statements goes through here, in one walk. What is never reached is
 * left out on the way: constant errors of WGSL fire in dead code, too.
 *
 * An expression is pure and says nothing of a place or a time, so equal ones are equal wherever they stand; where a
 * shared one is evaluated, the emitter decides by dominance. A load is a statement: a later one of the same element
 * takes the value of an earlier one only where that is visible, and only from bindings that nobody writes.
 */
export function rewrite(how: Rewriting): Working {
  const { kernel } = how
  const module = new Module(how)
  const functions = module.pointers ? [] : kernel.functions.map((f): Func => ({ ...f, body: module.body(f.body) }))
  const body = module.body(kernel.body)
  return { ...kernel, functions: module.pointers?.functions ?? functions, body, graph: module.graph }
}

/** What the bodies of a kernel have in common. */
export class Module {
  readonly graph: Graph
  readonly pointers: Pointers | null
  /** Bindings that nobody writes, if what they hold is to be read once. */
  readonly readOnly: ReadonlySet<string>
  /** What stands for the variables of the kernel, by id; the types of these. */
  readonly roots: Root[] = []
  readonly types: Type[] = []

  constructor(readonly how: Rewriting) {
    const { kernel, rules, share, pointers } = how
    this.graph = new Graph(rules, share)
    this.graph.special = declaresSpecial(kernel)
    const isReadOnly = (b: Binding): boolean => share && b.kind !== 'texture' && b.access === 'read'
    this.readOnly = new Set(kernel.bindings.filter(isReadOnly).map((b) => b.name))
    for (const v of kernel.variables) {
      this.declare(v, v.id)
      // what is workgroup memory is left alone
      if (v.space === 'workgroup') this.graph.read.add(v.id)
    }
    this.pointers = pointers && takesPointers(kernel) ? new Pointers(kernel, this, pointers === 'native') : null
  }

  /** The type of what a root refers to, where that is not a parameter. */
  typeOf(root: Root): Type | undefined {
    switch (root.kind) {
      case 'variable':
        return this.types[root.id]
      case 'view':
        return root.type
      case 'binding':
        return this.how.kernel.bindings.find((b) => b.name === root.name)?.type
      default:
        return undefined
    }
  }

  /** From now on, a variable of the kernel has this id. */
  declare(v: Variable, id: number): void {
    this.roots[v.id] = { kind: 'variable', id }
    this.types[id] = v.type
    if (id >= this.graph.ids) this.graph.ids = id + 1
  }

  /** A body, in which parameters refer to places. */
  body(block: Block, pointers: ReadonlyMap<string, Place> = NONE): Block {
    const { graph } = this
    const outer = graph.scope
    const body = new Body(this)
    graph.scope = new Scope(body.placed)
    for (const [name, place] of pointers) body.pointers.set(name, mapPlace(place, graph.made))
    const made = body.block(block)
    graph.scope = outer
    return made
  }
}

const NONE: ReadonlyMap<string, Place> = new Map()

/** One body: its statements, whose expressions the graph makes nodes of. */
export class Body extends Walk {
  readonly pointers = new Map<string, Place>()
  readonly #module: Module
  readonly #graph: Graph
  readonly #loops: Loops
  /** Loads of memory that nobody writes, by place; a block that is no longer open hides its own. */
  readonly #loads = new Map<string, { readonly result: Node; readonly block: number }>()
  readonly #open: boolean[] = []
  #block = 0

  constructor(module: Module) {
    super()
    this.#module = module
    this.#graph = module.graph
    this.#loops = new Loops(module.graph, module.how.hoist)
  }

  // Parts of statements.

  override expr(e: Expr): Expr {
    return this.#loops.hoisted(this.#graph.expr(e)) as Expr
  }

  override place(place: Place, stored: boolean): Place {
    return this.#moved(this.placed(place), stored)
  }

  #moved(place: Place, stored: boolean): Place {
    if (place.root.kind === 'variable' && !stored) this.#graph.read.add(place.root.id)
    return this.#loops.depth === 0 ? place : mapPlace(place, this.#loops.hoisted)
  }

  /** A place of the kernel as one of this body. */
  readonly placed = ({ type, root, steps }: Place): Place => {
    const { expr } = this.#graph
    if (root.kind === 'view') this.#graph.special = true
    const bound = root.kind === 'pointer' ? this.pointers.get(root.name) : undefined
    const inner = mapSteps(steps, expr)
    return {
      kind: 'place',
      type,
      root: bound
        ? bound.root
        : root.kind === 'variable'
          ? (this.#module.roots[root.id] ?? root)
          : this.#module.how.root
            ? this.#module.how.root(mapRoot(root, expr))
            : mapRoot(root, expr),
      steps: bound ? [...bound.steps, ...inner] : inner,
    }
  }

  override result({ type, id }: Result): Result {
    const made = this.fresh(type)
    this.#graph.results[id] = made
    return made
  }

  fresh(type: Type): Result & Node {
    return this.#graph.result(type, this.#loops.depth)
  }

  /** A variable that the kernel did not have, which is read. */
  local(type: Type): Place & { root: { kind: 'variable' } } {
    const id = this.#graph.ids++
    this.#graph.read.add(id)
    return { kind: 'place', type, root: { kind: 'variable', id }, steps: [] }
  }

  override variable(v: Variable): Variable {
    const id = this.#graph.ids++
    this.#module.declare(v, id)
    if (isSpecial(v.type)) this.#graph.special = true
    return { id, name: v.name, space: v.space, type: v.type, init: v.init && this.expr(v.init) }
  }

  // Statements.

  override block(block: Block): Block {
    return this.#within(() => this.#statements(block, []))
  }

  /** Until one of them leaves. */
  #statements(block: Block, out: Stmt[]): Stmt[] {
    for (const s of block) {
      this.stmt(s, out)
      if (leaves(out)) break
    }
    return out
  }

  /** What `walk` loads is visible only there. */
  #within<T>(walk: () => T): T {
    const outer = this.#block
    this.#block = this.#open.push(true) - 1
    const made = walk()
    this.#open[this.#block] = false
    this.#block = outer
    return made
  }

  override stmt(s: Stmt, out: Stmt[]): void {
    switch (s.kind) {
      case 'let':
        return void this.#let(s, out)
      case 'load':
        return void this.#load(s, out)
      case 'effect':
        if ('feature' in EFFECTS[s.op]) this.#graph.special = true
        break
      case 'call':
        if (!this.#module.pointers) break
        return void this.#module.pointers.call(s, this, out)
      case 'if': {
        const test = this.#graph.expr(s.test)
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
    const value = knownConstant(next.value, this.#graph.constants)
    if (value && isInt(value.type)) this.#graph.constants.set(next.result.id, value)
    out.push(next)
  }

  #load(s: Load, out: Stmt[]): void {
    const place = this.placed(s.place)
    const isReadOnly = place.root.kind === 'binding' && this.#module.readOnly.has(place.root.name)
    const key = isReadOnly ? placeKey(place) : ''
    const earlier = isReadOnly && this.#loads.get(key)
    if (earlier && this.#open[earlier.block]) {
      this.#graph.results[s.result.id] = earlier.result
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
    const unroll = s.unroll && this.#module.how.unroll
    const bound = (e: Expr): Expr => (unroll ? this.#graph.folded(this.#graph.expr(e)) : this.#graph.expr(e))
    const rounds = roundsOf(bound(s.start), bound(s.end), bound(s.step))
    if (rounds?.length === 0) return
    if (unroll && rounds && isShort(s, rounds)) return void this.#unroll(s, rounds, out)
    const [start, end, step] = [this.expr(s.start), this.expr(s.end), this.expr(s.step)]
    this.#loops.within(out, () => {
      const index = this.result(s.index)
      return [{ ...s, index, start, end, step, body: this.block(s.body) }]
    })
  }

  #unroll(s: Range, rounds: readonly number[], out: Stmt[]): void {
    this.#graph.unrolled = true
    for (const value of rounds) {
      this.#graph.results[s.index.id] = this.#graph.made(splatConst(s.index.type as ValueName, value))
      this.#graph.round(() => this.#statements(s.body, out))
      if (leaves(out)) return
    }
  }

  #loop(s: Loop, out: Stmt[]): void {
    // what the header loads is visible in the rest
    const walk = (): readonly Stmt[] => {
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
    this.#loops.within(out, () => this.#within(walk))
  }
}
