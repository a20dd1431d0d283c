import { expect, it } from 'vitest'
import { createRuntime } from './create'
import { failure } from './testing/expect'

/** Whatever is asked of it, it gives itself. */
const anything: object = new Proxy(() => undefined, {
  get: (_, key) => (key === 'then' ? undefined : anything),
  apply: () => anything,
})

/** A device whose memory is at an end: buffers are made, and the error scope around each has an error. */
const full = {
  queue: { onSubmittedWorkDone: async () => undefined, submit: () => undefined },
  createCommandEncoder: () => anything,
  createShaderModule: () => anything,
  createBindGroupLayout: () => anything,
  createPipelineLayout: () => anything,
  createComputePipeline: () => anything,
  createBindGroup: () => anything,
  features: new Set<string>(),
  limits: {},
  lost: new Promise(() => undefined),
  label: '',
  destroyed: 0,
  addEventListener: () => undefined,
  createComputePipelineAsync: () => undefined,
  createBuffer: ({ size }: { size: number }) => ({
    size,
    usage: 0,
    destroy: () => undefined,
    mapAsync: async () => undefined,
    getMappedRange: () => new ArrayBuffer(size),
    unmap: () => undefined,
  }),
  pushErrorScope: () => undefined,
  popErrorScope: async () => ({ message: 'no memory left' }),
}

it('out-of-memory: a buffer that the device could not make is told when it is read', async () => {
  const runtime = await createRuntime({ device: full as unknown as GPUDevice })
  const buffer = runtime.buffer(Float32Array, 1000, { label: 'weights' })
  const error = await failure('out-of-memory', () => buffer.read())
  expect(error.message).toBe(
    "out-of-memory: the device gave no buffer of 4,000 bytes ('weights'): no memory left\n" +
      '  note: buffers that were kept for reuse are free now: try again, or destroy what is not needed',
  )
})
