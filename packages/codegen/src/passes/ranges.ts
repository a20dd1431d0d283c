import type { Expr, Extent, Op } from '@weft/dsl/ir'
import type { Node } from './node'
import { opOf, splatConst, uniformLane } from './nodes'

/** The least and the greatest value that an integer can have. */
export interface Span {
  readonly low: number
  readonly high: number
}

export interface Facts {
  readonly workgroupSize: readonly Extent[]
  /** What is known of results, by id: the span of a counter of constant bounds, or the value that a `let` names. */
  readonly results: (Span | Node | undefined)[]
}

/** Of a negative number, or by one, no quotient is known. */
const quotient =
  (round: (x: number) => number) =>
  (a: Span, b: Span): Span =>
    a.low < 0 || b.low < 0
      ? { low: -Infinity, high: Infinity }
      : { low: round(a.low / Math.max(b.high, 1)), high: round(a.high / Math.max(b.low, 1)) }

/** Of exact results, not of those that wrap. */
export const SPANS = {
  add: (a, b) => ({ low: a.low + b.low, high: a.high + b.high }),
  sub: (a, b) => ({ low: a.low - b.high, high: a.high - b.low }),
  mul: (a, b) => {
    const ends = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high].map((x) => x || 0)
    return { low: Math.min(...ends), high: Math.max(...ends) }
  },
  div: quotient(Math.floor),
  ceilDiv: quotient(Math.ceil),
  min: (a, b) => ({ low: Math.min(a.low, b.low), high: Math.min(a.high, b.high) }),
  max: (a, b) => ({ low: Math.max(a.low, b.low), high: Math.max(a.high, b.high) }),
} satisfies Record<string, (a: Span, b: Span) => Span>

/** How deep is looked into an expression. */
const LEVELS = 8

/**
 * The span of an integer, or null where nothing is known of it. Engines keep accesses in bounds, and what they can prove
 * costs nothing: this follows the rules of Tint's range analysis and knows no more than that, so that whatever is left
 * out because of it (`min(i, 255u)`, `i % 16u`) leaves an index which Tint proves as well.
 */
export function rangeOf(e: Node, facts: Facts, levels = LEVELS): Span | null {
  const { workgroupSize, results } = facts
  if (e.kind === 'result') {
    const fact = results[e.id]
    return fact && 'n' in fact ? rangeOf(fact, facts, levels) : (fact ?? null)
  }
  if (e.kind === 'builtin') return e.name === 'local_invocation_index' ? below(workgroupSize) : null
  if (e.kind === 'swizzle')
    return e.of.kind === 'builtin' && e.of.name === 'local_invocation_id' && e.lanes.length === 1
      ? below([workgroupSize[e.lanes[0] as number] as Extent])
      : null
  const isUnsigned = e.type === 'u32'
  if (levels === 0 || (e.type !== 'i32' && !isUnsigned)) return null
  const all = isUnsigned ? { low: 0, high: 2 ** 32 - 1 } : { low: -(2 ** 31), high: 2 ** 31 - 1 }
  const of = (i: number): Span | null => (e.args[i] ? rangeOf(e.args[i], facts, levels - 1) : null)
  const [n] = e.lanes as [number]
  const span =
    e.kind === 'const'
      ? { low: n, high: n }
      : e.kind === 'convert'
        ? of(0)
        : e.kind === 'op'
          ? spanOf(e.op, of(0), of(1), all)
          : null
  return span && span.low >= all.low && span.high <= all.high ? span : null
}

/** Of an op on integers of a type whose span is `all`. */
function spanOf(op: string, a: Span | null, b: Span | null, all: Span): Span | null {
  if (op === 'min' || op === 'max') return a || b ? SPANS[op](a ?? all, b ?? all) : null
  if (op === 'rem') {
    const { low, high } = a ?? all
    if (!b || b.low !== b.high || b.low <= 0 || low < 0) return null
    const isOne = Math.floor(low / b.low) === Math.floor(high / b.low)
    return isOne ? { low: low % b.low, high: high % b.low } : { low: 0, high: b.low - 1 }
  }
  if (!a || !b) return null
  if (op === 'add' || op === 'sub') return SPANS[op](a, b)
  if (a.low < 0 || b.low < 0) return null
  const power = { low: 2 ** b.low, high: 2 ** b.high }
  if (op === 'shl') return b.high < 32 ? SPANS.mul(a, power) : null
  if (op === 'shr') return b.high < 32 ? SPANS.div(a, power) : null
  return op === 'mul' || (op === 'div' && b.low > 0) ? SPANS[op](a, b) : null
}

function below(sizes: readonly Extent[]): Span | null {
  let product = 1
  for (const size of sizes) product *= typeof size === 'number' ? size : Number.NaN
  return product > 0 ? { low: 0, high: product - 1 } : null
}

/** A remainder, quotient, bound or comparison by a constant as what it always is, where that is known. */
export function bounded(e: Expr, facts: Facts): Expr {
  if (e.kind !== 'op' || e.args[1]?.kind !== 'const' || !BOUNDS.has(e.op)) return e
  const [x, y] = e.args as [Node, Node]
  const limit = uniformLane(y)
  const span = limit === null ? null : rangeOf(x, facts)
  if (span === null || limit === null) return e
  const isBelow = span.high < limit
  const isAbove = span.low >= limit
  const isWithin = isBelow && span.low >= 0
  switch (e.op) {
    case 'lt':
    case 'ge':
      return isBelow || isAbove ? splatConst('bool', +(isBelow === (e.op === 'lt'))) : e
    case 'max':
      return isAbove ? x : e
    case 'min':
      return span.high <= limit ? x : e
    case 'rem':
      return isWithin ? x : parted(e, x, limit)
    default:
      return isWithin ? splatConst(x.type as 'u32', 0) : parted(e, x, limit)
  }
}

const BOUNDS: ReadonlySet<string> = new Set(['rem', 'div', 'min', 'max', 'lt', 'ge'])

/**
 * A quotient or remainder of a sum that does not wrap, one part of which is a multiple of the divisor: that part is
 * divided now. What rounds of a loop have in common is then one quotient, and they differ by constants.
 */
function parted(e: Op, x: Node, by: number): Expr {
  if (x.kind !== 'op' || x.op !== 'add' || e.type !== 'u32') return e
  const { args } = x
  for (let i = 0; i < 2; i++) {
    const part = args[i] as Node
    const factor = part.kind === 'const' ? part : part.kind === 'op' && part.op === 'mul' ? part.args[1] : null
    const n = factor?.kind === 'const' ? (factor.lanes[0] as number) : 1
    if (n % by !== 0) continue
    const rest = opOf(e.at, e.op as 'div' | 'rem', args[1 - i] as Node, by)
    if (e.op === 'rem') return rest
    return opOf(e.at, 'add', rest, factor === part ? n / by : opOf(e.at, 'mul', part.args[0] as Node, n / by))
  }
  return e
}
