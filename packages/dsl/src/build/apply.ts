import type { Expr } from '../ir'
import { canBitcast, PURE, type PureName, productType, type Row, type Slot, slotType } from '../ops'
import { isMatrix, isValueName, isVector, laneCount, scalarOf, type ValueName } from '../types'
import { fail, type Session } from './context'
import { exprState, Handle, isHandle, type Owner, ownerOf } from './handle'
import { constant, describe, splat } from './lift'
import { read } from './read'

/** Building operations: overload resolution by the row, numbers lifted to the type of their partners. */

/** Result types by op and `T`; null where the row does not range over `T`. */
const results = new Map<PureName, Map<ValueName, ValueName | null>>()

/** The type of the result when `T` is `t`; the operands were already made to fit their slots. */
function resultType(op: PureName, row: Row, t: ValueName): ValueName | null {
  let byType = results.get(op)
  if (!byType) results.set(op, (byType = new Map()))
  let found = byType.get(t)
  if (found === undefined) {
    found = row.over.length === 0 || row.over.includes(t) ? slotType(row.out, t) : null
    byType.set(t, found)
  }
  return found
}

/** The type that `T` stands for: of the operands in its slots, the one with most lanes. */
function overloadType(op: PureName, row: Row, args: readonly unknown[]): ValueName {
  let t: ValueName | null = null
  for (let i = 0; i < args.length; i++) {
    const slot = row.in[i]
    const arg = args[i]
    if ((slot !== 'T' && slot !== 'TS') || !isHandle(arg)) continue
    const given = arg.type
    if (!isValueName(given)) return noOverload(op, row, args)
    if (t === null || laneCount(given) > laneCount(t)) t = given
  }
  if (t !== null) return t
  if (!row.in.some((slot) => slot === 'T' || slot === 'TS')) return 'u32'
  return args.every((a) => typeof a === 'number' || typeof a === 'boolean')
    ? fail(
        'untyped-number',
        `${op}(${args.join(', ')}) has no operand with a type`,
        `give one a type: ${op}(f32(${args.join('), f32(')}))`,
      )
    : noOverload(op, row, args)
}

export function apply(op: PureName, args: readonly unknown[]): Handle {
  const row: Row = PURE[op]
  if (args.length !== row.in.length) {
    fail(
      'no-overload',
      `${op} takes ${row.in.length} argument${row.in.length === 1 ? '' : 's'}, and was given ${args.length}`,
    )
  }
  const owner = ownerOf(args)
  const { session } = owner
  const t = overloadType(op, row, args)
  if ((op === 'mul' || op === 'div') && args.some((a) => isHandle(a) && isValueName(a.type) && isMatrix(a.type))) {
    return product(op, args, owner)
  }
  const lifted: Expr[] = []
  for (let i = 0; i < args.length; i++) lifted.push(liftSlot(op, row, row.in[i] as Slot, t, args, i, session))
  const type = resultType(op, row, t) ?? noOverload(op, row, args)
  return operation(Object.freeze({ kind: 'op', at: session?.at() ?? -1, type, op, args: lifted }), owner, op)
}

function liftSlot(
  op: PureName,
  row: Row,
  slot: Slot,
  t: ValueName,
  args: readonly unknown[],
  i: number,
  session: Session | null,
): Expr {
  const arg = args[i]
  const type = slotType(slot, t)
  if (!isHandle(arg)) {
    if ((typeof arg !== 'number' && typeof arg !== 'boolean') || isMatrix(type)) return noOverload(op, row, args)
    return slot === 'TS'
      ? constant(laneCount(t) > 1 ? scalarOf(t) : t, arg)
      : slot === 'BS'
        ? constant('bool', arg)
        : constant(type, arg)
  }
  const given = arg.type
  if (given === type || (slot === 'TS' && given === scalarOf(t)) || (slot === 'BS' && given === 'bool'))
    return read(arg, session)
  const splattable = slot === 'T' || slot === 'U' || slot === 'I'
  if (splattable && isVector(type) && given === scalarOf(type))
    return splat(type, read(arg, session), session?.at() ?? -1)
  return noOverload(op, row, args)
}

/** Wraps an operation and remembers it, so that one that nothing uses is reported. */
export function operation(node: Expr, owner: Owner, what: string): Handle {
  const at = 'at' in node ? node.at : 0
  const state = exprState(node, owner, at, what)
  owner.session?.operations.push(state)
  return new Handle(state)
}

function product(op: PureName, args: readonly unknown[], owner: Owner): Handle {
  const { session } = owner
  const partner = args.find((a): a is Handle => isHandle(a)) as Handle
  const [a, b] = args.map((x) => (isHandle(x) ? read(x, session) : constant(scalarOf(partner.type), x)))
  if (!a || !b || op === 'div') return noOverload(op, PURE[op], args)
  const type = productType(a.type as ValueName, b.type as ValueName) ?? noOverload(op, PURE[op], args)
  return operation(
    Object.freeze({ kind: 'op', at: session?.at() ?? -1, type, op: 'product', args: [a, b] }),
    owner,
    'mul',
  )
}

function noOverload(op: string, row: Row, args: readonly unknown[]): never {
  const given = args.map((a) => (isHandle(a) ? a.type : describe(a))).join(', ')
  const over = row.over.length > 6 ? `${row.over.slice(0, 5).join(', ')}, …` : row.over.join(', ')
  const where = row.over.length > 0 ? ` where T is ${over}` : ''
  return fail(
    'no-overload',
    `${op}(${given}) does not exist`,
    `${op}(${row.in.join(', ')}) gives ${row.out}${where}; convert operands with f32(x), u32(x), …`,
  )
}

/** The bits of `x` as another type of the same size. */
export function bitcast(to: ValueName, x: unknown): Handle {
  if (!isHandle(x) || !isValueName(x.type) || !canBitcast(to, x.type)) {
    return fail(
      'no-overload',
      `bitcast to ${to} of ${describe(x)} does not exist`,
      'both types must have the same number of bits, and none may be a bool or a matrix',
    )
  }
  const owner = ownerOf([x])
  return operation(
    Object.freeze({ kind: 'bitcast', at: owner.session?.at() ?? -1, type: to, arg: read(x, owner.session) }),
    owner,
    'bitcast',
  )
}
