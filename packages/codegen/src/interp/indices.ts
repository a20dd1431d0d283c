import { type Expr, membersOf, type Place, sizeOf, type Type } from '@weft/dsl/ir'
import type { Frame } from './frame'
import { bytesOf, elementsOf } from './shape'

/** Indices, counts and offsets in memory. */

export const unsigned = (frame: Frame, index: Expr): string => {
  const code = frame.evaluate(index)
  return frame.atom(index.type === 'i32' ? `${code} >>> 0` : code)
}

/** Whether an index is in range whatever happens. */
export const isWithin = (frame: Frame, index: Expr, limit: string): boolean =>
  /^\d+$/.test(limit) && frame.program.bounds(index) < Number(limit)

export function clampedIndex(frame: Frame, index: Expr, limit: string): string {
  const i = unsigned(frame, index)
  if (isWithin(frame, index, limit)) return i
  const last = /^\d+$/.test(limit) ? String(Number(limit) - 1) : `${limit} - 1`
  return `${i} < ${limit} ? ${i} : ${last}`
}

/** The number of elements of the runtime-sized array that `place` leads into. */
export function runtimeCount(frame: Frame, place: Place): string {
  const { root } = place
  if (root.kind === 'binding') return frame.use(frame.program.bound(root.name, 'n'))
  if (root.kind !== 'view') throw new RangeError('only bindings have runtime-sized arrays')
  const { fixed, stride } = runtimePart(root.type)
  const size = frame.use(frame.program.bound(root.name, 'z'))
  return frame.atom(`Math.floor((${size} - ${viewOffset(frame, root)} - ${fixed}) / ${stride})`)
}

/** The bytes before a runtime-sized array, and its stride. */
export function runtimePart(type: Type): { readonly fixed: number; readonly stride: number } {
  if (typeof type !== 'string' && type.kind === 'struct') {
    const last = membersOf(type).at(-1)
    if (last) return { fixed: last.offset, stride: runtimePart(last.type).stride }
  }
  return {
    fixed: 0,
    stride: typeof type !== 'string' && type.kind === 'array' ? elementsOf(type).stride : sizeOf(type),
  }
}

/** `arrayLength`, or the size of a buffer. */
export function elementCount(frame: Frame, place: Place): string {
  const { type } = place
  if (typeof type !== 'string' && type.kind === 'buffer' && place.root.kind === 'binding') {
    return frame.use(frame.program.bound(place.root.name, 'z'))
  }
  if (typeof type !== 'string' && type.kind === 'array' && typeof type.count === 'number') return String(type.count)
  return runtimeCount(frame, place)
}

/** The offset of a view, aligned, and moved back so far that the view lies within the buffer. */
export function viewOffset(frame: Frame, root: Extract<Place['root'], { kind: 'view' }>): string {
  const size = frame.use(frame.program.bound(root.name, 'z'))
  const offset = unsigned(frame, root.offset)
  const last = `${size} - ${bytesOf(root.type)}`
  return frame.atom(`(${offset} <= ${last} ? ${offset} : ${last}) & -4`)
}
