import { type Block, type Expr, type Kernel, operands, type Result, type Stmt } from '@weft/dsl/ir'
import { rebuild } from './children'
import { atOf } from './nodes'
import { freshIds, mapBodies, mapStmt } from './rewrite'

/**
 * Moves expensive expressions that a loop does not change to before it. Expressions are pure and have a value for all
 * operands, so that evaluating one that the loop might not have reached does no harm; loads stay where they are.
 *
 * Only what costs more than a name is worth a line: a division, a call, several operations. The rest is left to the
 * driver, which does this too, and the WGSL stays closer to what the author wrote.
 */
export function licm(kernel: Kernel): Kernel {
  if (![kernel.body, ...kernel.functions.map((f) => f.body)].some(hasLoop)) return kernel
  const fresh = freshIds(kernel)
  return mapBodies(kernel, (body) => hoist(body, fresh))
}

const WORTH = 4

const hasLoop = (b: Block): boolean =>
  b.some(
    (s) =>
      s.kind === 'range' ||
      s.kind === 'loop' ||
      (s.kind === 'if' && (hasLoop(s.then) || hasLoop(s.else))) ||
      (s.kind === 'switch' && (s.cases.some((c) => hasLoop(c.body)) || hasLoop(s.default))),
  )

interface Loop {
  /** The depth of its blocks: what is known at a lesser depth does not change in it. */
  readonly depth: number
  /** Statements to run before it. */
  readonly before: Stmt[]
  /** What has been moved before it. */
  readonly moved: Map<Expr, Result>
}

function hoist(body: Block, fresh: () => number): Block {
  const depths = new Map<number, number>()
  const facts = new Map<Expr, { depth: number; cost: number }>()
  const loops: Loop[] = []
  let depth = 0

  const factsOf = (e: Expr): { depth: number; cost: number } => {
    if (e.kind === 'result') return { depth: depths.get(e.id) ?? 0, cost: 0 }
    const known = facts.get(e)
    if (known) return known
    let most = 0
    let cost = costOf(e)
    for (const o of operands(e)) {
      const f = factsOf(o)
      if (f.depth > most) most = f.depth
      cost += f.cost
    }
    const found = { depth: most, cost }
    facts.set(e, found)
    return found
  }

  const go = (e: Expr): Expr => {
    if (loops.length === 0 || e.kind === 'const' || e.kind === 'result') return e
    const { depth: known, cost } = factsOf(e)
    if (cost < WORTH) return e
    const outermost = loops.find((l) => l.depth > known)
    if (!outermost) return rebuild(e, go)
    for (const l of loops) {
      const before = l.moved.get(e)
      if (before) return before
    }
    const result: Result = Object.freeze({ kind: 'result', type: e.type, id: fresh() })
    depths.set(result.id, outermost.depth - 1)
    outermost.before.push({ kind: 'let', at: atOf(e), name: nameOf(e), value: e, result })
    outermost.moved.set(e, result)
    return result
  }

  const define = (s: Stmt): void => {
    if (s.kind === 'let' || s.kind === 'load') depths.set(s.result.id, depth)
    else if (s.kind === 'call') s.result && depths.set(s.result.id, depth)
    else if (s.kind === 'effect') {
      if (s.result) depths.set(s.result.id, depth)
      if (s.exchanged) depths.set(s.exchanged.id, depth)
    }
  }

  const block = (b: Block): Block => {
    depth++
    const out = statements(b)
    depth--
    return out
  }

  const statements = (b: Block): Block => {
    let changed = false
    const out: Stmt[] = []
    for (const s of b) {
      const next = s.kind === 'range' || s.kind === 'loop' ? loop(s, out) : mapStmt(s, go, block)
      if (next !== s) changed = true
      define(next)
      out.push(next)
    }
    return changed ? out : b
  }

  const loop = (s: Extract<Stmt, { kind: 'range' | 'loop' }>, out: Stmt[]): Stmt => {
    if (s.kind === 'range') {
      // evaluated before the loop, so not part of it
      const start = go(s.start)
      const end = go(s.end)
      const step = go(s.step)
      const opened: Loop = { depth: depth + 1, before: [], moved: new Map() }
      loops.push(opened)
      depths.set(s.index.id, depth + 1)
      const body = block(s.body)
      loops.pop()
      out.push(...opened.before)
      const same = start === s.start && end === s.end && step === s.step && body === s.body
      return same ? s : { ...s, start, end, step, body }
    }
    const opened: Loop = { depth: depth + 1, before: [], moved: new Map() }
    loops.push(opened)
    depth++
    const header = statements(s.header)
    const test = s.test && go(s.test)
    const body = block(s.body)
    const continuing = block(s.continuing)
    const breakIf = s.breakIf && go(s.breakIf)
    depth--
    loops.pop()
    out.push(...opened.before)
    const same =
      header === s.header && test === s.test && body === s.body && continuing === s.continuing && breakIf === s.breakIf
    return same ? s : { ...s, header, test, body, continuing, breakIf }
  }

  depth = 0
  return statements(body)
}

function costOf(e: Expr): number {
  switch (e.kind) {
    case 'op':
      return CHEAP.has(e.op) ? 1 : 4
    case 'convert':
    case 'bitcast':
    case 'length':
      return 1
    default:
      return 0
  }
}

const CHEAP = new Set([
  'add',
  'sub',
  'mul',
  'neg',
  'not',
  'bitNot',
  'bitAnd',
  'bitOr',
  'bitXor',
  'shl',
  'shr',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'and',
  'or',
  'boolAnd',
  'boolOr',
  'min',
  'max',
  'abs',
  'select',
  'fma',
])

/** What it is, in a word. */
function nameOf(e: Expr): string {
  if (e.kind !== 'op') return 'fixed'
  return e.op === 'div' ? 'quotient' : e.op === 'rem' ? 'remainder' : 'fixed'
}
