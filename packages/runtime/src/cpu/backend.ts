import type { CompiledKernel, CompiledVariant, Executable, Executor } from '@weft/codegen'
import type { Backend, Bound, Dispatch, OverrideValues, PipelineStats, Program } from '../backend'
import { fault, isWeftError, textOf } from '../errors'
import type { RuntimeInfo } from '../info'
import { type Memory, memory, type Outcome } from '../memory'
import type { Observers } from '../observer'
import type { DeviceFacts } from '../variant'

const sorted = (names: Iterable<string>): string[] => [...names].sort()

/** Kernels on an injected executor. Work is done when it is handed over, so there is never anything to wait for. */
export class CpuBackend implements Backend {
  observers: Observers | null = null
  readonly device = null
  readonly info: RuntimeInfo
  readonly facts: DeviceFacts
  readonly #stats = { entries: 0, hits: 0, misses: 0, shared: 0, failed: 0, compileMs: 0 }

  constructor(readonly executor: Executor) {
    const { name, features, languageFeatures, limits } = executor
    this.info = {
      backend: 'cpu',
      adapter: name,
      vendor: 'weft',
      architecture: 'cpu',
      software: true,
      features: sorted(features),
      languageFeatures: sorted(languageFeatures),
      limits,
    }
    this.facts = { features: new Set(features), languageFeatures: new Set(languageFeatures), limits }
  }

  get pipelines(): PipelineStats {
    return { ...this.#stats }
  }

  allocate(size: number, label: string): Memory {
    const capacity = Math.max(4, Math.ceil(size / 4) * 4)
    return memory({ label, size, capacity, bytes: new Uint8Array(capacity) })
  }

  adopt(): never {
    throw fault(
      'binding-type',
      'a GPUBuffer was given to a runtime on the CPU',
      'make its buffers with runtime.buffer(…)',
    )
  }

  free(): void {}

  write(target: Memory, offset: number, bytes: Uint8Array): null {
    target.bytes?.set(bytes, offset)
    return null
  }

  async read(source: Memory, offset: number, size: number): Promise<Uint8Array<ArrayBuffer>> {
    return (source.bytes as Uint8Array<ArrayBuffer>).slice(offset, offset + size)
  }

  prepare(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Program {
    const start = performance.now()
    this.#stats.misses++
    try {
      const executable = this.executor.prepare(kernel, variant, overrides)
      this.#stats.entries++
      return new CpuProgram(kernel, variant, executable)
    } catch (error) {
      this.#stats.failed++
      if (isWeftError(error)) throw error
      throw fault('compile-failed', `'${kernel.name}' (variant '${variant.id}'): ${textOf(error)}`)
    } finally {
      this.#stats.compileMs += performance.now() - start
    }
  }

  async idle(): Promise<void> {}

  destroy(): void {}
}

class CpuProgram implements Program {
  constructor(
    readonly kernel: CompiledKernel,
    readonly variant: CompiledVariant,
    readonly executable: Executable,
  ) {}

  dispatch({ bindings, params, workgroups }: Dispatch): Outcome {
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
}
