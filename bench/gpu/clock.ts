// GPU time by timestamps around every compute pass of a device, whoever records it: kernels of weft, and peers that know
// nothing of being measured.

const MOST_PASSES = 2048

export class Clock {
  readonly #device: GPUDevice
  readonly #queries: GPUQuerySet
  readonly #resolved: GPUBuffer
  readonly #staging: GPUBuffer
  #passes = 0
  #running = false

  /** Watches the passes of a device from here on: those of encoders that are created later. */
  constructor(device: GPUDevice) {
    this.#device = device
    const size = 16 * MOST_PASSES
    this.#queries = device.createQuerySet({ type: 'timestamp', count: 2 * MOST_PASSES })
    this.#resolved = device.createBuffer({ size, usage: 0x200 | 0x4 /* QUERY_RESOLVE | COPY_SRC */ })
    this.#staging = device.createBuffer({ size, usage: 0x1 | 0x8 /* MAP_READ | COPY_DST */ })
    const create = device.createCommandEncoder.bind(device)
    this.#create = create
    device.createCommandEncoder = (descriptor) => {
      const encoder = descriptor === undefined ? create() : create(descriptor)
      const begin = encoder.beginComputePass.bind(encoder)
      encoder.beginComputePass = (pass = {}) => begin(this.#running ? { ...pass, timestampWrites: this.#next() } : pass)
      return encoder
    }
  }

  readonly #create: GPUDevice['createCommandEncoder']

  #next(): GPUComputePassTimestampWrites {
    if (this.#passes === MOST_PASSES) throw new Error(`more than ${MOST_PASSES} passes in one measurement`)
    const beginningOfPassWriteIndex = 2 * this.#passes++
    return { querySet: this.#queries, beginningOfPassWriteIndex, endOfPassWriteIndex: beginningOfPassWriteIndex + 1 }
  }

  /** Milliseconds that the GPU spent in the passes which `work` submits: their sum, without what lies between them. */
  async time(work: () => unknown): Promise<number> {
    this.#passes = 0
    this.#running = true
    try {
      await work()
      // peers that gather their passes submit them here at the latest
      await this.#device.queue.onSubmittedWorkDone()
    } finally {
      this.#running = false
    }
    const passes = this.#passes
    if (passes === 0) throw new Error('there was no compute pass to be measured')
    const encoder = this.#create()
    encoder.resolveQuerySet(this.#queries, 0, 2 * passes, this.#resolved, 0)
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#staging, 0, 16 * passes)
    this.#device.queue.submit([encoder.finish()])
    await this.#staging.mapAsync(0x1, 0, 16 * passes)
    const stamps = new BigInt64Array(this.#staging.getMappedRange(0, 16 * passes).slice(0))
    this.#staging.unmap()
    let nanoseconds = 0n
    for (let i = 0; i < passes; i++) nanoseconds += (stamps[2 * i + 1] as bigint) - (stamps[2 * i] as bigint)
    return Number(nanoseconds) / 1e6
  }
}
