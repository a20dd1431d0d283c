import { type Expr, type Of, operands, type Stmt } from '../../ir'
import { BUILTINS, type BuiltinName, type BuiltinRow } from '../../ops'
import { isScalar, isValue } from '../../types'
import type { Context } from '../context'
import { LIMITED, RULES } from './greatest'

/**
 * A leaf of an index, as a number: a lane of a built-in value, an argument, a result. The loads of a variable that
 * nothing has changed in between are one leaf.
 */
type Leaf = number

const NAMES = Object.keys(BUILTINS)
const ARGUMENTS = 4 * NAMES.length
const laneLeaf = (name: BuiltinName, lane: number): Leaf => 4 * NAMES.indexOf(name) + lane

/** The lanes of a built-in value that `e` is: all, or those that it takes. */
const lanesOf = (e: Expr): readonly number[] => (e.kind === 'swizzle' ? e.lanes : e.type === 'u32' ? [0] : [0, 1, 2])

/** A test that was passed, and how it came out. */
interface Passed {
  readonly test: Expr
  readonly holds: boolean
  /** How much was known before it was looked at; ∞: it was not, since most blocks need nothing of their tests. */
  before: number
}

/**
 * How great values can be, at the point that the walk has reached. A leaf is limited for good, as the index of a range
 * is, or until the end of the block that a test guards.
 */
export class Ranges {
  readonly #context: Context
  readonly #params: readonly { readonly name: string }[]
  readonly #limited: boolean[] = []
  readonly #passed: Passed[] = []
  /** How many tests were looked at, and what was learnt from them, the last one last. */
  #looked = 0
  readonly #learnt: Leaf[] = []
  readonly #loads: (Leaf | undefined)[] = []
  /** Since when nothing else is known. */
  #now: number
  /** When the test was looked at that is taken apart. */
  #test = 0
  /** Whether tests also tell of what names stand for; most stores use the same names as their tests. */
  #deep = false
  /** Whether ids within a workgroup count as limited by its size: they are where an array is at least as long. */
  #sized = false

  constructor(context: Context, params: readonly { readonly name: string }[]) {
    this.#context = context
    this.#params = params
    this.#now = context.nodes.tick()
  }

  /** The greatest value of an index, or ∞: nothing limits it. `but`: what tests say of this leaf, if of any, is void. */
  of(e: Expr, but?: Leaf): number {
    const most = this.#look(e)
    if (but && most < Infinity && this.#limited[but]) return this.#without(but, e)
    if (most < Infinity || this.#deep) return most
    // What names stand for is looked at from where it is first needed.
    this.#deep = true
    this.#forget(0)
    this.#looked = 0
    return this.#look(e)
  }

  #without(leaf: Leaf, e: Expr): number {
    this.#limited[leaf] = false
    this.#now = this.#context.nodes.tick()
    const most = this.#greatest(e)
    this.#limited[leaf] = true
    this.#now = this.#context.nodes.tick()
    return most
  }

  #look(e: Expr): number {
    while (this.#looked < this.#passed.length) {
      const passed = this.#passed[this.#looked++] as Passed
      passed.before = this.#learnt.length
      if (passed.test.type === 'bool') this.#take(passed.test, passed.holds)
      else this.#learn(passed.test)
    }
    return this.#greatest(e)
  }

  /** The same where the array has as many elements as it takes for ids within a workgroup. */
  within(e: Expr): number {
    this.#sized = true
    this.#now = this.#context.nodes.tick()
    const most = this.of(e)
    this.#sized = false
    this.#now = this.#context.nodes.tick()
    return most
  }

  /** The first leaf in `e` that nothing limits. */
  culprit(e: Expr): Expr {
    const x = this.resolve(e)
    if (x.kind === 'swizzle' && this.resolve(x.of).kind === 'builtin') return x
    const part = operands(x).find((o) => this.of(o) === Infinity)
    return part ? this.culprit(part) : x
  }

  /** What a name stands for, through any number of lets, and what a lane of a vector is that was made of scalars. */
  resolve(e: Expr): Expr {
    let next: Expr | undefined
    if (e.kind === 'result') {
      const by = this.#context.makers[e.id]
      if (by?.kind === 'let') next = by.value
    } else if (e.kind === 'swizzle' && e.lanes.length === 1) {
      const of = this.resolve(e.of)
      if (of.kind === 'construct' && of.args.every((a) => isValue(a.type) && isScalar(a.type)))
        next = of.args[of.args.length === 1 ? 0 : (e.lanes[0] as number)]
    }
    return next ? this.resolve(next) : e
  }

  #greatest(e: Expr): number {
    if (e.type === 'bool') return 1
    if (e.kind === 'result' && !this.#sized && this.#limited[this.#result(e.id)]) return LIMITED
    const x = this.resolve(e)
    switch (x.kind) {
      case 'const':
        return x.lanes.every((lane) => lane >= 0) ? Math.max(...x.lanes) : LIMITED
      case 'param':
      case 'override':
      case 'constant':
      case 'length':
        return LIMITED
      case 'argument':
        return this.#limit(this.#parameter(x.name))
      case 'builtin':
        return this.#id(x, x.name)
      case 'swizzle': {
        const of = this.resolve(x.of)
        return of.kind === 'builtin' ? this.#id(x, of.name) : this.#greatest(of)
      }
      case 'result':
        return Math.min(this.#limit(this.#result(x.id)), this.#counted(this.#context.makers[x.id]))
      case 'index':
      case 'member':
        return this.#greatest(x.of)
    }
    const node = this.#context.nodes.of(x)
    if (node.measuredAt !== this.#now) {
      node.greatest = x.kind === 'op' || x.kind === 'construct' ? this.#made(x) : this.#greatest(x.arg)
      node.measuredAt = this.#now
    }
    return node.greatest
  }

  /** By the rule of the op; where it has none, limited if all arguments are. */
  #made(e: Of<Expr, 'op' | 'construct'>): number {
    const rule = e.kind === 'op' ? RULES[e.op] : undefined
    if (rule) {
      const y = e.args[1]
      const n = y?.kind === 'const' ? (y.lanes[0] as number) : Number.NaN
      const most = rule(this.#argument(e, 0), this.#argument(e, 1), this.#argument(e, 2), n)
      if (most < LIMITED || most === Infinity) return most
      if (most >= LIMITED) return LIMITED
    }
    for (let i = 0; i < e.args.length; i++) if (this.#argument(e, i) === Infinity) return Infinity
    return LIMITED
  }

  #argument(e: Of<Expr, 'op' | 'construct'>, i: number): number {
    const arg = e.args[i]
    return arg ? this.#greatest(arg) : 0
  }

  #limit(leaf: Leaf): number {
    return this.#limited[leaf] ? LIMITED : Infinity
  }

  /** A built-in value or some lanes of it. */
  #id(e: Expr, name: BuiltinName): number {
    const { bounded }: BuiltinRow = BUILTINS[name]
    if (bounded === 'always' || (bounded === 'launch' && this.#context.kernel.launch)) return LIMITED
    let most = 0
    for (const lane of lanesOf(e))
      most = Math.max(
        most,
        Math.min(this.#limit(laneLeaf(name, lane)), this.#sized ? this.#size(name, lane) : Infinity),
      )
    return most
  }

  /** The greatest id within a workgroup. */
  #size(name: BuiltinName, lane: number): number {
    const size = this.#context.kernel.workgroupSize.map((n) => (typeof n === 'number' ? n : Infinity))
    if (name === 'local_invocation_index') return size.reduce((a, b) => a * b) - 1
    return name === 'local_invocation_id' ? (size[lane] as number) - 1 : Infinity
  }

  /** The index of a range is below its end, or not above its start. */
  #counted(by: Stmt | undefined): number {
    if (by?.kind !== 'range') return Infinity
    const step = by.step.kind === 'const' ? (by.step.lanes[0] as number) : 0
    if (step < 0) return this.#greatest(by.start)
    return step > 0 ? Math.min(this.#greatest(by.end) - 1, LIMITED) : LIMITED
  }

  // Leaves.

  /** Of a result, whatever it is known to be equal to. */
  own(id: number): Leaf {
    return ARGUMENTS + this.#params.length + id
  }

  #result(id: number): Leaf {
    return this.#loads[id] ?? this.own(id)
  }

  #parameter(name: string): Leaf {
    return ARGUMENTS + this.#params.findIndex((p) => p.name === name)
  }

  /** The result is a value that leaf `of` stands for; where that is its own, whether it is limited. */
  loaded(id: number, of: Leaf, limited: boolean): void {
    this.#loads[id] = of
    if (of !== this.own(id) || this.#limited[of] === limited) return
    this.#limited[of] = limited
    this.#now = this.#context.nodes.tick()
  }

  // Tests.

  /** From here on a test holds, or does not; a selector of a switch is one of some constants. */
  assume(test: Expr, holds: boolean): void {
    this.#passed.push({ test, holds, before: Infinity })
  }

  mark(): number {
    return this.#passed.length
  }

  undo(to: number): void {
    while (this.#passed.length > to) this.#forget((this.#passed.pop() as Passed).before)
    this.#looked = Math.min(this.#looked, to)
  }

  #forget(to: number): void {
    if (this.#learnt.length > to) this.#now = this.#context.nodes.tick()
    while (this.#learnt.length > to) this.#limited[this.#learnt.pop() as Leaf] = false
  }

  /** False where it was known. */
  #know(leaf: Leaf): boolean {
    if (this.#limited[leaf]) return false
    this.#limited[leaf] = true
    this.#now = this.#context.nodes.tick()
    return this.#learnt.push(leaf) > 0
  }

  /** Every leaf of `e` is on the lesser side of a comparison that holds. */
  #learn(e: Expr): void {
    this.#test = this.#context.nodes.tick()
    this.#leaves(e)
  }

  #leaves(e: Expr): void {
    if (e.kind === 'argument') this.#know(this.#parameter(e.name))
    else if (e.kind === 'result') {
      // Whoever learnt it before has learnt what it was made of.
      if (!this.#know(this.#result(e.id)) || !this.#deep) return
      const by = this.#context.makers[e.id]
      if (by?.kind === 'let') this.#leaves(by.value)
    } else if (e.kind === 'op' || e.kind === 'construct') {
      const node = this.#context.nodes.of(e)
      if (node.learntAt === this.#test) return
      node.learntAt = this.#test
      for (let i = 0; i < e.args.length; i++) this.#leaves(e.args[i] as Expr)
    } else {
      const x = this.resolve(e)
      const of = x.kind === 'swizzle' ? this.resolve(x.of) : x
      if (of.kind === 'builtin') for (const lane of lanesOf(x)) this.#know(laneLeaf(of.name, lane))
      else for (const o of x === e ? operands(x) : [x]) this.#leaves(o)
    }
  }

  /** Takes from a test what follows where it has the given outcome. */
  #take(test: Expr, holds: boolean): void {
    const e = this.resolve(test)
    if (e.kind !== 'op') return
    const [a, b] = e.args as [Expr, Expr]
    switch (e.op) {
      case 'not':
        this.#take(a, !holds)
        break
      case 'all':
      case 'and':
      case 'boolAnd':
        if (holds) for (const x of e.args) this.#take(x, true)
        break
      case 'any':
      case 'or':
      case 'boolOr':
        if (!holds) for (const x of e.args) this.#take(x, false)
        break
      case 'lt':
      case 'le':
        this.#learn(holds ? a : b)
        break
      case 'gt':
      case 'ge':
        this.#learn(holds ? b : a)
        break
      case 'eq':
      case 'ne':
        if (holds === (e.op === 'eq')) for (const x of e.args) this.#learn(x)
    }
  }
}
