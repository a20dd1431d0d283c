import type { Expr, Variable } from '../ir'
import { isConstructible, isValueName, laneCount, spell, type Type } from '../types'
import { fail } from './fail'
import { describe, type Handle, isCount, isHandle, isPlain, read, STATE } from './handle'
import { checkName, isConstant, lift, typed } from './lift'
import { reference, rootPlace, value } from './place'
import { typeFrom } from './schema'
import type { Methods, Session } from './session'

/** `k.let`, `k.var`, and variables and constants of the module. */

type Named = (session: Session, name: string, x: unknown) => Handle

/** A declaration by its name, or several as an object. */
const oneOrMore =
  (one: Named) =>
  (session: Session, first: unknown, x: unknown): unknown =>
    typeof first === 'object' && first !== null && !isHandle(first)
      ? Object.fromEntries(Object.entries(first).map(([name, y]) => [name, one(session, name, y)]))
      : one(session, first as string, x)

const letOne: Named = (session, name, x) => {
  const node = typed(x, session, `the value of '${checkName(name, 'a let')}'`)
  const at = session.at()
  const result = session.result(node.type)
  session.emit({ kind: 'let', at, name, value: node, result })
  return value(result, session.current, `'${name}'`)
}

const varOne: Named = (session, name, init) => {
  checkName(name, 'a variable')
  const isValue = isHandle(init) || isPlain(init)
  const node = isValue ? typed(init, session, `the first value of '${name}'`) : null
  return declareVar(session, 'function', name, node ? node.type : typeFrom(init, name), node)
}

/** Declares a variable: of a function in the current block, and else of the module. */
export function declareVar(
  session: Session,
  space: Variable['space'],
  name: string,
  type: Type,
  init: Expr | null = null,
): Handle {
  const id = session.id()
  const at = session.at()
  const variable: Variable = { id, at, name: checkName(name, `a ${space} variable`), space, type, init }
  const isLocal = space === 'function'
  if (isLocal && !isConstructible(type)) fail('bad-type', `a variable cannot be of type ${spell(type)}`)
  if (isLocal) session.emit({ kind: 'var', at, variable })
  else session.variables.push(variable)
  const home = isLocal ? session.current : session.module
  return reference(rootPlace({ kind: 'variable', id: variable.id }, type), home, 'read_write', `'${name}'`)
}

export const variables: Methods = {
  let: oneOrMore(letOne),
  var: oneOrMore(varOne),
  workgroup: (session, name: string, schema: unknown, ...counts: unknown[]) =>
    declareVar(session, 'workgroup', name, counts.flat().reduceRight<Type>(arrayOf, typeFrom(schema, name))),
  private: (session, name: string, init: unknown) => {
    const node = isHandle(init) ? read(init, session) : null
    return declareVar(session, 'private', name, node ? node.type : typeFrom(init, name), node)
  },
  const: (session, name: string, schema: unknown, values: unknown) => {
    const { length } = Object(values) as { readonly length?: unknown }
    const one = typeFrom(schema, checkName(name, 'a constant'))
    const whole = typeof length !== 'number' || !isValueName(one) || length === laneCount(one)
    const type: Type = whole ? one : { kind: 'array', of: one, count: length }
    const initial = lift(values, type, session, `constant '${name}'`)
    if (!isConstant(initial))
      fail('not-constant', `constant '${name}' is given a value that is computed`, 'name it in the body: k.let')
    session.constants.push({ name, type, value: initial })
    return value({ kind: 'constant', type, name }, session.module, `'${name}'`)
  },
}

function arrayOf(of: Type, count: unknown): Type {
  const node = isHandle(count) ? count[STATE].node : null
  if (node?.kind === 'override') return { kind: 'array', of, count: { override: node.name } }
  if (isCount(count)) return { kind: 'array', of, count }
  return fail('bad-type', `an array of ${describe(count)} elements`, 'a count is a positive integer or an override')
}
