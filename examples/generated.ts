// A generated module, without weft:  node scripts/run-ts.mjs examples/generated.ts
//
// packages/kernels/generated/matmul-plain/matmul.ts imports nothing: copy it, or generate your own with `weft gen`, and give it a
// GPUDevice. In a browser that is the one of navigator.gpu; here it is Dawn's, from the npm package `webgpu`.

import { existsSync } from 'node:fs'
import { create as openGpu } from 'webgpu'
import * as matmul from '../packages/kernels/generated/matmul-plain/matmul'

// without a GPU: the software driver that comes with Debian's chromium, which Vulkan looks for by this variable
const swiftshader = '/usr/lib/chromium/vk_swiftshader_icd.json'
if (existsSync(swiftshader) && !existsSync('/dev/dri')) process.env.VK_ICD_FILENAMES ??= swiftshader

// kept for as long as the device lives: Dawn crashes when it is collected before
const gpu = openGpu(['disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension'])
const adapter = await gpu.requestAdapter()
if (!adapter) {
  console.log(
    'there is no WebGPU adapter here: install a Vulkan driver, for example SwiftShader with apt-get install chromium',
  )
  process.exit(0)
}
const device = await adapter.requestDevice()

const STORAGE = 0x80
const COPY_SRC = 0x04
const COPY_DST = 0x08
const MAP_READ = 0x01

function storage(data: Float32Array<ArrayBuffer>): GPUBuffer {
  const buffer = device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_SRC | COPY_DST })
  device.queue.writeBuffer(buffer, 0, data)
  return buffer
}

// the product of a 2 × 3 and a 3 × 2 matrix
const c = storage(new Float32Array(4))
const kernel = await matmul.create(device, { languageFeatures: gpu.wgslLanguageFeatures })
const bound = kernel.bind({
  a: storage(Float32Array.of(1, 2, 3, 4, 5, 6)),
  b: storage(Float32Array.of(1, 0, 0, 1, 1, 1)),
  c,
})

const encoder = device.createCommandEncoder()
bound.dispatch(encoder, { m: 2, n: 2, k: 3 })
const staging = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST })
encoder.copyBufferToBuffer(c, 0, staging, 0, 16)
device.queue.submit([encoder.finish()])

await staging.mapAsync(MAP_READ)
const result = [...new Float32Array(staging.getMappedRange())]
console.log(`variant ${kernel.variant} on ${adapter.info.description || adapter.info.vendor}: ${result.join(' ')}`)
if (result.join() !== '4,5,10,11') throw new Error(`expected 4 5 10 11, got ${result.join(' ')}`)
process.exit(0)
