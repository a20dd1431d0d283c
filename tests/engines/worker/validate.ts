/** Tint without a GPU: modules and pipelines on Dawn's null backend, which executes nothing. */
import { compileModule, compilePipeline } from './compile.js'
import type { TintModule, TintResult } from './protocol.js'

const numbers = (limits: GPUSupportedLimits): Record<string, number> => {
  const all: Record<string, number> = {}
  for (const name in limits) {
    const value = (limits as unknown as Record<string, unknown>)[name]
    if (typeof value === 'number') all[name] = value
  }
  return all
}

interface Made {
  readonly device: GPUDevice
  /** Whether a limit is above what the null backend has: then modules are compiled, and pipelines are not. */
  readonly lacks: boolean
}

export function validator(gpu: GPU): (module: TintModule) => Promise<TintResult> {
  // a device per set of features and limits: a module must compile on the one that it says it needs
  const devices = new Map<string, Promise<Made>>()

  async function makeDevice({ features, limits }: TintModule): Promise<Made> {
    const adapter = await gpu.requestAdapter()
    if (!adapter) throw new Error('Dawn has no null adapter')
    const most = numbers(adapter.limits)
    const lacking = Object.entries(limits ?? {}).filter(([name, least]) => least > (most[name] ?? least))
    const device = await adapter.requestDevice({
      requiredFeatures: (features ?? [...adapter.features]) as GPUFeatureName[],
      requiredLimits: { ...(limits ?? most), ...Object.fromEntries(lacking.map(([name]) => [name, most[name]])) },
    })
    return { device, lacks: lacking.length > 0 }
  }

  function deviceFor(module: TintModule): Promise<Made> {
    const key = JSON.stringify([module.features && [...module.features].sort(), module.limits])
    const found = devices.get(key) ?? makeDevice(module)
    devices.set(key, found)
    return found
  }

  return async (module) => {
    let made: Made
    try {
      made = await deviceFor(module)
    } catch (error) {
      return { ok: false, text: error instanceof Error ? error.message : String(error), messages: [] }
    }
    const { device, lacks } = made
    const { layouts } = module
    const outcome =
      layouts && !lacks
        ? await compilePipeline(device, { ...module, layouts })
        : await compileModule(device, module.wgsl)
    if (outcome.ok) return { ok: true, text: '', messages: outcome.messages }
    return { ok: false, text: outcome.error.text, messages: outcome.error.messages }
  }
}
