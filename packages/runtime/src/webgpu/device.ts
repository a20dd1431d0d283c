import { fault } from '../errors'
import type { RuntimeInfo } from '../info'
import type { Life } from '../life'
import type { GpuBackend } from './backend'

/**
 * Limits as plain data. They are getters, own properties in some engines and of the prototype in others, and for
 * some engines not enumerable.
 */
export function limitsOf(limits: GPUSupportedLimits): Record<string, number> {
  const names = new Set<string>()
  for (const name in limits) names.add(name)
  for (const owner of [limits, Object.getPrototypeOf(limits) as object]) {
    for (const name of Object.getOwnPropertyNames(owner)) names.add(name)
  }
  const values = [...names].map((name) => [name, (limits as unknown as Record<string, unknown>)[name]] as const)
  return Object.fromEntries(values.filter((entry): entry is [string, number] => typeof entry[1] === 'number'))
}

/** Engines list the language feature before they have the call that goes with it. */
function canSetImmediates(device: GPUDevice): boolean {
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.end()
  encoder.finish()
  return 'setImmediates' in pass
}

/** The sizes that subgroups may have: no limits by WebGPU's names, but kernels are chosen by them like by limits. */
function subgroupSizes({ subgroupMinSize: least, subgroupMaxSize: most }: Partial<GPUAdapterInfo>) {
  return { ...(least ? { minSubgroupSize: least } : {}), ...(most ? { maxSubgroupSize: most } : {}) }
}

interface MatrixConfig {
  readonly componentType: string
  readonly resultComponentType: string
  readonly M: number
  readonly N: number
  readonly K: number
}

/**
 * Products of subgroup matrices that a device has: experimental, and told by the adapter alone, of which a device knows no more than the
 * names. So adapters are asked for until one is of the same names.
 */
async function subgroupMatrices(device: GPUDevice, gpu: GPU | undefined): Promise<readonly string[]> {
  if (!device.features.has('chromium-experimental-subgroup-matrix' as GPUFeatureName)) return []
  const nameOf = ({ vendor, architecture, device, description }: GPUAdapterInfo) =>
    [vendor, architecture, device, description].join()
  for (const powerPreference of ['high-performance', 'low-power'] as const) {
    const adapter = await gpu?.requestAdapter({ powerPreference }).catch(() => null)
    if (!adapter || nameOf(adapter.info) !== nameOf(device.adapterInfo)) continue
    const { subgroupMatrixConfigs = [] } = adapter.info as { readonly subgroupMatrixConfigs?: Iterable<MatrixConfig> }
    return [...subgroupMatrixConfigs].map(
      ({ componentType, resultComponentType, M, N, K }) => `${componentType} ${resultComponentType} ${M}x${N}x${K}`,
    )
  }
  return []
}

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|warp|null/i

/** What there is to know of a device; `gpu` is where it comes from, `navigator.gpu` unless told. */
export async function describeDevice(device: GPUDevice, gpu: GPU | undefined): Promise<RuntimeInfo> {
  const info: Partial<GPUAdapterInfo> = device.adapterInfo ?? {}
  const { vendor = '', architecture = '', description = '', device: name = '' } = info
  const source = gpu ?? (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu
  const language = [...(source?.wgslLanguageFeatures ?? [])]
  const usable = canSetImmediates(device)
    ? language
    : language.filter((feature) => feature !== 'immediate_address_space')
  return {
    backend: 'webgpu',
    adapter: description || [vendor, architecture, name].filter(Boolean).join(' ') || 'unknown',
    vendor,
    architecture,
    device: name,
    software: info.isFallbackAdapter === true || SOFTWARE.test(`${vendor} ${architecture} ${description} ${name}`),
    features: [...device.features].sort(),
    languageFeatures: usable.sort(),
    subgroupMatrices: await subgroupMatrices(device, source),
    limits: { ...limitsOf(device.limits), ...subgroupSizes(info) },
  }
}

/**
 * Ends the life with the device, and tells it of errors that no scope caught – of our own device only: a caller's may
 * have errors of the caller's own. What is registered with a device lives as long as the device, which may be long after
 * the runtime's end, and engines do not see that a listener leads back to its device; so nothing here holds either.
 */
export function watchDevice(
  device: GPUDevice,
  owned: boolean,
  life: WeakRef<Life>,
  backend: WeakRef<GpuBackend>,
): void {
  const uncaptured = async ({ error }: GPUUncapturedErrorEvent): Promise<void> => {
    const watched = backend.deref()
    if (!watched) return
    const explained = import('./culprit').then(({ firstCulprit }) => firstCulprit(watched.trusted, error.message))
    watched.explaining.add(explained)
    life.deref()?.failed(await explained)
    watched.explaining.delete(explained)
  }
  const lost = ({ reason, message }: GPUDeviceLostInfo) => {
    const text = `the device was lost (${reason || 'unknown'}): ${message}`
    life.deref()?.end(fault('device-lost', text, 'create another runtime'))
    backend.deref()?.destroy()
  }
  if (owned) device.addEventListener('uncapturederror', uncaptured)
  void device.lost.then(lost)
}
