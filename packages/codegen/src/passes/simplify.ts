import {
  type Expr,
  factsOf,
  isInt,
  isScalar,
  isValueName,
  type Op,
  ROUND,
  type ScalarName,
  scalarOf,
  type ValueName,
  withScalar,
} from '@weft/dsl/ir'
import { foldExpr } from './fold'
import { LAWS, type Law, type Term } from './laws'
import { convertTo, lanesOf, opOf, splatConst, uniformLane } from './nodes'

/** Rewrites by the laws of `laws.ts`, and undoes conversions and swizzles that cancel out: one step. */
export function simplifyExpr(e: Expr): Expr {
  const folded = foldExpr(e)
  if (folded !== e) return folded
  switch (e.kind) {
    case 'op':
      return byLaws(e)
    case 'convert':
      return unconvert(e)
    case 'bitcast':
      if (e.arg.type === e.type) return e.arg
      return e.arg.kind === 'bitcast' ? { kind: 'bitcast', at: e.at, type: e.type, arg: e.arg.arg } : e
    case 'swizzle':
      return unswizzle(e)
    case 'index': {
      // a constant lane of a vector is a swizzle
      if (e.index.kind !== 'const' || !isValueName(e.of.type) || factsOf(e.of.type).cols > 1) return e
      const lane = e.index.lanes[0] as number
      return lane >= 0 && lane < factsOf(e.of.type).rows ? lanesOf(e.at, e.of, [lane]) : e
    }
    default:
      return e
  }
}

// Laws.

const SCALARS: { readonly [K in Law['on']]: readonly ScalarName[] } = {
  int: ['i32', 'u32'],
  u32: ['u32'],
  i32: ['i32'],
  float: ['f32', 'f16'],
  number: ['f32', 'f16', 'i32', 'u32'],
  signed: ['f32', 'f16', 'i32'],
  bool: ['bool'],
  any: ['bool', 'f16', 'f32', 'i32', 'u32'],
}

/** Laws by op, then by the scalar type of the first operand. */
const INDEX = new Map<string, Map<ScalarName, Law[]>>()
for (const law of LAWS) {
  const byScalar = INDEX.get(law.left[0]) ?? new Map<ScalarName, Law[]>()
  INDEX.set(law.left[0], byScalar)
  for (const scalar of SCALARS[law.on]) byScalar.set(scalar, [...(byScalar.get(scalar) ?? []), law])
}

function byLaws(e: Op): Expr {
  const byScalar = INDEX.get(e.op)
  if (!byScalar) return e
  const type = e.args[0]?.type as ValueName
  const { scalar, cols } = factsOf(type)
  const laws = cols > 1 ? undefined : byScalar.get(scalar)
  if (!laws) return e
  for (const law of laws) {
    const found = applyLaw(law, e, type)
    if (found) return found
  }
  return e
}

interface Match {
  readonly exprs: Map<string, Expr>
  readonly numbers: Map<string, number>
}

/** The right side of a law for an expression that its left side matches, or null; `type` is that of its letters. */
export function applyLaw(law: Law, e: Op, type: ValueName): Expr | null {
  if (!mayMatch(law.left, e)) return null
  const match: Match = { exprs: new Map(), numbers: new Map() }
  if (!matchOp(law.left, e, match)) return null
  if (law.where && !law.where(...match.numbers.values())) return null
  return build(law.right, match, type, e)
}

/** What most expressions fail at: constants and operations where there are none. */
function mayMatch(left: Law['left'], e: Op): boolean {
  for (let i = 0; i < e.args.length; i++) {
    const term = left[i + 1] as Term
    const arg = e.args[i] as Expr
    if (typeof term === 'string') {
      if (isNumberName(term) && arg.kind !== 'const') return false
    } else if (typeof term === 'number' || typeof term === 'boolean') {
      if (arg.kind !== 'const' || arg.lanes[0] !== Number(term)) return false
    } else if (arg.kind !== 'op' || arg.op !== term[0]) return false
  }
  return true
}

function matches(term: Term, e: Expr, match: Match): boolean {
  if (typeof term === 'number') return Object.is(uniformLane(e), term)
  if (typeof term === 'boolean') return uniformLane(e) === Number(term)
  if (typeof term !== 'string') return e.kind === 'op' && matchOp(term, e, match)
  if (isNumberName(term)) {
    const lane = uniformLane(e)
    if (lane === null) return false
    match.numbers.set(term, lane)
    return true
  }
  const known = match.exprs.get(term)
  if (known) return known === e || isSameConst(known, e)
  match.exprs.set(term, e)
  return true
}

const isSameConst = (a: Expr, b: Expr): boolean =>
  a.kind === 'const' && b.kind === 'const' && a.type === b.type && a.lanes.every((x, i) => Object.is(x, b.lanes[i]))

/** `a`, `b`, `c`, `d` are constants, other letters anything. */
const isNumberName = (name: string): boolean => name >= 'a' && name <= 'd'

function matchOp(term: readonly [string, ...Term[]], e: Op, match: Match): boolean {
  if (term[0] !== e.op) return false
  for (let i = 0; i < e.args.length; i++) if (!matches(term[i + 1] as Term, e.args[i] as Expr, match)) return false
  return true
}

function build(right: Law['right'], match: Match, type: ValueName, e: Op): Expr {
  if (typeof right === 'number' || typeof right === 'boolean') return splatConst(e.type, Number(right))
  if (typeof right === 'string') return match.exprs.get(right) as Expr
  const [op, ...terms] = right
  const args = terms.map((t): Expr => {
    if (typeof t === 'string')
      return isNumberName(t) ? splatConst(type, match.numbers.get(t) as number) : (match.exprs.get(t) as Expr)
    if (typeof t === 'number') return splatConst(type, t)
    if (typeof t === 'function') {
      const to = op === 'shl' || op === 'shr' ? withScalar(type, 'u32') : type
      return splatConst(to, ROUND[scalarOf(to)](t(...match.numbers.values())))
    }
    return foldExpr(build(t as Law['right'], match, type, e))
  })
  return foldExpr(opOf(e.at, op, ...args))
}

// Conversions and swizzles.

function unconvert(e: Extract<Expr, { kind: 'convert' }>): Expr {
  const { arg } = e
  if (arg.type === e.type) return arg
  // integers to integers and back keep their bits
  if (arg.kind === 'convert' && isInt(e.type) && isInt(arg.type) && isInt(arg.arg.type as ValueName))
    return convertTo(e.at, e.type, arg.arg)
  return e
}

function unswizzle(e: Extract<Expr, { kind: 'swizzle' }>): Expr {
  const { of, lanes } = e
  if (of.kind === 'swizzle')
    return lanesOf(
      e.at,
      of.of,
      lanes.map((i) => of.lanes[i] as number),
    )
  if (of.type === e.type && lanes.every((lane, i) => lane === i)) return of
  if (of.kind === 'construct' && lanes.length === 1) {
    const [first] = of.args
    if (of.args.length === 1 && first && isValueName(first.type) && isScalar(first.type)) return first
    let lane = lanes[0] as number
    for (const a of of.args) {
      const count = factsOf(a.type as ValueName).rows
      if (lane < count) return count === 1 ? a : lanesOf(e.at, a, [lane])
      lane -= count
    }
  }
  return e
}
