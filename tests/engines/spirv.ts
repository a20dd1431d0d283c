import { spawnSync } from 'node:child_process'
import { driverOf } from './install.js'

/** What Chrome's compiler hands to a Vulkan driver, and what it has added on the way to keep a kernel in bounds. */

/** Makes the pipeline in a process of its own, since Dawn prints what it makes to the standard streams. */
const PROGRAM = `
import { create, globals } from 'webgpu'
Object.assign(globalThis, globals)
const gpu = create(['enable-dawn-features=allow_unsafe_apis,dump_shaders', 'disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension'])
const adapter = await gpu.requestAdapter()
const { maxComputeWorkgroupStorageSize, maxStorageBuffersPerShaderStage } = adapter.limits
const device = await adapter.requestDevice({
  requiredFeatures: [...adapter.features],
  requiredLimits: { maxComputeWorkgroupStorageSize, maxStorageBuffersPerShaderStage },
})
let wgsl = ''
for await (const chunk of process.stdin) wgsl += chunk
const module = device.createShaderModule({ code: wgsl })
await device.createComputePipelineAsync({ layout: 'auto', compute: { module } })
process.exit(0)
`

/** The SPIR-V assembly of a module's entry point, under Dawn's default robustness. */
export function spirvOf(wgsl: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    input: wgsl,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, VK_ICD_FILENAMES: driverOf('dawn') ?? '' },
  })
  const [, text] = `${stdout}${stderr}`.split('/* Dumped SPIRV disassembly */')
  if (status !== 0 || text === undefined) throw new Error(`no SPIR-V, status ${status}: ${stderr}`)
  return text
}

export interface Added {
  /** Indices of arrays of a fixed size, or lanes of vectors, that were not proven: each has a `min` with a constant. */
  readonly clamps: number
  /** Those through which something is read. */
  readonly reads: number
  /** Loops that were not proven to end: each has a counter of 64 bits, which keeps drivers from writing it out. */
  readonly counters: number
}

export function addedTo(spirv: string): Added {
  const constants = new Set([...spirv.matchAll(/(%\w+) = OpConstant %uint /g)].map(([, id]) => id))
  const chains = [...spirv.matchAll(/= Op(?:AccessChain|VectorExtractDynamic) .*/g)].map(([text]) => text.split(/\s+/))
  const indices = new Set(chains.flatMap((words) => words.slice(3)))
  const least = [...spirv.matchAll(/(%\w+) = OpExtInst %uint %\w+ UMin %\w+ (%\w+)/g)]
  const clamped = new Set(
    least.filter(([, id, most]) => constants.has(most) && indices.has(id as string)).map(([, id]) => id),
  )
  const chained = spirv.matchAll(/(%\w+) = OpAccessChain %_ptr_(?:Workgroup|Function|Private)_\w+ (.*)/g)
  const places = [...chained].filter(([, , path = '']) => path.split(' ').some((id) => clamped.has(id)))
  const read = new Set([...spirv.matchAll(/= OpLoad %\w+ (%\w+)/g)].map(([, id]) => id))
  const reads = places.filter(([, id]) => read.has(id)).length
  // of a loop: once each, its test
  return { clamps: clamped.size, reads, counters: [...spirv.matchAll(/= OpAll %bool /g)].length }
}
