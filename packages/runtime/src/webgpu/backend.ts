import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Backend, OverrideValues, PipelineStats, Program, RecordedOp, StreamOptions } from '../backend'
import type { Range } from '../bindings'
import { roundUp } from '../bytes'
import { fault } from '../errors'
import type { RuntimeInfo } from '../info'
import { memo } from '../memo'
import { type Memory, memory, type Outcome, type Part, type UsageNote } from '../memory'
import type { Observers } from '../observer'
import { BUFFER_USAGE, Heap, type HeapOptions } from '../pool/heap'
import { Pool, type PoolStats } from '../pool/pool'
import type { Unwrap } from '../resolve'
import type { DeviceFacts } from '../variant'
import { BindGroupCache } from './bind-groups'
import { GpuBlocks } from './blocks'
import { CallersParams } from './callers-params'
import { type GpuMemory, gpuMemory } from './gpu-memory'
import { PipelineCache } from './pipelines'
import { GpuProgram, type Shared } from './program'
import { Readbacks } from './readbacks'
import { copyingRanges, GpuReplay, type Replaying } from './replay'
import { CommandStream } from './stream'
import { UniformArena } from './uniforms'
import { Uploads } from './uploads'

/** Most bytes of staging buffers that are kept. */
const MAX_IDLE_STAGING = 64 * 2 ** 20

export interface BackendOptions {
  /** Whether the device is the runtime's own: then it destroys it, and hears of errors that nobody caught. */
  readonly owned: boolean
  /** For buffers of another library. */
  readonly unwrap?: Unwrap | undefined
  readonly memory?: HeapOptions | undefined
  readonly stream?: Partial<StreamOptions> | undefined
  /** Whether every replay has an error scope. */
  readonly debug?: boolean | undefined
}

/** Kernels on a GPUDevice. It destroys the device only when it owns it. */
export class GpuBackend implements Backend, Shared {
  observers: Observers | null = null
  readonly owned: boolean
  readonly unwrap: Unwrap | undefined
  readonly uniforms: UniformArena
  readonly stream: CommandStream
  readonly bindGroups: BindGroupCache
  readonly callers: CallersParams
  readonly facts: DeviceFacts
  readonly #cache: PipelineCache
  readonly heap: Heap
  readonly #staging: Pool
  readonly #uploads: Uploads
  readonly #readbacks: Readbacks
  readonly #adopted = new WeakMap<GPUBuffer, Memory>()
  readonly #standIns: GpuMemory[] = []
  /** Recordings that were replayed without an error scope. */
  readonly trusted = new Set<GpuReplay>()
  /** Errors of which it is being found out who is to blame. */
  readonly explaining = new Set<Promise<unknown>>()
  readonly #replaying: Replaying

  constructor(
    readonly device: GPUDevice,
    readonly info: RuntimeInfo,
    { owned, unwrap, memory: heap, stream: options, debug = false }: BackendOptions,
  ) {
    this.owned = owned
    this.unwrap = unwrap
    const { limits } = info
    this.facts = { features: new Set(info.features), languageFeatures: new Set(info.languageFeatures), limits }
    this.uniforms = new UniformArena(device, limits.minUniformBufferOffsetAlignment ?? 256)
    this.bindGroups = new BindGroupCache(device)
    const blocks = new GpuBlocks(
      device,
      () => this.stream.recording,
      (block) => this.bindGroups.drop(block),
    )
    this.stream = new CommandStream(device, this.uniforms, blocks, this, options)
    this.callers = new CallersParams(device, this.uniforms.align)
    this.#cache = new PipelineCache(device)
    this.heap = new Heap(blocks, limits.maxBufferSize, heap)
    this.#staging = new Pool(blocks, MAX_IDLE_STAGING)
    this.#uploads = new Uploads(this.stream, limits.minStorageBufferOffsetAlignment ?? 256)
    this.#readbacks = new Readbacks(device, this.#staging, blocks, limits.maxBufferSize ?? 2 ** 28)
    const { stream, bindGroups } = this
    const align = this.uniforms.align
    // of a device that is not ours, errors are the caller's to see, so each replay has a scope
    const trusted = owned && !debug ? this.trusted : null
    this.#replaying = { stream, bindGroups, readbacks: this.#readbacks, align, trusted }
    this.stream.onSubmit = () => {
      this.heap.pool.submitted()
      this.#staging.submitted()
    }
  }

  get staging(): PoolStats {
    return this.#staging.stats
  }

  get pipelines(): PipelineStats {
    return this.#cache.stats
  }

  adopt(buffer: GPUBuffer, usageNote: UsageNote | null = null): Memory {
    const { label, size } = buffer
    const adopted = () => memory({ label, size, gpu: buffer, own: false, usageNote })
    return this.heap.find(buffer) ?? memo(this.#adopted, buffer, adopted)
  }

  write(target: Memory, offset: number, bytes: Uint8Array<ArrayBuffer>): Outcome | null {
    this.heap.write(target, offset === 0 && bytes.byteLength === target.size)
    return this.#uploads.write(target, offset, bytes)
  }

  read(parts: readonly Part[]): Promise<Uint8Array<ArrayBuffer>[]> {
    this.stream.flush()
    return this.#readbacks.read(parts)
  }

  copy(from: Range, to: Range): Outcome {
    const copy = copyingRanges(from, to)
    copy.encode(this.stream.encoder())
    this.stream.recorded(copy, 0)
    return this.stream.settle()
  }

  record(ops: readonly RecordedOp[]): GpuReplay {
    return new GpuReplay(ops, this.#replaying)
  }

  prepare(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Program | Promise<Program> {
    const pipeline = this.#cache.get(kernel, variant, overrides)
    if (pipeline instanceof Promise) return pipeline.then((made) => new GpuProgram(kernel, variant, made, this))
    return new GpuProgram(kernel, variant, pipeline, this)
  }

  standIn(index: number, size: number): Memory {
    const found = this.#standIns[index]
    if (found && found.size >= size) return found
    const made = gpuMemory(this.device, 'weft nothing', Math.max(256, roundUp(size, 4)), BUFFER_USAGE)
    this.#standIns[index] = made
    return made
  }

  async idle(): Promise<void> {
    this.stream.flush()
    await this.stream.finished()
    await Promise.all(this.explaining)
  }

  destroy(): void {
    this.stream.close(fault('device-lost', 'the runtime was destroyed'))
    this.#cache.clear()
    this.bindGroups.clear()
    this.uniforms.destroy()
    this.heap.destroy()
    this.#staging.destroy()
    for (const nothing of this.#standIns.splice(0)) nothing?.gpu.destroy()
    if (this.owned) this.device.destroy()
  }
}
