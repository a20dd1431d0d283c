import { fault, textOf } from '../errors'

/** The most queries that WebGPU allows in one set. A pass takes two. */
export const MOST_QUERIES = 4096

// WebGPU's usage flags, which are globals in browsers only.
const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, QUERY_RESOLVE: 0x200 } as const
const BYTES = 8

/** A pass, and the queries that it stamps: two of a set, from `at` on. */
interface Slot<T> {
  readonly set: GPUQuerySet
  readonly at: number
  readonly pass: T
}

/** A pass with the stamps of its begin and end. */
export interface Stamped<T> {
  readonly pass: T
  readonly begin: bigint
  readonly end: bigint
}

/**
 * Gives passes queries to stamp, and reads them back. Sets are made as they are needed, so one submit may have any
 * number of passes; they are read in rounds, while the program goes on. No query is used twice: of a pass that the
 * device refused nothing is written, and what an earlier one left there would be taken for its time.
 */
export class Queries<T> {
  #set: GPUQuerySet | null = null
  #used = 0
  #recorded: Slot<T>[] = []
  #submitted: Slot<T>[] = []
  #reading: Promise<void> = Promise.resolve()

  /** `read` gets the passes in the order in which they were recorded. `size` is even. */
  constructor(
    readonly device: GPUDevice,
    readonly read: (passes: readonly Stamped<T>[]) => void,
    readonly size: number = MOST_QUERIES,
  ) {}

  /** Queries for a pass that is about to be recorded. */
  next(pass: T): GPUComputePassTimestampWrites {
    if (this.#set === null || this.#used === this.size) {
      this.#set = this.device.createQuerySet({ label: 'weft profile', type: 'timestamp', count: this.size })
      this.#used = 0
    }
    const slot = { set: this.#set, at: this.#used, pass }
    this.#used += 2
    this.#recorded.push(slot)
    return { querySet: slot.set, beginningOfPassWriteIndex: slot.at, endOfPassWriteIndex: slot.at + 1 }
  }

  /** All passes so far were submitted. Begins to read them once they fill a set. */
  submitted(): void {
    for (const slot of this.#recorded) this.#submitted.push(slot)
    this.#recorded = []
    if (this.#submitted.length * 2 >= this.size) this.#round()
  }

  /** Resolves when all submitted passes were read; rejects `device-lost`. */
  async settle(): Promise<void> {
    if (this.#submitted.length > 0) this.#round()
    await this.#reading
  }

  #round(): void {
    const slots = this.#submitted
    this.#submitted = []
    const [before, bytes] = [this.#reading, this.#resolve(slots)]
    this.#reading = (async () => {
      const [stamps] = await Promise.all([bytes, before])
      this.read(
        slots.map(({ pass }, i) => ({ pass, begin: stamps[2 * i] as bigint, end: stamps[2 * i + 1] as bigint })),
      )
    })()
    this.#reading.catch(() => undefined) // told by `settle`
  }

  /** Copies the queries of `slots`, one behind the other, to the host. */
  async #resolve(slots: readonly Slot<T>[]): Promise<BigUint64Array> {
    const { device } = this
    const label = 'weft profile'
    const runs = runsOf(slots)
    // resolving starts at multiples of 256 bytes, so each set is resolved alone and packed by a copy
    const resolved = device.createBuffer({
      label,
      size: this.size * BYTES,
      usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC,
    })
    const size = slots.length * 2 * BYTES
    const staging = device.createBuffer({ label, size, usage: USAGE.MAP_READ | USAGE.COPY_DST })
    try {
      const encoder = device.createCommandEncoder({ label })
      let at = 0
      for (const { set, first, count } of runs) {
        encoder.resolveQuerySet(set, first, count, resolved, 0)
        encoder.copyBufferToBuffer(resolved, 0, staging, at, count * BYTES)
        at += count * BYTES
      }
      device.queue.submit([encoder.finish()])
      await staging.mapAsync(1 /* GPUMapMode.READ */)
      return new BigUint64Array(staging.getMappedRange().slice(0))
    } catch (error) {
      throw fault('device-lost', `the timestamps could not be read: ${textOf(error)}`)
    } finally {
      for (const { set, first, count } of runs) if (first + count === this.size) set.destroy()
      resolved.destroy()
      staging.destroy()
    }
  }
}

interface Run {
  readonly set: GPUQuerySet
  readonly first: number
  count: number
}

/** The queries of `slots` as one range for each set. */
function runsOf(slots: readonly Slot<unknown>[]): readonly Run[] {
  const runs: Run[] = []
  for (const { set, at } of slots) {
    const last = runs.at(-1)
    if (last?.set === set) last.count += 2
    else runs.push({ set, first: at, count: 2 })
  }
  return runs
}
