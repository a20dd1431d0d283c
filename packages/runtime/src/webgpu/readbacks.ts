import { roundDown, roundUp } from '../bytes'
import { fault } from '../errors'
import { type Part, USAGE } from '../memory'
import type { Block, Pool } from '../pool/pool'
import { powerOfTwo } from '../pool/size-class'
import type { GpuBlocks } from './blocks'
import { scoped } from './scopes'

/** Where the bytes of a part are in a staging buffer: `skip` bytes after `at`, since copies are of whole words. */
interface Place {
  readonly from: number
  readonly at: number
  readonly span: number
}

/** Parts that share a staging buffer. */
export interface Load {
  readonly places: Map<Part, Place>
  size: number
}

const MAP_READ = 1
const STAGING = USAGE.MAP_READ | USAGE.COPY_DST

/**
 * Bytes from the device. However many parts are asked for, they are packed into one staging buffer, copied in one submit
 * and mapped at once: a round trip costs far more than the bytes of a few numbers. Staging buffers are kept for the next
 * time; making one is what drivers are slowest at.
 */
export class Readbacks {
  constructor(
    readonly device: GPUDevice,
    readonly pool: Pool,
    readonly blocks: GpuBlocks,
    /** Most bytes of one buffer. */
    readonly maxSize: number,
  ) {}

  /** The bytes of each part. Rejects `buffer-data`, `dispatch-failed` or `device-lost`. */
  async read(parts: readonly Part[]): Promise<Uint8Array<ArrayBuffer>[]> {
    const found = new Map<Part, Uint8Array<ArrayBuffer>>()
    // all copies are submitted and all maps asked for before the first is awaited
    await Promise.all(this.#pack(parts).map((load) => this.#load(load, found)))
    return parts.map((part) => found.get(part) ?? new Uint8Array(0))
  }

  #pack(parts: readonly Part[]): Load[] {
    const loads: Load[] = []
    for (const part of parts) {
      const { memory, offset, size } = part
      if (size === 0) continue
      const from = roundDown(offset, 4)
      const span = roundUp(offset + size, 4) - from
      if (from + span > memory.capacity) {
        throw fault('buffer-data', 'the last bytes of a GPUBuffer whose size is no multiple of 4 cannot be copied')
      }
      let load = loads.at(-1)
      if (!load || load.size + span > this.maxSize) loads.push((load = { places: new Map(), size: 0 }))
      load.places.set(part, { from, at: load.size, span })
      load.size += span
    }
    return loads
  }

  async #load(load: Load, found: Map<Part, Uint8Array<ArrayBuffer>>): Promise<void> {
    const { value: staging, error } = scoped(this.device, ['validation', 'out-of-memory'], () => {
      const block = this.acquire(load)
      const encoder = this.device.createCommandEncoder({ label: 'weft readback' })
      for (const part of load.places.keys()) this.copy(encoder, load, block, part)
      this.blocks.submit(encoder.finish())
      return block
    })
    for (const [part, bytes] of await this.fetch(load, staging, error)) found.set(part, bytes)
  }

  /** One load for parts that are read again and again. Throws `buffer-data` where no buffer is large enough for all. */
  packed(parts: readonly Part[]): Load {
    const [load = { places: new Map(), size: 0 }, ...more] = this.#pack(parts)
    if (more.length === 0) return load
    throw fault('buffer-data', 'what a recording reads does not fit one staging buffer', 'read in several recordings')
  }

  /** A staging buffer for a load, out of the pool where there is one. */
  acquire({ size }: Load): Block {
    return this.pool.acquire(Math.min(powerOfTwo(size), this.maxSize), STAGING, 'weft readback').block
  }

  /** Records the copy of a part of a load. */
  copy(encoder: GPUCommandEncoder, { places }: Load, staging: Block, part: Part): void {
    const place = places.get(part)
    if (!place) return
    const { from, at, span } = place
    encoder.copyBufferToBuffer(part.memory.gpu as GPUBuffer, from, staging.gpu as GPUBuffer, at, span)
  }

  /** The bytes of a load whose copies are submitted; `error` is what became of that. */
  async fetch(
    { places, size }: Load,
    staging: Block,
    error: Promise<{ readonly message: string } | null>,
  ): Promise<Map<Part, Uint8Array<ArrayBuffer>>> {
    try {
      const buffer = staging.gpu as GPUBuffer
      const [failure] = await Promise.all([error, buffer.mapAsync(MAP_READ, 0, size)])
      if (failure) throw failure
      const mapped = new Uint8Array(buffer.getMappedRange(0, size))
      const found = new Map<Part, Uint8Array<ArrayBuffer>>()
      for (const [part, { from, at }] of places) {
        const start = at + part.offset - from
        found.set(part, mapped.slice(start, start + part.size))
      }
      buffer.unmap()
      this.pool.release(staging)
      return found
    } catch (failure) {
      staging.retired = true
      this.pool.release(staging)
      // loaded when something is wrong
      const { readbackError } = await import('./culprit')
      throw await readbackError(places.keys(), staging, error, failure)
    }
  }
}
