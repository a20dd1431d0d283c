import type { ObservedDispatch, Observer } from '../observer'
import { Queries } from './queries'
import type { ClockKind, Noted, Sample, Submit } from './samples'

/** What a clock tells. */
export interface Sink {
  /** What is to be known of a dispatch, noted while it is at hand. */
  noted(dispatch: ObservedDispatch): Noted
  /** In the order of the work. */
  sampled(samples: readonly Sample[]): void
  submitted(submit: Submit): void
  /** A dispatch that no sample will be about. */
  unmeasured(dispatch: Noted): void
}

/** A way of measuring, which watches the runtime. */
export interface Clock extends Observer {
  readonly kind: ClockKind
  /** Resolves when all that was submitted is sampled. */
  settle(): Promise<void>
}

interface Pass {
  readonly dispatches: Noted[]
  submit: Submit | null
}

/** By timestamp queries at the begin and end of passes. */
export class GpuClock implements Clock {
  readonly kind = 'gpu'
  readonly #sink: Sink
  readonly #queries: Queries<Pass>
  #recorded: Pass[] = []
  #current: Pass | null = null
  #dispatches = 0

  constructor(
    device: GPUDevice,
    readonly passes: 'each' | undefined,
    sink: Sink,
  ) {
    this.#sink = sink
    this.#queries = new Queries<Pass>(device, (stamped) =>
      sink.sampled(stamped.map(({ pass, begin, end }) => ({ ...pass, begin, end }))),
    )
  }

  before(): void {
    this.#dispatches++
    // a dispatch may yet go into a pass that was begun before anyone watched
    if (this.passes === 'each') this.#current = null
  }

  pass(free: boolean): GPUComputePassTimestampWrites | undefined {
    this.#current = null
    if (!free) return undefined
    this.#current = { dispatches: [], submit: null }
    this.#recorded.push(this.#current)
    return this.#queries.next(this.#current)
  }

  after(dispatch: ObservedDispatch): void {
    const noted = this.#sink.noted(dispatch)
    if (this.#current) this.#current.dispatches.push(noted)
    else this.#sink.unmeasured(noted)
  }

  submitted(): void {
    const submit: Submit = { at: performance.now(), done: null, dispatches: this.#dispatches }
    this.#dispatches = 0
    this.#sink.submitted(submit)
    for (const pass of this.#recorded) pass.submit = submit
    this.#recorded = []
    this.#queries.submitted()
  }

  settle(): Promise<void> {
    return this.#queries.settle()
  }
}

const stampOf = (ms: number): bigint => BigInt(Math.round(ms * 1e6))

/** By the host's own clock, around a dispatch that is done when it returns. */
export class CpuClock implements Clock {
  readonly kind = 'cpu'
  readonly #sink: Sink
  #begin = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  before(): void {
    this.#begin = performance.now()
  }

  after(dispatch: ObservedDispatch): void {
    const [begin, end] = [stampOf(this.#begin), stampOf(performance.now())]
    this.#sink.sampled([{ dispatches: [this.#sink.noted(dispatch)], submit: null, begin, end }])
  }

  async settle(): Promise<void> {}
}

/** By how long the host waits for each submit: all that there is on a device without timestamp queries. */
export class SubmitClock implements Clock {
  readonly kind = 'submits'
  readonly #device: GPUDevice
  readonly #sink: Sink
  readonly #waiting = new Set<Promise<void>>()
  #dispatches = 0

  constructor(device: GPUDevice, sink: Sink) {
    this.#device = device
    this.#sink = sink
  }

  before(): void {
    this.#dispatches++
  }

  after(dispatch: ObservedDispatch): void {
    this.#sink.unmeasured(this.#sink.noted(dispatch))
  }

  submitted(): void {
    const submit: Submit = { at: performance.now(), done: null, dispatches: this.#dispatches }
    this.#dispatches = 0
    this.#sink.submitted(submit)
    const done = this.#finish(submit)
    this.#waiting.add(done)
    void done.then(() => this.#waiting.delete(done))
  }

  async settle(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  async #finish(submit: Submit): Promise<void> {
    try {
      await this.#device.queue.onSubmittedWorkDone()
      submit.done = performance.now()
    } catch {
      // the device is lost, which is told elsewhere; of this submit it is not known when it was done
    }
  }
}
