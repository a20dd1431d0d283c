import type { Backend } from './backend'
import type { Range } from './bindings'
import { type BufferOwner, DeviceBuffer, ownerOf, type Place, placeOf } from './buffer'
import { isCount, roundUp } from './bytes'
import { count, fault, shown } from './errors'
import type { Memory, UsageNote } from './memory'

/** The GPUBuffer inside a buffer of another library. */
export interface Unwrapped {
  readonly gpu: GPUBuffer
  readonly usageNote: UsageNote
}

/** Takes a buffer of another library apart; null for what is none. Throws where it cannot be used. `what` names it in errors. */
export type Unwrap = (value: object, what: string) => Unwrapped | null

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** By its form, since engines outside browsers have no `GPUBuffer` class in reach. */
const isGPUBuffer = (value: unknown): value is GPUBuffer => isObject(value) && 'mapAsync' in value && 'usage' in value

/** Whether a value was meant as a buffer, for the choice of an error. */
export const looksLikeBuffer = (value: unknown): boolean =>
  value instanceof DeviceBuffer ||
  isGPUBuffer(value) ||
  ArrayBuffer.isView(value) ||
  (isObject(value) && 'buffer' in value)

const whole = (memory: Memory): Place => ({ memory, offset: 0, size: memory.size })

/** The place of a buffer of any make. `what` names it in errors: `binding-type`, `foreign-buffer`. */
function placeBehind(value: unknown, what: string, owner: BufferOwner, backend: Backend): Place {
  if (value instanceof DeviceBuffer) {
    if (ownerOf(value) === owner) return placeOf(value)
    throw fault(
      'foreign-buffer',
      `${what} is a buffer of another runtime`,
      'read it there and make a buffer of it here',
    )
  }
  if (isGPUBuffer(value)) return whole(backend.adopt(value))
  const unwrapped = isObject(value) ? backend.unwrap?.(value, what) : null
  if (unwrapped) return whole(backend.adopt(unwrapped.gpu, unwrapped.usageNote))
  if (isObject(value) && 'buffer' in value && !ArrayBuffer.isView(value)) {
    return within(placeBehind(value.buffer, what, owner, backend), value as Part, what)
  }
  const note =
    ArrayBuffer.isView(value) || Array.isArray(value)
      ? 'put host data into a buffer first: runtime.buffer(data)'
      : undefined
  throw fault('binding-type', `${what} is ${shown(value)}, expected a buffer`, note)
}

interface Part {
  readonly buffer: unknown
  readonly offset?: unknown
  readonly size?: unknown
}

/** A part of a place, as offset and size ask. Throws `binding-size` where it leaves the buffer. */
function within(place: Place, given: Part, what: string): Place {
  const offset = given.offset ?? 0
  const size = given.size ?? place.size - Number(offset)
  if (!isCount(offset) || !isCount(size) || offset + size > place.size) {
    throw fault(
      'binding-size',
      `${what} is the range of ${shown(size)} bytes from byte ${shown(offset)} of a buffer of ${count(place.size)} bytes`,
    )
  }
  return { memory: place.memory, offset: place.offset + offset, size }
}

/**
 * The range that a caller gave to a binding, a read or a write: a buffer, or a part of one. Throws `binding-type`,
 * `binding-size`, `foreign-buffer` or `buffer-destroyed`.
 */
export function rangeOf(value: unknown, what: string, owner: BufferOwner, backend: Backend): Range {
  const { memory, offset, size } = placeBehind(value, what, owner, backend)
  if (memory.destroyed) throw fault('buffer-destroyed', `${what} is a buffer that was destroyed: '${memory.label}'`)
  const ends = offset + size === memory.size
  return { memory, offset, size, bound: ends ? Math.min(roundUp(size, 4), memory.capacity - offset) : size }
}
