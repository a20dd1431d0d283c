import {
  laneCount,
  laneOffset,
  membersOf,
  type ScalarName,
  scalarBytes,
  scalarOf,
  sizeOf,
  strideOf,
  type Type,
  type ValueName,
} from '@weft/dsl/ir'

/** A scalar of a value, at its byte offset in memory. */
export interface Lane {
  readonly scalar: ScalarName
  readonly offset: number
}

const cache = new WeakMap<object, readonly Lane[]>()
const values = new Map<string, readonly Lane[]>()

/** The scalars of a value in order: every value of the interpreter is such a list. */
export function lanesOf(type: Type): readonly Lane[] {
  if (typeof type === 'string') return valueLanes(type)
  const known = cache.get(type)
  if (known) return known
  const lanes = compositeLanes(type)
  cache.set(type, lanes)
  return lanes
}

function valueLanes(type: ValueName): readonly Lane[] {
  const known = values.get(type)
  if (known) return known
  const scalar = scalarOf(type)
  const lanes = Array.from({ length: laneCount(type) }, (_, i) => ({ scalar, offset: laneOffset(type, i) }))
  values.set(type, lanes)
  return lanes
}

function compositeLanes(type: Exclude<Type, string>): readonly Lane[] {
  switch (type.kind) {
    case 'atomic':
      return [{ scalar: type.of, offset: 0 }]
    case 'array': {
      const stride = strideOf(type.of)
      const element = lanesOf(type.of)
      return Array.from({ length: type.count as number }, (_, i) => shift(element, i * stride)).flat()
    }
    case 'struct':
      return membersOf(type).flatMap((m) => shift(lanesOf(m.type), m.offset))
    default:
      throw new RangeError(`a ${type.kind} has no lanes`)
  }
}

const shift = (lanes: readonly Lane[], by: number): Lane[] =>
  lanes.map(({ scalar, offset }) => ({ scalar, offset: offset + by }))

/** The number of scalars before member `name` of a struct, and that of the member itself. */
export function memberLanes(type: Type, name: string): readonly [start: number, count: number] {
  if (typeof type === 'string' || type.kind !== 'struct') throw new RangeError('only structs have members')
  let start = 0
  for (const field of type.fields) {
    const count = lanesOf(field.type).length
    if (field.name === name) return [start, count]
    start += count
  }
  throw new RangeError(`${type.name} has no member '${name}'`)
}

/** The number of elements that an index into `type` may name, null for a runtime-sized array, and what they are. */
export function elementsOf(type: Type): { readonly count: number | null; readonly stride: number; readonly of: Type } {
  if (typeof type !== 'string') {
    if (type.kind === 'array') return { count: type.count as number | null, stride: strideOf(type.of), of: type.of }
    throw new RangeError(`a ${type.kind} cannot be indexed`)
  }
  const scalar = scalarOf(type)
  const lanes = laneCount(type)
  const matrix = /^mat(\d)x(\d)/.exec(type)
  if (!matrix) return { count: lanes, stride: scalarBytes(scalar), of: scalar }
  const column = `vec${matrix[2]}${type.at(-1)}` as Type
  return { count: Number(matrix[1]), stride: laneOffset(type, Number(matrix[2])), of: column }
}

/** The type with the sizes that overrides give. */
export function withCounts(type: Type, overrides: Readonly<Record<string, number>>): Type {
  if (typeof type === 'string' || type.kind !== 'array' || type.count === null || typeof type.count === 'number')
    return type
  return { ...type, count: overrides[type.count.override] ?? 0 }
}

/** Bytes of a type that has a fixed size. */
export const bytesOf = (type: Type): number => Math.ceil(sizeOf(type) / 4) * 4

/** Whether the type is a subgroup matrix, or an array of them. */
export function isMatrixType(type: Type): boolean {
  if (typeof type === 'string') return false
  return type.kind === 'subgroup_matrix' || (type.kind === 'array' && isMatrixType(type.of))
}
