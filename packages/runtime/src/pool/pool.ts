import { memo } from '../memo'

/** One allocation, which has one tenant after the other. */
export interface Block {
  /** Stays the same over all tenants: what a cache of bind groups goes by. */
  readonly id: number
  /** Bytes. */
  readonly capacity: number
  /** WebGPU's usage flags. */
  readonly usage: number
  /** On a GPU. */
  readonly gpu: GPUBuffer | null
  /** On the CPU. */
  readonly bytes: Uint8Array<ArrayBuffer> | null
  /** What went wrong when it was made; null where nothing can. */
  readonly failure: Promise<string | null> | null
  /** Nobody may have it after this tenant: others may still use it, or the device never made it. */
  retired: boolean
}

export interface PoolStats {
  /** Buffers that wait for a new tenant, and their bytes. */
  readonly idle: number
  readonly idleBytes: number
  /** Freed buffers that recorded work still uses. */
  readonly waiting: number
  /** Requests that got an idle buffer, and requests for which one was made. */
  readonly hits: number
  readonly misses: number
  /** Idle buffers that were destroyed to stay within the bound, or by `trim`. */
  readonly trimmed: number
  /** Bytes of all buffers that exist, in use or not; and the most there ever were. */
  readonly bytes: number
  readonly peakBytes: number
}

/** Where blocks come from and go to, and what is known of the work that uses them. */
export interface Source {
  make(capacity: number, usage: number, label: string): Block
  /** Destroys it. */
  drop(block: Block): void
  /** Lets go of it; whoever else has it destroys it. */
  forget(block: Block): void
  /** Whether something is recorded that is not submitted. */
  recording(): boolean
  /** Sets the first bytes to 0 before any work that is handed over from now on. */
  clear(block: Block, bytes: number): void
  /** Takes back a `clear`, if it has not happened yet: all bytes will be written. */
  unclear(block: Block): void
  /** Hands over its `clear` now, if it has not happened yet. */
  settle(block: Block): void
}

let last = 0
export const nextBlock = (): number => ++last

/** Usage flags have ten bits, sizes fewer than forty: one number is both, and no text is made for a look-up. */
const keyOf = (capacity: number, usage: number): number => capacity * 1024 + usage

/**
 * Buffers for reuse. A block is handed out again only when everything that used it has been submitted: the order of the
 * queue then makes it right. What is freed while work is recorded waits for the submit, whether that work uses it or
 * not – to know which, each dispatch would have to write down its buffers.
 */
export class Pool {
  readonly #idle = new Map<number, Block[]>()
  /** The same blocks, least recently used first. */
  readonly #order = new Set<Block>()
  readonly #waiting: Block[] = []
  #idleBytes = 0
  #bytes = 0
  #peakBytes = 0
  #hits = 0
  #misses = 0
  #trimmed = 0

  #maxIdleBytes: number

  /** `maxIdleBytes`: most bytes that are kept idle. */
  constructor(
    readonly source: Source,
    maxIdleBytes: number,
  ) {
    this.#maxIdleBytes = maxIdleBytes
  }

  get stats(): PoolStats {
    return {
      idle: this.#order.size,
      idleBytes: this.#idleBytes,
      waiting: this.#waiting.length,
      hits: this.#hits,
      misses: this.#misses,
      trimmed: this.#trimmed,
      bytes: this.#bytes,
      peakBytes: this.#peakBytes,
    }
  }

  /** A block of `capacity` bytes, which is a size class. Recycled, it holds what its last tenant left. */
  acquire(capacity: number, usage: number, label: string): { readonly block: Block; readonly recycled: boolean } {
    // the one that was used last: the others grow old and may be trimmed
    const found = this.#idle.get(keyOf(capacity, usage))?.at(-1)
    if (found) {
      this.#hits++
      this.#take(found)
      return { block: found, recycled: true }
    }
    this.#misses++
    return { block: this.make(capacity, usage, label), recycled: false }
  }

  /** A block outside of all classes, of exactly this size. */
  make(capacity: number, usage: number, label: string): Block {
    const block = this.source.make(capacity, usage, label)
    this.#bytes += block.capacity
    this.#peakBytes = Math.max(this.#peakBytes, this.#bytes)
    return block
  }

  release(block: Block): void {
    if (this.source.recording()) this.#waiting.push(block)
    else this.#park(block)
  }

  /** All that was recorded is submitted. */
  submitted(): void {
    if (this.#waiting.length === 0) return
    for (const block of this.#waiting.splice(0)) this.#park(block)
  }

  /** Destroys idle blocks, the least recently used first, until no more than `keepBytes` are left. */
  trim(keepBytes = 0): void {
    for (const block of this.#order) {
      if (this.#idleBytes <= keepBytes) return
      this.#take(block)
      this.#trimmed++
      this.drop(block)
    }
  }

  /** A block is no longer ours to destroy. */
  forget(block: Block): void {
    this.#bytes -= block.capacity
    this.source.forget(block)
  }

  /** The end: what comes back later is not kept. */
  destroy(): void {
    this.#maxIdleBytes = -1
    this.trim(0)
    for (const block of this.#waiting.splice(0)) this.drop(block)
  }

  #park(block: Block): void {
    if (block.retired || block.capacity > this.#maxIdleBytes) {
      this.drop(block)
      return
    }
    memo(this.#idle, keyOf(block.capacity, block.usage), () => []).push(block)
    this.#order.add(block)
    this.#idleBytes += block.capacity
    if (this.#idleBytes > this.#maxIdleBytes) this.trim(this.#maxIdleBytes)
  }

  /** Takes a block out of the idle ones: the first or the last of its class. */
  #take(block: Block): void {
    const key = keyOf(block.capacity, block.usage)
    const blocks = this.#idle.get(key) as Block[]
    if (blocks.length === 1) this.#idle.delete(key)
    else if (blocks[0] === block) blocks.shift()
    else blocks.pop()
    this.#order.delete(block)
    this.#idleBytes -= block.capacity
  }

  /** Destroys a block without asking whether it is in use: at its end, or at that of the device. */
  drop(block: Block): void {
    this.#bytes -= block.capacity
    this.source.drop(block)
  }
}
