import type { EFFECTS, PURE } from '../ops'
import type { ScalarName, ValueName } from '../types'
import type { TypeTable } from './type-table'

/**
 * The types that authors see. A value type is spelled as a string (`Expr<'vec4f'>`); composed types are spelled by
 * the shapes below. Nothing here exists at run time.
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
  mul<V extends ValueName>(other: Expr<V>): Expr<Product<NoInfer<T>, V>>
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

// Composed types.

export interface ArrayShape<E extends Shape = Shape> {
  readonly array: E
}
export interface StructShape<F = unknown> {
  readonly struct: F
}
export interface AtomicShape<T extends Int = Int> {
  readonly atomic: T
}
/** A matrix held by a whole subgroup. */
export interface MatrixShape<
  R extends 'left' | 'right' | 'result' = 'left' | 'right' | 'result',
  T extends string = string,
> {
  readonly matrix: R
  readonly of: T
}
export interface TextureShape<C extends 'f32' | 'i32' | 'u32' = 'f32' | 'i32' | 'u32'> {
  readonly texture: C
}
export interface BufferShape {
  readonly buffer: true
}
export type Shape = ValueName | ArrayShape | StructShape | AtomicShape | MatrixShape | TextureShape | BufferShape

/** One of weft's composed types as a value (`ptr`, `subgroupMatrix`, `buffer`). */
export interface TypeOf<S extends Shape> {
  readonly [shape]: S
}
declare const shape: unique symbol

/** The shape of a schema of `typegpu/data`, or of one of weft's type tokens. */
export type ShapeOf<S> = S extends { readonly type: infer N extends ValueName }
  ? N
  : S extends TypeOf<infer W>
    ? W
    : S extends { readonly type: 'array'; readonly elementType: infer E }
      ? ArrayShape<Extract<ShapeOf<E>, Shape>>
      : S extends { readonly type: 'struct'; readonly propTypes: infer P }
        ? StructShape<{ [K in keyof P]: ShapeOf<P[K]> }>
        : S extends { readonly type: 'atomic'; readonly inner: { readonly type: infer N extends Int } }
          ? AtomicShape<N>
          : S extends { readonly type: 'decorated'; readonly inner: infer I }
            ? ShapeOf<I>
            : S extends {
                  readonly type: `texture_${string}`
                  readonly sampleType: { readonly type: infer C extends 'f32' | 'i32' | 'u32' }
                }
              ? TextureShape<C>
              : S extends { readonly type: `texture_storage_${string}`; readonly format: infer F extends string }
                ? TextureShape<F extends `${string}uint` ? 'u32' : F extends `${string}sint` ? 'i32' : 'f32'>
                : S extends (count: number) => infer A
                  ? ShapeOf<A>
                  : never

/** A value of a shape, to be read. */
export type Value<S> = S extends ValueName
  ? Expr<S>
  : S extends ArrayShape<infer E>
    ? ArrayValue<E>
    : S extends StructShape<infer F>
      ? { readonly [K in keyof F]: Value<F[K]> } & StructBrand<S>
      : S extends MatrixShape
        ? MatrixValue<S>
        : S extends TextureShape<infer C>
          ? Texture<C>
          : S extends BufferShape
            ? BufferViews<'read'>
            : never

export interface MatrixValue<S extends MatrixShape> {
  readonly [brand]: S
}

type Coords = Arg<'u32'> | Arg<'i32'> | Expr<'vec2u'> | Expr<'vec2i'> | Expr<'vec3u'> | Expr<'vec3i'>
type Texel = { f32: 'vec4f'; i32: 'vec4i'; u32: 'vec4u' }
type Size = 'u32' | 'vec2u' | 'vec3u'

/** A texture, without filtering. Coordinates are in texels: one number for 1d, a 2- or 3-vector for others. */
export interface Texture<C extends 'f32' | 'i32' | 'u32'> {
  /** The texel; of an array texture with a layer, of a sampled one with a mip level or sample (default 0). */
  load(coords: Coords, at?: { readonly layer?: IndexArg; readonly level?: IndexArg }): Expr<Texel[C]>
  store(coords: Coords, value: Arg<Texel[C]>, at?: { readonly layer?: IndexArg }): void
  /** Width, height, depth as a u32 or vector. */
  dimensions(level?: IndexArg): Expr<Size>
  numLayers(): Expr<'u32'>
  numLevels(): Expr<'u32'>
  numSamples(): Expr<'u32'>
}

/** Untyped memory, seen through views (language feature `buffer_view`). */
export interface BufferViews<A extends 'read' | 'read_write'> {
  /** The bytes from `offset` on as one `schema`. */
  view<S>(schema: S, offset: IndexArg): A extends 'read' ? Value<ShapeOf<S>> : Ref<ShapeOf<S>>
  /** In bytes. */
  readonly byteLength: Expr<'u32'>
}

interface StructBrand<S> {
  readonly [brand]: S
}

export interface ArrayValue<E extends Shape> {
  readonly [brand]: ArrayShape<E>
  /** The element; several indices go into nested arrays. Read where it is written. */
  at(index: IndexArg): Value<E>
  at(i: IndexArg, j: IndexArg): Value<Inner<E>>
  at(i: IndexArg, j: IndexArg, k: IndexArg): Value<Inner<Inner<E>>>
  /** The number of elements; of a runtime-sized array, as many as fit the bound buffer. */
  readonly length: Expr<'u32'>
}

type Inner<E> = E extends ArrayShape<infer I> ? I : E extends ValueName ? TypeTable[E]['element'] : never

/** A place that can be read and written. */
export type Ref<S> = S extends ValueName
  ? VarRef<S>
  : S extends ArrayShape<infer E>
    ? ArrayRef<E>
    : S extends StructShape<infer F>
      ? { readonly [K in keyof F]: Ref<F[K]> } & Settable<Value<S> | Ref<S> | Init<S>>
      : S extends AtomicShape<infer T>
        ? AtomicRef<T>
        : S extends MatrixShape
          ? MatrixValue<S> & Settable<MatrixValue<S>>
          : S extends TextureShape<infer C>
            ? Texture<C>
            : S extends BufferShape
              ? BufferViews<'read_write'>
              : never

export interface Settable<V> {
  set(value: V): void
}

/**
 * A variable or element of value type. Each mention reads a variable; elements and lanes are read where they are
 * written. (An intersection, so that TypeScript infers `T` from it where an `Expr<T>` is expected.)
 */
export type VarRef<T extends ValueName> = Assignable<T> & RefLanes<T> & Expr<T>

interface RefLanes<T extends ValueName> {
  at(index: IndexArg): OnlyRef<TypeTable[T]['element']>
  readonly x: OnlyRef<TypeTable[T]['x']>
  readonly y: OnlyRef<TypeTable[T]['x']>
  readonly z: OnlyRef<TypeTable[T]['z']>
  readonly w: OnlyRef<TypeTable[T]['w']>
}

type OnlyRef<L extends ValueName> = [L] extends [never] ? never : VarRef<L>
type OnlyWrite<L extends ValueName> = [L] extends [never] ? never : WriteValue<L>

/** Assignment: `=`, `+=`, `-=`, … */
export interface Assignable<T extends ValueName> {
  set(value: Arg<T>): void
  addAssign(value: Arg<T>): void
  subAssign(value: Arg<T>): void
  mulAssign(value: Arg<T>): void
  divAssign(value: Arg<T>): void
  remAssign(value: Arg<T>): void
  andAssign(value: Arg<T>): void
  orAssign(value: Arg<T>): void
  xorAssign(value: Arg<T>): void
  shlAssign(amount: Arg<TypeTable[T]['u32']>): void
  shrAssign(amount: Arg<TypeTable[T]['u32']>): void
}

/** An array of a value type, in a form that generic code can use (`T extends 'f32' | 'f16'`). */
export interface ValuesRef<T extends ValueName> {
  readonly [brand]: ArrayShape<T>
  at(index: IndexArg): VarRef<T>
  readonly length: Expr<'u32'>
  set(value: ArrayValue<T> | ArrayRef<T> | ValuesRef<T>): void
}

export interface ArrayRef<E extends Shape> {
  readonly [brand]: ArrayShape<E>
  at(index: IndexArg): Ref<E>
  at(i: IndexArg, j: IndexArg): Ref<Inner<E>>
  at(i: IndexArg, j: IndexArg, k: IndexArg): Ref<Inner<Inner<E>>>
  readonly length: Expr<'u32'>
  set(value: ArrayValue<E> | ArrayRef<E>): void
}

/** An atomic: relaxed, and only through these. Each gives the value before. */
export interface AtomicRef<T extends Int> {
  readonly [brand]: AtomicShape<T>
  load(): Expr<T>
  store(value: Arg<T>): void
  add(value: Arg<T>): Expr<T>
  sub(value: Arg<T>): Expr<T>
  max(value: Arg<T>): Expr<T>
  min(value: Arg<T>): Expr<T>
  and(value: Arg<T>): Expr<T>
  or(value: Arg<T>): Expr<T>
  xor(value: Arg<T>): Expr<T>
  exchange(value: Arg<T>): Expr<T>
  /** May fail spuriously: loop until `exchanged`. */
  compareExchangeWeak(expected: Arg<T>, value: Arg<T>): { readonly old: Expr<T>; readonly exchanged: Expr<'bool'> }
}

/** What a place of a shape can be set to, spelled out: a struct as an object of its fields, an array as a list. */
export type Init<S> = S extends ValueName
  ? Arg<S>
  : S extends ArrayShape<infer E>
    ? readonly Init<E>[]
    : S extends StructShape<infer F>
      ? { readonly [K in keyof F]: Init<F[K]> | Value<F[K]> }
      : never

/** A place that can only be written: an output. */
export type WriteRef<S> = S extends ValueName
  ? WriteValue<S>
  : S extends ArrayShape<infer E>
    ? WriteArray<E>
    : S extends StructShape<infer F>
      ? { readonly [K in keyof F]: WriteRef<F[K]> } & Settable<Value<S> | Ref<S> | Init<S>>
      : S extends AtomicShape<infer T>
        ? AtomicRef<T>
        : S extends TextureShape<infer C>
          ? Texture<C>
          : S extends BufferShape
            ? BufferViews<'read_write'>
            : never

export interface WriteValue<T extends ValueName> {
  set(value: Arg<T>): void
  at(index: IndexArg): OnlyWrite<TypeTable[T]['element']>
  readonly x: OnlyWrite<TypeTable[T]['x']>
  readonly y: OnlyWrite<TypeTable[T]['x']>
  readonly z: OnlyWrite<TypeTable[T]['z']>
  readonly w: OnlyWrite<TypeTable[T]['w']>
}

export interface WriteArray<E extends Shape> {
  readonly [brand]: ArrayShape<E>
  at(index: IndexArg): WriteRef<E>
  at(i: IndexArg, j: IndexArg): WriteRef<Inner<E>>
  at(i: IndexArg, j: IndexArg, k: IndexArg): WriteRef<Inner<Inner<E>>>
  readonly length: Expr<'u32'>
  set(value: ArrayValue<E> | ArrayRef<E>): void
}

/** An array whose elements are of value type and can be set. */
export interface Storable<T extends ValueName> {
  readonly [brand]: ArrayShape<T>
  readonly length: Expr<'u32'>
  at(index: IndexArg): { set(value: never): void }
}

// Built-in functions, from the table of pure ops.

type SlotType<S, T extends ValueName> = S extends 'T' | 'TS'
  ? T
  : S extends 'S'
    ? TypeTable[T]['scalar']
    : S extends 'B' | 'BS'
      ? TypeTable[T]['bool']
      : S extends 'U'
        ? TypeTable[T]['u32']
        : S extends 'I'
          ? TypeTable[T]['i32']
          : S extends 'R'
            ? TypeTable[T]['transposed']
            : S extends ValueName
              ? S
              : never

type SlotArgs<I extends readonly unknown[], T extends ValueName> = { [K in keyof I]: Arg<SlotType<I[K], T>> }

/** The TypeScript signature of a row. */
export type Signature<
  R extends { readonly over: readonly ValueName[]; readonly in: readonly unknown[]; readonly out: unknown },
> = R['over'] extends readonly []
  ? (...args: SlotArgs<R['in'], 'u32'>) => Expr<SlotType<R['out'], 'u32'>>
  : <T extends R['over'][number]>(...args: SlotArgs<R['in'], T>) => Expr<SlotType<R['out'], T>>

/** Rows that are operators or halves of one function are reached in another way than by `fn`. */
type NotInFn = {
  [K in keyof typeof PURE]: (typeof PURE)[K]['form'] extends 'call'
    ? (typeof PURE)[K] extends { member: string }
      ? K
      : never
    : K
}[keyof typeof PURE]
export type Functions = {
  readonly [K in keyof typeof PURE as K extends NotInFn ? never : K]: Signature<(typeof PURE)[K]>
}

// Effects that the builder offers, from the table of effects.

type Family<F extends string> = {
  [K in keyof typeof EFFECTS]: (typeof EFFECTS)[K]['family'] extends F ? K : never
}[keyof typeof EFFECTS]

type EffectArgs<I extends readonly unknown[], T extends ValueName> = {
  [K in keyof I]: I[K] extends 'const:u32' ? number : I[K] extends 'uniform:u32' ? Arg<'u32'> : Arg<SlotType<I[K], T>>
}
type EffectSignature<
  R extends { readonly over: readonly ValueName[]; readonly in: readonly unknown[]; readonly out: unknown },
> = R['over'] extends readonly []
  ? (...args: EffectArgs<R['in'], 'u32'>) => Expr<SlotType<R['out'], 'u32'>>
  : <T extends R['over'][number]>(...args: EffectArgs<R['in'], T>) => Expr<SlotType<R['out'], T>>

/** The subgroup and quad operations. */
export type SubgroupOps = { readonly [K in Family<'subgroup' | 'quad'>]: EffectSignature<(typeof EFFECTS)[K]> }
