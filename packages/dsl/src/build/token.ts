import type { Expr as Node } from '../ir'
import { factsOf, isMatrix, isScalar, isValueName, laneCount, scalarOf, vectorName, VALUE_NAMES, withScalar, type MatrixName, type ScalarName, type ValueName, type VectorName } from '../types'
import { operation } from './apply'
import { fail } from './context'
import { exprState, Handle, isHandle, NOBODY, ownerOf } from './handle'
import { constant, describe, literal } from './lift'
import { installMethods } from './methods'
import { read } from './read'
import { template } from './template/template'
import type { AnyExpr, Expr } from './types'

/**
 * A value type as one value: where a type is expected it is the type; called it constructs and converts; before a
 * template it is a tag. `f32`, `f32(0)`, `f32(count)`, `` f32`${a} + ${b}` ``.
 */
export interface Token<T extends ValueName> {
  readonly type: T
  (strings: TemplateStringsArray, ...holes: readonly unknown[]): Expr<T>
  /** Scalars: a number or any scalar. Vectors: one scalar (splat), lanes and shorter vectors, or a vector of another scalar type. Matrices: columns or all scalars. Nothing: zero. */
  (...parts: readonly (AnyExpr | number | boolean)[]): Expr<T>
}

const isTemplate = (x: unknown): x is TemplateStringsArray => Array.isArray(x) && 'raw' in x

function makeToken<T extends ValueName>(type: T): Token<T> {
  installMethods()
  const call = (...args: readonly unknown[]): Handle => (isTemplate(args[0]) ? template(type, args[0], args.slice(1)) : construct(type, args))
  return Object.freeze(Object.defineProperties(call, { type: { value: type, enumerable: true }, name: { value: type } })) as unknown as Token<T>
}

/** The constructor `type(…parts)`. */
export function construct(type: ValueName, parts: readonly unknown[]): Handle {
  const owner = ownerOf(parts)
  const scalar = scalarOf(type)
  const done = (node: Node): Handle =>
    node.kind === 'const' ? new Handle(exprState(node, NOBODY, 0)) : operation(node, owner, type)
  if (parts.length === 0) return done(constant(type, scalar === 'bool' ? false : 0))
  if (parts.length === 1 && isHandle(parts[0])) {
    const single = convert(type, parts[0])
    if (single) return single
  }
  if (parts.every((p) => typeof p === 'number' || typeof p === 'boolean')) {
    const lanes = parts.map((p) => literal(scalar, p))
    if (lanes.length === laneCount(type)) return done(Object.freeze({ kind: 'const', type, lanes }))
    if (lanes.length === 1 && !isMatrix(type)) return done(constant(type, parts[0]))
  }
  const args = parts.map((p): Node => (isHandle(p) ? read(p, owner.session) : constant(scalar, p)))
  checkParts(type, args)
  return done(Object.freeze({ kind: 'construct', at: owner.session?.at() ?? -1, type, args }))
}

/** The same value, or its conversion lane by lane; null where `from` is a part of a `type` rather than a whole one. */
function convert(type: ValueName, from: Handle): Handle | null {
  const given = from.type
  if (given === type) return from
  if (!isValueName(given) || laneCount(given) !== laneCount(type) || withScalar(given, scalarOf(type)) !== type) return null
  const owner = ownerOf([from])
  return operation(Object.freeze({ kind: 'convert', at: owner.session?.at() ?? -1, type, arg: read(from, owner.session) }), owner, type)
}

function checkParts(type: ValueName, args: readonly Node[]): void {
  const scalar = scalarOf(type)
  const { rows, cols } = factsOf(type)
  const given = args.map((a) => (typeof a.type === 'string' ? a.type : null))
  const total = given.reduce((n, g) => n + (g === null || isMatrix(g) || scalarOf(g) !== scalar ? Number.NaN : laneCount(g)), 0)
  const columns = cols === 1 || given.every((g) => g !== null && (isScalar(g) || g === vectorName(scalar, rows)))
  const splats = args.length === 1 && total === 1 && cols === 1
  if ((total !== laneCount(type) || !columns) && !splats) {
    fail('no-overload', `${type}(${given.map((g) => g ?? 'a composed type').join(', ')}) does not exist`, constructorNote(type))
  }
}

const constructorNote = (type: ValueName): string =>
  isScalar(type) ? `${type}(x) converts one scalar`
  : isMatrix(type) ? `it takes ${factsOf(type).cols} columns of type ${vectorName(scalarOf(type), factsOf(type).rows)}, or ${laneCount(type)} scalars`
  : `its parts must be ${scalarOf(type)} and together have ${laneCount(type)} lanes; convert them first, ${scalarOf(type)}(x)`

const tokens = Object.fromEntries(VALUE_NAMES.map((name) => [name, makeToken(name)])) as { readonly [T in ValueName]: Token<T> }

/** The token of a type by its name. */
export const tokenOf = <T extends ValueName>(type: T): Token<T> => tokens[type] as unknown as Token<T>

/** The token of the type of an expression, for helpers that are generic over types. */
export function typeOf<T extends ValueName>(x: Expr<T>): Token<T> {
  if (!isHandle(x) || !isValueName(x.type)) return fail('bad-argument', `typeOf(${describe(x)}): not an expression of a value type`)
  return tokenOf(x.type) as unknown as Token<T>
}

export const { bool, f16, f32, i32, u32 } = tokens as { readonly [T in ScalarName]: Token<T> }
export const { vec2f, vec3f, vec4f, vec2h, vec3h, vec4h, vec2i, vec3i, vec4i, vec2u, vec3u, vec4u } = tokens as { readonly [T in VectorName]: Token<T> }
export const vec2b: Token<'vec2<bool>'> = tokens['vec2<bool>']
export const vec3b: Token<'vec3<bool>'> = tokens['vec3<bool>']
export const vec4b: Token<'vec4<bool>'> = tokens['vec4<bool>']
export const {
  mat2x2f, mat2x3f, mat2x4f, mat3x2f, mat3x3f, mat3x4f, mat4x2f, mat4x3f, mat4x4f,
  mat2x2h, mat2x3h, mat2x4h, mat3x2h, mat3x3h, mat3x4h, mat4x2h, mat4x3h, mat4x4h,
} = tokens as { readonly [T in MatrixName]: Token<T> }
