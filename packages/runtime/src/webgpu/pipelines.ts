import type { BindGroupLayoutDescriptor, CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { OverrideValues, PipelineStats } from '../backend'
import { roundUp } from '../bytes'
import { textOf } from '../errors'
import { memo } from '../memo'
import { constantsOf } from '../overrides'
import { scoped } from './scopes'

export interface Pipeline {
  readonly pipeline: GPUComputePipeline
  /** By group. */
  readonly layouts: readonly GPUBindGroupLayout[]
}

/** Far more than a model has kernels; a server that compiles kernels for ever stays bounded. */
const MAX_ENTRIES = 1024

/**
 * What a pipeline is made from: entry point, constants, immediates and layouts, and the source itself – as text, so that
 * no two sources can share an entry.
 */
const keyOf = (variant: CompiledVariant, constants: Record<string, number>, immediates: number): string =>
  JSON.stringify([variant.entryPoint, constants, immediates, variant.layouts.map(({ entries }) => entries)]) +
  variant.wgsl

/** The compiled pipelines of one device. Bounded, the least recently used goes. */
export class PipelineCache {
  /** By last use, the least recent first. */
  readonly #entries = new Map<string, Pipeline | Promise<Pipeline>>()
  readonly #layouts = new Map<string, GPUBindGroupLayout>()
  readonly #stats = { hits: 0, misses: 0, shared: 0, failed: 0, evicted: 0, compileMs: 0 }

  constructor(
    readonly device: GPUDevice,
    readonly max = MAX_ENTRIES,
  ) {}

  get stats(): PipelineStats {
    return { entries: this.#entries.size, ...this.#stats }
  }

  /** The pipeline, compiled when it is first asked for; those who ask meanwhile share it. Rejects `compile-failed`. */
  get(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Pipeline | Promise<Pipeline> {
    const constants = constantsOf(kernel, overrides)
    const immediates = variant.params?.via === 'immediates' ? roundUp(kernel.params?.size ?? 0, 4) : 0
    const key = keyOf(variant, constants, immediates)
    const found = this.#entries.get(key)
    if (found) {
      this.#stats[found instanceof Promise ? 'shared' : 'hits']++
      this.#keep(key, found)
      return found
    }
    const made = this.#timed(this.#compile(kernel, variant, constants, immediates))
    this.#keep(key, made)
    // by then another may be in its place, or nothing
    const settled = (pipeline: Pipeline | null) => {
      if (this.#entries.get(key) !== made) return
      if (pipeline) this.#entries.set(key, pipeline)
      else this.#entries.delete(key)
    }
    made.then(settled, () => settled(null))
    return made
  }

  clear(): void {
    this.#entries.clear()
    this.#layouts.clear()
  }

  /** Puts an entry behind all others, and gives up the one that was used longest ago where there are too many. */
  #keep(key: string, value: Pipeline | Promise<Pipeline>): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.max) return
    const [oldest] = this.#entries.keys()
    this.#stats.evicted++
    this.#entries.delete(oldest as string)
  }

  async #timed(work: Promise<Pipeline>): Promise<Pipeline> {
    const start = performance.now()
    this.#stats.misses++
    try {
      return await work
    } catch (error) {
      this.#stats.failed++
      throw error
    } finally {
      this.#stats.compileMs += performance.now() - start
    }
  }

  async #compile(
    kernel: CompiledKernel,
    variant: CompiledVariant,
    constants: Record<string, number>,
    immediates: number,
  ): Promise<Pipeline> {
    const { device } = this
    const label = `${kernel.name} ${variant.id}`
    const { value: parts, error } = scoped(device, ['validation'], () => {
      const layouts = variant.layouts.map((descriptor) => this.#layout(descriptor))
      // engines without immediates know no such field
      const withImmediates = immediates > 0 && { immediateSize: immediates }
      const layout = device.createPipelineLayout({ label, bindGroupLayouts: layouts, ...withImmediates })
      return { layouts, layout, module: device.createShaderModule({ label, code: variant.wgsl }) }
    })
    const { module, layout, layouts } = parts
    try {
      const compute = { module, entryPoint: variant.entryPoint, constants }
      // begun at once, together with the module: awaiting the scope first would cost a round trip
      const [pipeline, invalid] = await Promise.all([
        device.createComputePipelineAsync({ label, layout, compute }),
        error,
      ])
      if (invalid) throw invalid
      return { pipeline, layouts }
    } catch (failure) {
      const { compileError } = await import('./compile-error')
      throw compileError(kernel, variant, await module.getCompilationInfo(), textOf((await error) ?? failure))
    }
  }

  /** Equal layouts are one object, so that bind groups fit every pipeline of the same interface. */
  #layout(descriptor: BindGroupLayoutDescriptor): GPUBindGroupLayout {
    return memo(this.#layouts, JSON.stringify(descriptor.entries), () =>
      this.device.createBindGroupLayout(descriptor as GPUBindGroupLayoutDescriptor),
    )
  }
}
