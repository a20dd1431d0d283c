import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Bound, Dispatch, Program } from '../backend'
import { isWritten } from '../bindings'
import { fault, firstOf, textOf, type WeftError } from '../errors'
import type { Memory, Outcome } from '../memory'
import { type BindGroupCache, type Resource, ranged } from './bind-groups'
import { type Call, PassState } from './call'
import type { CallersParams } from './callers-params'
import type { Pipeline } from './pipelines'
import type { CommandStream } from './stream'

/** A slot of a bind group: the name of the kernel's binding, or the params block. */
interface Entry {
  readonly binding: number
  readonly name: string | null
  readonly minBindingSize: number
  readonly viewDimension: GPUTextureViewDimension | undefined
}

/** What programs share. */
export interface Shared {
  readonly stream: CommandStream
  readonly bindGroups: BindGroupCache
  readonly callers: CallersParams
  /** Memory of at least `size` bytes for a binding of nothing; another one for each index of a dispatch. */
  standIn(index: number, size: number): Memory
}

function entriesOf(kernel: CompiledKernel, variant: CompiledVariant): Entry[][] {
  const { params } = variant
  // the output's name wins where a declared alias put two names on one binding
  const written = new Set(kernel.bindings.filter(isWritten).map(({ name }) => name))
  return variant.layouts.map(({ entries }, group) =>
    entries.map(({ binding, buffer, texture, storageTexture }) => {
      const isParams = params?.via === 'uniform' && params.group === group && params.binding === binding
      const names = variant.slots
        .filter((slot) => slot.group === group && slot.binding === binding)
        .map(({ name }) => name)
      const name = isParams ? null : (names.find((n) => written.has(n)) ?? names[0] ?? null)
      const viewDimension = (texture?.viewDimension ?? storageTexture?.viewDimension) as
        | GPUTextureViewDimension
        | undefined
      return { binding, name, minBindingSize: buffer?.minBindingSize ?? 0, viewDimension }
    }),
  )
}

/** A call that is ready, and the device's complaint about its bind groups where it is not in yet. */
export interface ReadyCall {
  readonly call: Call
  readonly invalid: Promise<WeftError | null> | null
}

/** A pipeline with its bind groups by name. */
export class GpuProgram implements Program {
  readonly #groups: readonly (readonly Entry[])[]
  readonly title: string

  constructor(
    readonly kernel: CompiledKernel,
    readonly variant: CompiledVariant,
    readonly pipeline: Pipeline,
    readonly shared: Shared,
  ) {
    this.#groups = entriesOf(kernel, variant)
    this.title = `'${kernel.name}' (variant '${variant.id}')`
  }

  dispatch(work: Dispatch): Outcome {
    const { stream } = this.shared
    try {
      const { call, invalid } = this.ready(work)
      stream.dispatch(call)
      const outcome = stream.settle()
      return invalid ? invalid.then((error) => error ?? outcome) : outcome
    } catch (error) {
      return Promise.resolve(this.failed(textOf(error)))
    }
  }

  encode(work: Dispatch, target: GPUComputePassEncoder | GPUCommandEncoder, state: { readonly version: number }): void {
    const { callers } = this.shared
    const slot = this.variant.params?.via === 'uniform' ? callers.slot(state, work.params) : undefined
    const { call } = this.ready(work, slot)
    const own = 'beginComputePass' in target ? target.beginComputePass({ label: this.kernel.name }) : null
    new PassState().encode(own ?? (target as GPUComputePassEncoder), call)
    own?.end()
  }

  failed(text: string): WeftError {
    return fault('dispatch-failed', `${this.title}: ${text}`)
  }

  /** The call for this work. `params` is where its params block lies; without it, in the arena of the current submit. */
  ready(work: Dispatch, params?: Resource): ReadyCall {
    const complaints: Promise<GPUError | null>[] = []
    const groups = this.#bound(work, params).map(({ layout, entries, resources }) => {
      const make = () => bindable(entries, resources)
      const made = this.shared.bindGroups.get(layout, resources, this.title, make)
      if (made.error) complaints.push(made.error)
      return made.group
    })
    return { call: this.call(work, groups), invalid: complaints.length > 0 ? this.#complaint(complaints) : null }
  }

  /** What the bind groups of this work are made from, for those who make them together and keep them. */
  groups(work: Dispatch, params: Resource | undefined): GPUBindGroupDescriptor[] {
    return this.#bound(work, params).map(({ layout, entries, resources }) => ({
      label: this.title,
      layout,
      entries: bindable(entries, resources),
    }))
  }

  call(work: Dispatch, groups: readonly GPUBindGroup[]): Call {
    const [x, y, z] = work.workgroups ?? [0, 0, 0]
    const { indirect: at } = work
    const indirect = at && { buffer: at.memory.gpu as GPUBuffer, offset: at.offset }
    const immediates = this.variant.params?.via === 'immediates' ? (work.params as Uint8Array<ArrayBuffer>) : null
    return { title: this.title, pipeline: this.pipeline.pipeline, groups, immediates, x, y, z, indirect }
  }

  #bound(work: Dispatch, params: Resource | undefined) {
    let index = 0
    return this.#groups.map((entries, group) => ({
      layout: this.pipeline.layouts[group] as GPUBindGroupLayout,
      entries,
      resources: entries.map((entry) => this.#resource(entry, work, index++, params)),
    }))
  }

  async #complaint(complaints: readonly Promise<GPUError | null>[]): Promise<WeftError | null> {
    const error = await firstOf(complaints)
    return error ? this.failed(error.message) : null
  }

  #resource({ name, minBindingSize }: Entry, work: Dispatch, index: number, params: Resource | undefined): Resource {
    const { stream } = this.shared
    if (name === null) return params ?? stream.uniforms.slot(work.params)
    const bound: Bound | undefined = work.bindings.get(name)
    if (!bound) throw new RangeError(`the artifact has no binding '${name}'`)
    if ('texture' in bound) return { memory: null, texture: bound.texture as object, offset: 0, size: 0 }
    const { memory, offset, bound: size } = bound
    if (bound.size > 0) return ranged(memory, offset, size)
    return ranged(this.shared.standIn(index, minBindingSize), 0, Math.max(4, minBindingSize))
  }
}

function bindable(entries: readonly Entry[], resources: readonly Resource[]): GPUBindGroupEntry[] {
  return entries.map((entry, i) => ({ binding: entry.binding, resource: resourceOf(resources[i] as Resource, entry) }))
}

function resourceOf({ memory, texture, offset, size }: Resource, { viewDimension }: Entry): GPUBindingResource {
  if (memory) return { buffer: memory.gpu as GPUBuffer, offset, size }
  const given = texture as GPUTexture | GPUTextureView
  if (!('createView' in given)) return given
  return given.createView(viewDimension ? { dimension: viewDimension } : {})
}
