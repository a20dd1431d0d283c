import type { PreparedDispatch, Runtime } from '@weft/runtime'

/** How long launches take. */
export interface Clock {
  readonly kind: 'timestamps' | 'wall'
  /** What a measurement should take at least, in milliseconds, to be far above what the clock can tell. */
  readonly least: number
  /** Milliseconds of all these launches, one after the other in one pass. */
  time(launches: readonly PreparedDispatch[]): Promise<number>
}

/** A measurement takes so many steps of its clock, so that it is right to a percent. */
const STEPS = 100

/** What browsers round timestamps to, and Dawn unless told; assumed until enough stamps say otherwise. */
const QUANTUM = 65_536
const ENOUGH = 16

export function clockOf(runtime: Runtime): Clock {
  const { device } = runtime
  if (device?.features.has('timestamp-query')) return new StampClock(device)
  return device ? new WallClock(device) : new CpuClock()
}

function encode(device: GPUDevice, launches: readonly PreparedDispatch[], pass?: GPUComputePassTimestampWrites) {
  const encoder = device.createCommandEncoder({ label: 'weft tune' })
  const opened = encoder.beginComputePass(pass ? { timestampWrites: pass } : {})
  for (const launch of launches) launch.encode(opened)
  opened.end()
  return encoder
}

// WebGPU's usage flags, which are globals in browsers only
const MAP_READ = 1
const COPY_SRC = 4
const COPY_DST = 8
const QUERY_RESOLVE = 0x200
const BYTES = 16

/** By timestamps at the begin and end of the pass. */
class StampClock implements Clock {
  readonly kind = 'timestamps'
  readonly #device: GPUDevice
  readonly #queries: GPUQuerySet
  readonly #resolved: GPUBuffer
  readonly #staging: GPUBuffer
  /** The largest number of nanoseconds that all stamps are multiples of. */
  #step = 0n
  #stamps = 0

  constructor(device: GPUDevice) {
    this.#device = device
    this.#queries = device.createQuerySet({ type: 'timestamp', count: 2 })
    this.#resolved = device.createBuffer({ size: BYTES, usage: QUERY_RESOLVE | COPY_SRC })
    this.#staging = device.createBuffer({ size: BYTES, usage: MAP_READ | COPY_DST })
  }

  /** A pass of a millisecond at least, since its begin and end take time as well. */
  get least(): number {
    const quantum = this.#stamps < ENOUGH ? QUANTUM : Number(this.#step)
    return Math.max(1, (STEPS * quantum) / 1e6)
  }

  async time(launches: readonly PreparedDispatch[]): Promise<number> {
    const device = this.#device
    const encoder = encode(device, launches, {
      querySet: this.#queries,
      beginningOfPassWriteIndex: 0,
      endOfPassWriteIndex: 1,
    })
    encoder.resolveQuerySet(this.#queries, 0, 2, this.#resolved, 0)
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#staging, 0, BYTES)
    device.queue.submit([encoder.finish()])
    await this.#staging.mapAsync(MAP_READ)
    const [begin, end] = new BigUint64Array(this.#staging.getMappedRange().slice(0)) as unknown as [bigint, bigint]
    this.#staging.unmap()
    for (const stamp of [begin, end]) this.#note(stamp)
    return Number(BigInt.asIntN(64, end - begin)) / 1e6
  }

  #note(stamp: bigint): void {
    if (stamp === 0n) return
    this.#stamps++
    let [a, b] = [this.#step, stamp]
    while (b !== 0n) [a, b] = [b, a % b]
    this.#step = a
  }
}

/** By how long the host waits for a pass, on devices without timestamps: the pass is so long that the rest is little. */
class WallClock implements Clock {
  readonly kind = 'wall'
  readonly least = 50

  constructor(readonly device: GPUDevice) {}

  async time(launches: readonly PreparedDispatch[]): Promise<number> {
    await this.device.queue.onSubmittedWorkDone()
    const commands = encode(this.device, launches).finish()
    const start = performance.now()
    this.device.queue.submit([commands])
    await this.device.queue.onSubmittedWorkDone()
    return performance.now() - start
  }
}

/** Of the interpreter, which is done when a launch returns. */
class CpuClock implements Clock {
  readonly kind = 'wall'
  readonly least = 1

  async time(launches: readonly PreparedDispatch[]): Promise<number> {
    const start = performance.now()
    for (const launch of launches) await launch.run()
    return performance.now() - start
  }
}
