import type { Stream, StreamOptions } from '../backend'
import { fault, textOf, type WeftError } from '../errors'
import type { Outcome } from '../memory'
import type { Observed } from '../observer'
import type { GpuBlocks } from './blocks'
import { type Call, PassState } from './call'
import type { CallList } from './call-list'
import { copying, type Part, type Recorded } from './parts'
import { scoped } from './scopes'
import type { UniformArena } from './uniforms'

const PASS: GPUComputePassDescriptor = { label: 'weft' }

/** Staged uploads of one submit, in bytes, after which it is submitted. */
const MAX_STAGED = 32 * 2 ** 20

interface Pending {
  readonly outcome: Outcome
  resolve(outcome: Outcome | WeftError | null): void
}

function pending(): Pending {
  let resolve: Pending['resolve'] = () => undefined
  const outcome: Outcome = new Promise((settle) => {
    resolve = settle
  })
  return { outcome, resolve }
}

/**
 * The one stream of commands of a device: dispatches, copies and uploads in the order of the calls. A piece of work is
 * recorded and then settled, which submits it – unless a batch is open, in which the submit comes at its end, when it
 * is full, or when something has to be seen.
 */
export class CommandStream implements Stream {
  submits = 0
  readonly options: StreamOptions
  /** After a submit. */
  onSubmit: () => void = () => undefined
  #encoder: GPUCommandEncoder | null = null
  #pass: GPUComputePassEncoder | null = null
  readonly #state = new PassState()
  #parts: (Part | readonly Part[])[] = []
  #dispatches = 0
  #depth = 0
  #pending: Pending | null = null
  /** Submits that the device is known to have done. */
  #finished = 0
  #watch: Promise<void> | null = null

  constructor(
    readonly device: GPUDevice,
    readonly uniforms: UniformArena,
    readonly blocks: GpuBlocks,
    readonly owner: Observed,
    { maxDispatchesPerSubmit = 4096, maxSubmitsInFlight = 256, passes = 'single' }: Partial<StreamOptions> = {},
  ) {
    this.options = { maxDispatchesPerSubmit, maxSubmitsInFlight, passes }
  }

  /** Whether anything is recorded that is not submitted. */
  get recording(): boolean {
    return this.#encoder !== null
  }

  /** Whether submits wait for the end of a batch. */
  get batching(): boolean {
    return this.#depth > 0
  }

  /** The encoder between passes, for copies. */
  encoder(): GPUCommandEncoder {
    this.endPass()
    this.#encoder ??= this.device.createCommandEncoder({ label: 'weft' })
    return this.#encoder
  }

  endPass(): void {
    this.#pass?.end()
    this.#pass = null
  }

  #openPass(): GPUComputePassEncoder {
    if (this.#pass) return this.#pass
    const timestampWrites = this.owner.observers?.pass()
    this.#pass = this.encoder().beginComputePass(timestampWrites ? { label: 'weft', timestampWrites } : PASS)
    this.#state.clear()
    return this.#pass
  }

  dispatch(call: Call): void {
    this.#state.encode(this.#openPass(), call)
    this.recorded(call, 1)
    if (this.options.passes === 'each' || this.owner.observers?.apart) this.endPass()
  }

  /** Dispatches that are kept, from one index to another. They are `recorded` apart, together with what is around them. */
  replay(list: CallList, from: number, to: number): void {
    list.encode(this.#openPass(), this.#state, from, to)
  }

  /** Notes what was encoded, so that a rejected submit can be explained. */
  recorded(parts: Part | readonly Part[], dispatches: number): void {
    this.#parts.push(parts)
    this.#dispatches += dispatches
  }

  /** Bytes for a buffer at this place of the order. Whole words. */
  upload(buffer: GPUBuffer, offset: number, bytes: Uint8Array, from = 0, size = bytes.byteLength): void {
    // the queue writes before all that will be submitted, which is the right place only while nothing is recorded
    if (!this.recording) this.device.queue.writeBuffer(buffer, offset, bytes as Uint8Array<ArrayBuffer>, from, size)
    else {
      const slot = this.uniforms.slot(bytes.subarray(from, from + size))
      const copy = copying(`the upload to '${buffer.label}'`, slot.memory.gpu, slot.offset, buffer, offset, size)
      copy.encode(this.encoder())
      this.recorded(copy, 0)
    }
  }

  /** The end of a piece of work. The outcome is that of the submit which it is part of. */
  settle(): Outcome {
    const full = this.#dispatches >= this.options.maxDispatchesPerSubmit || this.uniforms.bytes > MAX_STAGED
    if (this.#depth === 0 || full) return this.flush()
    this.#pending ??= pending()
    return this.#pending.outcome
  }

  enter(): void {
    this.#depth++
  }

  leave(): Outcome {
    this.#depth--
    return this.#depth === 0 ? this.flush() : this.settle()
  }

  /** Submits what is recorded. */
  flush(): Outcome {
    if (!this.#encoder) return Promise.resolve(null)
    const waiting = this.#pending
    const outcome = this.#checked(this.#parts)
    waiting?.resolve(outcome)
    return outcome
  }

  /**
   * When the device has caught up, or null where it is not far behind. Watched from half the limit on, so that it still
   * has work when those who wait go on.
   */
  room(): Promise<void> | null {
    const { maxSubmitsInFlight } = this.options
    const inFlight = this.submits - this.#finished
    if (inFlight * 2 < maxSubmitsInFlight) return null
    this.#watch ??= this.finished().then(() => {
      this.#watch = null
    })
    return inFlight < maxSubmitsInFlight ? null : this.#watch
  }

  /** When the device has done all that is submitted. */
  async finished(): Promise<void> {
    const { submits } = this
    // a lost device refuses to tell, and its loss is reported elsewhere
    await this.device.queue.onSubmittedWorkDone().catch(() => undefined)
    this.#finished = Math.max(this.#finished, submits)
  }

  /** Nothing more will be submitted. */
  close(reason: WeftError): void {
    this.#pending?.resolve(reason)
    this.#reset()
  }

  #reset(): void {
    this.#encoder = null
    this.#pass = null
    this.#parts = []
    this.#dispatches = 0
    this.#pending = null
  }

  /** Submits, and finds out whether the device takes it and what of it is wrong where it does not. */
  #checked(parts: Recorded): Outcome {
    try {
      const { error } = scoped(this.device, ['validation', 'out-of-memory'], () => this.submit())
      return error.then(async (invalid) => {
        if (!invalid) return null
        // loaded when something is wrong
        const { blame } = await import('./culprit')
        return blame(this.device, parts, invalid.message)
      })
    } catch (error) {
      return Promise.resolve(fault('dispatch-failed', textOf(error)))
    }
  }

  /** Submits what is recorded; errors are the device's to report. */
  submit(): void {
    const encoder = this.#encoder
    if (!encoder) return
    const { observers } = this.owner
    this.endPass()
    this.#reset()
    this.uniforms.write()
    this.blocks.submit(encoder.finish())
    this.uniforms.submitted()
    this.submits++
    this.onSubmit()
    observers?.submitted()
  }
}
