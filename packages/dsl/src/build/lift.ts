import type { Const, Expr } from '../ir'
import { MAX_F16, MAX_F32 } from '../ops/refuse'
import {
  isMatrix,
  isValueName,
  isVector,
  laneCount,
  roundF16,
  type ScalarName,
  sameType,
  scalarOf,
  spell,
  type Type,
  type ValueName,
} from '../types'
import { fail } from './fail'
import { describe, expected, Handle, isHandle, isList, isPlain, read, STATE, valueState } from './handle'
import { NOWHERE, type Session } from './session'

/** From what authors write where a value is expected — a handle, a number, a boolean, a list — to an expression. */

const GREATEST = { i32: 2 ** 31 - 1, u32: 2 ** 32 - 1, f32: MAX_F32, f16: MAX_F16 } as const

/** The lane of a scalar type for a JavaScript value: numbers must be in its range, and floats are rounded to it. */
export function literal(scalar: ScalarName, x: unknown): number {
  if (scalar === 'bool') {
    if (typeof x === 'boolean') return x ? 1 : 0
    return expected('bad-literal', 'a bool', 'true or false', x, 'compare numbers: x.ne(0)')
  }
  if (typeof x !== 'number') return expected('type-mismatch', 'a value', scalar, x)
  const high = GREATEST[scalar]
  const low = scalar === 'u32' ? 0 : scalar === 'i32' ? -high - 1 : -high
  const integer = scalar === 'i32' || scalar === 'u32'
  // an integer has no negative zero
  const value = integer ? x + 0 : scalar === 'f32' ? Math.fround(x) : roundF16(x)
  const fits = integer ? Number.isInteger(x) && x >= low && x <= high : Number.isFinite(value) || !Number.isFinite(x)
  if (fits) return value
  const holds = `${scalar} holds ${integer ? 'integers' : 'numbers'} from ${low} to ${high}`
  const note = integer ? holds : `${holds}; for infinity write ${scalar}(Infinity)`
  return fail('bad-literal', `${x} is not a value of ${scalar}`, note)
}

/** Small integers stand in every kernel: their constants are made once, for all of them. */
const small: { [T in ValueName]?: Const[] } = {}
const isSmall = (x: unknown): x is number =>
  typeof x === 'number' && x >= 0 && x < 64 && Number.isInteger(x) && 1 / x > 0

/** The constant of value type `type` with all lanes `x`. */
export function constant(type: ValueName, x: unknown): Const {
  if (!isSmall(x)) return filled(type, literal(scalarOf(type), x))
  const made = (small[type] ??= [])
  return (made[x] ??= filled(type, literal(scalarOf(type), x)))
}

const filled = (type: ValueName, lane: number): Const => constantOf(type, new Array<number>(laneCount(type)).fill(lane))

export const constantOf = (type: ValueName, lanes: readonly number[]): Const =>
  Object.freeze({ kind: 'const', type, lanes: Object.freeze(lanes) })

/** The handle of a constant: it belongs to no kernel. */
export const constantHandle = (node: Const): Handle => new Handle(valueState(node, NOWHERE, 'a constant'))

export const splat = (type: ValueName, scalar: Expr, session: Session): Expr =>
  scalar.kind === 'const'
    ? filled(type, scalar.lanes[0] as number)
    : Object.freeze({ kind: 'construct', at: session.at(), type, args: [scalar] })

/** What leaves a value undefined. */
export const NOTHING = 'a misspelled name? a body in braces gives a value only by return'

/** `value` as an expression of exactly `type`: numbers are lifted, scalars splatted; lists and objects are put together. */
export function lift(value: unknown, type: Type, session: Session, what: string): Expr {
  const simple = typeof type === 'string'
  let note: string | undefined
  if (isHandle(value)) {
    const given = value[STATE].type
    if (simple ? given === type : sameType(given, type)) return read(value, session)
    if (simple && isVector(type) && given === scalarOf(type)) return splat(type, read(value, session), session)
    if (simple && isValueName(given)) note = `convert it: ${type}(x)`
  } else if (!simple) {
    const args = parts(value, type, session, what)
    if (args) return Object.freeze({ kind: 'construct', at: session.at(), type, args })
  } else if (isList(value)) {
    const scalar = scalarOf(type)
    if (value.length === laneCount(type))
      return constantOf(
        type,
        Array.from(value, (x) => literal(scalar, x)),
      )
  } else if (isPlain(value) && !isMatrix(type)) return constant(type, value)
  if (value === undefined) note = NOTHING
  return expected('type-mismatch', what, spell(type), value, note)
}

/** The fields of a struct from an object, the elements of an array from a list; null where `value` is neither. */
function parts(value: unknown, type: Exclude<Type, string>, session: Session, what: string): readonly Expr[] | null {
  if (typeof value !== 'object' || value === null) return null
  if (type.kind === 'array' && isList(value) && value.length === type.count)
    return Array.from(value, (x, i) => lift(x, type.of, session, `element ${i} of ${what}`))
  if (type.kind !== 'struct' || Array.isArray(value)) return null
  const given = value as Readonly<Record<string, unknown>>
  const names = type.fields.map((f) => f.name)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    fail(
      'unknown-name',
      `${what} has a field '${unknown}', which ${type.name} does not`,
      `its fields: ${names.join(', ')}`,
    )
  return type.fields.map((f) => lift(given[f.name], f.type, session, `the field '${f.name}' of ${what}`))
}

/** An index: a u32 or i32 expression, or a JavaScript integer ≥ 0 (below `count`, where that is known). */
export function liftIndex(index: unknown, count: number | null, session: Session, what: string): Expr {
  if (isHandle(index)) {
    const { type } = index[STATE]
    if (type === 'u32' || type === 'i32') return read(index, session)
  } else if (typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < (count ?? Infinity))
    return constant('u32', index)
  return fail(
    'bad-index',
    `${describe(index)} is not an index of ${what}`,
    `an index is a u32 (u32(x) converts), an i32 or an integer from 0 ${count === null ? 'on' : `to ${count - 1}`}`,
  )
}

/** Whether an expression is made of constants alone, as that of a constant of the module must be. */
export const isConstant = (node: Expr): boolean =>
  node.kind === 'const' || (node.kind === 'construct' && node.args.every(isConstant))

/** The expression of `x`, which must be a handle or a boolean: a number has no type here. */
export function typed(x: unknown, session: Session, what: string): Expr {
  if (isHandle(x)) return read(x, session)
  if (typeof x === 'boolean') return constant('bool', x)
  if (typeof x !== 'number')
    return expected('bad-argument', what, 'an expression', x, x === undefined ? NOTHING : undefined)
  return fail('untyped-number', `${what} is the number ${x}, which has no type`, `give it one: f32(${x}), u32(${x}), …`)
}

const IDENTIFIER = /^[\p{XID_Start}_][\p{XID_Continue}]*$/u

/** Names may be any identifier, reserved words included: the emitter renames those. */
export function checkName(name: unknown, what: string): string {
  if (typeof name === 'string' && IDENTIFIER.test(name)) return name
  return fail(
    'bad-name',
    `${describe(name)} is not a name for ${what}`,
    'a name starts with a letter or _ and goes on with letters, digits and _',
  )
}
