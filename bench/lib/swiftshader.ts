// Devices for the benches. Dawn allows one instance per process that is held for ever: dropping it while a device lives
// crashes, and many of them abort at exit. So the instance is a constant of this module, a process uses one engine, and
// a bench ends with `process.exit`.

import { create, globals } from 'webgpu'

export type EngineName = 'swiftshader' | 'null'

const ICD = '/usr/lib/chromium/vk_swiftshader_icd.json' // Debian's package `chromium`

let instance: { readonly engine: EngineName; readonly gpu: GPU } | undefined

/**
 * A device of Chrome's engine. `swiftshader` executes on the CPU; `null` compiles and validates like the real one and
 * executes nothing, so nothing may be read back from it. Uncaptured errors end the process: a bench of a kernel that
 * does not run would be a fast one.
 *
 * @throws Error when the process already uses the other engine, or when there is no adapter
 */
export async function openDevice(engine: EngineName): Promise<GPUDevice> {
  const adapter = await (instance ?? open(engine)).gpu.requestAdapter()
  if (instance?.engine !== engine) throw new Error(`this process uses the engine '${instance?.engine}' already`)
  if (adapter === null) throw new Error(`no adapter of the engine '${engine}'; SwiftShader is expected at ${ICD}`)
  const device = await adapter.requestDevice()
  device.addEventListener('uncapturederror', ({ error }) => {
    console.error(`${error.constructor.name}: ${error.message}`)
    process.exit(1)
  })
  return device
}

/** The engine itself, for those who make their devices. */
export function openGpu(engine: EngineName): GPU {
  const { gpu, engine: opened } = instance ?? open(engine)
  if (opened !== engine) throw new Error(`this process uses the engine '${opened}' already`)
  return gpu
}

function open(engine: EngineName) {
  Object.assign(globalThis, globals)
  process.env.VK_ICD_FILENAMES ??= ICD
  // Without the toggle SwiftShader needs 2 s instead of 40 ms to compile 8 KiB of workgroup memory; semantics are kept.
  const toggle = 'disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension'
  const gpu = create(engine === 'null' ? ['backend=null', toggle] : [toggle])
  instance = { engine, gpu }
  return instance
}
