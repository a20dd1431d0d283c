// The same workload through the runtime.

import type { CompiledKernel } from '@weft/codegen'
import type { DeviceBuffer, PreparedDispatch, Recording, Runtime } from '@weft/runtime'
import { variantOf } from './raw'
import { kernelOf, N, type Shape } from './workload'

type Floats = DeviceBuffer<Float32Array>

export class Weft {
  readonly buffers: readonly Floats[]
  #steps: readonly PreparedDispatch[] = []
  #compiled = 0
  #n = N

  private constructor(
    readonly runtime: Runtime,
    readonly kernels: readonly CompiledKernel[],
    readonly shape: Shape,
  ) {
    this.buffers = Array.from({ length: shape.dispatches + 1 }, () => runtime.buffer(Float32Array, N))
  }

  recording!: Recording

  static async of(runtime: Runtime, kernels: readonly CompiledKernel[], shape: Shape): Promise<Weft> {
    const weft = new Weft(runtime, kernels, shape)
    weft.#steps = await Promise.all(
      Array.from({ length: shape.dispatches }, (_, i) => runtime.prepare(weft.#kernel(i), weft.#args(i))),
    )
    weft.recording = runtime.record((r) => {
      for (const step of weft.#steps) r.dispatch(step)
    })
    await weft.recording.replay()
    await runtime.idle()
    return weft
  }

  #kernel(i: number): CompiledKernel {
    return this.kernels[kernelOf(i, this.shape)] as CompiledKernel
  }

  #args(i: number, n = N) {
    return { x: this.buffers[i], y: this.buffers[i + 1], n }
  }

  /** Every dispatch a kernel that the runtime has not seen yet. */
  async everything(): Promise<void> {
    for (let i = 0; i < this.shape.dispatches; i++) {
      const kernel = this.#kernel(i)
      const variant = { ...variantOf(kernel), wgsl: `${variantOf(kernel).wgsl}// weft ${this.#compiled++}\n` }
      await this.runtime.run({ ...kernel, variants: [variant] }, this.#args(i))
    }
  }

  /** Every dispatch with a buffer that no bind group has yet. */
  cachedPipelines(): void {
    for (let i = 0; i < this.shape.dispatches; i++) {
      using y = this.runtime.buffer(Float32Array, N, { pooled: false })
      void this.runtime.run(this.#kernel(i), { ...this.#args(i), y })
    }
  }

  cachedGroups(): void {
    for (let i = 0; i < this.shape.dispatches; i++) void this.runtime.run(this.#kernel(i), this.#args(i))
  }

  preparedAlone(): void {
    for (const step of this.#steps) void step.run()
  }

  batch(): Promise<void> {
    return this.runtime.batch(() => this.cachedGroups())
  }

  replay(): void {
    void this.recording.replay()
  }

  /** A replay after all params have changed. */
  changedParams(): void {
    this.#n = this.#n === N ? N - 1 : N
    const params = { n: this.#n }
    for (const step of this.#steps) step.set(params)
    void this.recording.replay()
  }
}
