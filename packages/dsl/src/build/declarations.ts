import { checkKeys } from '../diagnostics'
import type { Access, ScalarName, SubgroupMatrixType, TextureType, Type } from '../types'
import { fail } from './fail'
import { expected } from './handle'
import { literal } from './lift'
import { typeFrom, WEFT_TYPE } from './schema'
import type { BufferShape, MatrixShape, Ref, Shape, ShapeOf, TypeOf, Value, WriteRef } from './shapes'

/** What a kernel declares: bindings, overrides, and types that `typegpu/data` lacks. */

export interface BindingDecl<S = unknown, A extends Access = Access> {
  readonly kind: 'storage' | 'uniform' | 'texture'
  readonly access: A
  readonly schema: S
  readonly writes?: 'full' | 'partial'
}

/** How the body sees a binding. */
export type BindingView<D> =
  D extends BindingDecl<infer S, infer A>
    ? A extends 'read'
      ? Value<ShapeOf<S>>
      : A extends 'write'
        ? WriteRef<ShapeOf<S>>
        : Ref<ShapeOf<S>>
    : never

/** A storage buffer that the kernel reads: `var<storage, read>` and `read-only-storage`. */
export const input = <const S>(schema: S): BindingDecl<S, 'read'> => ({ kind: 'storage', access: 'read', schema })

export interface OutputOptions {
  /** `partial`: some elements are not written, so the caller must not hand in a buffer with old data. */
  readonly writes?: 'full' | 'partial'
}

/** A storage buffer that the kernel writes and may not read: `var<storage, read_write>` and `storage`. */
export function output<const S>(schema: S, options: OutputOptions = {}): BindingDecl<S, 'write'> {
  checkKeys('output', options, ['writes'])
  const { writes = 'full' } = options
  if (writes !== 'full' && writes !== 'partial')
    return expected('bad-argument', 'the option writes of output', "'full' or 'partial'", writes)
  return { kind: 'storage', access: 'write', schema, writes }
}

/** A storage buffer that the kernel reads and writes; atomics live here. */
export const inout = <const S>(schema: S): BindingDecl<S, 'read_write'> => ({
  kind: 'storage',
  access: 'read_write',
  schema,
  writes: 'partial',
})

/** A uniform buffer. For launch parameters use `params`, which weft lays out and uploads itself. */
export const uniform = <const S>(schema: S): BindingDecl<S, 'read'> => ({ kind: 'uniform', access: 'read', schema })

type TextureAccess<S> = S extends { readonly access: infer A }
  ? A extends 'write-only'
    ? 'write'
    : A extends 'read-write'
      ? 'read_write'
      : 'read'
  : 'read'

/** A sampled (`d.texture2d(d.f32)`) or storage texture (`d.textureStorage2d('r32float', 'write-only')`). */
export function texture<const S extends { readonly type: string }>(schema: S): BindingDecl<S, TextureAccess<S>> {
  const type = textureType(schema)
  return {
    kind: 'texture',
    access: type.access ?? 'read',
    schema: { ...schema, [WEFT_TYPE]: type },
  } as unknown as BindingDecl<S, TextureAccess<S>>
}

interface TextureLike {
  readonly type: string
  readonly dimension?: string
  readonly format?: string
  readonly access?: string
  readonly multisampled?: boolean
  readonly sampleType?: { readonly type: string }
}

function textureType(schema: TextureLike): TextureType {
  if (typeof schema !== 'object' || !/^texture_(?!external)/.test(schema?.type ?? ''))
    return expected(
      'bad-type',
      'the argument of texture',
      "a texture (d.texture2d(d.f32), d.textureStorage2d('r32float', 'write-only'), …)",
      schema,
    )
  const { type, format } = schema
  const named = schema.multisampled ? 'multisampled_2d' : (schema.dimension ?? '2d').replace('-', '_')
  const dimension = named as TextureType['dimension']
  if (format) {
    const of = format.endsWith('uint') ? 'u32' : format.endsWith('sint') ? 'i32' : 'f32'
    const access = schema.access === 'write-only' ? 'write' : schema.access === 'read-write' ? 'read_write' : 'read'
    return { kind: 'texture', dimension, of, format, access }
  }
  const of = (schema.sampleType?.type ?? 'f32') as 'f32' | 'i32' | 'u32'
  return { kind: 'texture', dimension, of, ...(type.startsWith('texture_depth') ? { depth: true } : {}) }
}

/** Untyped memory of `size` bytes (or as much as is bound), to be read through `.view(type, offset)`. */
export const buffer = (size: number | null = null): TypeOf<BufferShape> => weftType({ kind: 'buffer', size })

/** A matrix held by a subgroup: `subgroupMatrix('left', f16, { rows: 16, cols: 16 })`. Left is M×K, right K×N, result M×N. */
export function subgroupMatrix<R extends 'left' | 'right' | 'result', T extends ScalarName | 'i8' | 'u8'>(
  role: R,
  of: { readonly type: T } | T,
  size: { readonly rows: number; readonly cols: number },
): TypeOf<MatrixShape<R, T>> {
  const component = (typeof of === 'string' ? of : of.type) as SubgroupMatrixType['of']
  return weftType({ kind: 'subgroup_matrix', role, of: component, cols: size.cols, rows: size.rows })
}

/** A pointer, as the type of a function's parameter: `func('f(p)', [ptr('function', f32)], …)`. */
export function ptr<S>(
  space: 'function' | 'private' | 'workgroup' | 'storage' | 'uniform',
  schema: S,
  access: Access = space === 'storage' || space === 'uniform' ? 'read' : 'read_write',
): PtrDecl<S> {
  // looked at again in each kernel, which names its structs itself
  const type = (): Type => ({ kind: 'ptr', space, of: typeFrom(schema, 'ptr'), access })
  type()
  return Object.freeze(
    Object.defineProperties({}, { pointee: { value: schema }, [WEFT_TYPE]: { get: type } }),
  ) as PtrDecl<S>
}

export interface PtrDecl<S> {
  readonly pointee: S
}

const weftType = <S extends Shape>(type: Type): TypeOf<S> =>
  Object.freeze({ [WEFT_TYPE]: Object.freeze(type) }) as unknown as TypeOf<S>

export interface Override<T extends ScalarName = ScalarName> {
  readonly type: T
  readonly default: number | null
  readonly id: number | null
}

/** A constant that the host may set when it makes the pipeline. Without a default it must. */
export function override<T extends ScalarName>(
  type: { readonly type: T },
  initial?: number | boolean,
  options: { readonly id?: number } = {},
): Override<T> {
  checkKeys('override', options, ['id'])
  const { id } = options
  if (id !== undefined && (!Number.isInteger(id) || id < 0 || id > 65535))
    fail('bad-argument', `@id(${id}) is not an integer from 0 to 65535`)
  return Object.freeze({
    type: type.type,
    default: initial === undefined ? null : literal(type.type, initial),
    id: id ?? null,
  })
}
