import { count, fault, quoted, textOf } from '../errors'
import { limitsOf } from './device'

/** What of an adapter is asked for. */
export interface DeviceOptions {
  /** Where adapters come from; by default `navigator.gpu`. */
  readonly gpu?: GPU | undefined
  readonly powerPreference?: GPUPowerPreference
  /** Asks for a software adapter. */
  readonly forceFallbackAdapter?: boolean
  /** Features to have; by default those of the adapter that kernels or the profiler can use. */
  readonly features?: readonly GPUFeatureName[]
  /** Limits to have; by default the adapter's, all of them. `'default'` takes the least that WebGPU guarantees. */
  readonly limits?: 'adapter' | 'default' | Readonly<Record<string, number>>
  readonly label?: string
}

/** Features that weft has a use for. An adapter without one of them still gives a device. */
const USEFUL: readonly string[] = [
  'shader-f16',
  'subgroups',
  'subgroup-size-control',
  'chromium-experimental-subgroup-matrix',
  'timestamp-query',
  'chromium-experimental-timestamp-query-inside-passes',
  'bgra8unorm-storage',
  'texture-formats-tier1',
  'texture-formats-tier2',
]

const ON_CPU = "or run on the CPU: createRuntime({ device: cpu() }), with cpu from '@weft/codegen/interp'"

async function adapterOf(options: DeviceOptions): Promise<GPUAdapter> {
  const gpu = options.gpu ?? (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu
  if (!gpu) {
    throw fault(
      'no-webgpu',
      'there is no navigator.gpu',
      `in a browser, use one with WebGPU, on https or localhost; in Node, import createRuntime from '@weft/runtime/node'; ${ON_CPU}`,
    )
  }
  const { powerPreference, forceFallbackAdapter } = options
  const request = { ...(powerPreference && { powerPreference }), ...(forceFallbackAdapter && { forceFallbackAdapter }) }
  let why = 'requestAdapter gave null'
  const adapter = await gpu.requestAdapter(request).catch((error: unknown) => {
    why = textOf(error)
    return null
  })
  if (!adapter) {
    throw fault(
      'no-adapter',
      `WebGPU is here, but it found no adapter: ${why}`,
      `install a GPU driver or a software Vulkan driver; ${ON_CPU}`,
    )
  }
  return adapter
}

/** What of a request the adapter does not have, in words; engines say it in numbers of their own. */
function unmet(adapter: GPUAdapter, features: readonly string[], limits: Readonly<Record<string, number>>) {
  const lacking = features.find((name) => !adapter.features.has(name))
  if (lacking !== undefined) {
    return {
      why: `it lacks the feature '${lacking}'`,
      note: `leave features out for all that kernels can use; it has ${quoted(adapter.features)}`,
    }
  }
  const allowed = limitsOf(adapter.limits)
  for (const [name, asked] of Object.entries(limits)) {
    const limit = allowed[name]
    if (limit === undefined) {
      const why = `there is no limit '${name}'`
      return { why, note: `its limits are ${quoted(Object.keys(allowed))}` }
    }
    // alignments are better the smaller they are
    if (name.startsWith('min') ? asked >= limit : asked <= limit) continue
    const why = `${name} of ${count(asked)} is asked for, and it allows ${count(limit)}`
    return {
      why,
      note: "leave limits out for the adapter's own, or take the least that WebGPU guarantees: limits: 'default'",
    }
  }
  return null
}

/** A device with the adapter's real limits. Rejects `no-webgpu`, `no-adapter` or `no-device`. */
export async function openDevice(options: DeviceOptions): Promise<GPUDevice> {
  const adapter = await adapterOf(options)
  const { limits = 'adapter', label = 'weft' } = options
  const features =
    options.features ?? ([...adapter.features].filter((name) => USEFUL.includes(name)) as GPUFeatureName[])
  const requiredLimits = limits === 'adapter' ? limitsOf(adapter.limits) : limits === 'default' ? {} : limits
  const obstacle = unmet(adapter, features, requiredLimits)
  if (obstacle) throw fault('no-device', `the adapter gave no device: ${obstacle.why}`, obstacle.note)
  try {
    return await adapter.requestDevice({ label, requiredFeatures: features, requiredLimits })
  } catch (error) {
    throw fault(
      'no-device',
      `the adapter gave no device: ${textOf(error)}`,
      `ask for fewer features (${features.join(', ') || 'none'}) or for limits: 'default'; ${ON_CPU}`,
    )
  }
}
