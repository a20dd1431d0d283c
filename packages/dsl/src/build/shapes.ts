import type { ValueName } from '../types'
import type { TypeTable } from './type-table'
import type { Arg, Expr, IndexArg, Int } from './types'

/** Composed types as authors see them: their shapes, values of them, and places that hold them. */

declare const struct: unique symbol

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
  readonly [struct]: S
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
  readonly [struct]: S
}

export interface ArrayValue<E extends Shape> {
  readonly [struct]: ArrayShape<E>
  /** The element; several indices go into nested arrays. Read where it is written. */
  at(index: IndexArg): Value<E>
  at(i: IndexArg, j: IndexArg): Value<Inner<E>>
  at(i: IndexArg, j: IndexArg, k: IndexArg): Value<Inner<Inner<E>>>
  /**
   * The number of elements; of a runtime-sized array, as many as fit the bound buffer, and at least 1: WebGPU binds no empty
   * buffer, so where there may be none, the number is a param.
   */
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
  readonly [struct]: ArrayShape<T>
  at(index: IndexArg): VarRef<T>
  readonly length: Expr<'u32'>
  set(value: ArrayValue<T> | ArrayRef<T> | ValuesRef<T>): void
}

export interface ArrayRef<E extends Shape> {
  readonly [struct]: ArrayShape<E>
  at(index: IndexArg): Ref<E>
  at(i: IndexArg, j: IndexArg): Ref<Inner<E>>
  at(i: IndexArg, j: IndexArg, k: IndexArg): Ref<Inner<Inner<E>>>
  readonly length: Expr<'u32'>
  set(value: ArrayValue<E> | ArrayRef<E>): void
}

/** An atomic: relaxed, and only through these. Each gives the value before. */
export interface AtomicRef<T extends Int> {
  readonly [struct]: AtomicShape<T>
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
  readonly [struct]: ArrayShape<E>
  at(index: IndexArg): WriteRef<E>
  at(i: IndexArg, j: IndexArg): WriteRef<Inner<E>>
  at(i: IndexArg, j: IndexArg, k: IndexArg): WriteRef<Inner<Inner<E>>>
  readonly length: Expr<'u32'>
  set(value: ArrayValue<E> | ArrayRef<E>): void
}

/** An array whose elements are of value type and can be set. */
export interface Storable<T extends ValueName> {
  readonly [struct]: ArrayShape<T>
  readonly length: Expr<'u32'>
  at(index: IndexArg): { set(value: never): void }
}
