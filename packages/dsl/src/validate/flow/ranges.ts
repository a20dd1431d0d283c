import { type Expr, type Of, operands, type Stmt } from '../../ir'
import { BUILTINS, type BuiltinName, type BuiltinRow } from '../../ops'
import { isScalar, isValue } from '../../types'
import type { Context } from '../context'
import { LIMITED, numberIn, RULES } from './greatest'

/**
 * A leaf of an index, as a number: a lane of a built-in value, an argument, a result. The loads of a variable that
 * nothing has changed in between are one leaf.
 */
type Leaf = number

const NAMES = Object.keys(BUILTINS) as BuiltinName[]
const ARGUMENTS = 4 * NAMES.length
const FIRST_LANE = Object.fromEntries(NAMES.map((name, i) => [name, 4 * i])) as Record<BuiltinName, Leaf>

const lanesOf = (e: Expr, type: string): readonly number[] =>
  e.kind === 'swizzle' ? e.lanes : type === 'u32' ? [0] : [0, 1, 2]

/**
 * How great values can be, at the point that the walk has reached. A leaf is limited for good, as the index of a range
 * is, or until the end of the block that a test guards.
 */
export class Ranges {
  private readonly limited: boolean[] = []
  /** The tests that were passed, how each came out, and how much had been learnt before it. */
  private readonly tests: Expr[] = []
  private readonly outcomes: boolean[] = []
  private readonly before: number[] = []
  /** How many of them were looked at, and what was learnt from those: most blocks need nothing of their tests. */
  private looked = 0
  private passed = 0
  private readonly learnt: Leaf[] = []
  private readonly loads: (Leaf | undefined)[] = []
  /** Since when nothing else is known; and the test that is looked at. */
  private now: number
  private visit = 0
  /** Whether ids within a workgroup count as limited by its size: they are where an array is at least as long. */
  private sized = false

  constructor(
    private readonly context: Context,
    private readonly params: readonly { readonly name: string }[],
  ) {
    this.now = context.nodes.tick()
  }

  /** The greatest value of an index, or ∞: nothing limits it. */
  of(e: Expr): number {
    for (; this.looked < this.passed; this.looked++) {
      const test = this.tests[this.looked] as Expr
      this.before[this.looked] = this.learnt.length
      if (test.type === 'bool') this.take(test, this.outcomes[this.looked] as boolean)
      else this.learn(test)
    }
    return this.greatest(e)
  }

  private greatest(e: Expr): number {
    if (e.type === 'bool') return 1
    if (e.kind === 'result' && !this.sized && this.limited[this.result(e.id)]) return LIMITED
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
        return this.leaf(this.argument(x.name))
      case 'builtin':
        return this.lanes(x, x)
      case 'swizzle': {
        const of = this.resolve(x.of)
        return of.kind === 'builtin' ? this.lanes(of, x) : this.greatest(of)
      }
      case 'result':
        return Math.min(this.leaf(this.result(x.id)), this.counted(this.context.makers[x.id]))
      case 'index':
      case 'member':
        return this.greatest(x.of)
    }
    const node = this.context.nodes.of(x)
    if (node.measuredAt !== this.now) {
      node.greatest = x.kind === 'op' || x.kind === 'construct' ? this.made(x) : this.greatest(x.arg)
      node.measuredAt = this.now
    }
    return node.greatest
  }

  private made(e: Of<Expr, 'op' | 'construct'>): number {
    const { args } = e
    if (e.kind === 'op' && args.length <= 3) {
      const rule = RULES[e.op]
      if (rule) {
        const [x, y, z] = args
        const most = rule(x ? this.greatest(x) : 0, y ? this.greatest(y) : 0, z ? this.greatest(z) : 0, numberIn(y))
        if (most < LIMITED) return most
        if (most >= LIMITED) return most === Infinity ? most : LIMITED
      }
    }
    for (let i = 0; i < args.length; i++) if (this.greatest(args[i] as Expr) === Infinity) return Infinity
    return LIMITED
  }

  /** The same where the array has as many elements as it takes for ids within a workgroup. */
  within(e: Expr): number {
    this.sized = true
    this.now = this.context.nodes.tick()
    const most = this.of(e)
    this.sized = false
    this.now = this.context.nodes.tick()
    return most
  }

  /** The first leaf in `e` that nothing limits. */
  culprit(e: Expr): Expr {
    const x = this.resolve(e)
    if (x.kind === 'swizzle' && this.resolve(x.of).kind === 'builtin') return x
    const o = operands(x).find((part) => this.of(part) === Infinity)
    return o ? this.culprit(o) : x
  }

  /** What a name stands for, through any number of lets, and what a lane of a vector is that was made of scalars. */
  resolve(e: Expr): Expr {
    for (;;) {
      let next: Expr | undefined
      if (e.kind === 'result') {
        const by = this.context.makers[e.id]
        if (by?.kind === 'let') next = by.value
      } else if (e.kind === 'swizzle' && e.lanes.length === 1) {
        const of = this.resolve(e.of)
        if (of.kind === 'construct' && of.args.every((a) => isValue(a.type) && isScalar(a.type)))
          next = of.args[of.args.length === 1 ? 0 : (e.lanes[0] as number)]
      }
      if (!next) return e
      e = next
    }
  }

  // Leaves.

  private leaf(leaf: Leaf): number {
    return this.limited[leaf] ? LIMITED : Infinity
  }

  /** Of a result, whatever it is known to be equal to. */
  own(id: number): Leaf {
    return ARGUMENTS + this.params.length + id
  }

  private result(id: number): Leaf {
    return this.loads[id] ?? this.own(id)
  }

  private argument(name: string): Leaf {
    return ARGUMENTS + this.params.findIndex((p) => p.name === name)
  }

  /** The lanes of a built-in value that `e` is. */
  private lanes({ name, type }: Of<Expr, 'builtin'>, e: Expr): number {
    const { bounded }: BuiltinRow = BUILTINS[name]
    if (bounded === 'always' || (bounded === 'launch' && this.context.kernel.launch)) return LIMITED
    let most = 0
    for (const lane of lanesOf(e, type)) {
      const size = this.sized ? this.size(name, lane) : Infinity
      most = Math.max(most, Math.min(size - 1, this.leaf(FIRST_LANE[name] + lane)))
    }
    return most
  }

  /** How many different values an id within a workgroup has. */
  private size(name: BuiltinName, lane: number): number {
    const size = this.context.kernel.workgroupSize.map((n) => (typeof n === 'number' ? n : Infinity))
    if (name === 'local_invocation_index') return size.reduce((a, b) => a * b)
    return name === 'local_invocation_id' ? (size[lane] as number) : Infinity
  }

  /** The index of a range is below its end, or not above its start. */
  private counted(by: Stmt | undefined): number {
    if (by?.kind !== 'range') return Infinity
    const step = by.step.kind === 'const' ? (by.step.lanes[0] as number) : 0
    if (step < 0) return this.greatest(by.start)
    return step > 0 ? Math.min(this.greatest(by.end) - 1, LIMITED) : LIMITED
  }

  // What is learnt.

  /** The result is a value that leaf `of` stands for; where that is its own, whether it is limited. */
  loaded(id: number, of: Leaf, limited: boolean): void {
    this.loads[id] = of
    if (of !== this.own(id) || this.limited[of] === limited) return
    this.limited[of] = limited
    this.now = this.context.nodes.tick()
  }

  /** From here on a test holds, or does not; a selector of a switch is one of some constants. */
  assume(test: Expr, holds: boolean): void {
    this.tests[this.passed] = test
    this.outcomes[this.passed++] = holds
  }

  mark(): number {
    return this.passed
  }

  undo(to: number): void {
    this.passed = to
    if (this.looked <= to) return
    this.looked = to
    this.now = this.context.nodes.tick()
    while (this.learnt.length > (this.before[to] as number)) this.limited[this.learnt.pop() as Leaf] = false
  }

  /** False where it was limited. */
  private limit(leaf: Leaf): boolean {
    if (this.limited[leaf]) return false
    this.limited[leaf] = true
    this.now = this.context.nodes.tick()
    return this.learnt.push(leaf) > 0
  }

  /** Every leaf of `e` is on the lesser side of a comparison that holds. */
  private learn(e: Expr): void {
    this.visit = this.context.nodes.tick()
    this.leaves(e)
  }

  private leaves(e: Expr): void {
    if (e.kind === 'argument') this.limit(this.argument(e.name))
    else if (e.kind === 'result') {
      // Whoever learnt it before has learnt what it was made of.
      if (!this.limit(this.result(e.id))) return
      const by = this.context.makers[e.id]
      if (by?.kind === 'let') this.leaves(by.value)
    } else if (e.kind === 'op' || e.kind === 'construct') {
      const node = this.context.nodes.of(e)
      if (node.learntAt === this.visit) return
      node.learntAt = this.visit
      for (let i = 0; i < e.args.length; i++) this.leaves(e.args[i] as Expr)
    } else {
      const x = e.kind === 'swizzle' ? this.resolve(e) : e
      const of = x.kind === 'swizzle' ? this.resolve(x.of) : x
      if (of.kind === 'builtin') for (const lane of lanesOf(x, of.type)) this.limit(FIRST_LANE[of.name] + lane)
      else if (x !== e) this.leaves(x)
      else for (const o of operands(x)) this.leaves(o)
    }
  }

  /** Takes from a test what follows where it has the given outcome. */
  private take(test: Expr, holds: boolean): void {
    const e = this.resolve(test)
    if (e.kind !== 'op') return
    const [a, b] = e.args as [Expr, Expr]
    switch (e.op) {
      case 'not':
        this.take(a, !holds)
        break
      case 'all':
      case 'and':
      case 'boolAnd':
        if (holds) for (const x of e.args) this.take(x, true)
        break
      case 'any':
      case 'or':
      case 'boolOr':
        if (!holds) for (const x of e.args) this.take(x, false)
        break
      case 'lt':
      case 'le':
        this.learn(holds ? a : b)
        break
      case 'gt':
      case 'ge':
        this.learn(holds ? b : a)
        break
      case 'eq':
      case 'ne':
        if (holds === (e.op === 'eq')) for (const x of e.args) this.learn(x)
    }
  }
}
