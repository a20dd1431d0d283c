import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Dispatch, Program } from '../backend'
import { fault, textOf } from '../errors'
import type { Outcome } from '../memory'
import type { Observed } from '../observer'
import type { Pipeline } from './pipelines'
import { scoped } from './scopes'
import type { UniformArena } from './uniforms'

/** A slot of a bind group: the name of the kernel's binding, or the params block. */
interface Entry {
  readonly binding: number
  readonly name: string | null
  readonly minBindingSize: number
  readonly viewDimension: string | undefined
}

/** What programs share. */
export interface Shared extends Observed {
  readonly device: GPUDevice
  readonly uniforms: UniformArena
  /** A buffer of at least `size` bytes for a binding of nothing; another one for each index of a dispatch. */
  standIn(index: number, size: number): GPUBuffer
}

function entriesOf(kernel: CompiledKernel, variant: CompiledVariant): Entry[][] {
  const { params } = variant
  // the output's name wins where a declared alias put two names on one binding
  const written = new Set(kernel.bindings.filter(({ access }) => access !== 'read').map(({ name }) => name))
  return variant.layouts.map(({ entries }, group) =>
    entries.map(({ binding, buffer, texture, storageTexture }) => {
      const isParams = params?.via === 'uniform' && params.group === group && params.binding === binding
      const names = variant.slots
        .filter((slot) => slot.group === group && slot.binding === binding)
        .map(({ name }) => name)
      const name = isParams ? null : (names.find((n) => written.has(n)) ?? names[0] ?? null)
      const viewDimension = texture?.viewDimension ?? storageTexture?.viewDimension
      return { binding, name, minBindingSize: buffer?.minBindingSize ?? 0, viewDimension }
    }),
  )
}

/** A pipeline with its bind groups by name. */
export class GpuProgram implements Program {
  readonly #groups: readonly (readonly Entry[])[]

  constructor(
    readonly kernel: CompiledKernel,
    readonly variant: CompiledVariant,
    readonly pipeline: Pipeline,
    readonly shared: Shared,
  ) {
    this.#groups = entriesOf(kernel, variant)
  }

  dispatch(work: Dispatch): Outcome {
    const { device, uniforms, observers } = this.shared
    const failed = (text: string) =>
      fault('dispatch-failed', `'${this.kernel.name}' (variant '${this.variant.id}'): ${text}`)
    try {
      const { error } = scoped(device, ['validation', 'out-of-memory'], () => {
        const encoder = device.createCommandEncoder({ label: this.kernel.name })
        const timestampWrites = observers?.pass()
        const pass = encoder.beginComputePass({ label: this.kernel.name, ...(timestampWrites && { timestampWrites }) })
        this.#encode(pass, work)
        pass.end()
        device.queue.submit([encoder.finish()])
        uniforms.submitted()
        observers?.submitted()
      })
      return error.then((invalid) => (invalid ? failed(invalid.message) : null))
    } catch (error) {
      return Promise.resolve(failed(textOf(error)))
    }
  }

  #encode(pass: GPUComputePassEncoder, work: Dispatch): void {
    pass.setPipeline(this.pipeline.pipeline)
    let index = 0
    this.#groups.forEach((entries, group) => {
      const layout = this.pipeline.layouts[group] as GPUBindGroupLayout
      const resources = entries.map((entry) => ({
        binding: entry.binding,
        resource: this.#resource(entry, work, index++),
      }))
      pass.setBindGroup(group, this.shared.device.createBindGroup({ layout, entries: resources }))
    })
    if (this.variant.params?.via === 'immediates') pass.setImmediates(0, work.params as Uint8Array<ArrayBuffer>)
    pass.dispatchWorkgroups(...work.workgroups)
  }

  #resource({ name, minBindingSize, viewDimension }: Entry, work: Dispatch, index: number): GPUBindingResource {
    if (name === null) return this.shared.uniforms.slot(work.params)
    const bound = work.bindings.get(name)
    if (!bound) throw new RangeError(`the artifact has no binding '${name}'`)
    if ('texture' in bound) {
      const texture = bound.texture as GPUTexture | GPUTextureView
      if (!('createView' in texture)) return texture
      return texture.createView(viewDimension ? { dimension: viewDimension as GPUTextureViewDimension } : {})
    }
    if (bound.size === 0)
      return { buffer: this.shared.standIn(index, minBindingSize), offset: 0, size: Math.max(4, minBindingSize) }
    return { buffer: bound.memory.gpu as GPUBuffer, offset: bound.offset, size: bound.bound }
  }
}
