/** A dispatch in the device's own terms: all that is left is to encode it. */
export interface Call {
  /** `'saxpy' (variant 'portable')`, for errors. */
  readonly title: string
  readonly pipeline: GPUComputePipeline
  /** By group. */
  readonly groups: readonly GPUBindGroup[]
  /** The params, where they are immediates. */
  readonly immediates: Uint8Array<ArrayBuffer> | null
  /** 0: nothing. */
  readonly x: number
  readonly y: number
  readonly z: number
  /** Where the device finds the counts; x, y and z mean nothing then. */
  readonly indirect: { readonly buffer: GPUBuffer; readonly offset: number } | null
}

/** What a pass was told last. Each call into the device costs as much as a hundred comparisons, so none is made twice. */
export class PassState {
  pipeline: GPUComputePipeline | null = null
  readonly groups: (GPUBindGroup | null)[] = []

  /** For the beginning of a pass, which knows nothing. */
  clear(): void {
    this.pipeline = null
    this.groups.fill(null)
  }

  encode(pass: GPUComputePassEncoder, call: Call): void {
    const { pipeline, groups, immediates, indirect } = call
    if (call.x === 0 && !indirect) return
    if (pipeline !== this.pipeline) {
      pass.setPipeline(pipeline)
      this.pipeline = pipeline
    }
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as GPUBindGroup
      if (group === this.groups[i]) continue
      pass.setBindGroup(i, group)
      this.groups[i] = group
    }
    if (immediates) pass.setImmediates(0, immediates)
    if (indirect) pass.dispatchWorkgroupsIndirect(indirect.buffer, indirect.offset)
    // every argument costs a conversion, and most launches are linear
    else if (call.y === 1 && call.z === 1) pass.dispatchWorkgroups(call.x)
    else pass.dispatchWorkgroups(call.x, call.y, call.z)
  }
}
