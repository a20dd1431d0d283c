import type { Block, Expr, Kernel, Result, Stmt } from '@weft/dsl/ir'
import type { Graph } from './graph'
import { mapBodies, mapStmt } from './map'
import { argsOf, numberOf } from './node'
import { atOf } from './nodes'
import { working } from './rewrite'

/**
 * Moves expensive expressions that a loop does not change to before it. Expressions are pure and have a value for all
 * operands, so that evaluating one that the loop might not have reached does no harm; loads stay where they are.
 *
 * Only what costs more than a name is worth a line: a division, a call, several operations. The rest is left to the
 * driver, which does this too, and the WGSL stays closer to what the author wrote.
 */
export function licm(kernel: Kernel): Kernel {
  const k = working(kernel)
  return k.graph.loops ? mapBodies(k, (body) => hoist(body, k.graph)) : kernel
}

const WORTH = 4

interface Loop {
  /** The depth of its blocks: what is known at a lesser depth does not change in it. */
  readonly depth: number
  /** Statements to run before it. */
  readonly before: Stmt[]
  /** What has been moved before it. */
  readonly moved: Map<Expr, Result>
}

function hoist(body: Block, graph: Graph): Block {
  /** The depth of the block that a result is defined in, by its id. */
  const depths: number[] = []
  /** Of each node, by its number: the depth at which all of it is known, and what it costs. */
  const known = new Array<number>(graph.size)
  const costs = new Array<number>(graph.size)
  const loops: Loop[] = []
  let depth = 0

  const study = (e: Expr): number => {
    const n = numberOf(e)
    const before = costs[n]
    if (before !== undefined) return before
    let most = e.kind === 'result' ? (depths[e.id] ?? 0) : 0
    let cost = costOf(e)
    for (const o of argsOf(e)) {
      cost += study(o)
      most = Math.max(most, known[numberOf(o)] as number)
    }
    known[n] = most
    return (costs[n] = cost)
  }

  const go = (e: Expr): Expr => {
    if (loops.length === 0 || study(e) < WORTH) return e
    const since = known[numberOf(e)] as number
    const outermost = loops.find((l) => l.depth > since)
    if (!outermost) return graph.rebuild(e, go)
    for (const l of loops) {
      const before = l.moved.get(e)
      if (before) return before
    }
    const result = graph.result(e.type)
    depths[result.id] = outermost.depth - 1
    outermost.before.push({ kind: 'let', at: atOf(e), name: nameOf(e), value: e, result })
    outermost.moved.set(e, result)
    return result
  }

  const define = (s: Stmt): void => {
    if ('result' in s && s.result) depths[s.result.id] = depth
    if (s.kind === 'effect' && s.exchanged) depths[s.exchanged.id] = depth
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
      depths[s.index.id] = depth + 1
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

const CHEAP = new Set(
  'add sub mul neg not bitNot bitAnd bitOr bitXor shl shr eq ne lt le gt ge and or boolAnd boolOr min max abs select fma'.split(
    ' ',
  ),
)

/** What it is, in a word. */
function nameOf(e: Expr): string {
  if (e.kind !== 'op') return 'fixed'
  return e.op === 'div' ? 'quotient' : e.op === 'rem' ? 'remainder' : 'fixed'
}
