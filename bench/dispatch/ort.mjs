// onnxruntime-web's graph capture (JSEP, its backend in JavaScript) over Dawn's null backend: a chain of additions, which
// it records once and replays. Prints one line of JSON: the host's microseconds for one operation, and how many runs.
//
//   node --liftoff-only bench/dispatch/ort.mjs [operations] [rounds]
//
// A process of its own: it takes over `navigator.gpu`, and two copies of Dawn cannot live in one process.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { create, globals } from 'webgpu'
import { chainModel } from './onnx.mjs'

const [operations = 200, rounds = 60] = process.argv.slice(2).map(Number)
const ELEMENTS = 64
/** Runs that are timed together: one by itself is shorter than the noise. */
const RUNS = 5

const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis'])
Object.assign(globalThis, globals)
Object.defineProperty(globalThis, 'navigator', {
  value: { gpu, userAgent: 'node', hardwareConcurrency: 1 },
  configurable: true,
})

const require = createRequire(import.meta.url)
const ort = await import('onnxruntime-web/all')
ort.env.wasm.wasmBinary = await readFile(require.resolve('onnxruntime-web/ort-wasm-simd-threaded.jsep.wasm'))
ort.env.wasm.numThreads = 1
ort.env.logLevel = 'error'

/** The queue refuses views of shared memory, which is what the module's heap is. */
function takeSharedMemory(device) {
  const write = device.queue.writeBuffer.bind(device.queue)
  device.queue.writeBuffer = (buffer, at, data, from = 0, size = undefined) => {
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data)
    const unit = ArrayBuffer.isView(data) && 'BYTES_PER_ELEMENT' in data ? data.BYTES_PER_ELEMENT : 1
    const end = size === undefined ? bytes.byteLength : (from + size) * unit
    write(buffer, at, bytes.slice(from * unit, end))
  }
}

const session = await ort.InferenceSession.create(chainModel(operations, ELEMENTS), {
  executionProviders: ['webgpu'],
  enableGraphCapture: true,
  graphOptimizationLevel: 'disabled',
  preferredOutputLocation: 'gpu-buffer',
})
const device = await ort.env.webgpu.device
takeSharedMemory(device)

let calls = 0
const count = device.queue.submit.bind(device.queue)
device.queue.submit = (list) => {
  calls++
  count(list)
}
const tensor = () => {
  const buffer = device.createBuffer({ size: 4 * ELEMENTS, usage: 0x80 | 4 | 8 })
  return ort.Tensor.fromGpuBuffer(buffer, { dataType: 'float32', dims: [ELEMENTS] })
}
const feeds = { x: tensor(), c: tensor() }
const fetches = { y: tensor() }
for (let i = 0; i < 5; i++) await session.run(feeds, fetches)
await device.queue.onSubmittedWorkDone()

const times = []
for (let round = 0; round < rounds; round++) {
  calls = 0
  const start = performance.now()
  for (let i = 0; i < RUNS; i++) await session.run(feeds, fetches)
  times.push((1000 * (performance.now() - start)) / (RUNS * operations))
  await device.queue.onSubmittedWorkDone()
}
times.sort((a, b) => a - b)
console.log(JSON.stringify({ us: times[times.length >> 1], submitsPerRun: calls / RUNS }))
process.exit(0)
