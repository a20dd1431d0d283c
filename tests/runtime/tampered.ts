/** Real engines that a test can take over at one point: an adapter that lacks something, a device that fails. */
import { openGpu } from '@weft/runtime/node'

type Methods = Record<PropertyKey, unknown>

/** `target` with some of its properties replaced. Methods of native objects must be called on those themselves. */
function overlay<T extends object>(target: T, own: Methods): T {
  return new Proxy(target, {
    get(_, key) {
      if (key in own) return own[key]
      const value = Reflect.get(target, key, target) as unknown
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
}

/** Chrome's engine with an adapter that lacks features. `requests` are the descriptors of the devices asked for. */
export async function gpuWithout(
  ...lacking: readonly string[]
): Promise<GPU & { readonly requests: GPUDeviceDescriptor[] }> {
  const gpu = await openGpu()
  const requests: GPUDeviceDescriptor[] = []
  const requestAdapter = async (options?: GPURequestAdapterOptions) => {
    const adapter = await gpu.requestAdapter(options)
    if (!adapter) return null
    return overlay(adapter, {
      features: new Set([...adapter.features].filter((name) => !lacking.includes(name))),
      requestDevice: (descriptor: GPUDeviceDescriptor) => {
        requests.push(descriptor)
        return adapter.requestDevice(descriptor)
      },
    })
  }
  return overlay(gpu, { requestAdapter, requests }) as GPU & { readonly requests: GPUDeviceDescriptor[] }
}

export interface Tampered {
  readonly device: GPUDevice
  /** What the runtime asked of the device, by the names of WebGPU's calls. */
  readonly calls: Readonly<Record<string, number>>
  /** Nothing that is waited for comes any more, as when a dispatch hangs. */
  hang(): void
  /** The device tells of its loss, as the watchdog of a driver does. */
  lose(message?: string): void
  /** From now on a buffer of more than so many bytes is an error of this kind, caught by the innermost scope for it. */
  refuse(bytes: number, kind: 'out-of-memory' | 'validation', message: string): void
  /** Gives the real device back. */
  close(): void
}

const COUNTED = [
  'createBuffer',
  'createBindGroup',
  'createBindGroupLayout',
  'createPipelineLayout',
  'createShaderModule',
  'createComputePipeline',
  'createComputePipelineAsync',
  'createCommandEncoder',
] as const

/** A real device, wrapped. */
export async function tamperedDevice(): Promise<Tampered> {
  const real = await (await (await openGpu()).requestAdapter())?.requestDevice()
  if (!real) throw new Error('the engine gave no device')
  const calls: Record<string, number> = { submit: 0, writeBuffer: 0 }
  const count = (name: string) => void (calls[name] = (calls[name] ?? 0) + 1)
  const scopes: { readonly filter: GPUErrorFilter; error: { message: string } | null }[] = []
  let hung = false
  let budget = { bytes: Infinity, kind: 'out-of-memory' as GPUErrorFilter, message: '' }
  let tell: (info: GPUDeviceLostInfo) => void = () => undefined
  const lost = new Promise<GPUDeviceLostInfo>((resolve) => void (tell = resolve))
  const unlessHung = <T>(promise: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) =>
      promise.then(
        (value) => void (hung || resolve(value)),
        (error: unknown) => void (hung || reject(error)),
      ),
    )

  const queue = overlay(real.queue, {
    submit: (buffers: GPUCommandBuffer[]) => {
      count('submit')
      real.queue.submit(buffers)
    },
    writeBuffer: (...args: Parameters<GPUQueue['writeBuffer']>) => {
      count('writeBuffer')
      real.queue.writeBuffer(...args)
    },
    onSubmittedWorkDone: () => unlessHung(real.queue.onSubmittedWorkDone()),
  })
  const counted = Object.fromEntries(
    COUNTED.map((name) => [
      name,
      (...args: unknown[]) => {
        count(name)
        return (real[name] as (...args: unknown[]) => unknown).apply(real, args)
      },
    ]),
  )
  const createBuffer = (descriptor: GPUBufferDescriptor) => {
    count('createBuffer')
    const buffer = real.createBuffer(descriptor)
    const scope = [...scopes].reverse().find(({ filter }) => filter === budget.kind)
    if (descriptor.size > budget.bytes && scope) scope.error ??= { message: budget.message }
    const map = buffer.mapAsync.bind(buffer)
    buffer.mapAsync = (...args) => unlessHung(map(...args))
    return buffer
  }
  const device = overlay(real, {
    ...counted,
    queue,
    lost,
    createBuffer,
    createComputePipelineAsync: (descriptor: GPUComputePipelineDescriptor) => {
      count('createComputePipelineAsync')
      return unlessHung(real.createComputePipelineAsync(descriptor))
    },
    pushErrorScope: (filter: GPUErrorFilter) => {
      scopes.push({ filter, error: null })
      real.pushErrorScope(filter)
    },
    popErrorScope: () => {
      const own = scopes.pop()
      return unlessHung(real.popErrorScope().then((error) => own?.error ?? error))
    },
  })
  return {
    device,
    calls,
    hang: () => void (hung = true),
    lose: (message = 'the driver was reset') => tell({ reason: 'unknown', message } as GPUDeviceLostInfo),
    refuse: (bytes, kind, message) => void (budget = { bytes, kind, message }),
    close: () => real.destroy(),
  }
}
