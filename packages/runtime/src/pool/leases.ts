import type { Block } from './pool'

/** One tenancy of a block: what there is to know of a buffer without keeping the buffer itself alive. */
export interface Lease {
  readonly block: Block
  readonly label: string
  /** Bytes that were asked for. */
  readonly size: number
  /** `performance.now()` when it was made. */
  readonly born: number
  /** Where it was made, when stacks are kept. */
  readonly stack: string | null
}

/** A buffer that was made and not destroyed. */
export interface Leak {
  readonly label: string
  /** Bytes. */
  readonly size: number
  /** Since it was made. */
  readonly ageMs: number
  /** Where it was made, when the runtime keeps stacks (`memory: { stacks: true }`); else null. */
  readonly stack: string | null
}

export interface BufferStats {
  /** Buffers that were made and not destroyed, and their bytes; and the most bytes there ever were. */
  readonly live: number
  readonly bytes: number
  readonly peakBytes: number
  /** Buffers that were dropped without `destroy()` and found by the garbage collector. */
  readonly collected: number
}

/**
 * Who has memory now. It holds the leases, never their tenants, so that a buffer that nobody can reach any more is
 * collected; its block comes back then as if it had been destroyed.
 */
export class Leases {
  readonly #live = new Set<Lease>()
  readonly #collected: FinalizationRegistry<Lease>
  #bytes = 0
  #peakBytes = 0
  #lost = 0

  /** `collect` takes the block of a tenant that was collected. */
  constructor(collect: (lease: Lease) => void) {
    this.#collected = new FinalizationRegistry((lease) => {
      if (!this.#remove(lease)) return
      this.#lost++
      collect(lease)
    })
  }

  get stats(): BufferStats {
    return { live: this.#live.size, bytes: this.#bytes, peakBytes: this.#peakBytes, collected: this.#lost }
  }

  begin(block: Block, size: number, label: string, stack: string | null): Lease {
    const lease = { block, label, size, born: performance.now(), stack }
    this.#live.add(lease)
    this.#bytes += size
    this.#peakBytes = Math.max(this.#peakBytes, this.#bytes)
    return lease
  }

  /** Ends the lease when `tenant` is collected, if it has not ended before. */
  watch(tenant: object, lease: Lease): void {
    this.#collected.register(tenant, lease, tenant)
  }

  /** False where it has ended already. */
  end(tenant: object, lease: Lease): boolean {
    this.#collected.unregister(tenant)
    return this.#remove(lease)
  }

  /** Ends all leases, and gives their blocks. */
  endAll(): Block[] {
    const blocks = [...this.#live].map(({ block }) => block)
    this.#live.clear()
    this.#bytes = 0
    return blocks
  }

  /** What is live, oldest first. */
  report(): Leak[] {
    const now = performance.now()
    return [...this.#live].map(({ label, size, born, stack }) => ({ label, size, ageMs: now - born, stack }))
  }

  #remove(lease: Lease): boolean {
    if (!this.#live.delete(lease)) return false
    this.#bytes -= lease.size
    return true
  }
}
