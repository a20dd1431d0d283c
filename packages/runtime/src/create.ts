import type { Executor } from '@weft/codegen'
import { CpuBackend } from './cpu/backend'
import { fault, shown } from './errors'
import { Life } from './life'
import type { Unwrap } from './resolve'
import { Runtime } from './runtime'
import { GpuBackend } from './webgpu/backend'
import { type DeviceOptions, describeDevice, openDevice } from './webgpu/open'

export interface RuntimeOptions extends DeviceOptions {
  /** A device of the caller, who keeps it and destroys it, or an executor: `cpu()` of `@weft/codegen/interp`. */
  readonly device?: GPUDevice | Executor | undefined
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
  const { device, gpu } = options
  if (device === undefined) return new Runtime(...onDevice(await openDevice(options), gpu, true))
  if (typeof device === 'object' && device !== null) {
    if (isExecutor(device)) return new Runtime(new CpuBackend(device), new Life())
    if (isGPUDevice(device)) return new Runtime(...onDevice(device, gpu, false))
  }
  throw fault('bad-argument', `device is ${shown(device)}, expected a GPUDevice or an executor such as cpu()`)
}

/** What a runtime on a GPUDevice is made of. `gpu` is where the device comes from: it knows the language's features. */
export function onDevice(
  device: GPUDevice,
  gpu: GPU | undefined,
  owned: boolean,
  unwrap?: Unwrap,
): [backend: GpuBackend, life: Life] {
  const life = new Life()
  const backend = new GpuBackend(device, describeDevice(device, gpu), owned, unwrap)
  void device.lost.then(({ reason, message }) => {
    life.end(fault('device-lost', `the device was lost (${reason || 'unknown'}): ${message}`, 'create another runtime'))
    backend.destroy()
  })
  // what no error scope caught; a caller's own device may have errors of the caller's own
  if (owned) {
    device.addEventListener('uncapturederror', ({ error }) => life.failed(fault('dispatch-failed', error.message)))
  }
  return [backend, life]
}
