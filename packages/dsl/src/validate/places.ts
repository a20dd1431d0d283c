import type { Func, Place, Root } from '../ir'
import {
  type Access,
  factsOf,
  isInt,
  isKind,
  isMatrix,
  isScalar,
  isValue,
  isVector,
  type PtrType,
  scalarOf,
  spell,
  type Type,
  vectorName,
} from '../types'
import type { Context } from './context'

/** What is known of places: where they lie, what may be done with them, what they consist of. */

/** The type of a pointer parameter of a function, or null. */
export function pointerType(name: string, func: Func | null): PtrType | null {
  const type = func?.params.find((p) => p.name === name)?.type
  return type && isKind(type, 'ptr') ? type : null
}

/** The type of what a root stands for, or null where there is no such thing. */
export function rootType(root: Root, func: Func | null, context: Context): Type | null {
  switch (root.kind) {
    case 'binding':
      return context.bindings.get(root.name)?.type ?? null
    case 'variable':
      return context.variables.get(root.id)?.type ?? null
    case 'pointer':
      return pointerType(root.name, func)?.of ?? null
    case 'view':
      return root.type
  }
}

/** Where a place lies; `function` stands for private memory, too. */
export function spaceOf(root: Root, func: Func | null, context: Context): string {
  if (root.kind === 'variable') return context.variables.get(root.id)?.space === 'workgroup' ? 'workgroup' : 'function'
  if (root.kind !== 'pointer') return context.bindings.get(root.name)?.kind ?? 'storage'
  const space = pointerType(root.name, func)?.space ?? 'function'
  return space === 'private' ? 'function' : space
}

/** The access that a root allows; null where it is unknown. */
function accessOf(root: Root, func: Func | null, context: Context): Access | null {
  if (root.kind === 'variable') return 'read_write'
  if (root.kind !== 'pointer') return context.bindings.get(root.name)?.access ?? null
  const type = pointerType(root.name, func)
  return type && (type.space === 'uniform' ? 'read' : type.access)
}

const ROLE: { readonly [A in Access]: string } = { read: 'an input', write: 'an output', read_write: 'both' }

/** Reports what a statement does with a place against the access of its root, and remembers what is written. */
export function use(place: Place, does: Access, at: number, func: Func | null, context: Context): void {
  const { root } = place
  if (does !== 'read' && (root.kind === 'binding' || root.kind === 'view')) context.written.add(root.name)
  const access = accessOf(root, func, context)
  if (access === null || access === 'read_write' || access === does || root.kind === 'variable') return
  const type = root.kind === 'binding' ? context.bindings.get(root.name)?.type : undefined
  const what = does === 'read_write' ? 'read and written at once' : does === 'read' ? 'read' : 'written'
  context.report(
    'binding-access',
    `'${root.name}' is ${ROLE[access]} and cannot be ${what}`,
    at,
    `declare it inout(${type ? spell(type) : '…'}) to read and write it`,
  )
}

/** The type of an element of an array, a column of a matrix, a lane of a vector; null for what cannot be indexed. */
export function elementOf(type: Type): Type | null {
  if (!isValue(type)) return type.kind === 'array' ? type.of : null
  if (isScalar(type)) return null
  return isMatrix(type) ? vectorName(scalarOf(type), factsOf(type).rows) : scalarOf(type)
}

/** How many elements; null where that is known at run time only. */
export function countOf(type: Type): number | null {
  if (isValue(type)) return isVector(type) ? factsOf(type).rows : factsOf(type).cols
  return type.kind === 'array' && typeof type.count === 'number' ? type.count : null
}

export const isIndexType = (type: Type): boolean => isValue(type) && isScalar(type) && isInt(type)
