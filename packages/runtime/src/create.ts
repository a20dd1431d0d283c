import type { Executor } from '@weft/codegen'
import type { StreamOptions } from './backend'
import { fault, shown } from './errors'
import { Life } from './life'
import type { HeapOptions } from './pool/heap'
import type { Unwrap } from './resolve'
import { Runtime } from './runtime'
import { GpuBackend } from './webgpu/backend'
import { type DeviceOptions, describeDevice, openDevice } from './webgpu/open'

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

const isExecutor = (device: object): device is Executor => 'kind' in device && device.kind === 'cpu'
const isGPUDevice = (device: object): device is GPUDevice => 'queue' in device && 'createComputePipelineAsync' in device

/**
 * A runtime on a new device of `navigator.gpu`, on a device of the caller, or on the CPU. In Node, import it from
 * `@weft/runtime/node`.
 *
 * Rejects `no-webgpu` (no `navigator.gpu`), `no-adapter` (there is, but it has nothing) or `no-device` (the adapter
 * refused).
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const { device, gpu, memory, debug } = options
  if (device === undefined)
    return new Runtime(...onDevice(await openDevice(options), { gpu, memory, owned: true, stream: options, debug }))
  if (typeof device === 'object' && device !== null) {
    if (isExecutor(device)) {
      // a part of its own, which apps that run on GPUs do not load
      const { CpuBackend } = await import('./cpu/backend')
      return new Runtime(new CpuBackend(device, memory), new Life())
    }
    if (isGPUDevice(device))
      return new Runtime(...onDevice(device, { gpu, memory, owned: false, stream: options, debug }))
  }
  throw fault('bad-argument', `device is ${shown(device)}, expected a GPUDevice or an executor such as cpu()`)
}

export interface OnDevice {
  /** Where the device comes from: it knows the language's features. */
  readonly gpu: GPU | undefined
  readonly owned: boolean
  readonly unwrap?: Unwrap | undefined
  readonly memory?: HeapOptions | undefined
  readonly stream?: Partial<StreamOptions> | undefined
  readonly debug?: boolean | undefined
}

/** What a runtime on a GPUDevice is made of. */
export function onDevice(
  device: GPUDevice,
  { gpu, owned, unwrap, memory, stream, debug }: OnDevice,
): [backend: GpuBackend, life: Life] {
  const life = new Life()
  const backend = new GpuBackend(device, describeDevice(device, gpu), owned, unwrap, { memory, stream, debug })
  watch(device, owned, new WeakRef(life), new WeakRef(backend))
  return [backend, life]
}

/**
 * Ends the life with the device, and tells it of errors that no scope caught – of our own device only: a caller's may
 * have errors of the caller's own. What is registered with a device lives as long as the device, which may be long after
 * the runtime's end, and engines do not see that a listener leads back to its device; so nothing here holds either.
 */
function watch(device: GPUDevice, owned: boolean, life: WeakRef<Life>, backend: WeakRef<GpuBackend>): void {
  const uncaptured = ({ error }: GPUUncapturedErrorEvent) =>
    void backend
      .deref()
      ?.explain(error)
      .then((failure) => life.deref()?.failed(failure))
  const lost = ({ reason, message }: GPUDeviceLostInfo) => {
    const text = `the device was lost (${reason || 'unknown'}): ${message}`
    life.deref()?.end(fault('device-lost', text, 'create another runtime'))
    backend.deref()?.destroy()
  }
  if (owned) device.addEventListener('uncapturederror', uncaptured)
  void device.lost.then(lost)
}
