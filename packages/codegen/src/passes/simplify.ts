import {
  type Expr,
  factsOf,
  isInt,
  isValueName,
  type Op,
  type PureName,
  type ScalarName,
  VALUE_NAMES,
  type ValueName,
} from '@weft/dsl/ir'
import { foldExpr } from './fold'
import { isConstant, LAWS, type Law, type Term } from './laws'
import { bitcastTo, convertTo, lanesOf, opOf, splatConst, uniformLane } from './nodes'

/**
 * Rewrites by the laws of `laws.ts`, and undoes conversions and swizzles that cancel out: one step. What becomes
 * constant by that is folded even where other constants are not: as it stands, compilers may refuse it.
 */
export function simplifyExpr(e: Expr): Expr {
  const folded = foldExpr(e)
  if (folded !== e) return folded
  switch (e.kind) {
    case 'op':
      return byLaws(e)
    case 'convert':
      return unconvert(e)
    case 'bitcast':
      return e.arg.type === e.type ? e.arg : e.arg.kind === 'bitcast' ? bitcastTo(e.at, e.type, e.arg.arg) : e
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
  float: ['f32', 'f16'],
  number: ['f32', 'f16', 'i32', 'u32'],
  signed: ['f32', 'f16', 'i32'],
  bool: ['bool'],
  any: ['bool', 'f16', 'f32', 'i32', 'u32'],
}

/** Laws by op, then by the type of the first operand. */
const INDEX: Record<string, Record<string, Law[]>> = {}
for (const law of LAWS) {
  const byType = (INDEX[law.left[0]] ??= {})
  for (const type of VALUE_NAMES) {
    const { scalar, cols } = factsOf(type)
    if (cols === 1 && SCALARS[law.on].includes(scalar)) (byType[type] ??= []).push(law)
  }
}

function byLaws(e: Op): Expr {
  const laws = INDEX[e.op]?.[e.args[0]?.type as string]
  if (!laws) return e
  const shape = shapeOf(e)
  for (let i = 0; i < laws.length; i++) {
    const law = laws[i] as Law
    const found = (law.shape & ~shape) === 0 && isOf(law.left[1], e.args[0]) ? applyLaw(law, e) : null
    if (found) return found
  }
  return e
}

/** Whether an operand may be what a law says: most are another operation. */
const isOf = (term: Term | undefined, e: Expr | undefined): boolean =>
  typeof term !== 'object' || (e?.kind === 'op' && e.op === term[0])

/** Which operands are constants and which are operations, as in `Law.shape`. */
function shapeOf({ args }: Op): number {
  let shape = args[0] === args[1] ? 1 : 0
  for (let i = 0; i < args.length; i++) {
    const { kind } = args[i] as Expr
    if (kind === 'const') shape |= 2 << i
    else if (kind === 'op') shape |= 16 << i
  }
  return shape
}

type Found = Record<string, Expr>

/** What a law makes of an expression, or null where it does not hold. */
export function applyLaw({ left, right, where }: Law, e: Op): Expr | null {
  const found: Found = {}
  if (!matches(left, e, found)) return null
  const constants = Object.keys(found).filter(isConstant)
  if (!where(...constants.map((letter) => uniformLane(found[letter] as Expr) as number))) return null
  return typeof right === 'number' ? splatConst(e.type, right) : build(right, found, e.at)
}

function matches(term: Term, e: Expr, found: Found): boolean {
  if (typeof term === 'object') {
    if (e.kind !== 'op' || e.op !== term[0]) return false
    for (let i = 0; i < e.args.length; i++) if (!matches(term[i + 1] as Term, e.args[i] as Expr, found)) return false
    return true
  }
  const lane = uniformLane(e)
  if (typeof term === 'number') return Object.is(lane, term)
  if (lane === null && isConstant(term)) return false
  const known = (found[term] ??= e)
  return known === e || (lane !== null && Object.is(uniformLane(known), lane))
}

function build(term: string | readonly [Op['op'], ...Term[]], found: Found, at: number): Expr {
  if (typeof term === 'string') return found[term] as Expr
  const [op, ...operands] = term
  return foldExpr(opOf(at, op as PureName, ...operands.map((o) => (typeof o === 'number' ? o : build(o, found, at)))))
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
    let lane = lanes[0] as number
    for (const part of of.args) {
      const { rows } = factsOf(part.type as ValueName)
      if (rows === 1 && (lane === 0 || of.args.length === 1)) return part
      if (lane < rows) return lanesOf(e.at, part, [lane])
      lane -= rows
    }
  }
  return e
}
