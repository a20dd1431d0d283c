import { roundUp } from '../bytes'
import { type Memory, memory, USAGE } from '../memory'
import type { Resource } from './bind-groups'
import type { CommandStream } from './stream'

/**
 * The params of a recording: one buffer for all its dispatches, so that whatever has changed between two replays is one
 * write, and bind groups never change on account of params.
 */
export class ParamBlock {
  readonly #memory: Memory
  /** The content as the host wants it; the device's differs between the two marks. */
  readonly #bytes: Uint8Array<ArrayBuffer>
  #from: number
  #to = 0

  /** Room for blocks of these sizes, each at a multiple of `align`. */
  constructor(
    device: GPUDevice,
    readonly sizes: readonly number[],
    readonly align: number,
  ) {
    const size = Math.max(
      4,
      sizes.reduce((end, each) => end + roundUp(each, align), 0),
    )
    const label = 'weft params of a recording'
    const gpu = device.createBuffer({ label, size, usage: USAGE.UNIFORM | USAGE.COPY_DST })
    this.#memory = memory({ label, size, capacity: size, gpu })
    this.#bytes = new Uint8Array(size)
    this.#from = size
  }

  get block(): number {
    return this.#memory.block
  }

  /** Where the block of that index lies. */
  slot(index: number): Resource {
    const offset = this.sizes.slice(0, index).reduce((end, each) => end + roundUp(each, this.align), 0)
    return { memory: this.#memory, texture: null, offset, size: roundUp(this.sizes[index] ?? 0, 4) }
  }

  set(offset: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, offset)
    this.#from = Math.min(this.#from, offset)
    this.#to = Math.max(this.#to, roundUp(offset + bytes.byteLength, 4))
  }

  /** Brings the device's side up to date, at this place of the order. */
  write(stream: CommandStream): void {
    if (this.#to <= this.#from) return
    stream.upload(this.#memory.gpu as GPUBuffer, this.#from, this.#bytes, this.#from, this.#to - this.#from)
    this.#from = this.#bytes.byteLength
    this.#to = 0
  }

  destroy(): void {
    this.#memory.gpu?.destroy()
  }
}
