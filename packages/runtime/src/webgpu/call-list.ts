import type { Call, PassState } from './call'

/**
 * Calls that are encoded again and again, taken apart into arrays: of a loop that does next to nothing but cross into
 * the device, looking up each call's fields would be a tenth.
 */
export class CallList {
  readonly calls: Call[] = []
  readonly #pipelines: GPUComputePipeline[] = []
  readonly #groups: GPUBindGroup[] = []
  /** The count of a linear launch; 0 for none, and -1 for a call that is encoded by its fields. */
  readonly #counts: number[] = []

  get length(): number {
    return this.calls.length
  }

  set(at: number, call: Call): void {
    const { pipeline, groups, immediates, indirect, x, y, z } = call
    const plain = groups.length === 1 && !immediates && !indirect && y === 1 && z === 1
    this.calls[at] = call
    this.#pipelines[at] = pipeline
    this.#groups[at] = groups[0] as GPUBindGroup
    this.#counts[at] = x === 0 && !indirect ? 0 : plain ? x : -1
  }

  /** Encodes the calls from one index to another. */
  encode(pass: GPUComputePassEncoder, state: PassState, from: number, to: number): void {
    const pipelines = this.#pipelines
    const groups = this.#groups
    const counts = this.#counts
    let lastPipeline = state.pipeline
    let lastGroup = state.groups[0] ?? null
    for (let i = from; i < to; i++) {
      const count = counts[i] as number
      if (count > 0) {
        const pipeline = pipelines[i] as GPUComputePipeline
        if (pipeline !== lastPipeline) pass.setPipeline((lastPipeline = pipeline))
        const group = groups[i] as GPUBindGroup
        if (group !== lastGroup) pass.setBindGroup(0, (lastGroup = group))
        pass.dispatchWorkgroups(count)
      } else if (count < 0) {
        state.pipeline = lastPipeline
        state.groups[0] = lastGroup
        state.encode(pass, this.calls[i] as Call)
        lastPipeline = state.pipeline
        lastGroup = state.groups[0] ?? null
      }
    }
    state.pipeline = lastPipeline
    state.groups[0] = lastGroup
  }
}
