import type { Block, Cases, Expr, Place, Stmt } from './nodes'

/** Generic traversals: everything that looks at all children of a node, whatever its kind, goes through here. */

const NONE: readonly Expr[] = []

const OPERANDS: Cases<Expr, readonly Expr[]> = {
  const: () => NONE,
  builtin: () => NONE,
  param: () => NONE,
  override: () => NONE,
  constant: () => NONE,
  argument: () => NONE,
  result: () => NONE,
  op: (e) => e.args,
  construct: (e) => e.args,
  convert: (e) => [e.arg],
  bitcast: (e) => [e.arg],
  swizzle: (e) => [e.of],
  index: (e) => [e.of, e.index],
  member: (e) => [e.of],
  length: (e) => placeOperands(e.of),
}

/** The kinds of expressions. */
export const EXPR_KINDS = Object.keys(OPERANDS)

/** The expressions that `e` is made of, in order of evaluation. */
export const operands = (e: Expr): readonly Expr[] => (OPERANDS[e.kind] as (e: Expr) => readonly Expr[])(e)

/** The expressions in a place: the offset of a view, then the indices. */
export function placeOperands(place: Place): readonly Expr[] {
  const { root, steps } = place
  if (steps.length === 0 && root.kind !== 'view') return NONE
  const out: Expr[] = root.kind === 'view' ? [root.offset] : []
  for (const step of steps) if (step.kind === 'index') out.push(step.index)
  return out
}

export const isPlace = (x: Expr | Place): x is Place => x.kind === 'place'

const STATEMENT_OPERANDS: Cases<Stmt, readonly Expr[]> = {
  let: (s) => [s.value],
  var: (s) => (s.variable.init ? [s.variable.init] : NONE),
  load: (s) => placeOperands(s.place),
  store: (s) => [...placeOperands(s.place), s.value],
  effect: (s) => [...(s.place ? placeOperands(s.place) : NONE), ...s.args],
  call: (s) => s.args.flatMap((a) => (isPlace(a) ? placeOperands(a) : [a])),
  if: (s) => [s.test],
  switch: (s) => [s.selector],
  range: (s) => [s.start, s.end, s.step],
  // The tests of a loop are evaluated inside it, after its header and continuing block: see `loopTests`.
  loop: () => NONE,
  break: () => NONE,
  continue: () => NONE,
  return: (s) => (s.value ? [s.value] : NONE),
}

/** The expressions that a statement itself evaluates, in order, not those of nested blocks. */
export const statementOperands = (s: Stmt): readonly Expr[] =>
  (STATEMENT_OPERANDS[s.kind] as (s: Stmt) => readonly Expr[])(s)

const NO_BLOCKS: readonly Block[] = []

/** The blocks nested directly in a statement, in order of execution. */
export function blocksOf(s: Stmt): readonly Block[] {
  switch (s.kind) {
    case 'if':
      return [s.then, s.else]
    case 'switch':
      return [...s.cases.map((c) => c.body), s.default]
    case 'range':
      return [s.body]
    case 'loop':
      return [s.header, s.body, s.continuing]
    default:
      return NO_BLOCKS
  }
}

/** The two tests of a loop: `test` is seen after `header`, `breakIf` after `continuing`. */
export const loopTests = (s: Stmt): readonly Expr[] =>
  s.kind === 'loop' ? [s.test, s.breakIf].filter((e): e is Expr => e !== null) : NONE

/** Calls `visit` for every statement of a block and of the blocks nested in it, in order. */
export function forEachStmt(block: Block, visit: (s: Stmt) => void): void {
  for (let i = 0; i < block.length; i++) {
    const s = block[i] as Stmt
    visit(s)
    switch (s.kind) {
      case 'if':
      case 'switch':
      case 'range':
      case 'loop':
        for (const inner of blocksOf(s)) forEachStmt(inner, visit)
    }
  }
}

/** Calls `visit` once for every expression reachable from a block, operands first. */
export function forEachExpr(block: Block, visit: (e: Expr) => void): void {
  const seen = new Set<Expr>()
  const go = (e: Expr): void => {
    if (seen.has(e)) return
    seen.add(e)
    for (const o of operands(e)) go(o)
    visit(e)
  }
  forEachStmt(block, (s) => {
    for (const e of statementOperands(s)) go(e)
    for (const e of loopTests(s)) go(e)
  })
}

/** Rebuilds `e` with its direct operands replaced; the same node when nothing changes. */
export function withOperands(e: Expr, f: (operand: Expr) => Expr): Expr {
  switch (e.kind) {
    case 'op':
    case 'construct': {
      const args = mapSame(e.args, f)
      return args === e.args ? e : Object.freeze({ ...e, args })
    }
    case 'convert':
    case 'bitcast': {
      const arg = f(e.arg)
      return arg === e.arg ? e : Object.freeze({ ...e, arg })
    }
    case 'swizzle':
    case 'member': {
      const of = f(e.of)
      return of === e.of ? e : Object.freeze({ ...e, of })
    }
    case 'index': {
      const of = f(e.of)
      const index = f(e.index)
      return of === e.of && index === e.index ? e : Object.freeze({ ...e, of, index })
    }
    case 'length': {
      const of = mapPlace(e.of, f)
      return of === e.of ? e : Object.freeze({ ...e, of })
    }
    default:
      return e
  }
}

export function mapPlace(place: Place, f: (e: Expr) => Expr): Place {
  const steps = mapSame(place.steps, (step) => {
    if (step.kind !== 'index') return step
    const index = f(step.index)
    return index === step.index ? step : Object.freeze({ ...step, index })
  })
  let root = place.root
  if (root.kind === 'view') {
    const offset = f(root.offset)
    if (offset !== root.offset) root = Object.freeze({ ...root, offset })
  }
  return steps === place.steps && root === place.root ? place : Object.freeze({ ...place, root, steps })
}

/** `map` that gives back the same array when no element changed. */
export function mapSame<T>(list: readonly T[], f: (item: T) => T): readonly T[] {
  let changed = false
  const out = list.map((item) => {
    const next = f(item)
    if (next !== item) changed = true
    return next
  })
  return changed ? out : list
}

/** Rebuilds a statement with `f` applied to the expressions it evaluates and `g` to its nested blocks. */
export function withParts(s: Stmt, f: (e: Expr) => Expr, g: (b: Block) => Block): Stmt {
  const maybe = (e: Expr | null): Expr | null => (e === null ? null : f(e))
  switch (s.kind) {
    case 'let':
      return { ...s, value: f(s.value) }
    case 'var':
      return s.variable.init ? { ...s, variable: { ...s.variable, init: f(s.variable.init) } } : s
    case 'load':
      return { ...s, place: mapPlace(s.place, f) }
    case 'store':
      return { ...s, place: mapPlace(s.place, f), value: f(s.value) }
    case 'effect':
      return { ...s, place: s.place && mapPlace(s.place, f), args: s.args.map(f) }
    case 'call':
      return { ...s, args: s.args.map((a) => (isPlace(a) ? mapPlace(a, f) : f(a))) }
    case 'if':
      return { ...s, test: f(s.test), then: g(s.then), else: g(s.else) }
    case 'switch':
      return {
        ...s,
        selector: f(s.selector),
        cases: s.cases.map((c) => ({ ...c, body: g(c.body) })),
        default: g(s.default),
      }
    case 'range':
      return { ...s, start: f(s.start), end: f(s.end), step: f(s.step), body: g(s.body) }
    case 'loop': {
      const header = g(s.header)
      const test = maybe(s.test)
      const body = g(s.body)
      const continuing = g(s.continuing)
      return { ...s, header, test, body, continuing, breakIf: maybe(s.breakIf) }
    }
    case 'return':
      return { ...s, value: maybe(s.value) }
    case 'break':
    case 'continue':
      return s
  }
}
