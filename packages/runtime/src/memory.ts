import type { WeftError } from './errors'

/**
 * What became of the last work that wrote a piece of memory: the error, or null. Kept with the memory until the next
 * write, so that a readback rejects when what should have produced its bytes was rejected.
 */
export type Outcome = Promise<WeftError | null>

/** What to do about a missing usage, as a note of an error. */
export type UsageNote = (usage: 'STORAGE' | 'UNIFORM') => string

/** One allocation, whoever made it: its identity is what overlap checks, caches and outcomes go by. */
export interface Memory {
  readonly id: number
  readonly label: string
  /** Bytes that were asked for. */
  readonly size: number
  /** Bytes that there are: at least 4, and a multiple of 4 unless the caller's own GPUBuffer is not. */
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
  /** null: nothing is known against the content. */
  outcome: Outcome | null
}

let last = 0

export function memory(fields: Pick<Memory, 'label' | 'size' | 'capacity'> & Partial<Memory>): Memory {
  return { gpu: null, bytes: null, own: true, usageNote: null, destroyed: false, outcome: null, ...fields, id: ++last }
}

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
  for (const output of outputs) output.outcome = outcome
  void outcome.then((error) => {
    if (error) return
    for (const output of outputs) if (output.outcome === outcome) output.outcome = null
  })
  return outcome
}

// WebGPU's usage flags, which are globals in browsers only.
export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 0x40, STORAGE: 0x80 } as const
