import {
  type Block,
  type Cases,
  type Expr,
  type Func,
  forEachStmt,
  isPlace,
  type Of,
  type Place,
  type Stmt,
} from '../../ir'
import { BUILTINS, EFFECTS, type EffectRow } from '../../ops'
import { isInt, isValue, type Type } from '../../types'
import type { Context } from '../context'
import { countOf, elementOf, rootType, spaceOf } from '../places'
import { upperBound } from './bounds'
import { Facts, type Leaf, resultLeaf } from './facts'
import { Limited } from './limited'

/**
 * Stores to storage whose index nothing limits. An index out of bounds is moved into the array by the engines, where
 * it overwrites the element of another invocation: a race that no test of the expected values sees. Limited is an
 * index whose parts that differ between invocations or come from data are limited: by a loop, by a test, by `min`,
 * `clamp`, `%` or `&`, by the launch rule.
 */
export function checkGuards(context: Context): void {
  if (context.kernel.guards === 'off') return
  for (const f of context.kernel.functions) new Guards(context, f).block(f.body)
  new Guards(context, null).block(context.kernel.body)
}

const ROWS: Readonly<Record<string, EffectRow>> = EFFECTS

class Guards {
  readonly facts: Facts
  readonly limited: Limited
  /** Integer variables: the only ones that indices are made of. */
  private readonly integers = new Set<number>()
  private readonly names = new Map<number, string>()

  constructor(
    readonly context: Context,
    private readonly func: Func | null,
  ) {
    this.facts = new Facts(context)
    this.limited = new Limited(this.facts, context)
  }

  /** Facts learnt within a block end with it. */
  block(block: Block): void {
    if (!this.context.guarded.has(block)) return
    const mark = this.facts.mark()
    for (const s of block) (STEP[s.kind] as (s: Stmt, g: Guards) => void)(s, this)
    this.facts.undo(mark)
  }

  under(test: Expr | null, holds: boolean, block: Block): void {
    const mark = this.facts.mark()
    if (test) this.limited.assume(test, holds)
    this.block(block)
    this.facts.undo(mark)
  }

  // Variables.

  declare(id: number, name: string, type: Type, init: Expr | null): void {
    if (!isValue(type) || !isInt(type)) return
    this.integers.add(id)
    this.names.set(id, name)
    this.assign(id, init === null || this.limited.culprit(init) === null)
  }

  assign(id: number, limited: boolean): void {
    const leaf = this.facts.fresh()
    this.facts.versions.set(id, leaf)
    if (limited) this.facts.learnForGood(leaf)
  }

  /** The value in an integer variable, or undefined for every other place. */
  version(place: Place): Leaf | undefined {
    return place.root.kind === 'variable' ? this.facts.versions.get(place.root.id) : undefined
  }

  stored(place: Place, value: Expr | null): void {
    const { root } = place
    if (root.kind !== 'variable' || !this.integers.has(root.id)) return
    const before = this.facts.versions.get(root.id)
    const partial = place.steps.length > 0 && !(before !== undefined && this.facts.isLimitedForGood(before))
    this.assign(root.id, value !== null && !partial && this.limited.culprit(value) === null)
  }

  /** Whatever a loop assigns may have any value at its start. */
  forget(blocks: readonly Block[]): void {
    if (this.integers.size === 0) return
    for (const block of blocks) {
      forEachStmt(block, (s) => {
        if (s.kind === 'store') this.stored(s.place, null)
        else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) this.stored(a, null)
      })
    }
  }

  /** Runs alternatives from one state; a variable is limited afterwards if it is in each of them. */
  alternatives(runs: readonly (() => void)[]): void {
    const before = this.facts.versions
    if (before.size === 0) {
      for (const run of runs) run()
      before.clear()
      return
    }
    const ends = runs.map((run) => {
      this.facts.versions = new Map(before)
      run()
      return this.facts.versions
    })
    this.facts.versions = before
    for (const [id, leaf] of before) {
      const after = ends.map((end) => end.get(id) ?? leaf)
      if (after.some((x) => x !== leaf))
        this.assign(
          id,
          after.every((x) => this.facts.isLimitedForGood(x)),
        )
    }
  }

  // Stores.

  /** Checks the indices of a place that is written. */
  check(place: Place, at: number, how: string): void {
    const { root } = place
    if (root.kind === 'variable' || spaceOf(place, this.func, this.context) !== 'storage') return
    let type = rootType(root, this.func, this.context)
    for (const step of place.steps) {
      if (step.kind === 'index' && type) this.index(root.name, type, step.index, at, how)
      type = step.kind === 'index' ? type && elementOf(type) : step.type
    }
  }

  private index(name: string, of: Type, index: Expr, at: number, how: string): void {
    const count = countOf(of)
    if (count !== null && upperBound(index, this.facts, this.context) < count) return
    const culprit = this.limited.culprit(index)
    if (culprit === null) return
    this.context.report(
      'unguarded-store',
      `'${name}' is ${how} at an index that nothing limits: it depends on ${this.describe(culprit)}`,
      at,
      NOTE,
    )
  }

  private describe(e: Expr): string {
    const builtin = this.facts.builtin(e)
    if (builtin) {
      const lanes = e.kind === 'swizzle' ? `.${e.lanes.map((l) => 'xyzw'[l]).join('')}` : ''
      const launch = BUILTINS[builtin.name].uniform === 'workgroup' ? ', and the kernel has no launch rule' : ''
      return `${builtin.name}${lanes}${launch}`
    }
    if (e.kind === 'argument') return `the argument '${e.name}'`
    const by = e.kind === 'result' ? this.facts.maker(e) : undefined
    switch (by?.kind) {
      case 'load':
        return by.place.root.kind === 'variable' && this.names.has(by.place.root.id)
          ? `the variable '${this.names.get(by.place.root.id)}'`
          : 'a value loaded from memory'
      case 'effect':
        return `the result of '${by.op}'`
      case 'call':
        return `the result of '${by.func}'`
      case 'range':
        return `the start of the range '${by.name}', which counts down`
      default:
        return 'a value'
    }
  }
}

const NOTE = 'test it, as k.if(i.lt(n), …), or use k.guardedStore'

/** Whether control never gets past the end of a block. */
function leaves(block: Block): boolean {
  const last = block.at(-1)
  if (!last) return false
  if (last.kind === 'if') return leaves(last.then) && leaves(last.else)
  return last.kind === 'break' || last.kind === 'continue' || last.kind === 'return'
}

function branch(s: Of<Stmt, 'if'>, g: Guards): void {
  const thenLeaves = leaves(s.then)
  const elseLeaves = leaves(s.else)
  const runs = [() => g.under(s.test, true, s.then), () => g.under(s.test, false, s.else)]
  // An arm that leaves does not reach what follows, which then knows how the test came out.
  if (thenLeaves || elseLeaves) {
    const before = g.facts.versions
    const leaving = thenLeaves ? runs[0] : runs[1]
    g.facts.versions = new Map(before)
    leaving?.()
    g.facts.versions = before
    ;(thenLeaves ? runs[1] : runs[0])?.()
    g.limited.assume(s.test, !thenLeaves)
  } else g.alternatives(runs)
}

const STEP: Cases<Stmt, void, [Guards]> = {
  let: () => undefined,
  var: (s, g) => g.declare(s.variable.id, s.variable.name, s.variable.type, s.variable.init),
  load: (s, g) => {
    const leaf = s.place.steps.length === 0 ? g.version(s.place) : undefined
    if (leaf !== undefined) g.facts.loaded(s.result, leaf)
  },
  store: (s, g) => {
    g.check(s.place, s.at, 'stored')
    g.stored(s.place, s.value)
  },
  effect: (s, g) => {
    const row = ROWS[s.op]
    if (s.place && row?.family === 'atomic' && row.memory !== 'read') g.check(s.place, s.at, 'changed')
  },
  call: (s, g) => {
    for (const a of s.args) if (isPlace(a)) g.stored(a, null)
  },
  if: branch,
  switch: (s, g) => {
    g.alternatives([
      ...s.cases.map((c) => () => {
        const mark = g.facts.mark()
        g.limited.learn(s.selector)
        g.block(c.body)
        g.facts.undo(mark)
      }),
      () => g.block(s.default),
    ])
    // A break may leave a case before its last assignment.
    g.forget([...s.cases.map((c) => c.body), s.default])
  },
  range: (s, g) => {
    g.forget([s.body])
    const down = s.step.kind === 'const' && (s.step.lanes[0] ?? 0) < 0
    if (!down || g.limited.culprit(s.start) === null) g.facts.learnForGood(resultLeaf(s.index))
    g.block(s.body)
    g.forget([s.body])
  },
  loop: (s, g) => {
    g.forget([s.header, s.body, s.continuing])
    const mark = g.facts.mark()
    for (const inner of s.header) (STEP[inner.kind] as (s: Stmt, g: Guards) => void)(inner, g)
    g.under(s.test, true, s.body)
    g.forget([s.body])
    g.block(s.continuing)
    g.facts.undo(mark)
    g.forget([s.header, s.body, s.continuing])
  },
  break: () => undefined,
  continue: () => undefined,
  return: () => undefined,
}
