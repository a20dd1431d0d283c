// What a careful author writes by hand on WebGPU, at each stage of keeping things.

import type { CompiledKernel } from '@weft/codegen'
import { kernelOf, N, type Shape } from './workload'

const UNIFORM = 0x40 | 8

interface Ready {
  readonly pipeline: GPUComputePipeline
  readonly layout: GPUBindGroupLayout
}

export const variantOf = (kernel: CompiledKernel) => {
  const variant = kernel.variants.find(({ params }) => params?.via === 'uniform')
  if (!variant) throw new Error(`'${kernel.name}' has no variant with a uniform block`)
  return variant
}

function build(device: GPUDevice, kernel: CompiledKernel, wgsl = variantOf(kernel).wgsl): Ready {
  const variant = variantOf(kernel)
  const layout = device.createBindGroupLayout(variant.layouts[0] as GPUBindGroupLayoutDescriptor)
  const module = device.createShaderModule({ code: wgsl })
  const compute = { module, entryPoint: variant.entryPoint }
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute,
  })
  return { pipeline, layout }
}

/** The workload on a raw device; each method does all of its dispatches once and submits them. */
export class Raw {
  readonly #ready: readonly Ready[]
  readonly #params: GPUBuffer
  readonly #groups: readonly GPUBindGroup[]
  readonly #pipelines: readonly GPUComputePipeline[]
  readonly #bytes: Uint32Array<ArrayBuffer>
  #compiled = 0

  constructor(
    readonly device: GPUDevice,
    readonly kernels: readonly CompiledKernel[],
    readonly shape: Shape,
    /** One more than dispatches: each reads one and writes the next. The runtime's, so that both use the same. */
    readonly buffers: readonly GPUBuffer[],
  ) {
    const { dispatches } = shape
    this.#ready = kernels.map((kernel) => build(device, kernel))
    this.#bytes = new Uint32Array(64 * dispatches)
    for (let i = 0; i < dispatches; i++) this.#bytes[64 * i] = N
    this.#params = device.createBuffer({ size: this.#bytes.byteLength, usage: UNIFORM })
    device.queue.writeBuffer(this.#params, 0, this.#bytes)
    this.#groups = Array.from({ length: dispatches }, (_, i) => this.#group(i, this.#params, 256 * i))
    this.#pipelines = Array.from({ length: dispatches }, (_, i) => this.#of(i).pipeline)
  }

  #of(i: number): Ready {
    return this.#ready[kernelOf(i, this.shape)] as Ready
  }

  #group(i: number, params: GPUBuffer, offset: number, layout = this.#of(i).layout): GPUBindGroup {
    const entries = [this.buffers[i], this.buffers[i + 1]].map((buffer, binding) => ({
      binding,
      resource: { buffer: buffer as GPUBuffer },
    }))
    return this.device.createBindGroup({
      layout,
      entries: [...entries, { binding: 2, resource: { buffer: params, offset, size: 16 } }],
    })
  }

  #alone(pipeline: GPUComputePipeline, group: GPUBindGroup): void {
    const encoder = this.device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(pipeline)
    pass.setBindGroup(0, group)
    pass.dispatchWorkgroups(1)
    pass.end()
    this.device.queue.submit([encoder.finish()])
  }

  #uniform(): GPUBuffer {
    const params = this.device.createBuffer({ size: 16, usage: UNIFORM })
    this.device.queue.writeBuffer(params, 0, this.#bytes, 0, 4)
    return params
  }

  /** Every dispatch a module that nobody has seen yet. */
  everything(): void {
    for (let i = 0; i < this.shape.dispatches; i++) {
      const kernel = this.kernels[kernelOf(i, this.shape)] as CompiledKernel
      const { pipeline, layout } = build(this.device, kernel, `${variantOf(kernel).wgsl}// ${this.#compiled++}\n`)
      this.#alone(pipeline, this.#group(i, this.#uniform(), 0, layout))
    }
  }

  cachedPipelines(): void {
    for (let i = 0; i < this.shape.dispatches; i++)
      this.#alone(this.#of(i).pipeline, this.#group(i, this.#uniform(), 0))
  }

  cachedGroups(): void {
    const { queue } = this.device
    for (let i = 0; i < this.shape.dispatches; i++) {
      queue.writeBuffer(this.#params, 256 * i, this.#bytes, 64 * i, 4)
      this.#alone(this.#of(i).pipeline, this.#groups[i] as GPUBindGroup)
    }
  }

  /** setPipeline, setBindGroup and dispatchWorkgroups for each, in one pass. */
  onePass(): void {
    const encoder = this.device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    const groups = this.#groups
    const pipelines = this.#pipelines
    for (let i = 0; i < groups.length; i++) {
      pass.setPipeline(pipelines[i] as GPUComputePipeline)
      pass.setBindGroup(0, groups[i] as GPUBindGroup)
      pass.dispatchWorkgroups(1)
    }
    pass.end()
    this.device.queue.submit([encoder.finish()])
  }

  /** The same without calls that change nothing. */
  deduped(): void {
    const encoder = this.device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    const groups = this.#groups
    const pipelines = this.#pipelines
    let last: GPUComputePipeline | null = null
    for (let i = 0; i < groups.length; i++) {
      const pipeline = pipelines[i] as GPUComputePipeline
      if (pipeline !== last) pass.setPipeline(pipeline)
      last = pipeline
      pass.setBindGroup(0, groups[i] as GPUBindGroup)
      pass.dispatchWorkgroups(1)
    }
    pass.end()
    this.device.queue.submit([encoder.finish()])
  }

  /** The same after all params have changed. */
  changedParams(): void {
    this.device.queue.writeBuffer(this.#params, 0, this.#bytes)
    this.deduped()
  }
}
