import { bitcast, type Const, construct, convert, type Expr, element, evaluate, swizzle } from '@weft/dsl/ir'
import { constOf } from './nodes'

/** An expression of constants is its value, as long as that is finite: ∞ and NaN are left to run time. */
export function foldExpr(e: Expr): Expr {
  switch (e.kind) {
    case 'op':
      return areFinite(e.args) ? finite(e, evaluate(e.op, e.type, e.args)) : e
    case 'construct':
      return typeof e.type === 'string' && areFinite(e.args) ? constOf(e.type, construct(e.type, e.args)) : e
    case 'convert':
      return areFinite([e.arg]) ? finite(e, convert(e.type, e.arg as Const)) : e
    case 'bitcast':
      return areFinite([e.arg]) ? finite(e, bitcast(e.type, e.arg as Const)) : e
    case 'swizzle':
      return e.of.kind === 'const' ? constOf(e.type, swizzle(e.of, e.lanes)) : e
    case 'index': {
      const lanes = e.of.kind === 'const' && e.index.kind === 'const' && element(e.of, e.index.lanes[0] as number)
      return lanes ? constOf(e.type as Const['type'], lanes) : e
    }
    default:
      return e
  }
}

function areFinite(args: readonly Expr[]): args is readonly Const[] {
  for (let i = 0; i < args.length; i++) {
    const a = args[i] as Expr
    if (a.kind !== 'const' || !a.lanes.every(Number.isFinite)) return false
  }
  return true
}

const finite = (e: Expr, lanes: readonly number[]): Expr =>
  lanes.every(Number.isFinite) ? constOf(e.type as Const['type'], lanes) : e
