import { roundUp } from '../bytes'
import { USAGE } from '../memory'
import { type Resource, ranged } from './bind-groups'
import { type GpuMemory, gpuMemory } from './gpu-memory'
import type { CommandStream } from './stream'

/**
 * The params of a recording: one buffer for all its dispatches, so that whatever has changed between two replays is one
 * write, and bind groups never change on account of params.
 */
export class ParamBlock {
  /** Where each of the blocks lies. */
  readonly slots: readonly Resource[]
  readonly #memory: GpuMemory
  /** The content as the host wants it; the device's differs between the two marks. */
  readonly #bytes: Uint8Array<ArrayBuffer>
  #from: number
  #to = 0

  /** Room for blocks of these sizes, each at a multiple of `align`. */
  constructor(device: GPUDevice, sizes: readonly number[], align: number) {
    const size = sizes.reduce((end, each) => end + roundUp(each, align), 0)
    const memory = gpuMemory(device, 'weft params of a recording', size, USAGE.UNIFORM | USAGE.COPY_DST)
    let end = 0
    this.slots = sizes.map((each) => {
      const offset = end
      end += roundUp(each, align)
      return ranged(memory, offset, roundUp(each, 4))
    })
    this.#memory = memory
    this.#bytes = new Uint8Array(size)
    this.#from = size
  }

  get block(): number {
    return this.#memory.block
  }

  set(offset: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, offset)
    this.#from = Math.min(this.#from, offset)
    this.#to = Math.max(this.#to, roundUp(offset + bytes.byteLength, 4))
  }

  /** Brings the device's side up to date, at this place of the order. */
  write(stream: CommandStream): void {
    if (this.#to <= this.#from) return
    stream.upload(this.#memory.gpu, this.#from, this.#bytes, this.#from, this.#to - this.#from)
    this.#from = this.#bytes.byteLength
    this.#to = 0
  }

  destroy(): void {
    this.#memory.gpu.destroy()
  }
}
