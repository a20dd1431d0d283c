import { factsOf, type ScalarName, type ValueName } from './names'
import { type Field, type StructType, spell, type Type } from './type'

/**
 * Memory layout by the WGSL specification, §"Memory Layout": alignment, size, array stride, member offsets.
 * All figures in bytes.
 */

export const roundUp = (multiple: number, n: number): number => Math.ceil(n / multiple) * multiple

const SCALAR_BYTES: Record<ScalarName, number> = { bool: 4, f16: 2, f32: 4, i32: 4, u32: 4 }

export const scalarBytes = (scalar: ScalarName): number => SCALAR_BYTES[scalar]

const columnAlign = (name: ValueName): number => {
  const { scalar, rows } = factsOf(name)
  return SCALAR_BYTES[scalar] * (rows === 3 ? 4 : rows)
}

/** Alignment in bytes. Types without a memory layout (textures, pointers) throw a RangeError. */
export function alignOf(type: Type): number {
  if (typeof type === 'string') return columnAlign(type)
  switch (type.kind) {
    case 'array':
      return alignOf(type.of)
    case 'struct':
      return Math.max(...type.fields.map((f) => f.align ?? alignOf(f.type)))
    case 'atomic':
      return 4
    case 'buffer':
      return 4
    default:
      throw new RangeError(`${spell(type)} has no memory layout`)
  }
}

/** Size in bytes; a runtime-sized array counts one element, as `minBindingSize` does. */
export function sizeOf(type: Type): number {
  if (typeof type === 'string') {
    const { scalar, rows, cols } = factsOf(type)
    return cols === 1 ? SCALAR_BYTES[scalar] * rows : columnAlign(type) * cols
  }
  switch (type.kind) {
    case 'array': {
      if (type.count !== null && typeof type.count !== 'number')
        throw new RangeError(`${spell(type)} has no fixed size`)
      return strideOf(type.of) * (type.count ?? 1)
    }
    case 'struct': {
      let end = 0
      for (const f of type.fields) end = offsetAfter(end, f) + fieldSize(f)
      return end && roundUp(alignOf(type), end)
    }
    case 'atomic':
      return 4
    case 'buffer':
      return type.size ?? 4
    default:
      throw new RangeError(`${spell(type)} has no memory layout`)
  }
}

/** Distance in bytes between consecutive elements of an array of `type`. */
export const strideOf = (type: Type): number => roundUp(alignOf(type), sizeOf(type))

export interface StructMember {
  readonly name: string
  readonly type: Type
  readonly offset: number
  readonly size: number
}

const offsetAfter = (end: number, { type, align }: Field): number => roundUp(align ?? alignOf(type), end)
const fieldSize = ({ type, size }: Field): number => size ?? sizeOf(type)

/** The members of a struct with their byte offsets and sizes. */
export function membersOf(type: Pick<StructType, 'fields'>): readonly StructMember[] {
  let end = 0
  return type.fields.map((field) => {
    const offset = offsetAfter(end, field)
    const size = fieldSize(field)
    end = offset + size
    return { name: field.name, type: field.type, offset, size }
  })
}

/** Byte offset of lane `lane` (column-major for matrices) within a value. */
export function laneOffset(name: ValueName, lane: number): number {
  const { scalar, rows } = factsOf(name)
  const column = Math.floor(lane / rows)
  return column * columnAlign(name) + (lane % rows) * SCALAR_BYTES[scalar]
}
