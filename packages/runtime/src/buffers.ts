import type { Backend } from './backend'
import type { Range } from './bindings'
import { type BufferLike, type BufferOwner, DeviceBuffer, type HostForm, type ReadRange } from './buffer'
import { count, fault, isWeftError, textOf, type WeftError } from './errors'
import { wanted } from './forms'
import type { Life } from './life'
import { doubts, follow, type Memory, type Outcome, type Part } from './memory'
import { stackBelow } from './pool/stack'
import { rangeOf } from './resolve'
import type { BufferOptions } from './signature'
import type { Timeline } from './timeline'

export const asFault = (error: unknown): WeftError =>
  isWeftError(error) ? error : fault('dispatch-failed', textOf(error))

type Bytes = Uint8Array<ArrayBuffer>

/** What `runtime.buffer(what, …rest)` and `arena.buffer(what, …rest)` were given, sorted out. */
export function request(what: unknown, rest: readonly unknown[]) {
  const second =
    rest.length > 1 || typeof what === 'function' || (typeof what === 'object' && what !== null && 'type' in what)
  const options = ((second ? rest[1] : rest[0]) ?? {}) as BufferOptions
  return { ...wanted(what, second ? rest[0] : undefined), options }
}

/** The buffers of one runtime: making them, and bytes in and out of them in the order of all work. */
export class Buffers implements BufferOwner {
  constructor(
    readonly backend: Backend,
    readonly life: Life,
    readonly timeline: Timeline,
    /** Told of work that may fail. */
    readonly track: (outcome: Outcome) => void,
  ) {}

  get alignment(): number {
    const { minStorageBufferOffsetAlignment: storage = 256, minUniformBufferOffsetAlignment: uniform = 256 } =
      this.backend.facts.limits
    return Math.max(storage, uniform)
  }

  make(what: unknown, rest: readonly unknown[]): DeviceBuffer<unknown> {
    this.life.check()
    const { size, form, initial, options } = request(what, rest)
    const memory = this.allocate(size, { ...options, zero: initial === null && options.zero !== false })
    if (initial && size > 0) this.backend.write(memory, 0, initial)
    return this.over(memory, form)
  }

  /** Memory for a buffer. Throws `binding-limit`. */
  allocate(size: number, { label = 'buffer', zero = true, pooled = true }: BufferOptions): Memory {
    const { heap, info } = this.backend
    const most = info.limits.maxBufferSize
    if (most !== undefined && size > most) {
      throw fault(
        'binding-limit',
        `'${label}' would have ${count(size)} bytes, and the device allows ${count(most)} (maxBufferSize)`,
        'use several buffers, or create the runtime with the limits of the adapter',
      )
    }
    return heap.allocate(size, { label, zero, pooled, stack: heap.stacks ? stackBelow() : null })
  }

  over<T>(memory: Memory, form: HostForm<T>): DeviceBuffer<T> {
    return new DeviceBuffer(memory, this, form)
  }

  range(value: unknown, what: string): Range {
    return rangeOf(value, what, this, this.backend)
  }

  async readBytes(buffer: BufferLike, range: ReadRange = {}): Promise<Bytes> {
    const [bytes] = await this.readMany([{ buffer, range }])
    return bytes as Bytes
  }

  /** The bytes of several buffers in one round trip, as they are after all work that was started before. */
  async readMany(wants: readonly { readonly buffer: BufferLike; readonly range?: ReadRange }[]): Promise<Bytes[]> {
    this.life.check()
    const parts = wants.map(({ buffer, range }) => this.part(buffer, range))
    const outcomes = new Set(parts.flatMap(({ memory }) => memory.outcome ?? []))
    const reading = this.timeline.push(() => {
      this.life.check()
      const { observers } = this.backend
      if (observers) for (const part of parts) observers.transfer({ kind: 'read', ...part })
      const bytes = this.backend.read(parts)
      bytes.catch(() => undefined)
      return { bytes }
    })
    const finish = async () => {
      for (const outcome of outcomes) {
        const error = await outcome
        if (error) throw error
      }
      return await (await reading).bytes
    }
    return await this.life.during(finish())
  }

  /** The part of memory that a read means. Throws `binding-size`, `buffer-destroyed`. */
  part(buffer: BufferLike, range: ReadRange = {}): Part {
    const whole = this.range(buffer, 'the buffer to read')
    const { offset = 0, size = whole.size - offset } = range
    const part = this.range({ buffer: { buffer }, offset, size }, 'the part to read')
    const { memory } = part
    if (memory.destroyed) throw fault('buffer-destroyed', `'${memory.label}' was destroyed and cannot be read`)
    return { memory, offset: part.offset, size: part.size }
  }

  writeBytes(buffer: BufferLike, bytes: Bytes, offset: number): void {
    this.life.check()
    const range = this.range(buffer, 'the buffer to write')
    const { memory } = range
    if (memory.destroyed) throw fault('buffer-destroyed', `'${memory.label}' was destroyed and cannot be written`)
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + bytes.byteLength > range.size) {
      throw fault(
        'buffer-data',
        `${count(bytes.byteLength)} bytes from byte ${offset} do not fit '${memory.label}' of ${count(range.size)} bytes`,
      )
    }
    if (bytes.byteLength === 0) return
    const at = range.offset + offset
    // what was wrong with the old content does not matter to new content
    if (bytes.byteLength === memory.size) memory.outcome = null
    const data = this.timeline.idle ? bytes : bytes.slice()
    const written = this.timeline.push(() => {
      if (this.life.ended) return { outcome: null }
      this.backend.observers?.transfer({ kind: 'write', memory, offset: at, size: data.byteLength })
      return { outcome: this.backend.write(memory, at, data) }
    })
    const outcome = written instanceof Promise ? written.then((w) => w.outcome).catch(asFault) : written.outcome
    if (outcome) this.track(follow(outcome, [memory], [memory]))
  }

  free(memory: Memory): void {
    if (memory.destroyed) return
    memory.destroyed = true
    doubts.count++
    this.timeline.push(() => this.backend.heap.free(memory))
  }

  escape(memory: Memory): void {
    this.backend.heap.escape(memory)
  }
}
