import type { Executor } from '@weft/codegen'
import type { StreamOptions } from './backend'
import { Life } from './life'
import type { Heap, HeapOptions } from './pool/heap'
import { Runtime } from './runtime'
import { type BackendOptions, GpuBackend } from './webgpu/backend'
import type { DeviceOptions } from './webgpu/open'

export interface RuntimeOptions extends DeviceOptions, Partial<StreamOptions> {
  /** A device of the caller, who keeps it and destroys it, or an executor: `cpu()` of `@weft/codegen/interp`. */
  readonly device?: GPUDevice | Executor | undefined
  /** How much memory of freed buffers is kept for reuse, and what is noted of live ones. */
  readonly memory?: HeapOptions | undefined
  /**
   * Looks for errors at every replay of a recording. Otherwise, on a device of its own, a replay whose like the device
   * has accepted before relies on the device's own report: it reaches reads, `idle` and the next replay, not this one.
   */
  readonly debug?: boolean | undefined
}

/**
 * A runtime on a new device of `navigator.gpu`, on a device of the caller, or on the CPU. In Node, import it from
 * `@weft/runtime/node`.
 *
 * Rejects `no-webgpu` (no `navigator.gpu`), `no-adapter` (there is, but it has nothing), `no-device` (the adapter
 * refused) or `bad-argument`.
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const { checkOptions, isExecutor } = await import('./options')
  checkOptions(options)
  const { device, gpu, memory, debug } = options
  const shared = { gpu, memory, stream: options, debug }
  // parts of their own: what opens a device is needed once, and what runs on the CPU by few
  if (device === undefined) {
    const { openDevice } = await import('./webgpu/open')
    return new Runtime(...(await onDevice(await openDevice(options), { ...shared, owned: true })))
  }
  if (!isExecutor(device)) return new Runtime(...(await onDevice(device, { ...shared, owned: false })))
  const { CpuBackend } = await import('./cpu/backend')
  const backend = new CpuBackend(device, memory)
  await noteStacks(backend.heap, memory)
  return new Runtime(backend, new Life())
}

export interface OnDevice extends BackendOptions {
  /** Where the device comes from: it knows the language's features. */
  readonly gpu: GPU | undefined
}

/** What a runtime on a GPUDevice is made of. */
export async function onDevice(device: GPUDevice, options: OnDevice): Promise<[backend: GpuBackend, life: Life]> {
  const { describeDevice, watchDevice } = await import('./webgpu/device')
  const life = new Life()
  const backend = new GpuBackend(device, await describeDevice(device, options.gpu), options)
  await noteStacks(backend.heap, options.memory)
  watchDevice(device, options.owned, new WeakRef(life), new WeakRef(backend))
  return [backend, life]
}

/** What looks at stacks is loaded where somebody asks for them. */
async function noteStacks(heap: Heap, options: HeapOptions | undefined): Promise<void> {
  if (options?.stacks) heap.stackOf = (await import('./pool/stack')).stackBelow
}
