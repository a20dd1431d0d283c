import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Backend, OverrideValues, PipelineStats, Program } from '../backend'
import { roundDown, roundUp } from '../bytes'
import { fault, textOf } from '../errors'
import type { RuntimeInfo } from '../info'
import { type Memory, memory, type Outcome, USAGE, type UsageNote } from '../memory'
import type { Observers } from '../observer'
import type { Unwrap } from '../resolve'
import type { DeviceFacts } from '../variant'
import { BindGroupCache } from './bind-groups'
import { EdgeWriter, edgesOf } from './edges'
import { PipelineCache } from './pipelines'
import { GpuProgram, type Shared } from './program'
import { scoped } from './scopes'
import { CommandStream } from './stream'
import { UniformArena } from './uniforms'

const BUFFER_USAGE = USAGE.STORAGE | USAGE.UNIFORM | USAGE.COPY_SRC | USAGE.COPY_DST

/** Kernels on a GPUDevice. It destroys the device only when it owns it. */
export class GpuBackend implements Backend, Shared {
  observers: Observers | null = null
  readonly uniforms: UniformArena
  readonly stream: CommandStream
  readonly bindGroups: BindGroupCache
  readonly facts: DeviceFacts
  readonly #cache: PipelineCache
  readonly #edges: EdgeWriter
  readonly #adopted = new WeakMap<GPUBuffer, Memory>()
  readonly #standIns: Memory[] = []

  constructor(
    readonly device: GPUDevice,
    readonly info: RuntimeInfo,
    readonly owned: boolean,
    readonly unwrap?: Unwrap,
  ) {
    const { limits } = info
    this.facts = { features: new Set(info.features), languageFeatures: new Set(info.languageFeatures), limits }
    this.uniforms = new UniformArena(device, limits.minUniformBufferOffsetAlignment ?? 256)
    this.stream = new CommandStream(device, this.uniforms, this, { maxDispatchesPerSubmit: 4096, passes: 'single' })
    this.bindGroups = new BindGroupCache(device)
    this.#edges = new EdgeWriter(this.stream, limits.minStorageBufferOffsetAlignment ?? 256)
    this.#cache = new PipelineCache(device)
  }

  get pipelines(): PipelineStats {
    return this.#cache.stats
  }

  allocate(size: number, label: string): Memory {
    const capacity = Math.max(4, roundUp(size, 4))
    const { value: gpu, error } = scoped(this.device, ['validation', 'out-of-memory'], () =>
      this.device.createBuffer({ label, size: capacity, usage: BUFFER_USAGE }),
    )
    const made = memory({ label, size, capacity, gpu })
    const outcome = error.then((failure) =>
      failure
        ? fault('out-of-memory', `the device gave no buffer of ${capacity} bytes ('${label}'): ${failure.message}`)
        : null,
    )
    made.outcome = outcome
    void outcome.then((failure) => {
      if (!failure && made.outcome === outcome) made.outcome = null
    })
    return made
  }

  adopt(buffer: GPUBuffer, usageNote: UsageNote | null = null): Memory {
    let found = this.#adopted.get(buffer)
    if (!found) {
      const { label, size } = buffer
      found = memory({ label, size, capacity: size, gpu: buffer, own: false, usageNote })
      this.#adopted.set(buffer, found)
    }
    return found
  }

  free(freed: Memory): void {
    this.bindGroups.drop(freed.id)
    // what is recorded may use it still
    if (this.stream.recording) this.stream.retired.push(freed)
    else freed.gpu?.destroy()
  }

  write(target: Memory, offset: number, bytes: Uint8Array<ArrayBuffer>): Outcome | null {
    if (target.own) return this.#write(target, offset, bytes)
    const { value, error } = scoped(this.device, ['validation'], () => this.#write(target, offset, bytes))
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
    const padded = end === target.size && target.capacity > end && last >= offset
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

  async read(source: Memory, offset: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
    const from = roundDown(offset, 4)
    const span = roundUp(offset + size, 4) - from
    if (from + span > source.capacity)
      throw fault('buffer-data', 'the last bytes of a GPUBuffer whose size is no multiple of 4 cannot be copied')
    const { device } = this
    this.stream.flush()
    const { value: staging, error } = scoped(device, ['validation', 'out-of-memory'], () => {
      const made = device.createBuffer({ label: 'weft readback', size: span, usage: USAGE.MAP_READ | USAGE.COPY_DST })
      const encoder = device.createCommandEncoder({ label: 'weft readback' })
      encoder.copyBufferToBuffer(source.gpu as GPUBuffer, from, made, 0, span)
      device.queue.submit([encoder.finish()])
      return made
    })
    try {
      const [failure] = await Promise.all([error, staging.mapAsync(1 /* GPUMapMode.READ */)])
      if (failure) throw failure
      return new Uint8Array(staging.getMappedRange()).slice(offset - from, offset - from + size)
    } catch (failure) {
      // nobody else has the staging buffer, so an aborted mapping means that the device is gone
      if ((failure as Error).name === 'AbortError') throw fault('device-lost', 'the device was lost during a readback')
      const text = (await error)?.message ?? textOf((failure as { message?: string }).message ?? failure)
      throw fault('dispatch-failed', `the readback of '${source.label}' failed: ${text}`)
    } finally {
      staging.destroy()
    }
  }

  prepare(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Program | Promise<Program> {
    const pipeline = this.#cache.get(kernel, variant, overrides)
    if (pipeline instanceof Promise) return pipeline.then((made) => new GpuProgram(kernel, variant, made, this))
    return new GpuProgram(kernel, variant, pipeline, this)
  }

  standIn(index: number, size: number): Memory {
    const found = this.#standIns[index]
    if (found && found.size >= size) return found
    const capacity = Math.max(256, roundUp(size, 4))
    const label = 'weft nothing'
    const gpu = this.device.createBuffer({ label, size: capacity, usage: BUFFER_USAGE })
    const made = memory({ label, size: capacity, capacity, gpu })
    this.#standIns[index] = made
    return made
  }

  async idle(): Promise<void> {
    this.stream.flush()
    await this.device.queue.onSubmittedWorkDone()
  }

  destroy(): void {
    this.stream.close(fault('device-lost', 'the runtime was destroyed'))
    this.#cache.clear()
    this.bindGroups.clear()
    this.uniforms.destroy()
    for (const nothing of this.#standIns.splice(0)) nothing?.gpu?.destroy()
    if (this.owned) this.device.destroy()
  }
}
