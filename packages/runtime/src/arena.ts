import type { BaseData, Infer, InferInput } from 'typegpu/data'
import { type DeviceBuffer, viewOver } from './buffer'
import { type Buffers, request } from './buffers'
import { type ArrayType, roundUp } from './bytes'
import { count, fault } from './errors'
import { sized } from './forms'
import { checkKeys, type Keys } from './keys'
import type { Memory } from './memory'
import type { BufferOptions } from './signature'

export interface ArenaOptions {
  /** For error messages and debuggers. */
  readonly label?: string
}

const OPTIONS: Keys<ArenaOptions> = { label: true }

/**
 * Many small tensors in one buffer, each at an offset that can be bound: one allocation for all, and one bind group where
 * a kernel takes them at fixed places. They go together, by `reset` or `destroy`.
 *
 * WebGPU allows a buffer to be read or written in a dispatch, not both, even in parts that are apart. So an arena is for
 * tensors that are only read together (weights), or one arena holds what is read and another what is written.
 */
export class Arena {
  readonly #buffers: Buffers
  readonly #label: string
  #memory: Memory
  #used = 0

  /** Use `runtime.arena`. */
  constructor(buffers: Buffers, size: number, options: ArenaOptions) {
    checkKeys('an arena', options, OPTIONS)
    const { label = 'arena' } = options
    this.#buffers = buffers
    this.#label = label
    this.#memory = buffers.allocate(sized(size, `the size of '${label}'`), { label })
  }

  /** Bytes. */
  get size(): number {
    return this.#memory.size
  }

  /** Bytes that are taken, with the gaps that alignment leaves. */
  get used(): number {
    return this.#used
  }

  get destroyed(): boolean {
    return this.#memory.destroyed
  }

  /**
   * A tensor of the arena, made as by `runtime.buffer`; 0 where no data are given. Its `destroy()` only makes it
   * unusable: the bytes come back with `reset`. Throws `arena-full`, `buffer-destroyed` and what `runtime.buffer` throws.
   */
  buffer<T extends ArrayBufferView>(data: T, options?: BufferOptions): DeviceBuffer<T extends DataView ? Uint8Array : T>
  buffer(bytes: { readonly size: number }, options?: BufferOptions): DeviceBuffer<Uint8Array<ArrayBuffer>>
  buffer<T extends ArrayBufferView>(type: ArrayType<T>, length: number, options?: BufferOptions): DeviceBuffer<T>
  buffer<S extends BaseData>(schema: S, value?: InferInput<S>, options?: BufferOptions): DeviceBuffer<Infer<S>>
  buffer(what: unknown, ...rest: unknown[]): DeviceBuffer<unknown> {
    this.#check()
    const { size, form, initial, options } = request(what, rest)
    const offset = this.#used
    if (offset + size > this.size) {
      throw fault(
        'arena-full',
        `'${options.label ?? 'a buffer'}' of ${count(size)} bytes does not fit '${this.#label}', which has ${count(this.size - offset)} of ${count(this.size)} bytes left`,
        `each takes a multiple of ${this.#buffers.alignment} bytes, so that it can be bound; reset() frees all of them`,
      )
    }
    // the last one may end with the arena
    this.#used = Math.min(roundUp(offset + size, this.#buffers.alignment), this.size)
    const made = viewOver(this.#memory, this.#buffers, form, offset, size)
    if (initial) this.#buffers.writeBytes(made, initial, 0)
    return made
  }

  /** Destroys all tensors and starts again, with bytes that are 0. Work that was started before still sees the old ones. */
  reset(): void {
    this.#check()
    this.#buffers.free(this.#memory)
    this.#memory = this.#buffers.allocate(this.size, { label: this.#label })
    this.#used = 0
  }

  /** Frees the memory and destroys all tensors, once work that was started before is done. Again: nothing. */
  destroy(): void {
    this.#buffers.free(this.#memory)
  }

  [Symbol.dispose](): void {
    this.destroy()
  }

  #check(): void {
    this.#buffers.work.life.check()
    if (this.destroyed) throw fault('buffer-destroyed', `the arena '${this.#label}' was destroyed`)
  }
}
