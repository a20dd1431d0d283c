import type { CompiledKernel, CompiledVariant, Executable, Executor } from '@weft/codegen'
import type { Backend, Bound, Dispatch, OverrideValues, PipelineStats, Program, Stream } from '../backend'
import type { Range } from '../bindings'
import { fault, isWeftError, textOf } from '../errors'
import type { RuntimeInfo } from '../info'
import type { Workgroups } from '../launch'
import type { Memory, Outcome, Part } from '../memory'
import type { Observers } from '../observer'
import { Heap, type HeapOptions } from '../pool/heap'
import type { PoolStats } from '../pool/pool'
import type { DeviceFacts } from '../variant'
import { cpuBlocks } from './blocks'
import { CpuStream } from './stream'

/** There are no staging buffers: reads copy. */
const NO_POOL: PoolStats = {
  idle: 0,
  idleBytes: 0,
  waiting: 0,
  hits: 0,
  misses: 0,
  trimmed: 0,
  bytes: 0,
  peakBytes: 0,
}

const sorted = (names: Iterable<string>): string[] => [...names].sort()

/** Kernels on an injected executor. Work is done when it is handed over, so there is never anything to wait for. */
export class CpuBackend implements Backend {
  observers: Observers | null = null
  readonly device = null
  readonly stream: Stream = new CpuStream()
  readonly bindGroups = { stats: { entries: 0, hits: 0, misses: 0, evicted: 0 } }
  readonly info: RuntimeInfo
  readonly facts: DeviceFacts
  readonly heap: Heap
  readonly staging = NO_POOL
  readonly #stats = { entries: 0, hits: 0, misses: 0, shared: 0, failed: 0, evicted: 0, compileMs: 0 }

  constructor(
    readonly executor: Executor,
    options?: HeapOptions,
  ) {
    const { name, features, languageFeatures, limits } = executor
    this.info = {
      backend: 'cpu',
      adapter: name,
      vendor: 'weft',
      architecture: 'cpu',
      device: '',
      software: true,
      features: sorted(features),
      // it takes any size, and is slower with all of them
      subgroupMatrices: [],
      languageFeatures: sorted(languageFeatures),
      limits,
    }
    this.facts = { features: new Set(features), languageFeatures: new Set(languageFeatures), limits }
    this.heap = new Heap(cpuBlocks, limits.maxBufferSize, options)
  }

  get pipelines(): PipelineStats {
    return { ...this.#stats }
  }

  adopt(): never {
    throw fault(
      'binding-type',
      'a GPUBuffer was given to a runtime on the CPU',
      'make its buffers with runtime.buffer(…)',
    )
  }

  write(target: Memory, offset: number, bytes: Uint8Array): null {
    this.heap.write(target, offset === 0 && bytes.byteLength === target.size)
    target.bytes?.set(bytes, offset)
    return null
  }

  async read(parts: readonly Part[]): Promise<Uint8Array<ArrayBuffer>[]> {
    return parts.map(({ memory: { bytes }, offset, size }) =>
      (bytes as Uint8Array<ArrayBuffer>).slice(offset, offset + size),
    )
  }

  copy(from: Range, to: Range): Outcome {
    const source = from.memory.bytes?.subarray(from.offset, from.offset + from.bound)
    if (source) to.memory.bytes?.set(source, to.offset)
    return Promise.resolve(null)
  }

  prepare(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Program {
    const start = performance.now()
    this.#stats.misses++
    try {
      const executable = this.executor.prepare(kernel, variant, overrides)
      this.#stats.entries++
      return new CpuProgram(kernel, variant, executable, this.facts.limits.maxComputeWorkgroupsPerDimension ?? 65535)
    } catch (error) {
      this.#stats.failed++
      if (isWeftError(error)) throw error
      throw fault('compile-failed', `'${kernel.name}' (variant '${variant.id}'): ${textOf(error)}`)
    } finally {
      this.#stats.compileMs += performance.now() - start
    }
  }

  async idle(): Promise<void> {}

  destroy(): void {
    this.heap.destroy()
  }
}

class CpuProgram implements Program {
  constructor(
    readonly kernel: CompiledKernel,
    readonly variant: CompiledVariant,
    readonly executable: Executable,
    /** Workgroups in one dimension. */
    readonly most: number,
  ) {}

  dispatch(work: Dispatch): Outcome {
    const { bindings, params } = work
    const workgroups = this.#workgroups(work)
    if (workgroups.includes(0)) return Promise.resolve(null)
    const views = this.kernel.bindings.map(({ name, minBindingSize }) => {
      const bound = bindings.get(name) as Bound
      if ('texture' in bound) return [name, bound.texture]
      // what is bound to nothing has the size of one element, as on a GPU
      if (bound.size === 0) return [name, new Uint8Array(Math.max(4, minBindingSize))]
      return [name, bound.memory.bytes?.subarray(bound.offset, bound.offset + bound.bound)]
    })
    try {
      this.executable.run({ bindings: Object.fromEntries(views), params, workgroups })
      return Promise.resolve(null)
    } catch (error) {
      if (isWeftError(error)) return Promise.resolve(error)
      return Promise.resolve(
        fault('dispatch-failed', `'${this.kernel.name}' (variant '${this.variant.id}'): ${textOf(error)}`),
      )
    }
  }

  /** Counts in a buffer that are above the limit run nothing, as on a GPU. */
  #workgroups({ workgroups, indirect }: Dispatch): Workgroups {
    if (workgroups) return workgroups
    const { memory, offset } = indirect as Range
    const bytes = memory.bytes as Uint8Array<ArrayBuffer>
    const [x = 0, y = 0, z = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset + offset, 3)
    return Math.max(x, y, z) > this.most ? [0, 0, 0] : [x, y, z]
  }
}
