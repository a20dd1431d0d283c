import { roundUp } from '../bytes'
import { USAGE } from '../memory'

export interface UniformSlot {
  readonly buffer: GPUBuffer
  readonly offset: number
  readonly size: number
}

const PAGE_BYTES = 64 * 1024

/**
 * Uniform memory for the params of dispatches. Every dispatch gets a slot of its own, since `writeBuffer` takes effect
 * before the commands of the next submit: two dispatches of one submit that shared a slot would both see the last
 * write. After a submit the slots are free again, because later writes come after it in the queue's order.
 */
export class UniformArena {
  readonly #pages: GPUBuffer[] = []
  #page = 0
  #end = 0

  constructor(
    readonly device: GPUDevice,
    readonly align: number,
  ) {}

  /** A slot that holds `bytes` (at most a page) for every command until `submitted` is called. */
  slot(bytes: Uint8Array): UniformSlot {
    const size = roundUp(bytes.byteLength, 4)
    if (this.#end + size > PAGE_BYTES) {
      this.#page++
      this.#end = 0
    }
    const buffer = this.#pages[this.#page] ?? this.#grow()
    const offset = this.#end
    this.#end = roundUp(offset + size, this.align)
    this.device.queue.writeBuffer(buffer, offset, bytes as Uint8Array<ArrayBuffer>)
    return { buffer, offset, size }
  }

  submitted(): void {
    this.#page = 0
    this.#end = 0
  }

  destroy(): void {
    for (const page of this.#pages.splice(0)) page.destroy()
  }

  #grow(): GPUBuffer {
    const usage = USAGE.UNIFORM | USAGE.COPY_DST
    const page = this.device.createBuffer({ label: `weft params ${this.#page}`, size: PAGE_BYTES, usage })
    this.#pages[this.#page] = page
    return page
  }
}
