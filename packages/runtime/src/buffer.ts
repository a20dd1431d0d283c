import { type ArrayType, type HostBytes, viewAs } from './bytes'
import type { Memory } from './memory'

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

/** How the content of a buffer looks to the host. */
export interface HostForm<T> {
  encode(value: unknown): Uint8Array<ArrayBuffer>
  decode(bytes: Uint8Array<ArrayBuffer>): T
}

/** What a buffer needs of its runtime. */
export interface BufferOwner {
  readBytes(buffer: DeviceBuffer<unknown>, range?: ReadRange): Promise<Uint8Array<ArrayBuffer>>
  writeBytes(buffer: DeviceBuffer<unknown>, bytes: Uint8Array<ArrayBuffer>, offset: number): void
  free(memory: Memory): void
}

/** The memory behind a buffer, for the runtime itself. */
export let memoryOf: (buffer: DeviceBuffer<unknown>) => Memory
export let ownerOf: (buffer: DeviceBuffer<unknown>) => BufferOwner

/**
 * Memory on the device, made by `runtime.buffer(…)`. `T` is what `read()` gives: the kind of typed array that it was
 * made from, or the value of its TypeGPU schema.
 */
export class DeviceBuffer<T> {
  readonly #memory: Memory
  readonly #owner: BufferOwner
  readonly #form: HostForm<T>

  static {
    memoryOf = (buffer) => buffer.#memory
    ownerOf = (buffer) => buffer.#owner
  }

  constructor(memory: Memory, owner: BufferOwner, form: HostForm<T>) {
    this.#memory = memory
    this.#owner = owner
    this.#form = form
  }

  /** Bytes. */
  get size(): number {
    return this.#memory.size
  }

  get label(): string {
    return this.#memory.label
  }

  get destroyed(): boolean {
    return this.#memory.destroyed
  }

  /** The GPUBuffer, or null on the CPU. Its size is a multiple of 4 and at least 4. */
  get gpu(): GPUBuffer | null {
    return this.#memory.gpu
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

  /** Frees the memory, once work that was started before is done. Again: nothing. */
  destroy(): void {
    this.#owner.free(this.#memory)
  }

  [Symbol.dispose](): void {
    this.destroy()
  }
}
