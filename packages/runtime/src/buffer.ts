import type { BaseData, Infer } from 'typegpu/data'
import { type ArrayType, checkAligned, type HostBytes, isCount, viewAs } from './bytes'
import { count, fault } from './errors'
import { wanted } from './forms'
import { type Memory, memory } from './memory'

/** Something that a storage or uniform binding takes, or that can be read and written. */
export type BufferLike = DeviceBuffer<unknown> | GPUBuffer | BufferRange

/** Part of a buffer, in bytes; without `offset` and `size` all of it. TypeGPU's buffers are of this form too. */
export interface BufferRange {
  readonly buffer: DeviceBuffer<unknown> | GPUBuffer | { readonly buffer: GPUBuffer }
  readonly offset?: number | undefined
  readonly size?: number | undefined
}

/** Part of a buffer to read, in bytes. */
export interface ReadRange {
  readonly offset?: number
  readonly size?: number
}

/** What reading several buffers gives. */
export type ReadAll<B extends readonly BufferLike[]> = {
  -readonly [I in keyof B]: B[I] extends DeviceBuffer<infer T> ? T : Uint8Array<ArrayBuffer>
}

/** How the content of a buffer looks to the host. */
export interface HostForm<T> {
  encode(value: unknown): Uint8Array<ArrayBuffer>
  decode(bytes: Uint8Array<ArrayBuffer>): T
}

/** What a buffer needs of its runtime. */
export interface BufferOwner {
  /** Offsets that a binding may have are multiples of it, in bytes. */
  readonly alignment: number
  readBytes(buffer: DeviceBuffer<unknown>, range?: ReadRange): Promise<Uint8Array<ArrayBuffer>>
  writeBytes(buffer: DeviceBuffer<unknown>, bytes: Uint8Array<ArrayBuffer>, offset: number): void
  free(memory: Memory): void
  /** The GPUBuffer is given away. */
  escape(memory: Memory): void
}

/** Where a buffer is: all of some memory, or a part of it. */
export interface Place {
  readonly memory: Memory
  readonly offset: number
  readonly size: number
}

/** The place of a buffer, for the runtime itself. */
export let placeOf: (buffer: DeviceBuffer<unknown>) => Place
export let ownerOf: (buffer: DeviceBuffer<unknown>) => BufferOwner
/** How the host sees its content. */
export let formOf: <T>(buffer: DeviceBuffer<T>) => HostForm<T>
/** A buffer that is a part of memory which others have too. */
export let viewOver: <T>(
  memory: Memory,
  owner: BufferOwner,
  form: HostForm<T>,
  offset: number,
  size: number,
) => DeviceBuffer<T>

/**
 * Memory on the device, made by `runtime.buffer(…)`. `T` is what `read()` gives: the kind of typed array that it was
 * made from, or the value of its TypeGPU schema.
 */
export class DeviceBuffer<T> {
  readonly #owner: BufferOwner
  readonly #form: HostForm<T>
  #place: Place
  /** Whether the memory is that of another buffer or of an arena. */
  #view = false

  static {
    placeOf = (buffer) => buffer.#place
    ownerOf = (buffer) => buffer.#owner
    formOf = (buffer) => buffer.#form
    viewOver = (memory, owner, form, offset, size) => {
      const view = new DeviceBuffer(memory, owner, form)
      view.#place = { memory, offset, size }
      view.#view = true
      return view
    }
  }

  constructor(memory: Memory, owner: BufferOwner, form: HostForm<T>) {
    this.#place = { memory, offset: 0, size: memory.size }
    this.#owner = owner
    this.#form = form
  }

  /** Bytes. */
  get size(): number {
    return this.#place.size
  }

  /** Of a view: where it begins in the memory that it shares, in bytes. */
  get offset(): number {
    return this.#place.offset
  }

  /** Which memory it lies in: the same number for a buffer and its views, and for buffers of one arena. */
  get memoryId(): number {
    return this.#place.memory.id
  }

  get label(): string {
    return this.#place.memory.label
  }

  get destroyed(): boolean {
    return this.#place.memory.destroyed
  }

  /**
   * The GPUBuffer, or null on the CPU. It has this buffer's bytes at `offset`, and more bytes after them: sizes are
   * rounded so that buffers can be used again, unless it was made with `pooled: false`. Once asked for it is not used
   * again, since nobody could tell how long you need it.
   */
  get gpu(): GPUBuffer | null {
    const { memory: shared } = this.#place
    this.#owner.escape(shared)
    return shared.gpu
  }

  /**
   * The content after all work that was started before. Rejects when work that should have written it was rejected,
   * with `buffer-destroyed`, or with `device-lost`.
   */
  read(): Promise<T>
  /** The same as another kind of array, or a part of it in bytes: `read(Uint32Array, { offset: 4, size: 8 })`. */
  read<V extends ArrayBufferView>(as: ArrayType<V>, range?: ReadRange): Promise<V>
  async read(as?: ArrayType, range?: ReadRange): Promise<unknown> {
    const bytes = await this.#owner.readBytes(this, range)
    return as ? viewAs(as, bytes) : this.#form.decode(bytes)
  }

  /**
   * Writes host bytes at `offset` (bytes), or the whole value of a schema. Any length and offset will do; the bytes
   * around stay as they are. Takes effect after work that was started before and is done with `data` when it returns.
   * Throws `buffer-data`, `buffer-destroyed` or `device-lost`.
   */
  write(data: HostBytes | T, offset = 0): void {
    this.#owner.writeBytes(this, this.#form.encode(data), offset)
  }

  /** A part of it for a binding: bytes, the offset a multiple of the device's `minStorageBufferOffsetAlignment`. */
  range(offset: number, size = this.size - offset): BufferRange {
    return { buffer: this, offset, size }
  }

  /**
   * A part of it as a buffer of its own, which shares the memory; arguments as of `new Float32Array(buffer, byteOffset,
   * length)`: `qkv.view(Float32Array, 4096, 1024)`. A view can be bound, so it begins at a multiple of what the device
   * demands (256 bytes mostly). Its `destroy()` ends the view alone; the buffer's ends all views. Throws `binding-size`.
   */
  view<V extends ArrayBufferView>(as: ArrayType<V>, byteOffset?: number, length?: number): DeviceBuffer<V>
  view<S extends BaseData>(schema: S, byteOffset?: number): DeviceBuffer<Infer<S>>
  view(as: ArrayType | BaseData, byteOffset = 0, length?: number): DeviceBuffer<unknown> {
    const { memory: shared, offset } = this.#place
    const bytes = (as as Partial<ArrayType>).BYTES_PER_ELEMENT
    const rest = Math.floor((this.size - byteOffset) / (bytes ?? 1))
    const { size, form } = wanted(as, bytes === undefined ? undefined : (length ?? Math.max(0, rest)))
    if (!isCount(byteOffset) || byteOffset + size > this.size) {
      throw fault(
        'binding-size',
        `a view of ${count(size)} bytes from byte ${byteOffset} does not fit '${this.label}' of ${count(this.size)} bytes`,
      )
    }
    // a view of a view begins at a multiple itself, so the offset within it is what counts
    const otherwise = 'a part that is not bound needs no view: read(type, { offset }), write(data, offset)'
    const { alignment } = this.#owner
    checkAligned(`a view of '${this.label}'`, byteOffset, alignment, 'minStorageBufferOffsetAlignment', otherwise)
    return viewOver(shared, this.#owner, form, offset + byteOffset, size)
  }

  /** Frees the memory, once work that was started before is done; of a view, ends the view. Again: nothing. */
  destroy(): void {
    const { memory: shared, offset, size } = this.#place
    if (!this.#view) this.#owner.free(shared)
    else if (!shared.destroyed) {
      const { label, capacity, own } = shared
      this.#place = { memory: memory({ label, size: shared.size, capacity, own, destroyed: true }), offset, size }
    }
  }

  [Symbol.dispose](): void {
    this.destroy()
  }
}
