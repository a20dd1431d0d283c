import { roundUp } from '../bytes'
import { USAGE } from '../memory'
import { type Resource, ranged } from './bind-groups'
import { type GpuMemory, gpuMemory } from './gpu-memory'

/** A place in the arena; it can be bound as it is. */
export interface Slot extends Resource {
  readonly memory: GpuMemory
}

/** A buffer of the arena with its content as the host wants it at the next submit. */
interface Page {
  readonly memory: GpuMemory
  readonly bytes: Uint8Array<ArrayBuffer>
  end: number
}

const PAGE_BYTES = 64 * 1024

/**
 * What the commands of one submit read and nobody else: params of dispatches, bytes of uploads. Every use gets a slot
 * of its own, since `writeBuffer` takes effect before all commands of the next submit: two dispatches that shared a
 * slot would both see the last write. So the host's side is written in one piece just before the submit, and after it
 * the slots are free again, because later writes come after it in the queue's order.
 */
export class UniformArena {
  readonly #pages: Page[] = []
  #page = 0
  #bytes = 0

  constructor(
    readonly device: GPUDevice,
    readonly align: number,
  ) {}

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** A slot that holds a copy of `bytes`, of any number, for every command of the submit that is being recorded. */
  slot(bytes: Uint8Array): Slot {
    const size = roundUp(bytes.byteLength, 4)
    const page = this.#roomFor(size)
    const offset = page.end
    page.bytes.set(bytes, offset)
    page.end = roundUp(offset + size, this.align)
    this.#bytes += page.end - offset
    return ranged(page.memory, offset, size)
  }

  /** Hands the slots' content to the queue: before the submit that uses it. */
  write(): void {
    for (const { memory, bytes, end } of this.#pages) {
      if (end > 0) this.device.queue.writeBuffer(memory.gpu, 0, bytes, 0, Math.min(end, bytes.byteLength))
    }
  }

  /** After the submit: all slots are free. Pages that a large upload needed go. */
  submitted(): void {
    for (let i = this.#pages.length - 1; i >= 0; i--) {
      const page = this.#pages[i] as Page
      page.end = 0
      if (page.bytes.byteLength > PAGE_BYTES) {
        page.memory.gpu.destroy()
        this.#pages.splice(i, 1)
      }
    }
    this.#page = 0
    this.#bytes = 0
  }

  destroy(): void {
    for (const { memory } of this.#pages.splice(0)) memory.gpu.destroy()
  }

  #roomFor(size: number): Page {
    for (; this.#page < this.#pages.length; this.#page++) {
      const page = this.#pages[this.#page] as Page
      if (page.end + size <= page.bytes.byteLength) return page
    }
    const page = this.#grow(Math.max(PAGE_BYTES, size))
    this.#pages.push(page)
    return page
  }

  #grow(size: number): Page {
    const usage = USAGE.UNIFORM | USAGE.COPY_SRC | USAGE.COPY_DST
    const memory = gpuMemory(this.device, `weft params ${this.#pages.length}`, size, usage)
    return { memory, bytes: new Uint8Array(size), end: 0 }
  }
}
