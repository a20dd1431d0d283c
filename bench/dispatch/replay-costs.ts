// What a replay makes beside time: GPU objects, writes, and memory of the host.

import type { Runtime } from '@weft/runtime'
import type { Weft } from './weft'

type Calls = Record<string, number>

/** Counts the calls of an object's methods. */
function count(target: object, calls: Calls): void {
  const names = new Set(Object.getOwnPropertyNames(Object.getPrototypeOf(target)))
  for (const name of names) {
    const method = (target as Record<string, unknown>)[name]
    if (typeof method !== 'function' || name === 'constructor') continue
    Object.defineProperty(target, name, {
      configurable: true,
      value: (...args: unknown[]) => {
        calls[name] = (calls[name] ?? 0) + 1
        return (method as (...given: unknown[]) => unknown).apply(target, args)
      },
    })
  }
}

export interface ReplayCosts {
  /** GPU objects beyond one encoder, one pass and one command buffer. */
  readonly objectsPerReplay: number
  readonly writeBuffersPerReplay: number
  /** Growth of the heap over 10,000 replays, for each. */
  readonly heapBytesPerReplay: number
}

const REPLAYS = 10_000

async function heapGrowth(runtime: Runtime, weft: Weft): Promise<number> {
  const { gc } = globalThis
  if (!gc) throw new Error('run with --expose-gc')
  const used = async () => {
    await runtime.idle()
    gc()
    await new Promise((resolve) => setTimeout(resolve, 5))
    gc()
    return process.memoryUsage().heapUsed
  }
  const replay = async (times: number) => {
    for (let i = 0; i < times; i++) {
      await weft.recording.replay()
      // the device's own queue of work is not what is measured
      if (i % 100 === 99) await runtime.idle()
    }
  }
  await replay(1000)
  const before = await used()
  await replay(REPLAYS)
  return ((await used()) - before) / REPLAYS
}

export async function replayCosts(runtime: Runtime, weft: Weft): Promise<ReplayCosts> {
  const heapBytesPerReplay = await heapGrowth(runtime, weft)
  const calls: Calls = {}
  const device = runtime.device as GPUDevice
  count(device, calls)
  count(device.queue, calls)
  const replays = 20
  for (let i = 0; i < replays; i++) {
    weft.changedParams()
    await runtime.idle()
  }
  const created = Object.entries(calls).filter(([name]) => name.startsWith('create'))
  const objects = created.reduce((sum, [, times]) => sum + times, 0) - (calls.createCommandEncoder ?? 0)
  const extraEncoders = Math.max(0, (calls.createCommandEncoder ?? 0) - replays)
  const extraSubmits = Math.max(0, (calls.submit ?? 0) - replays)
  return {
    objectsPerReplay: (objects + extraEncoders + extraSubmits) / replays,
    writeBuffersPerReplay: (calls.writeBuffer ?? 0) / replays,
    heapBytesPerReplay,
  }
}
