import { isValueName, type MatrixName, type ScalarName, VALUE_NAMES, type ValueName, type VectorName } from '../types'
import { construct } from './construct'
import { expected, type Handle, isHandle } from './handle'
import { installMethods } from './methods'
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
  const call = (...args: readonly unknown[]): Handle =>
    isTemplate(args[0]) ? template(type, args[0], args.slice(1)) : construct(type, args)
  return Object.freeze(
    Object.defineProperties(call, { type: { value: type, enumerable: true }, name: { value: type } }),
  ) as unknown as Token<T>
}

const tokens = Object.fromEntries(VALUE_NAMES.map((name) => [name, makeToken(name)])) as {
  readonly [T in ValueName]: Token<T>
}

/** The token of a type by its name. */
export const tokenOf = <T extends ValueName>(type: T): Token<T> => tokens[type] as unknown as Token<T>

/** The token of the type of an expression, for helpers that are generic over types. */
export function typeOf<T extends ValueName>(x: Expr<T>): Token<T> {
  if (isHandle(x) && isValueName(x.type)) return tokenOf(x.type) as unknown as Token<T>
  return expected('bad-argument', 'the argument of typeOf', 'an expression of a value type', x)
}

export const { bool, f16, f32, i32, u32 } = tokens as { readonly [T in ScalarName]: Token<T> }
export const { vec2f, vec3f, vec4f, vec2h, vec3h, vec4h, vec2i, vec3i, vec4i, vec2u, vec3u, vec4u } = tokens as {
  readonly [T in VectorName]: Token<T>
}
export const vec2b: Token<'vec2<bool>'> = tokens['vec2<bool>']
export const vec3b: Token<'vec3<bool>'> = tokens['vec3<bool>']
export const vec4b: Token<'vec4<bool>'> = tokens['vec4<bool>']
export const {
  mat2x2f,
  mat2x3f,
  mat2x4f,
  mat3x2f,
  mat3x3f,
  mat3x4f,
  mat4x2f,
  mat4x3f,
  mat4x4f,
  mat2x2h,
  mat2x3h,
  mat2x4h,
  mat3x2h,
  mat3x3h,
  mat3x4h,
  mat4x2h,
  mat4x3h,
  mat4x4h,
} = tokens as { readonly [T in MatrixName]: Token<T> }
