import { type Field, isKind, isValueName, spell, type Type } from '../types'
import { fail } from './fail'
import { describe, isCount } from './handle'

/**
 * From schemas to types. A schema is one of `typegpu/data` (`d.f32`, `d.struct({…})`, `d.arrayOf(…)`, …) or one of
 * weft's own tokens and types. TypeGPU's schemas are callable, so `.type` is looked at first.
 */

/** What a schema looks like, as far as it is read here. */
interface SchemaLike {
  readonly type?: unknown
  readonly inner?: unknown
  readonly elementType?: unknown
  readonly elementCount?: unknown
  readonly propTypes?: Readonly<Record<string, unknown>>
  readonly attribs?: readonly { readonly type?: string; readonly params?: readonly unknown[] }[]
}

/** Weft's composed types carry their IR type under this key. */
export const WEFT_TYPE: unique symbol = Symbol('weft type')

export function typeFrom(schema: unknown, what: string): Type {
  if (isValueName(schema)) return schema
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return refuse(schema, what)
  if (WEFT_TYPE in schema) return (schema as { readonly [WEFT_TYPE]: Type })[WEFT_TYPE]
  const s = schema as SchemaLike
  if (isValueName(s.type)) return s.type
  switch (s.type) {
    case 'array':
      return { kind: 'array', of: typeFrom(s.elementType, what), count: countOf(s.elementCount, what) }
    case 'struct':
      return structFrom(schema, s.propTypes ?? {}, what)
    case 'atomic': {
      const of = typeFrom(s.inner, what)
      if (of === 'i32' || of === 'u32') return { kind: 'atomic', of }
      return fail('bad-type', `${what} has an atomic of ${spell(of)}`, 'atomics are of i32 or u32')
    }
    case 'decorated':
      return typeFrom(s.inner, what)
    case undefined:
      return typeof schema === 'function' ? runtimeArray(schema as (n: number) => unknown, what) : refuse(schema, what)
    default:
      return fail('bad-type', `${what} has a schema of type '${String(s.type)}', which compute kernels do not have`)
  }
}

const refuse = (schema: unknown, what: string): never =>
  fail(
    'bad-type',
    `${what} has ${describe(schema)} where a type is expected`,
    'use a schema of typegpu/data (d.f32, d.arrayOf(d.f32), d.struct({…})) or a type of weft (f32, vec4f)',
  )

/** `d.arrayOf(T)` without a count is a function of the count: a runtime-sized array. */
function runtimeArray(schema: (n: number) => unknown, what: string): Type {
  let one: unknown
  try {
    one = schema(1)
  } catch {
    return refuse(schema, what)
  }
  const type = typeFrom(one, what)
  return isKind(type, 'array') ? { ...type, count: null } : type
}

function countOf(count: unknown, what: string): number | null {
  if (count === 0 || count === null) return null
  if (isCount(count)) return count
  return fail(
    'bad-type',
    `${what} has an array of ${describe(count)} elements`,
    'a count is a positive integer; leave it out for a runtime-sized array',
  )
}

/** The structs of the kernel that is being built: there each schema has one name, and no two have the same. */
interface StructNames {
  readonly types: Map<object, Type>
  readonly taken: Set<string>
}

let naming: StructNames | null = null

/** Runs `build` with struct names of its own, so that a kernel's do not depend on what was built before it. */
export function namingStructs<R>(build: () => R): R {
  const before = naming
  naming = { types: new Map(), taken: new Set() }
  try {
    return build()
  } finally {
    naming = before
  }
}

/** A struct without a name is called like what it is first used for. */
function structFrom(schema: object, props: Readonly<Record<string, unknown>>, what: string): Type {
  const known = naming?.types.get(schema)
  if (known) return known
  const fields = Object.entries(props).map(
    ([name, prop]): Field => ({ name, type: typeFrom(prop, `${what}.${name}`), ...attributes(prop) }),
  )
  const [, given] = /^struct:(\w+)$/.exec(String(schema)) ?? []
  const base = given ?? what.replace(/(?:^|\W+)(\w)/g, (_, c: string) => c.toUpperCase())
  let name = base
  for (let n = 1; naming?.taken.has(name); n++) name = `${base}_${n}`
  const type: Type = { kind: 'struct', name, fields }
  naming?.taken.add(name)
  naming?.types.set(schema, type)
  return type
}

/** `d.align(n, T)` and `d.size(n, T)`. */
function attributes(schema: unknown): Pick<Field, 'align' | 'size'> {
  const { type, attribs = [] } = schema as SchemaLike
  const known = attribs.filter((a) => a.type === '@align' || a.type === '@size')
  return type === 'decorated' ? Object.fromEntries(known.map((a) => [a.type?.slice(1), Number(a.params?.[0])])) : {}
}
