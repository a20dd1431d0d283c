import { roundDown, roundUp } from '../bytes'
import { fault } from '../errors'
import { type Memory, type Outcome, USAGE } from '../memory'
import { EdgeWriter, edgesOf } from './edges'
import { scoped } from './scopes'
import type { CommandStream } from './stream'

/** Bytes of the host to the device, of any number and at any offset, at their place in the order of all work. */
export class Uploads {
  readonly #edges: EdgeWriter

  constructor(
    readonly stream: CommandStream,
    align: number,
  ) {
    this.#edges = new EdgeWriter(stream, align)
  }

  /** An outcome only where it may fail. */
  write(target: Memory, offset: number, bytes: Uint8Array<ArrayBuffer>): Outcome | null {
    if (target.own) return this.#write(target, offset, bytes)
    const { value, error } = scoped(this.stream.device, ['validation'], () => this.#write(target, offset, bytes))
    return error.then((failure) =>
      failure ? fault('buffer-data', `writing '${target.label}' failed: ${failure.message}`) : value,
    )
  }

  #write(target: Memory, offset: number, bytes: Uint8Array<ArrayBuffer>): Outcome | null {
    const { stream } = this
    const gpu = target.gpu as GPUBuffer
    const end = offset + bytes.byteLength
    const last = roundDown(end, 4)
    const from = roundUp(offset, 4)
    if (last > from) stream.upload(gpu, from, bytes, from - offset, last - from)
    // the padding after our own buffers' last byte is ours to overwrite
    const padded = end === target.size && roundUp(end, 4) > end && last >= offset && target.capacity > end
    if (padded) {
      const tail = new Uint8Array(4)
      tail.set(bytes.subarray(last - offset))
      stream.upload(gpu, last, tail)
    }
    const edges = edgesOf(offset, bytes).filter(({ at }) => !(padded && at === last))
    if (edges.length === 0) return null
    if ((gpu.usage & USAGE.STORAGE) === 0) {
      throw fault(
        'buffer-data',
        `bytes ${offset} to ${end} are not whole words, and the GPUBuffer has no STORAGE usage`,
      )
    }
    return this.#edges.write(gpu, edges)
  }
}
