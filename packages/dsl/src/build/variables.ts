import type { Expr as Node, Variable } from '../ir'
import { isConstructible, isValueName, laneCount, scalarOf, spell, type Type } from '../types'
import { type Body, handleOf, type Methods } from './body'
import { fail, type Session } from './context'
import { exprState, type Handle, isHandle, STATE, valueState } from './handle'
import { constant, describe, literal } from './lift'
import { checkName } from './names'
import { rootPlace } from './place'
import { read } from './read'
import { makeRef, makeValue } from './ref'
import { typeFrom } from './schema'

/** `k.let`, `k.var`, and variables and constants of the module. */

function named<R>(
  first: unknown,
  rest: readonly unknown[],
  one: (name: string, ...rest: unknown[]) => R,
): R | Record<string, R> {
  if (typeof first === 'object' && first !== null && !isHandle(first)) {
    return Object.fromEntries(Object.entries(first).map(([name, value]) => [name, one(name, value)]))
  }
  return one(first as string, ...rest)
}

function letOne({ session }: Body, name: string, value: unknown): Handle {
  checkName(name, 'a let')
  const node = read(handleOf(value, `the value of '${name}'`), session)
  const { scope } = session
  const at = session.at()
  const result = scope.result(node.type)
  scope.emit({ kind: 'let', at, name, value: node, result })
  return makeValue(valueState(result, scope, at, `'${name}'`))
}

function varOne({ session }: Body, name: string, init: unknown): Handle {
  checkName(name, 'a variable')
  const { scope } = session
  const node =
    isHandle(init) || typeof init === 'number' || typeof init === 'boolean'
      ? read(handleOf(init, `the first value of '${name}'`), session)
      : null
  const type = node ? node.type : typeFrom(init, name)
  if (!isConstructible(type)) fail('bad-type', `a variable cannot be of type ${spell(type)}`)
  const variable: Variable = { id: session.id(), name, space: 'function', type, init: node }
  scope.emit({ kind: 'var', at: session.at(), variable })
  return makeRef(rootPlace({ kind: 'variable', id: variable.id }, type), {
    session,
    scope,
    access: 'read_write',
    label: `'${name}'`,
    eager: false,
  })
}

function moduleVar(
  { session }: Body,
  space: 'workgroup' | 'private',
  name: string,
  type: Type,
  init: Node | null,
): Handle {
  const variable: Variable = { id: session.id(), name: checkName(name, `a ${space} variable`), space, type, init }
  session.variables.push(variable)
  return makeRef(rootPlace({ kind: 'variable', id: variable.id }, type), {
    session,
    scope: null,
    access: 'read_write',
    label: `'${name}'`,
    eager: false,
  })
}

export const variables: Methods = {
  let: (body, first: unknown, ...rest: unknown[]) => named(first, rest, (name, value) => letOne(body, name, value)),
  var: (body, first: unknown, ...rest: unknown[]) => named(first, rest, (name, init) => varOne(body, name, init)),
  workgroup: (body, name: string, schema: unknown, ...counts: unknown[]) =>
    moduleVar(body, 'workgroup', name, arrayOf(typeFrom(schema, name), counts.flat()), null),
  private: (body, name: string, init: unknown) => {
    const node = isHandle(init) ? read(init, body.session) : null
    return moduleVar(body, 'private', name, node ? node.type : typeFrom(init, name), node)
  },
  const: ({ session }, name: string, schema: unknown, values: unknown) =>
    constantDecl(session, name, typeFrom(schema, name), values),
}

function arrayOf(element: Type, counts: readonly unknown[]): Type {
  return counts.reduceRight<Type>((of, count) => {
    if (isHandle(count)) {
      const node = count[STATE].node
      if (node?.kind === 'override') return { kind: 'array', of, count: { override: node.name } }
    }
    if (typeof count === 'number' && Number.isInteger(count) && count > 0) return { kind: 'array', of, count }
    return fail('bad-type', `an array of ${describe(count)} elements`, 'a count is a positive integer or an override')
  }, element)
}

function constantDecl(session: Session, name: string, type: Type, values: unknown): Handle {
  checkName(name, 'a constant')
  const isList = Array.isArray(values) || ArrayBuffer.isView(values)
  const whole = isList && isValueName(type) && (values as { length: number }).length !== laneCount(type)
  const full: Type = whole ? { kind: 'array', of: type, count: (values as { length: number }).length } : type
  session.constants.push({ name, type: full, value: literalOf(full, values, name) })
  return makeValue(
    exprState(
      Object.freeze({ kind: 'constant', type: full, name }),
      { session, scope: null, home: null },
      session.at(),
      `'${name}'`,
    ),
  )
}

function literalOf(type: Type, value: unknown, what: string): Node {
  const list = (): unknown[] => Array.from(value as ArrayLike<unknown>)
  if (typeof type === 'string') {
    if (laneCount(type) === 1 || typeof value === 'number') return constant(type, value)
    const lanes = list().map((x) => literal(scalarOf(type), x))
    if (lanes.length !== laneCount(type))
      fail('bad-argument', `constant '${what}' of type ${type} is given ${lanes.length} lanes`)
    return Object.freeze({ kind: 'const', type, lanes })
  }
  if (type.kind === 'array' && value !== null && typeof value === 'object') {
    const args = list().map((x, i) => literalOf(type.of, x, `${what}[${i}]`))
    if (args.length !== type.count)
      fail('bad-argument', `constant '${what}' of type ${spell(type)} is given ${args.length} elements`)
    return Object.freeze({ kind: 'construct', at: -1, type, args })
  }
  if (type.kind === 'struct' && value !== null && typeof value === 'object') {
    return Object.freeze({
      kind: 'construct',
      at: -1,
      type,
      args: type.fields.map((f) => literalOf(f.type, (value as Record<string, unknown>)[f.name], `${what}.${f.name}`)),
    })
  }
  return fail('bad-argument', `constant '${what}' of type ${spell(type)} is given ${describe(value)}`)
}
