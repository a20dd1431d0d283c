/**
 * The process that owns a GPU: `main.mjs dawn|tint` under Node, `main.mjs wgpu` under Deno. Requests come on stdin,
 * answers go to stdout, both as frames; it ends when stdin ends.
 */
import process from 'node:process'
import { executor } from './execute.js'
import { encodeFrame, frameReader } from './frames.js'
import { limitsOf } from './limits.js'
import type { Ready, Request, Response } from './protocol.js'
import { validator } from './validate.js'

const [mode] = process.argv.slice(2)

// stdout belongs to the frames
console.log = console.error

function send(message: Response): void {
  process.stdout.write(encodeFrame(message))
}

/** Dawn's entry: exactly one `create()` per process, and its object kept for good, or the process crashes. */
async function openGpu(): Promise<GPU> {
  if (mode === 'wgpu') return (globalThis as unknown as { navigator: { gpu: GPU } }).navigator.gpu
  const { create, globals } = await import('webgpu')
  Object.assign(globalThis, globals)
  const options =
    mode === 'tint'
      ? ['backend=null', 'enable-dawn-features=allow_unsafe_apis']
      : [
          'enable-dawn-features=allow_unsafe_apis',
          // 8 KiB of workgroup memory compile in 40 ms instead of 2 s without it
          'disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension',
        ]
  const gpu = create(options)
  Object.assign(globalThis, { weftGpu: gpu })
  return gpu
}

function describe(adapter: GPUAdapter, gpu: GPU): Ready {
  return {
    adapter: { vendor: adapter.info.vendor, description: adapter.info.description },
    features: [...adapter.features],
    languageFeatures: [...gpu.wgslLanguageFeatures],
    limits: limitsOf(adapter),
    ...(adapter.info.subgroupMinSize === adapter.info.subgroupMaxSize
      ? { subgroupSize: adapter.info.subgroupMinSize }
      : {}),
  }
}

async function openDevice(adapter: GPUAdapter, limits: Record<string, number>): Promise<GPUDevice> {
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features] as GPUFeatureName[],
    requiredLimits: limits,
  })
  // what holds for this device holds no more: the owner starts another process
  void device.lost.then(({ message }) => {
    send({ lost: message })
    process.exitCode = 1
  })
  return device
}

async function start(): Promise<(request: Request) => Promise<void>> {
  const gpu = await openGpu()
  const adapter = await gpu.requestAdapter()
  if (!adapter) throw new Error('there is no adapter')
  const ready = describe(adapter, gpu)
  const validate = mode === 'tint' ? validator(gpu) : undefined
  const run = validate ? undefined : executor(await openDevice(adapter, ready.limits))
  send({ ready })
  return async (request) => {
    const { id } = request
    if ('run' in request && run) send({ id, result: await run(request.run) })
    else if ('validate' in request && validate) send({ id, result: await validate(request.validate) })
    else throw new Error(`a ${mode} worker cannot do this`)
  }
}

start().then(
  (answer) => {
    const read = frameReader((message) => void answer(message as Request))
    process.stdin.on('data', read)
    process.stdin.on('end', () => process.exit(0))
  },
  (error: unknown) => {
    send({ failed: error instanceof Error ? error.message : String(error) })
    process.exitCode = 1
  },
)
