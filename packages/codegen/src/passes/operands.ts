import {
  type Const,
  construct,
  type Expr,
  isInt,
  isValueName,
  type Op,
  type PureName,
  scalarOf,
  swizzle,
  type ValueName,
} from '@weft/dsl/ir'
import { foldExpr } from './fold'
import { constOf, opOf } from './nodes'

/** What a value is where that is known: a constant, or what a `let` gives a name. */
export type Known = (e: Expr) => Const | null

/**
 * Compilers look through a `let`: naga refuses a shift by 32 or more and a division by 0 also where the operand is the
 * name of a constant. The language defines both at run time, so the constant is replaced by one that gives the same:
 * the amount modulo 32; a divisor of 1, since x / 0 is x and x % 0 is 0.
 */
export function definedOperands(e: Op, known: Known): Expr {
  const harmless = HARMLESS[e.op]
  if (!harmless || !isInt(e.type)) return e
  const [x, y] = e.args as [Expr, Expr]
  const c = known(y)
  if (c === null) return e
  const lanes = c.lanes.map(harmless)
  if (lanes.every((n, i) => n === c.lanes[i])) return e
  return foldExpr(opOf(e.at, e.op as PureName, x, constOf(c.type, lanes)))
}

const amount = (n: number): number => n & 31
const divisor = (n: number): number => (n === 0 ? 1 : n)
const HARMLESS: Readonly<Partial<Record<Op['op'], (n: number) => number>>> = {
  shl: amount,
  shr: amount,
  div: divisor,
  rem: divisor,
}

/** The constant that an expression is, given those that names stand for. */
export function knownConstant(e: Expr, names: ReadonlyMap<number, Const>): Const | null {
  switch (e.kind) {
    case 'const':
      return e
    case 'result':
      return names.get(e.id) ?? null
    case 'construct': {
      if (!isValueName(e.type) || scalarOf(e.type) === 'bool') return null
      const parts = e.args.map((a) => knownConstant(a, names))
      return parts.every((p) => p !== null) ? constOf(e.type as ValueName, construct(e.type, parts)) : null
    }
    case 'swizzle': {
      const of = knownConstant(e.of, names)
      return of && constOf(e.type, swizzle(of, e.lanes))
    }
    default:
      return null
  }
}
