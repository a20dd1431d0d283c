import type { Code } from '@weft/codegen'
import type { BufferLike, Runtime } from '@weft/runtime'
import type { Access } from './args'
import { ArgumentError, badArgument, shown } from './errors'

/**
 * Where the buffers of a call lie, and what a device would have against it. The runtime checks each dispatch, in the words of the kernel,
 * which may know an argument by another name or take the copy of it; here the arguments are checked by their own names, before any dispatch,
 * and for all kernels that a function may choose alike.
 */

/** A buffer that a function was given, and what it does with it. */
export interface Given {
  /** The argument, and its path where the buffer is within an object. */
  readonly arg: string
  readonly name: string
  readonly buffer: BufferLike
  readonly access: Access
  readonly over: readonly string[]
  /** Where in the buffer a view begins, in elements. */
  readonly offset: unknown
}

interface Range {
  readonly buffer: BufferLike
  readonly offset?: number
}
const isRange = (buffer: BufferLike): buffer is Range & BufferLike => 'buffer' in buffer

/** The bytes of a buffer, or of a range of one. */
export const bytesOf = (buffer: BufferLike): number => {
  if ('size' in buffer && typeof buffer.size === 'number') return buffer.size
  const { buffer: whole, offset = 0 } = buffer as Range
  return bytesOf(whole) - offset
}

/** Whether it is `{ buffer, offset, size }`, and no object of another library that has a buffer. */
export const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype

interface Place {
  /** The buffer itself, without the ranges of it. What another library makes is not taken apart. */
  readonly whole: BufferLike
  /** The memory that it lies in, which views share. */
  readonly memory: unknown
  /** Its bytes there. */
  readonly from: number
  readonly to: number
}

function placeOf(buffer: BufferLike): Place {
  if (isRange(buffer)) {
    const inner = placeOf(buffer.buffer)
    const from = inner.from + (buffer.offset ?? 0)
    return { ...inner, whole: isPlain(buffer) ? inner.whole : buffer, from, to: from + bytesOf(buffer) }
  }
  // a GPUBuffer has neither
  const { offset = 0, memoryId = buffer } = buffer as { readonly offset?: number; readonly memoryId?: unknown }
  return { whole: buffer, memory: memoryId, from: offset, to: offset + bytesOf(buffer) }
}

/** Refuses what is no runtime: where it was forgotten, the arguments are in its place. */
export function checkRuntime(what: string, runtime: unknown): void {
  if (typeof runtime === 'object' && runtime !== null && 'owns' in runtime) return
  throw badArgument(
    `${what}: the first argument must be the runtime, got ${shown(runtime)}`,
    `await ${what}(runtime, …), with one of await createRuntime()`,
  )
}

/** Checks buffers together, and each with the device; throws by the name of the function and of the argument. */
export function checkPlaces(runtime: Runtime, what: string, buffers: readonly Given[]): void {
  const placed = buffers.map((given) => ({ ...given, place: placeOf(given.buffer) }))
  placed.forEach((a, i) => {
    for (const b of placed.slice(0, i)) checkTwo(what, a, b)
  })
  for (const { name, place } of placed) checkOne(runtime, `${what}: ${name}`, place)
}

const refuse = (code: Code, message: string, note: string): never => {
  throw new ArgumentError({ code, message, note })
}

type Placed = Given & { readonly place: Place }

const ONE_USE = 'WebGPU allows only one of the two for a whole buffer, even in parts that are apart: use two buffers'

/**
 * Refuses a buffer that is written and overlaps another one, or is a part of one that is read: where a function takes several dispatches,
 * each of them might be right alone. In place is what the function says it is, in exactly the same range. Views of one buffer that begin at
 * different elements and are both written are left to those who know how far they reach.
 */
function checkTwo(what: string, a: Placed, b: Placed): void {
  const [x, y] = [a.place, b.place]
  if ((a.access === 'read' && b.access === 'read') || x.memory !== y.memory) return
  if (x.from === x.to || y.from === y.to) return // nothing is bound
  const isSame = x.from === y.from && x.to === y.to
  if (isSame && (a.over.includes(b.arg) || b.over.includes(a.arg))) return
  const [written, other] = a.access === 'read' ? [b, a] : [a, b]
  const overlap = x.from < y.to && y.from < x.to && a.offset === b.offset
  if (!overlap && other.access !== 'read') return
  const reads = other.access === 'read'
  const apart = reads ? ONE_USE : 'both are written: use two buffers, or two ranges of one that do not overlap'
  const inPlace =
    written.over.length > 0
      ? `; in place, ${written.name} may be ${written.over.join(' or ')}, in exactly the same range`
      : ''
  refuse(
    'binding-overlap',
    `${what}: ${written.name} must be ${overlap ? '' : 'in '}another buffer than ${other.name}: the function writes it, and ${reads ? 'reads' : 'writes'} the other`,
    apart + inPlace,
  )
}

const STORAGE = 0x80

/** Refuses a buffer that no binding of the device takes. */
function checkOne(runtime: Runtime, name: string, { whole, from }: Place): void {
  if ('memoryId' in whole) {
    if (!runtime.owns(whole))
      refuse('foreign-buffer', `${name} is a buffer of another runtime`, 'read it there and make a buffer of it here')
  } else if ('mapAsync' in whole) {
    if (!runtime.device)
      refuse('binding-type', `${name} is a GPUBuffer, and the runtime is on the CPU`, 'use runtime.buffer(…)')
    if ((whole.usage & STORAGE) === 0)
      refuse('binding-type', `${name} is a GPUBuffer without STORAGE usage`, 'create it with GPUBufferUsage.STORAGE')
  }
  if (from === 0) return
  const align = runtime.info.limits.minStorageBufferOffsetAlignment ?? 256
  if (from % align === 0) return
  const down = from - (from % align)
  refuse(
    'binding-size',
    `${name} starts at byte ${from}, expected a multiple of ${align} (minStorageBufferOffsetAlignment)`,
    `it could start at ${down} or ${down + align}; runtime.arena(bytes) places tensors in one buffer that a dispatch only reads, or only writes`,
  )
}
