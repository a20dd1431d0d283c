import type { Const, Expr } from '../ir'
import {
  isMatrix,
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
import { fail, type Session } from './context'
import { isHandle, STATE } from './handle'
import { read } from './read'

/** From what authors write where a value is expected — a handle, a number, a boolean — to an expression. */

const RANGE: Record<'i32' | 'u32', readonly [number, number]> = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
}

/** Checks that a JavaScript number has a value of the scalar type, and rounds floats to it. */
export function literal(scalar: ScalarName, x: unknown): number {
  if (scalar === 'bool') {
    if (typeof x === 'boolean') return x ? 1 : 0
    return fail('bad-literal', `${describe(x)} is not a bool`, 'write true or false, or compare: x.ne(0)')
  }
  if (typeof x !== 'number') return fail('type-mismatch', `${describe(x)} is given where ${scalar} is expected`)
  if (scalar === 'i32' || scalar === 'u32') {
    const [low, high] = RANGE[scalar]
    if (!Number.isInteger(x) || x < low || x > high) {
      return fail(
        'bad-literal',
        `${x} is not a value of ${scalar}`,
        `${scalar} holds the integers from ${low} to ${high}`,
      )
    }
    return x === 0 ? 0 : x
  }
  const rounded = scalar === 'f32' ? Math.fround(x) : roundF16(x)
  if (Number.isFinite(x) && !Number.isFinite(rounded)) {
    return fail(
      'bad-literal',
      `${x} is beyond the range of ${scalar}`,
      `the greatest ${scalar} is ${scalar === 'f32' ? '3.4028234663852886e38' : '65504'}; for infinity write ${scalar}(Infinity)`,
    )
  }
  return rounded
}

export const describe = (x: unknown): string =>
  isHandle(x)
    ? `an expression of type ${x.type}`
    : typeof x === 'string'
      ? `the string ${JSON.stringify(x)}`
      : typeof x === 'function'
        ? `the function ${x.name || '(anonymous)'}`
        : x === null || typeof x !== 'object'
          ? `${String(x)}`
          : Array.isArray(x)
            ? 'an array'
            : `an object (${Object.keys(x).slice(0, 4).join(', ')})`

/** The constant of value type `type` with all lanes `x`. */
export function constant(type: ValueName, x: unknown): Const {
  const value = literal(scalarOf(type), x)
  const lanes = laneCount(type)
  return Object.freeze({ kind: 'const', type, lanes: lanes === 1 ? [value] : new Array<number>(lanes).fill(value) })
}

export const splat = (type: ValueName, scalar: Expr, at: number): Expr =>
  scalar.kind === 'const'
    ? Object.freeze({ kind: 'const', type, lanes: new Array<number>(laneCount(type)).fill(scalar.lanes[0] ?? 0) })
    : Object.freeze({ kind: 'construct', at, type, args: [scalar] })

/** `value` as an expression of exactly `type`: numbers are lifted, scalars splatted to vectors. */
export function lift(value: unknown, type: Type, session: Session | null, what: string): Expr {
  if (isHandle(value)) {
    const given = value.type
    if (typeof type === 'string' ? given === type : sameType(value[STATE].type, type)) return read(value, session)
    if (typeof type === 'string' && isVector(type) && given === scalarOf(type))
      return splat(type, read(value, session), session?.at() ?? -1)
    return fail('type-mismatch', `${what} must be ${spell(type)}, and is ${given}`, convertNote(type, given))
  }
  if (typeof type === 'string' && !isMatrix(type)) {
    if (typeof value === 'number' || typeof value === 'boolean') return constant(type, value)
  }
  const composed = typeof type === 'string' ? null : compose(value, type, session, what)
  if (composed) return composed
  return fail('type-mismatch', `${what} must be ${spell(type)}, and is ${describe(value)}`)
}

/** A struct from an object of its fields, an array from a list of its elements. */
function compose(value: unknown, type: Exclude<Type, string>, session: Session | null, what: string): Expr | null {
  if (typeof value !== 'object' || value === null) return null
  let args: readonly Expr[] | null = null
  if (type.kind === 'struct' && !Array.isArray(value)) {
    const given = value as Readonly<Record<string, unknown>>
    const unknown = Object.keys(given).find((name) => !type.fields.some((f) => f.name === name))
    if (unknown !== undefined)
      fail(
        'unknown-name',
        `${what} has a field '${unknown}', which ${type.name} does not`,
        `its fields: ${type.fields.map((f) => f.name).join(', ')}`,
      )
    args = type.fields.map((f) => lift(given[f.name], f.type, session, `the field '${f.name}' of ${what}`))
  } else if (type.kind === 'array' && Array.isArray(value) && value.length === type.count) {
    args = value.map((x, i) => lift(x, type.of, session, `element ${i} of ${what}`))
  }
  return args && Object.freeze({ kind: 'construct', at: session?.at() ?? -1, type, args })
}

function convertNote(type: Type, given: string): string | undefined {
  if (typeof type !== 'string' || !/^(f32|f16|i32|u32|bool|vec|mat)/.test(given)) return undefined
  return `convert it: ${type}(x)`
}

/** An index: a u32 or i32 expression, or a JavaScript integer ≥ 0 (below `count`, where that is known). */
export function liftIndex(index: unknown, count: number | null, session: Session | null, what: string): Expr {
  if (typeof index === 'number') {
    if (!Number.isInteger(index) || index < 0 || (count !== null && index >= count)) {
      return fail(
        'bad-index',
        `${index} is not an index of ${what}`,
        count === null ? 'indices are integers from 0 on' : `indices are the integers from 0 to ${count - 1}`,
      )
    }
    return constant('u32', index)
  }
  if (isHandle(index)) {
    if (index.type === 'u32' || index.type === 'i32') return read(index, session)
    return fail(
      'bad-index',
      `an index of ${what} is ${index.type}`,
      isFloatName(index.type) ? 'convert it: u32(x)' : 'indices are u32 or i32',
    )
  }
  return fail('bad-index', `${describe(index)} is not an index of ${what}`)
}

const isFloatName = (t: string): boolean => t === 'f32' || t === 'f16'
