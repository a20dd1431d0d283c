import type { Expr } from '../../ir'
import type { Context } from '../context'
import type { Facts } from './facts'

/** The greatest value that an index can have, as far as its expression tells; ∞ where it does not. */
export function upperBound(e: Expr, facts: Facts, context: Context): number {
  const of = (x: Expr | undefined): number => (x ? upperBound(x, facts, context) : Infinity)
  switch (e.kind) {
    case 'const':
      return (e.lanes[0] ?? -1) >= 0 ? (e.lanes[0] as number) : Infinity
    case 'convert':
    case 'bitcast':
      return e.arg.type === 'bool' ? 1 : of(e.arg) < 2 ** 31 ? of(e.arg) : Infinity
    case 'builtin':
    case 'swizzle':
      return builtinBound(e, facts, context)
    case 'result': {
      const by = facts.maker(e)
      if (by?.kind === 'let') return of(by.value)
      return by?.kind === 'range' && by.step.kind === 'const' && (by.step.lanes[0] ?? 0) > 0 ? of(by.end) - 1 : Infinity
    }
    case 'op': {
      const bound = opBound(e, of)
      return bound < 2 ** 32 ? bound : Infinity
    }
    default:
      return Infinity
  }
}

function builtinBound(e: Expr, facts: Facts, context: Context): number {
  const found = facts.builtin(e)
  const size = context.kernel.workgroupSize.map((extent) => (typeof extent === 'number' ? extent : Infinity))
  if (found?.name === 'local_invocation_index') return size.reduce((a, b) => a * b, 1) - 1
  if (found?.name !== 'local_invocation_id' || e.kind !== 'swizzle' || e.lanes.length !== 1) return Infinity
  return (size[e.lanes[0] ?? 0] ?? Infinity) - 1
}

function opBound(e: Extract<Expr, { kind: 'op' }>, of: (x: Expr | undefined) => number): number {
  const [x, y, z] = e.args
  switch (e.op) {
    case 'add':
      return of(x) + of(y)
    case 'mul':
      return of(x) * of(y)
    case 'min':
    case 'bitAnd':
      return Math.min(of(x), of(y))
    case 'max':
    case 'select':
      return Math.max(of(x), of(y))
    case 'clamp':
      return Math.min(Math.max(of(x), of(y)), of(z))
    case 'rem':
      return Math.min(of(x), y?.kind === 'const' && (y.lanes[0] ?? 0) > 0 ? (y.lanes[0] as number) - 1 : Infinity)
    case 'div':
      return y?.kind === 'const' && (y.lanes[0] ?? 0) > 0 ? Math.floor(of(x) / (y.lanes[0] as number)) : of(x)
    case 'shr':
      return y?.kind === 'const' ? Math.floor(of(x) / 2 ** (y.lanes[0] ?? 0)) : of(x)
    case 'shl':
      return y?.kind === 'const' ? of(x) * 2 ** (y.lanes[0] ?? 0) : Infinity
    case 'bitOr':
    case 'bitXor':
      return 2 ** Math.ceil(Math.log2(Math.max(of(x), of(y)) + 1)) - 1
    default:
      return Infinity
  }
}
