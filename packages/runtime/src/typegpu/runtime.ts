import type { TgpuBuffer, TgpuRoot } from 'typegpu'
import type { BaseData, Infer, InferInput } from 'typegpu/data'
import type { BufferLike, ReadRange } from '../buffer'
import type { ArrayType, HostBytes } from '../bytes'
import { fault, shown } from '../errors'
import type { Life } from '../life'
import { Runtime } from '../runtime'
import { decode, encode } from '../schema'
import type { GpuBackend } from '../webgpu/backend'
import { isTgpuBuffer } from './buffers'

/**
 * A runtime on the device of a TypeGPU root. Its buffers may stand wherever a buffer of the runtime may, and are read
 * and written by their schemas. These reads and writes are in the order of weft's own work; TypeGPU's `buffer.write`
 * goes straight to the queue, so call `flush()` before it while a batch is open.
 */
export class TypegpuRuntime extends Runtime {
  /** Use `createRuntime`. */
  constructor(
    readonly root: TgpuRoot,
    backend: GpuBackend,
    life: Life,
  ) {
    super(backend, life)
  }

  /** The value of a TypeGPU buffer by its schema. Rejects as `DeviceBuffer.read` does. */
  override read<S extends BaseData>(buffer: TgpuBuffer<S>): Promise<Infer<S>>
  override read<T extends ArrayBufferView>(buffer: BufferLike, as: ArrayType<T>, range?: ReadRange): Promise<T>
  override async read(buffer: BufferLike, as?: ArrayType, range?: ReadRange): Promise<unknown> {
    if (as !== undefined) return super.read(buffer, as, range)
    if (isTgpuBuffer(buffer)) return decode(buffer.dataType, await super.read(buffer, Uint8Array))
    throw fault(
      'bad-argument',
      `${shown(buffer)} has no schema to read it by`,
      'name a kind of array: runtime.read(buffer, Float32Array)',
    )
  }

  /** Writes the value of a TypeGPU buffer's schema into it. Throws as `DeviceBuffer.write` does. */
  override write<S extends BaseData>(buffer: TgpuBuffer<S>, value: InferInput<S>): void
  override write(buffer: BufferLike, data: HostBytes, offset?: number): void
  override write(buffer: BufferLike, data: unknown, offset = 0): void {
    const typed = isTgpuBuffer(buffer) && !ArrayBuffer.isView(data) && !(data instanceof ArrayBuffer)
    super.write(buffer, typed ? encode(buffer.dataType, data) : (data as HostBytes), offset)
  }
}
