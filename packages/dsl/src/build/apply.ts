import type { Bitcast, Convert, Expr } from '../ir'
import { canBitcast, PURE, type PureName, productType, type Row, resolve, slotType } from '../ops'
import { isMatrix, isValueName, isVector, laneCount, scalarOf, type ValueName } from '../types'
import { fail } from './fail'
import { checkCount, Handle, homeOf, isHandle, isPlain, noForm, read, STATE, valueState } from './handle'
import { constant, NOTHING, splat } from './lift'
import { NOWHERE, type OpenBlock } from './session'

/** Building operations: overload resolution by the row, numbers lifted to the type of their partners. */

/** The type of an operand; null is a JavaScript number or boolean, which takes the type that is wanted. */
type Given = ValueName | null

/** How an op applies to operands of certain types. */
interface Overload {
  readonly op: PureName | 'product'
  readonly type: ValueName
  /** What each operand must be made: numbers are lifted to it, scalars splatted. */
  readonly wanted: readonly ValueName[]
}

/** The overloads of an op that were asked for so far, as a tree: by the type of each operand in turn. */
class Choice {
  overload: Overload | null | undefined
  readonly next = new Map<Given, Choice>()
}
const choices = new Map<PureName, Choice>()

function next<K>(known: Map<K, Choice>, key: K): Choice {
  let found = known.get(key)
  if (!found) known.set(key, (found = new Choice()))
  return found
}

export function apply(name: PureName, operands: readonly unknown[]): Handle {
  const { op, type, wanted } = overloadOf(name, operands)
  const home = homeOf(operands)
  const { session } = home
  const args = operands.map((operand, i): Expr => {
    const want = wanted[i] as ValueName
    if (!isHandle(operand)) return constant(want, operand)
    const node = read(operand, session)
    return operand[STATE].type === want ? node : splat(want, node, session)
  })
  return operation({ kind: 'op', at: session.at(), type, op, args }, home, op)
}

function overloadOf(op: PureName, operands: readonly unknown[]): Overload {
  const row: Row = PURE[op]
  checkCount(op, row.in.length, operands)
  let choice = next(choices, op)
  for (const x of operands) {
    const type = isHandle(x) ? x[STATE].type : isPlain(x) ? null : undefined
    if (type !== null && typeof type !== 'string') return noOverload(op, row, operands)
    choice = next(choice.next, type)
  }
  if (choice.overload === undefined)
    choice.overload = choose(
      op,
      row,
      operands.map((x) => (isHandle(x) ? x.type : null)),
    )
  return choice.overload ?? noOverload(op, row, operands)
}

/** What `&` and `|` are on bools: ops of their own. */
const ON_BOOLS: { readonly [K in PureName]?: PureName } = { bitAnd: 'boolAnd', bitOr: 'boolOr' }

/** `T` stands for the type with most lanes among the operands in its slots. */
function choose(op: PureName, row: Row, given: readonly Given[]): Overload | null {
  let t: Given = row.over.length === 0 ? 'u32' : null
  row.in.forEach((slot, i) => {
    const type = given[i] as Given
    if (type !== null && (slot === 'T' || slot === 'TS') && (t === null || laneCount(type) > laneCount(t))) t = type
  })
  if (t === null) return null
  const whole: ValueName = t
  if (op === 'mul' && given.some((type) => type !== null && isMatrix(type))) {
    const wanted = given.map((type) => type ?? scalarOf(whole))
    const type = productType(wanted[0] as ValueName, wanted[1] as ValueName)
    return type && { op: 'product', type, wanted }
  }
  if (row.over.length > 0 && !row.over.includes(whole)) {
    const other = ON_BOOLS[op]
    return other ? choose(other, PURE[other], given) : null
  }
  const wanted = row.in.map((slot, i): ValueName => {
    const want = slotType(slot, whole)
    const type = given[i] as Given
    // `resolve` takes a scalar in slots that may be either
    const either = slot === 'TS' || slot === 'BS'
    if (type === null) return either ? scalarOf(want) : want
    return !either && isVector(want) && type === scalarOf(want) ? want : type
  })
  if (wanted.some((type, i) => given[i] === null && isMatrix(type))) return null
  const type = resolve(row, wanted)
  return type && { op, type, wanted }
}

/** Wraps an operation and remembers it, so that one that nothing uses is reported. */
export function operation(node: Expr, home: OpenBlock, label: string): Handle {
  const state = valueState(node, home, label)
  if (home !== NOWHERE) home.session.operations.push(state)
  return new Handle(state)
}

function noOverload(op: PureName, row: Row, operands: readonly unknown[]): never {
  if (operands.every(isPlain))
    fail(
      'untyped-number',
      `${op}(${operands.join(', ')}) has no operand with a type`,
      `give one a type: ${op}(f32(${operands.join('), f32(')}))`,
    )
  if (operands.includes(undefined)) noForm(op, operands, NOTHING)
  const over = row.over.length > 6 ? `${row.over.slice(0, 5).join(', ')}, …` : row.over.join(', ')
  return noForm(
    op,
    operands,
    `${op}(${row.in.join(', ')}) gives ${row.out}${over && ` where T is ${over}`}; convert operands with f32(x), u32(x), …`,
  )
}

/** The bits of `x` as another type of the same size. */
export function bitcast(to: ValueName, x: unknown): Handle {
  if (isHandle(x) && isValueName(x.type) && canBitcast(to, x.type)) return convert('bitcast', to, x, 'bitcast')
  return noForm(
    `bitcast<${to}>`,
    [x],
    'both types must have the same number of bits, and none may be a bool or a matrix',
  )
}

/** A value as another type: its bits, or lane by lane. */
export function convert(kind: 'bitcast' | 'convert', type: ValueName, x: Handle, label: string): Handle {
  const home = homeOf([x])
  const { session } = home
  const arg = read(x, session)
  const node: Convert | Bitcast = { kind, at: session.at(), type, arg }
  return operation(node, home, label)
}
