import type { WeftError } from './errors'
import type { Lease } from './pool/leases'
import { nextBlock } from './pool/pool'

/**
 * What became of the last work that wrote a piece of memory: the error, or null. Kept with the memory until the next
 * write, so that a readback rejects when what should have produced its bytes was rejected.
 */
export type Outcome = Promise<WeftError | null>

/** What to do about a missing usage, as a note of an error. */
export type UsageNote = (usage: 'STORAGE' | 'UNIFORM' | 'INDIRECT') => string

/**
 * Memory of one buffer, whoever made it. Its identity is what overlap checks and outcomes go by; where it was recycled,
 * the next buffer has another `Memory`, so one that is destroyed stays so.
 */
export interface Memory {
  readonly id: number
  /** The allocation, which stays the same when it is recycled: what bind groups go by. */
  readonly block: number
  /** How it is held of the runtime; null for a GPUBuffer of the caller. */
  readonly lease: Lease | null
  readonly label: string
  /** Bytes that were asked for. */
  readonly size: number
  /** Bytes that there are: more than were asked for where sizes are rounded. A multiple of 4 unless the caller's own GPUBuffer is not. */
  readonly capacity: number
  /** On a GPU. */
  readonly gpu: GPUBuffer | null
  /** On the CPU. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  /** Whether the runtime made it; of a caller's GPUBuffer nothing is known for sure. */
  readonly own: boolean
  /** How its maker gives it a usage that it lacks, for errors. */
  readonly usageNote: UsageNote | null
  destroyed: boolean
  /** Holds what was left by an earlier buffer, since its maker wants to overwrite it all. */
  dirty: boolean
  /** null: nothing is known against the content. */
  outcome: Outcome | null
}

/** A part of memory: any offset and size in bytes. */
export interface Part {
  readonly memory: Memory
  readonly offset: number
  readonly size: number
}

let last = 0

export function memory(fields: Pick<Memory, 'label' | 'size'> & Partial<Memory>): Memory {
  const { label, size, capacity = size, gpu = null, bytes = null, lease = null, usageNote = null } = fields
  const own = fields.own ?? true
  const block = lease?.block.id ?? nextBlock()
  const state = { destroyed: fields.destroyed ?? false, dirty: fields.dirty ?? false, outcome: null }
  return { id: ++last, block, lease, label, size, capacity, gpu, bytes, own, usageNote, ...state }
}

/**
 * Counts what may change the answer to “is all of this memory there, and is nothing known against it?”: whoever has
 * asked need not ask again while the count is the same.
 */
export const doubts = { count: 0 }

/**
 * The outcome of work that reads `inputs` and writes `outputs`: the first error of what it reads, else its own. Sets
 * it on the outputs, and forgets it there when it is good.
 */
export function follow(own: Outcome, inputs: Iterable<Memory>, outputs: readonly Memory[]): Outcome {
  const earlier = new Set<Outcome>()
  for (const { outcome } of inputs) if (outcome) earlier.add(outcome)
  const outcome = (async () => {
    for (const before of earlier) {
      const error = await before
      if (error) return error
    }
    return await own
  })()
  doubts.count++
  for (const output of outputs) output.outcome = outcome
  void outcome.then((error) => {
    if (error) return
    for (const output of outputs) if (output.outcome === outcome) output.outcome = null
  })
  return outcome
}

// WebGPU's usage flags, which are globals in browsers only.
export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 0x40, STORAGE: 0x80, INDIRECT: 0x100 } as const
