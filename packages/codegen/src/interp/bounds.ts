import { type Cases, type Expr, type Op, type Range, type Stmt, scalarOf, type ValueName } from '@weft/dsl/ir'
import { forEach, type Unit } from './unit'

/** The greatest value that an unsigned integer can have, as far as a look at its expression tells. */
export type Bounds = (e: Expr) => number

const ANY = 2 ** 32 - 1

export function boundsOf(
  unit: Pick<Unit, 'body' | 'calls' | 'size' | 'count' | 'subgroupSize' | 'subgroups' | 'overrides'>,
): Bounds {
  const definitions = new Map<number, Stmt>()
  forEach(unit.body, unit.calls, (s) => {
    if (s.kind === 'let') definitions.set(s.result.id, s)
    if (s.kind === 'range') definitions.set(s.index.id, s)
  })
  const memo = new Map<Expr, number>()
  const bound: Bounds = (e) => {
    const known = memo.get(e)
    if (known !== undefined) return known
    const found = e.type === 'u32' ? Math.min(BOUND[e.kind](e as never, bound), ANY) : ANY
    memo.set(e, found)
    return found
  }
  const any = (): number => ANY
  const BOUND: Cases<Expr, number, [Bounds]> = {
    const: (e) => e.lanes[0] ?? ANY,
    builtin: (e) => scalars(unit)[e.name] ?? ANY,
    override: (e) => unit.overrides[e.name] ?? ANY,
    result: (e) => definition(definitions.get(e.id), bound),
    op: (e) => operation(e, bound),
    swizzle: (e) =>
      e.of.kind === 'builtin' && e.of.name === 'local_invocation_id' ? (unit.size[e.lanes[0] ?? 0] ?? 1) - 1 : ANY,
    convert: (e) => (scalarOf(e.arg.type as ValueName) === 'bool' ? 1 : ANY),
    param: any,
    constant: any,
    argument: any,
    construct: any,
    bitcast: any,
    index: any,
    member: any,
    length: any,
  }
  return bound
}

const scalars = (unit: Pick<Unit, 'count' | 'subgroupSize' | 'subgroups'>): Readonly<Record<string, number>> => ({
  local_invocation_index: unit.count - 1,
  subgroup_invocation_id: unit.subgroupSize - 1,
  subgroup_size: unit.subgroupSize,
  subgroup_id: unit.subgroups - 1,
  num_subgroups: unit.subgroups,
})

/** A range stays below its end. */
function definition(s: Stmt | undefined, bound: Bounds): number {
  if (s?.kind === 'let') return bound(s.value)
  return s?.kind === 'range' ? Math.max(bound((s as Range).end) - 1, 0) : ANY
}

/** A sum or product that may exceed the type wraps, and so can be anything: the caller takes the minimum with that. */
function operation(e: Op, bound: Bounds): number {
  const [a, b] = e.args.map(bound)
  if (a === undefined || b === undefined) return ANY
  const divisor = e.args[1]?.kind === 'const' ? b : 0
  switch (e.op) {
    case 'add':
      return a + b
    case 'mul':
      return a * b
    case 'div':
      return divisor > 0 ? Math.floor(a / divisor) : a
    case 'rem':
      return divisor > 0 ? Math.min(a, divisor - 1) : a
    case 'bitAnd':
    case 'min':
      return Math.min(a, b)
    case 'max':
    case 'select':
      return Math.max(a, b)
    case 'shr':
      return e.args[1]?.kind === 'const' ? a >>> b : a
    default:
      return ANY
  }
}
