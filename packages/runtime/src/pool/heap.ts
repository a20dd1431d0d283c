import { roundDown, roundUp } from '../bytes'
import { follow, type Memory, memory, USAGE } from '../memory'
import { type BufferStats, type Leak, Leases } from './leases'
import { type Block, Pool, type Source } from './pool'
import { sizeClass } from './size-class'

export interface HeapOptions {
  /** Most bytes of freed buffers that are kept for reuse. 256 MiB unless said otherwise; 0 keeps none. */
  readonly maxIdleBytes?: number | undefined
  /** Whether to note where each buffer is made, for `runtime.leaks()`: a stack trace for each costs microseconds. */
  readonly stacks?: boolean | undefined
}

export interface Allocation {
  readonly label: string
  /** Whether all bytes are to be 0, or may be whatever is there. */
  readonly zero: boolean
  /** Whether it may have been another buffer, and become one. Otherwise it has exactly the size that is asked for. */
  readonly pooled: boolean
  readonly stack: string | null
}

const MAX_IDLE_BYTES = 256 * 2 ** 20

/** What any buffer may be used for. */
export const BUFFER_USAGE = USAGE.STORAGE | USAGE.UNIFORM | USAGE.INDIRECT | USAGE.COPY_SRC | USAGE.COPY_DST

/**
 * The buffers of one device: made, cleared, recycled and accounted for. That a buffer is 0 when it is new is promised to
 * whoever asks, so recycled ones are cleared – but not those whose maker overwrites them at once.
 */
export class Heap {
  /** Where a buffer is being made, where that is to be noted. */
  stackOf: (() => string) | null = null
  readonly pool: Pool
  readonly #source: Source
  readonly #leases: Leases
  readonly #escaped = new WeakMap<GPUBuffer, WeakRef<Memory>>()
  /** Most bytes of one buffer. */
  readonly #maxSize: number

  constructor(source: Source, maxSize: number | undefined, { maxIdleBytes }: HeapOptions = {}) {
    this.pool = new Pool(source, maxIdleBytes ?? MAX_IDLE_BYTES)
    this.#source = source
    this.#leases = new Leases(({ block }) => this.#collected(block))
    this.#maxSize = roundDown(maxSize ?? Number.MAX_SAFE_INTEGER, 4)
  }

  get buffers(): BufferStats {
    return this.#leases.stats
  }

  leaks(): Leak[] {
    return this.#leases.report()
  }

  /** Never throws; where the device has no memory, the outcome says so. */
  allocate(size: number, { label, zero, pooled, stack }: Allocation): Memory {
    const { block, recycled } = pooled
      ? this.pool.acquire(this.#capacity(size), BUFFER_USAGE, label)
      : { block: this.pool.make(Math.max(4, roundUp(size, 4)), BUFFER_USAGE, label), recycled: false }
    if (!pooled) block.retired = true
    // what is new is 0 by itself
    if (recycled && zero) this.#source.clear(block, roundUp(size, 4))
    const lease = this.#leases.begin(block, size, label, stack)
    const { capacity, gpu, bytes } = block
    const made = memory({ label, size, capacity, gpu, bytes, lease, dirty: recycled && !zero })
    this.#leases.watch(made, lease)
    if (block.failure && !recycled) this.#expect(made, block)
    return made
  }

  /** Frees memory: its block is for others as soon as all recorded work is submitted. */
  free(freed: Memory): void {
    const { lease } = freed
    if (lease && this.#leases.end(freed, lease)) this.pool.release(lease.block)
  }

  /**
   * Called before work uses memory. What was left there by another buffer is cleared now, unless the work is known to
   * overwrite all of it.
   */
  use(used: Memory, overwrites: boolean): void {
    if (!used.dirty) return
    used.dirty = false
    const block = used.lease?.block
    if (block && !overwrites) this.#source.clear(block, roundUp(used.size, 4))
  }

  /**
   * Called before the host writes to memory, all of it or a part. Recorded work may count on a clear that waits, and
   * comes before the write; if there is none, the write may go to the queue directly, which clears must not undo.
   */
  write(written: Memory, whole: boolean): void {
    this.use(written, whole)
    const block = written.lease?.block
    if (!block || this.#source.recording()) return
    if (whole) this.#source.unclear(block)
    else this.#source.settle(block)
  }

  /**
   * The GPUBuffer goes out of our sight: into the hands of the caller or into an encoder of theirs. Nobody knows for how
   * long it is used then, so it will not be recycled.
   */
  escape(escaping: Memory): void {
    const { gpu, lease } = escaping
    if (!gpu || !lease || this.#escaped.has(gpu)) return
    this.use(escaping, false)
    this.#source.settle(lease.block)
    lease.block.retired = true
    this.#escaped.set(gpu, new WeakRef(escaping))
  }

  /** The memory of a buffer of ours that comes back as a GPUBuffer. */
  find(buffer: GPUBuffer): Memory | null {
    return this.#escaped.get(buffer)?.deref() ?? null
  }

  /** The end: all buffers go, those too that nobody destroyed. */
  destroy(): void {
    for (const block of this.#leases.endAll()) this.pool.drop(block)
    this.pool.destroy()
  }

  /** Where the next size class is more than a buffer may have, the size itself is one. */
  #capacity(size: number): number {
    const capacity = sizeClass(size)
    return capacity <= this.#maxSize ? capacity : roundUp(size, 4)
  }

  #collected(block: Block): void {
    // an escaped buffer may be all that the caller has kept; the engine frees it after them
    if (block.retired && block.gpu && this.#escaped.has(block.gpu)) this.pool.forget(block)
    else this.pool.release(block)
  }

  #expect(made: Memory, block: Block): void {
    const outcome = (block.failure as Promise<string | null>).then(async (text) => {
      if (text === null) return null
      block.retired = true
      this.pool.trim()
      // loaded when something is wrong
      const { outOfMemory } = await import('./out-of-memory')
      return outOfMemory(made, text)
    })
    follow(outcome, [], [made])
  }
}
