import type { BufferLike } from '@weft/runtime'
import type { Access } from './args'
import { ArgumentError } from './errors'

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

/** The bytes of a buffer, or of a range of one. */
export const bytesOf = (buffer: BufferLike): number => {
  if ('size' in buffer && typeof buffer.size === 'number') return buffer.size
  const { buffer: whole, offset = 0 } = buffer as Extract<BufferLike, { readonly buffer: unknown }>
  return bytesOf(whole as BufferLike) - offset
}

interface Place {
  readonly memory: unknown
  readonly from: number
  readonly to: number
}

/** The memory that a buffer lies in, which views share, and its bytes there. */
function placeOf(buffer: BufferLike): Place {
  const {
    buffer: whole,
    offset,
    memoryId,
  } = buffer as {
    readonly buffer?: BufferLike
    readonly offset?: number
    readonly memoryId?: number
  }
  const { memory, from } = whole === undefined ? { memory: memoryId ?? buffer, from: 0 } : placeOf(whole)
  const start = from + (offset ?? 0)
  return { memory, from: start, to: start + bytesOf(buffer) }
}

/**
 * Refuses a buffer that is written and overlaps another one that the function was given: where a function takes several dispatches, each of
 * them might be right alone. In place is what the function says it is, in exactly the same range. Views of one buffer that begin at different
 * elements are left to those who know how far they reach.
 */
export function checkOverlaps(what: string, buffers: readonly Given[]): void {
  const places = buffers.map(({ buffer }) => placeOf(buffer))
  buffers.forEach((a, i) => {
    buffers.slice(0, i).forEach((b, j) => {
      if (a.access === 'read' && b.access === 'read') return
      const [x, y] = [places[i] as Place, places[j] as Place]
      if (x.memory !== y.memory || x.from >= y.to || y.from >= x.to || a.offset !== b.offset) return
      const isSame = x.from === y.from && x.to === y.to
      if (isSame && (a.over.includes(b.arg) || b.over.includes(a.arg))) return
      const [written, other] = a.access === 'read' ? [b, a] : [a, b]
      const inPlace =
        written.over.length > 0 ? `${written.name} may be ${written.over.join(' or ')}, in exactly the same range` : ''
      throw new ArgumentError({
        code: 'binding-overlap',
        message: `${what}: ${written.name} must be another buffer than ${other.name}: the function writes it, and ${other.access === 'read' ? 'reads' : 'writes'} the other`,
        note: inPlace || 'use another buffer, or a range of this one that does not overlap',
      })
    })
  })
}
