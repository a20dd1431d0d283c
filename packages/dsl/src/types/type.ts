import { isValueName, type ScalarName, type ValueName } from './names'

/**
 * A WGSL type. Value types are strings; everything composed is frozen plain data, so that IR can be printed,
 * compared, hashed and sent as JSON.
 */
export type Type =
  | ValueName
  | ArrayType
  | StructType
  | AtomicType
  | PtrType
  | TextureType
  | SubgroupMatrixType
  | BufferType

/** `count` is a number, the name of an `override` (workgroup arrays only), or null for a runtime-sized array. */
export interface ArrayType {
  readonly kind: 'array'
  readonly of: Type
  readonly count: number | { readonly override: string } | null
}

export interface StructType {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly Field[]
}

/** `align` and `size`, in bytes, only where the author gave them (`d.align`, `d.size`). */
export interface Field {
  readonly name: string
  readonly type: Type
  readonly align?: number
  readonly size?: number
}

export interface AtomicType {
  readonly kind: 'atomic'
  readonly of: 'i32' | 'u32'
}

export type AddressSpace = 'function' | 'private' | 'workgroup' | 'uniform' | 'storage' | 'immediate'
export type Access = 'read' | 'write' | 'read_write'

/** Only as the type of a function's parameter. */
export interface PtrType {
  readonly kind: 'ptr'
  readonly space: AddressSpace
  readonly of: Type
  readonly access: Access
}

export type TextureDimension = '1d' | '2d' | '2d_array' | '3d' | 'cube' | 'cube_array' | 'multisampled_2d'

/** A sampled texture has a component type in `of`; a storage texture has a `format` and an `access`. */
export interface TextureType {
  readonly kind: 'texture'
  readonly dimension: TextureDimension
  readonly of: 'f32' | 'i32' | 'u32'
  readonly depth?: true
  readonly format?: string
  readonly access?: Access
}

/** `cols` × `rows` matrix spread over a subgroup: left is M×K, right K×N, result M×N. */
export interface SubgroupMatrixType {
  readonly kind: 'subgroup_matrix'
  readonly role: 'left' | 'right' | 'result'
  readonly of: ScalarName | 'i8' | 'u8'
  readonly cols: number
  readonly rows: number
}

/** Untyped memory, read through `bufferView` (language feature `buffer_view`). `size` in bytes, null: unsized. */
export interface BufferType {
  readonly kind: 'buffer'
  readonly size: number | null
}

export type Composite = Exclude<Type, ValueName>

export const isValue = (type: Type): type is ValueName => typeof type === 'string'

/** Whether a type is composed, and of this kind. */
export const isKind = <K extends Composite['kind']>(type: Type, kind: K): type is Extract<Composite, { kind: K }> =>
  typeof type !== 'string' && type.kind === kind

/** The canonical spelling of a type: equal types spell equally. Structs are spelled by name. */
export function spell(type: Type): string {
  if (typeof type === 'string') return type
  switch (type.kind) {
    case 'array': {
      if (type.count === null) return `array<${spell(type.of)}>`
      return `array<${spell(type.of)}, ${typeof type.count === 'number' ? type.count : type.count.override}>`
    }
    case 'struct':
      return type.name
    case 'atomic':
      return `atomic<${type.of}>`
    case 'ptr': {
      const access = type.space === 'storage' && type.access === 'read_write' ? ', read_write' : ''
      return `ptr<${type.space}, ${spell(type.of)}${access}>`
    }
    case 'texture': {
      if (type.format) return `texture_storage_${type.dimension}<${type.format}, ${type.access}>`
      return type.depth ? `texture_depth_${type.dimension}` : `texture_${type.dimension}<${type.of}>`
    }
    case 'subgroup_matrix':
      return `subgroup_matrix_${type.role}<${type.of}, ${type.cols}, ${type.rows}>`
    case 'buffer':
      return type.size === null ? 'buffer' : `buffer<${type.size}>`
  }
}

/** Structural equality (structs by name *and* fields, so two different structs of one name are told apart). */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true
  if (typeof a === 'string' || typeof b === 'string' || a.kind !== b.kind) return false
  switch (a.kind) {
    case 'array':
      return sameCount(a.count, (b as ArrayType).count) && sameType(a.of, (b as ArrayType).of)
    case 'struct':
      return a.name === (b as StructType).name && sameFields(a.fields, (b as StructType).fields)
    case 'atomic':
      return a.of === (b as AtomicType).of
    default:
      return JSON.stringify(a) === JSON.stringify(b)
  }
}

const sameCount = (a: ArrayType['count'], b: ArrayType['count']): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && a?.override === b?.override)

const sameFields = (a: readonly Field[], b: readonly Field[]): boolean =>
  a.length === b.length &&
  a.every((x, i) => {
    const y = b[i]
    return y !== undefined && x.name === y.name && x.align === y.align && x.size === y.size && sameType(x.type, y.type)
  })

/** Whether a value of this type can be created, copied and stored: no atomics, runtime arrays, textures, pointers. */
export function isConstructible(type: Type): boolean {
  if (isValueName(type)) return true
  if (typeof type === 'string') return false
  switch (type.kind) {
    case 'array':
      return typeof type.count === 'number' && isConstructible(type.of)
    case 'struct':
      return type.fields.every((f) => isConstructible(f.type))
    case 'subgroup_matrix':
      return true
    default:
      return false
  }
}
