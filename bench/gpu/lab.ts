// The device that everything of one process runs on, with its clock; and the buffers of a contest.

import { tmpdir } from 'node:os'
import { type BufferLike, createRuntime, type DeviceBuffer, type Runtime } from '@weft/runtime'
import { create, globals } from 'webgpu'
import { fromHalf } from '../../packages/runtime/src/half'
import { softwareDriver } from '../../packages/runtime/src/node/icd'
import { copiesFor } from '../lib/job'
import { Clock } from './clock'
import type { Contest, ElementType, Input, ReadOutput, Stopwatch } from './contest'
import { type Machine, machineOf } from './machine'
import { fillKernel } from './values'

/** Bytes that the buffers of the other turns must fill before one has its turn again: more than a last-level cache. */
const CACHE_BYTES = 128 * 2 ** 20
const MOST_TURNS = 8
const WRONG = 777
const BYTES: Readonly<Record<ElementType, number>> = { f32: 4, f16: 2, u32: 4 }

export interface Lab {
  readonly gpu: GPU
  readonly device: GPUDevice
  readonly adapterInfo: GPUAdapterInfo
  readonly runtime: Runtime
  readonly clock: Stopwatch
  readonly machine: Machine
  /** Keeps the GPU busy until its clock is up, for so many milliseconds. */
  warm(milliseconds: number): Promise<void>
}

export type Named = Readonly<Record<string, DeviceBuffer<unknown>>>

/** A device with all that the adapter has: timestamps of one nanosecond, subgroup matrices, and f16 on NVIDIA too. */
export async function openLab(): Promise<Lab> {
  Object.assign(globalThis, globals)
  const driver = softwareDriver(process.env)
  if (driver !== undefined) process.env.VK_ICD_FILENAMES = driver
  process.env.XDG_RUNTIME_DIR ??= tmpdir() // where drivers look for a display
  const gpu = create([
    'enable-dawn-features=allow_unsafe_apis,vulkan_enable_f16_on_nvidia',
    'disable-dawn-features=timestamp_quantization,use_vulkan_zero_initialize_workgroup_memory_extension',
  ])
  Object.defineProperty(globalThis, 'navigator', {
    value: { gpu, userAgent: 'node', hardwareConcurrency: 1 },
    configurable: true,
  })
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter) throw new Error('there is no adapter')
  const device = await openDevice(adapter)
  const runtime = await createRuntime({ device, gpu })
  const machine = machineOf(adapter.info)
  const lab = { gpu, device, adapterInfo: adapter.info, runtime, clock: new Clock(device), machine }
  const heat = await heater(runtime)
  return { ...lab, warm: heat }
}

/** A device of an adapter with every feature and limit of it, whose errors end the process: a failed run is a fast one. */
export async function openDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const requiredLimits: Record<string, number> = {}
  for (const name in adapter.limits) {
    const value = adapter.limits[name as keyof GPUSupportedLimits]
    if (typeof value === 'number') requiredLimits[name] = value
  }
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features] as GPUFeatureName[],
    requiredLimits,
  })
  device.addEventListener('uncapturederror', ({ error }) => {
    console.error(`${error.constructor.name}: ${error.message}`)
  })
  return device
}

async function heater(runtime: Runtime): Promise<Lab['warm']> {
  const n = 2 ** 24
  const x = runtime.buffer(Float32Array, n)
  const step = await runtime.prepare(fillKernel('f32'), { x, n, seed: 1, scale: 1, most: 0, mask: 0 })
  const recording = runtime.record((r) => {
    for (let i = 0; i < 20; i++) r.dispatch(step)
    return []
  })
  return async (milliseconds) => {
    for (const start = performance.now(); performance.now() - start < milliseconds; ) {
      await recording.replay()
      await runtime.device?.queue.onSubmittedWorkDone()
    }
  }
}

const sizeOf = ({ type, length }: { readonly type: ElementType; readonly length: number }): number =>
  Math.ceil((BYTES[type] * length) / 4) * 4

/** How many sets of a contest's buffers make every run a cold one. */
export function turnsOf({ inputs, outputs }: Contest): number {
  const bytes = [...Object.values(inputs), ...Object.values(outputs)].reduce((sum, array) => sum + sizeOf(array), 0)
  return Math.min(MOST_TURNS, copiesFor(Math.max(1, bytes), CACHE_BYTES))
}

/** Fills a buffer with the numbers of an input. */
export async function fill({ runtime }: Lab, x: BufferLike, input: Input): Promise<void> {
  const { seed, scale = 1, most = 0, mask = 0xffff_ffff, length: n } = input
  await runtime.run(fillKernel(input.type), { x, n, seed, scale, most, mask })
}

/** One set of a contest's buffers: the inputs, and outputs full of numbers that are far from any result. */
export async function buffersOf(lab: Lab, { inputs, outputs }: Contest): Promise<Named> {
  const buffers: Record<string, DeviceBuffer<unknown>> = {}
  const wrong = Object.entries(outputs).map(([name, output]): [string, Input] => [
    name,
    { ...output, seed: WRONG, scale: 777 },
  ])
  for (const [name, input] of [...Object.entries(inputs), ...wrong]) {
    const x = lab.runtime.buffer({ size: sizeOf(input) }, { label: name })
    await fill(lab, x, input)
    buffers[name] = x
  }
  return buffers
}

/** Reads elements of the outputs in `buffers`. */
export function reader(
  { runtime }: Lab,
  { outputs }: Contest,
  buffers: Readonly<Record<string, BufferLike>>,
): ReadOutput {
  return async (name, first, count) => {
    const { type } = outputs[name] ?? { type: 'f32' as const }
    const each = BYTES[type]
    const offset = Math.floor((first * each) / 4) * 4
    const size = Math.ceil(((first + count) * each - offset) / 4) * 4
    const bytes = await runtime.read(buffers[name] as BufferLike, Uint8Array, { offset, size })
    const from = (first * each - offset) / each
    return decode(type, bytes).slice(from, from + count)
  }
}

function decode(type: ElementType, bytes: Uint8Array<ArrayBuffer>): Float64Array {
  const { buffer, byteOffset, byteLength } = bytes
  if (type === 'f32') return Float64Array.from(new Float32Array(buffer, byteOffset, byteLength / 4))
  if (type === 'u32') return Float64Array.from(new Uint32Array(buffer, byteOffset, byteLength / 4))
  return Float64Array.from(new Uint16Array(buffer, byteOffset, byteLength / 2), fromHalf)
}
