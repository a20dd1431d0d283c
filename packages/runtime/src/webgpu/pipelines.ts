import type { BindGroupLayoutDescriptor, CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { OverrideValues, PipelineStats } from '../backend'
import { roundUp } from '../bytes'
import { isWeftError, textOf } from '../errors'
import { constantsOf } from '../overrides'
import { compileError } from './compile-error'
import { scoped } from './scopes'

export interface Pipeline {
  readonly pipeline: GPUComputePipeline
  /** By group. */
  readonly layouts: readonly GPUBindGroupLayout[]
}

/** What a pipeline depends on beside its source. */
const keyOf = (variant: CompiledVariant, constants: Record<string, number>, immediates: number): string =>
  JSON.stringify([variant.entryPoint, constants, immediates, variant.layouts.map(({ entries }) => entries)])

/**
 * The compiled pipelines of one device. The outer key is the source itself – compared as text, so no two sources can
 * share an entry – and the inner one everything else that is baked in: entry point, constants, layouts, immediates.
 */
export class PipelineCache {
  readonly #bySource = new Map<string, Map<string, Pipeline | Promise<Pipeline>>>()
  readonly #layouts = new Map<string, GPUBindGroupLayout>()
  readonly #stats = { hits: 0, misses: 0, shared: 0, failed: 0, compileMs: 0 }

  constructor(readonly device: GPUDevice) {}

  get stats(): PipelineStats {
    let entries = 0
    for (const table of this.#bySource.values()) entries += table.size
    return { entries, ...this.#stats }
  }

  /** The pipeline, compiled when it is first asked for; those who ask meanwhile share it. Rejects `compile-failed`. */
  get(kernel: CompiledKernel, variant: CompiledVariant, overrides: OverrideValues): Pipeline | Promise<Pipeline> {
    const constants = constantsOf(kernel, overrides)
    const immediates = variant.params?.via === 'immediates' ? roundUp(kernel.params?.size ?? 0, 4) : 0
    let table = this.#bySource.get(variant.wgsl)
    if (!table) this.#bySource.set(variant.wgsl, (table = new Map()))
    const key = keyOf(variant, constants, immediates)
    const found = table.get(key)
    if (found) {
      this.#stats[found instanceof Promise ? 'shared' : 'hits']++
      return found
    }
    const made = this.#timed(this.#compile(kernel, variant, constants, immediates))
    const own = table
    own.set(key, made)
    made.then(
      (pipeline) => own.set(key, pipeline),
      () => own.delete(key),
    )
    return made
  }

  clear(): void {
    this.#bySource.clear()
    this.#layouts.clear()
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
