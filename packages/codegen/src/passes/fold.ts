import {
  bitcast,
  type Const,
  construct,
  convert,
  type Expr,
  element,
  evaluate,
  factsOf,
  isFloat,
  isValueName,
  swizzle,
  type ValueName,
} from '@weft/dsl/ir'
import { constOf } from './nodes'

/** An expression of constants is its value, as long as that is finite: ∞ and NaN are left to run time. */
export function foldExpr(e: Expr): Expr {
  switch (e.kind) {
    case 'op':
      return allConst(e.args) ? value(e.type, evaluate(e.op, e.type, e.args), e) : e
    case 'construct':
      return isValueName(e.type) && allConst(e.args) ? value(e.type, construct(e.type, e.args), e) : e
    case 'convert':
      return e.arg.kind === 'const' && e.arg.lanes.every(Number.isFinite) ? value(e.type, convert(e.type, e.arg), e) : e
    case 'bitcast':
      return e.arg.kind === 'const' && e.arg.lanes.every(Number.isFinite) ? value(e.type, bitcast(e.type, e.arg), e) : e
    case 'swizzle':
      return e.of.kind === 'const' ? constOf(e.type, swizzle(e.of, e.lanes)) : e
    case 'index': {
      if (e.of.kind !== 'const' || e.index.kind !== 'const' || !isValueName(e.type) || factsOf(e.of.type).rows === 1)
        return e
      const lanes = element(e.of, e.index.lanes[0] ?? 0)
      return lanes ? constOf(e.type, lanes) : e
    }
    default:
      return e
  }
}

function allConst(args: readonly Expr[]): args is readonly Const[] {
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as Expr
    if (a.kind !== 'const' || !a.lanes.every(Number.isFinite)) return false
  }
  return true
}

const value = (type: ValueName, lanes: readonly number[], otherwise: Expr): Expr =>
  isFloat(type) && !lanes.every(Number.isFinite) ? otherwise : constOf(type, lanes)
