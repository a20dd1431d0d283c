import type { ScalarName, ValueName } from '../types'
import type { TypeTable } from './type-table'

/**
 * The types that authors see. A value type is spelled as a string (`Expr<'vec4f'>`); composed types are spelled by
 * the shapes of shapes.ts. Nothing here exists at run time.
 */

declare const brand: unique symbol
declare const exact: unique symbol

export type Float = 'f32' | 'f16'
export type Int = 'i32' | 'u32'
export type Numeric = Float | Int

export type ScalarOf<T extends ValueName> = TypeTable[T]['scalar']
export type BoolOf<T extends ValueName> = TypeTable[T]['bool']

/** An expression of any type: for conversions, indices and template holes. */
export interface AnyExpr {
  readonly type: ValueName
  readonly [brand]: 'expr'
}

/** Where an expression of type `T` is expected: an expression, a JavaScript value, or a scalar that is splatted. */
export type Arg<T extends ValueName> = Expr<T> | Expr<TypeTable[T]['splat']> | TypeTable[T]['js']

/** An index: any integer scalar, or a JavaScript integer. */
export type IndexArg = Expr<'u32'> | Expr<'i32'> | number

/**
 * An expression of WGSL type `T`. Methods build new expressions; nothing is computed here. For more than one or
 * two operators a template reads better: `` f32`${a} * ${b} + ${c}` ``.
 */
export interface Expr<in out T extends ValueName> extends AnyExpr {
  readonly type: T

  add(other: Arg<T>): Expr<T>
  add<V extends TypeTable[T]['wider']>(other: Expr<V>): Expr<V>
  sub(other: Arg<T>): Expr<T>
  sub<V extends TypeTable[T]['wider']>(other: Expr<V>): Expr<V>
  mul(other: Arg<T> | number): Expr<T>
  mul<V extends Factors[ScalarOf<T>]>(other: Expr<V>): Expr<Product<NoInfer<T>, V>>
  /** Integers truncate; division by 0 gives the dividend. */
  div(other: Arg<T>): Expr<T>
  div<V extends TypeTable[T]['wider']>(other: Expr<V>): Expr<V>
  /** `%`: the remainder has the sign of the dividend; integers modulo 0 give 0. */
  rem(other: Arg<T>): Expr<T>
  neg(): Expr<T>

  eq(other: Arg<T>): Expr<BoolOf<T>>
  ne(other: Arg<T>): Expr<BoolOf<T>>
  lt(other: Arg<T>): Expr<BoolOf<T>>
  le(other: Arg<T>): Expr<BoolOf<T>>
  gt(other: Arg<T>): Expr<BoolOf<T>>
  ge(other: Arg<T>): Expr<BoolOf<T>>

  bitAnd(this: Expr<T & IntName>, other: Arg<T>): Expr<T>
  bitOr(this: Expr<T & IntName>, other: Arg<T>): Expr<T>
  bitXor(this: Expr<T & IntName>, other: Arg<T>): Expr<T>
  bitNot(this: Expr<T & IntName>): Expr<T>
  /** The amount is taken modulo 32. */
  shl(this: Expr<T & IntName>, amount: Expr<TypeTable[T]['u32']> | Expr<'u32'> | number): Expr<T>
  /** Keeps the sign of i32. The amount is taken modulo 32. */
  shr(this: Expr<T & IntName>, amount: Expr<TypeTable[T]['u32']> | Expr<'u32'> | number): Expr<T>

  and(this: Expr<T & BoolName>, other: Arg<T>): Expr<T>
  or(this: Expr<T & BoolName>, other: Arg<T>): Expr<T>
  not(this: Expr<T & BoolName>): Expr<T>

  /** A lane of a vector, a column of a matrix. */
  at(index: IndexArg): Only<TypeTable[T]['element']>
  readonly x: Only<TypeTable[T]['x']>
  readonly y: Only<TypeTable[T]['x']>
  readonly z: Only<TypeTable[T]['z']>
  readonly w: Only<TypeTable[T]['w']>
  readonly xy: Only<TypeTable[T]['v2']>
  readonly yz: Only<TypeTable[T]['v2']>
  readonly zw: Only<TypeTable[T]['v2']>
  readonly xz: Only<TypeTable[T]['v2']>
  readonly yw: Only<TypeTable[T]['v2']>
  readonly xyz: Only<TypeTable[T]['v3']>
  readonly yzw: Only<TypeTable[T]['v3']>
  /** Any one to four lanes: `v.swizzle('wzyx')`. */
  swizzle<P extends string>(lanes: P): Only<Swizzled<T, P>>

  /** Not there at run time: two types are never mixed by inferring their union (`fn.select(float, integer, test)`). */
  readonly [exact]: (type: T) => T

  /** Not a promise: TypeScript reports TS2801 where an expression is used as a JavaScript condition. Use `k.if`, `k.when` or `fn.select`. */
  readonly then: (onfulfilled: (value: never) => unknown) => unknown
}

/** An expression of a type that exists; a lane that is not there is `never`, so that its use is an error. */
type Only<L extends ValueName> = [L] extends [never] ? never : Expr<L>

type IntName = 'i32' | 'u32' | `vec${2 | 3 | 4}${'i' | 'u'}`
type BoolName = 'bool' | `vec${2 | 3 | 4}<bool>`

type Swizzled<T extends ValueName, P extends string> = P extends `${Lane}${infer A}`
  ? A extends ''
    ? ScalarOf<T>
    : A extends `${Lane}${infer B}`
      ? B extends ''
        ? TypeTable[T]['v2']
        : B extends `${Lane}${infer C}`
          ? C extends ''
            ? VectorOf<ScalarOf<T>, 3>
            : C extends Lane
              ? TypeTable[T]['v4']
              : never
          : never
      : never
  : never
type Lane = 'x' | 'y' | 'z' | 'w' | 'r' | 'g' | 'b' | 'a'

interface Suffix {
  bool: '<bool>'
  f16: 'h'
  f32: 'f'
  i32: 'i'
  u32: 'u'
}
/** The vector of `N` lanes of a scalar type. */
export type VectorOf<S extends ScalarName, N extends 2 | 3 | 4> = `vec${N}${Suffix[S]}`

/** What there are products with, by the scalar of the first factor: types of the same. */
interface Factors {
  bool: never
  f16: 'f16' | Floats<'h'>
  f32: 'f32' | Floats<'f'>
  i32: `vec${2 | 3 | 4}i`
  u32: `vec${2 | 3 | 4}u`
}
type Floats<S extends 'f' | 'h'> = `vec${2 | 3 | 4}${S}` | `mat${2 | 3 | 4}x${2 | 3 | 4}${S}`

/** The product of a matrix with a vector, a matrix or a scalar, or of a scalar and a vector. */
type Product<A extends ValueName, B extends ValueName> = B extends TypeTable[A]['wider']
  ? B
  : A extends `mat${infer C}x${infer R}${infer S extends 'f' | 'h'}`
    ? B extends `mat${infer K}x${C}${S}`
      ? As<`mat${K}x${R}${S}`>
      : B extends `vec${C}${S}`
        ? As<`vec${R}${S}`>
        : B extends ScalarOf<A>
          ? A
          : never
    : B extends `mat${infer C}x${infer R}${infer S extends 'f' | 'h'}`
      ? A extends `vec${R}${S}`
        ? As<`vec${C}${S}`>
        : A extends ScalarOf<B>
          ? B
          : never
      : never
type As<T extends string> = T extends ValueName ? T : never
