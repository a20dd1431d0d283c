/** The GPU of this machine as an engine of the parity harness, in this process, for a machine that has only a bundle. */
import type { Engine, Job, Result } from '../engines/engine.js'
import { executor } from '../engines/worker/execute.js'
import { limitsOf } from '../engines/worker/limits.js'

const DAWN = ['enable-dawn-features=allow_unsafe_apis,vulkan_enable_f16_on_nvidia']
const IN_FLIGHT = 8

async function runMany(run: (job: Job) => Promise<Result>, jobs: readonly Job[]): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < jobs.length) {
      const index = next++
      results[index] = await run(jobs[index] as Job)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  return results
}

export interface DeviceEngine extends Engine {
  readonly subgroupSize: number
  readonly gpu: GPU
}

/** Opens the high-performance adapter with all its features and limits. */
export async function openDeviceEngine(): Promise<DeviceEngine> {
  const { create, globals } = await import('webgpu')
  Object.assign(globalThis, globals)
  const gpu = create(DAWN)
  Object.assign(globalThis, { weftGpu: gpu })
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter) throw new Error('there is no adapter')
  const limits = limitsOf(adapter)
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features] as GPUFeatureName[],
    requiredLimits: limits,
  })
  const run = executor(device)
  return {
    name: 'dawn',
    adapter: { vendor: adapter.info.vendor, description: adapter.info.description },
    features: new Set(adapter.features),
    languageFeatures: new Set(gpu.wgslLanguageFeatures),
    limits,
    subgroupSize: adapter.info.subgroupMinSize ?? 4,
    gpu,
    run,
    runMany: (jobs) => runMany(run, jobs),
    pid: () => process.pid,
    close: () => Promise.resolve(device.destroy()),
  }
}
