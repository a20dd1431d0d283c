import type { Resolve } from './bindings'
import { type BufferLike, type BufferOwner, DeviceBuffer, type ReadRange } from './buffer'
import { isCount } from './bytes'
import { asFault, count, fault, firstOf } from './errors'
import { wanted } from './forms'
import { checkKeys, type Keys } from './keys'
import { doubts, type Memory, type Part } from './memory'
import { rangeOf } from './resolve'
import type { BufferOptions } from './signature'
import { quiet, type Work } from './work'

type Bytes = Uint8Array<ArrayBuffer>

const BUFFER: Keys<BufferOptions> = { label: true, zero: true, pooled: true }
const READ: Keys<ReadRange> = { offset: true, size: true }

/** What `runtime.buffer(what, …rest)` and `arena.buffer(what, …rest)` were given, sorted out. */
export function request(what: unknown, rest: readonly unknown[]) {
  const second =
    rest.length > 1 || typeof what === 'function' || (typeof what === 'object' && what !== null && 'type' in what)
  const options = ((second ? rest[1] : rest[0]) ?? {}) as BufferOptions
  checkKeys('a buffer', options, BUFFER)
  return { ...wanted(what, second ? rest[0] : undefined), options }
}

/** The buffers of one runtime: making them, and bytes in and out of them in the order of all work. */
export class Buffers implements BufferOwner {
  constructor(readonly work: Work) {}

  get alignment(): number {
    const { minStorageBufferOffsetAlignment: storage = 256, minUniformBufferOffsetAlignment: uniform = 256 } =
      this.work.backend.facts.limits
    return Math.max(storage, uniform)
  }

  make(what: unknown, rest: readonly unknown[]): DeviceBuffer<unknown> {
    const { life, backend } = this.work
    life.check()
    const { size, form, initial, options } = request(what, rest)
    const memory = this.allocate(size, { ...options, zero: initial === null && options.zero !== false })
    if (initial && size > 0) backend.write(memory, 0, initial)
    return new DeviceBuffer(memory, this, form)
  }

  /** Memory for a buffer. Throws `binding-limit`. */
  allocate(size: number, { label = 'buffer', zero = true, pooled = true }: BufferOptions): Memory {
    const { heap, info } = this.work.backend
    const most = info.limits.maxBufferSize
    if (most !== undefined && size > most) {
      throw fault(
        'binding-limit',
        `'${label}' would have ${count(size)} bytes, and the device allows ${count(most)} (maxBufferSize)`,
        'use several buffers, or create the runtime with the limits of the adapter',
      )
    }
    return heap.allocate(size, { label, zero, pooled, stack: heap.stackOf?.() ?? null })
  }

  /** A property, so that it can be passed on as it is. */
  readonly range: Resolve = (value, what) => rangeOf(value, what, this, this.work.backend)

  async readBytes(buffer: BufferLike, range: ReadRange = {}): Promise<Bytes> {
    const [bytes] = await this.readMany([{ buffer, range }])
    return bytes as Bytes
  }

  /** The bytes of several buffers in one round trip, as they are after all work that was started before. */
  async readMany(wants: readonly { readonly buffer: BufferLike; readonly range?: ReadRange }[]): Promise<Bytes[]> {
    const { life, timeline, backend } = this.work
    life.check()
    const parts = wants.map(({ buffer, range }) => this.part(buffer, range))
    const outcomes = [...new Set(parts.flatMap(({ memory }) => memory.outcome ?? []))]
    const reading = timeline.push(() => {
      life.check()
      const { observers } = backend
      if (observers) for (const part of parts) observers.transfer({ kind: 'read', ...part })
      return { bytes: quiet(backend.read(parts)) }
    })
    const finish = async () => {
      const failure = await firstOf(outcomes)
      if (failure) throw failure
      return await (await reading).bytes
    }
    return await life.during(finish())
  }

  /** The part of memory that a read means. Throws what `range` does. */
  part(buffer: BufferLike, given: ReadRange = {}): Part {
    checkKeys('a read', given, READ)
    const { offset, size } = given
    const range = this.range({ buffer, offset, size }, 'what is to be read')
    return { memory: range.memory, offset: range.offset, size: range.size }
  }

  writeBytes(buffer: BufferLike, bytes: Bytes, offset: number): void {
    const { life, timeline, backend } = this.work
    life.check()
    const range = this.range(buffer, 'what is to be written')
    const { memory } = range
    const size = bytes.byteLength
    if (!isCount(offset) || offset + size > range.size) {
      throw fault(
        'buffer-data',
        `${count(size)} bytes from byte ${offset} do not fit '${memory.label}' of ${count(range.size)} bytes`,
      )
    }
    if (size === 0) return
    const at = range.offset + offset
    // what was wrong with the old content does not matter to new content
    if (size === memory.size) memory.outcome = null
    // a write that waits for its turn must not see what the caller does to the data meanwhile
    const data = timeline.idle ? bytes : bytes.slice()
    const written = timeline.push(() => {
      if (life.ended) return { outcome: null }
      backend.observers?.transfer({ kind: 'write', memory, offset: at, size })
      return { outcome: backend.write(memory, at, data) }
    })
    const outcome = written instanceof Promise ? written.then((late) => late.outcome).catch(asFault) : written.outcome
    if (outcome) this.work.follow(outcome, [memory], [memory])
  }

  free(memory: Memory): void {
    if (memory.destroyed) return
    memory.destroyed = true
    doubts.count++
    this.work.timeline.push(() => this.work.backend.heap.free(memory))
  }

  escape(memory: Memory): void {
    this.work.backend.heap.escape(memory)
  }
}
