import { type Block, nextBlock, type Source } from '../pool/pool'
import { scoped } from './scopes'

/**
 * GPUBuffers for a pool. Clears are collected and go in front of the next submit, in a command buffer of their own, so
 * that they never break a pass in two. They are in time: what is recorded knows nothing of the block before it is handed
 * out, and what used it before is submitted.
 */
export class GpuBlocks implements Source {
  readonly #clears = new Map<Block, number>()

  constructor(
    readonly device: GPUDevice,
    readonly recording: () => boolean,
    /** Told when a block is destroyed or let go of: whatever is cached about it goes. */
    readonly dropped: (block: number) => void,
  ) {}

  make(capacity: number, usage: number, label: string): Block {
    const { value: gpu, error } = scoped(this.device, ['validation', 'out-of-memory'], () =>
      this.device.createBuffer({ label, size: capacity, usage }),
    )
    const failure = error.then((found) => found?.message ?? null)
    return { id: nextBlock(), capacity, usage, gpu, bytes: null, failure, retired: false }
  }

  drop(block: Block): void {
    block.gpu?.destroy()
    this.forget(block)
  }

  forget(block: Block): void {
    this.#clears.delete(block)
    this.dropped(block.id)
  }

  clear(block: Block, bytes: number): void {
    if (bytes > 0) this.#clears.set(block, bytes)
  }

  unclear(block: Block): void {
    this.#clears.delete(block)
  }

  settle(block: Block): void {
    if (this.#clears.has(block)) this.submit()
  }

  /** Submits commands, with all clears that wait in front of them. */
  submit(...commands: GPUCommandBuffer[]): void {
    if (this.#clears.size > 0) {
      const encoder = this.device.createCommandEncoder({ label: 'weft zeros' })
      for (const [{ gpu }, bytes] of this.#clears) encoder.clearBuffer(gpu as GPUBuffer, 0, bytes)
      this.#clears.clear()
      commands.unshift(encoder.finish())
    }
    this.device.queue.submit(commands)
  }
}
