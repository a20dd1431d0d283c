import type { BindGroupLayoutDescriptor, CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { OverrideValues, PipelineStats } from '../backend'
import { roundUp } from '../bytes'
import { isWeftError, textOf } from '../errors'
import { constantsOf } from '../overrides'
import { scoped } from './scopes'

export interface Pipeline {
  readonly pipeline: GPUComputePipeline
  /** By group. */
  readonly layouts: readonly GPUBindGroupLayout[]
}

interface Entry {
  readonly wgsl: string
  readonly key: string
  value: Pipeline | Promise<Pipeline>
}

/** Far more than a model has kernels; a server that compiles kernels for ever stays bounded. */
const MAX_ENTRIES = 1024

/** What a pipeline depends on beside its source. */
const keyOf = (variant: CompiledVariant, constants: Record<string, number>, immediates: number): string =>
  JSON.stringify([variant.entryPoint, constants, immediates, variant.layouts.map(({ entries }) => entries)])

/**
 * The compiled pipelines of one device. The outer key is the source itself – compared as text, so no two sources can
 * share an entry – and the inner one everything else that is baked in: entry point, constants, layouts, immediates.
 */
export class PipelineCache {
  readonly #bySource = new Map<string, Map<string, Entry>>()
  /** By last use, the least recent first. */
  readonly #recent = new Set<Entry>()
  readonly #layouts = new Map<string, GPUBindGroupLayout>()
  readonly #stats = { hits: 0, misses: 0, shared: 0, failed: 0, evicted: 0, compileMs: 0 }

  constructor(
    readonly device: GPUDevice,
    readonly max = MAX_ENTRIES,
  ) {}

  get stats(): PipelineStats {
    return { entries: this.#recent.size, ...this.#stats }
  }

  /** The pipeline, compiled when it is first asked for; those who ask meanwhile share it. Rejects `compile-failed`. */
  get(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Pipeline | Promise<Pipeline> {
    const constants = constantsOf(kernel, overrides)
    const immediates = variant.params?.via === 'immediates' ? roundUp(kernel.params?.size ?? 0, 4) : 0
    const key = keyOf(variant, constants, immediates)
    const found = this.#bySource.get(variant.wgsl)?.get(key)
    if (found) {
      this.#stats[found.value instanceof Promise ? 'shared' : 'hits']++
      this.#recent.delete(found)
      this.#recent.add(found)
      return found.value
    }
    const made = this.#timed(this.#compile(kernel, variant, constants, immediates))
    const entry: Entry = { wgsl: variant.wgsl, key, value: made }
    this.#add(entry)
    made.then(
      (pipeline) => void (entry.value = pipeline),
      () => this.#remove(entry),
    )
    return made
  }

  clear(): void {
    this.#bySource.clear()
    this.#recent.clear()
    this.#layouts.clear()
  }

  #add(entry: Entry): void {
    let table = this.#bySource.get(entry.wgsl)
    if (!table) this.#bySource.set(entry.wgsl, (table = new Map()))
    table.set(entry.key, entry)
    this.#recent.add(entry)
    const [oldest] = this.#recent
    if (this.#recent.size <= this.max || !oldest) return
    this.#stats.evicted++
    this.#remove(oldest)
  }

  #remove(entry: Entry): void {
    if (!this.#recent.delete(entry)) return
    const table = this.#bySource.get(entry.wgsl)
    table?.delete(entry.key)
    if (table?.size === 0) this.#bySource.delete(entry.wgsl)
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
      const descriptor: GPUPipelineLayoutDescriptor = { label, bindGroupLayouts: layouts }
      const layout = device.createPipelineLayout(
        immediates > 0 ? { ...descriptor, immediateSize: immediates } : descriptor,
      )
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
      if (isWeftError(failure)) throw failure
      const { messages } = await module.getCompilationInfo()
      const { compileError } = await import('./compile-error')
      throw compileError(
        kernel,
        variant,
        messages,
        (await error)?.message ?? textOf((failure as { message?: string }).message ?? failure),
      )
    }
  }

  /** Equal layouts are one object, so that bind groups fit every pipeline of the same interface. */
  #layout(descriptor: BindGroupLayoutDescriptor): GPUBindGroupLayout {
    const key = JSON.stringify(descriptor.entries)
    let layout = this.#layouts.get(key)
    if (!layout) {
      layout = this.device.createBindGroupLayout(descriptor as GPUBindGroupLayoutDescriptor)
      this.#layouts.set(key, layout)
    }
    return layout
  }
}
