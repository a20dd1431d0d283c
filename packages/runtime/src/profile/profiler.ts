import { checkKeys, type Keys } from '../keys'
import type { ObservedDispatch } from '../observer'
import type { Runtime } from '../runtime'
import { checkWord } from '../words'
import { type ChromeTrace, chromeTrace } from './chrome'
import { type Clock, CpuClock, GpuClock, SubmitClock } from './clocks'
import type { KernelCost } from './cost'
import { Measurements } from './measurements'
import { reportOf } from './report'
import type { Measured } from './samples'
import { type Summary, summarize } from './summary'

export interface ProfilerOptions {
  /**
   * `dispatch` (default) gives every dispatch a pass of its own, which costs a little time between them; `pass` leaves
   * passes as they are, so that the times of recordings and batches are those of all their dispatches together.
   */
  readonly timestamps?: 'dispatch' | 'pass'
  /** The work of kernels, for GB/s and GFLOP/s. */
  readonly costs?: readonly KernelCost[]
  /** How many samples to keep at least, the newest; 100,000 by default. */
  readonly keep?: number
}

const OPTIONS: Keys<ProfilerOptions> = { timestamps: true, costs: true, keep: true }

/** Measures what a runtime does. Made by `profiler`. */
export class Profiler {
  readonly #measurements: Measurements
  readonly #clock: Clock
  readonly #detach: readonly (() => void)[]

  /** Use `profiler`. */
  constructor(runtime: Runtime, options: ProfilerOptions) {
    checkKeys('profiler', options, OPTIONS)
    checkWord('timestamps', options.timestamps, ['dispatch', 'pass'])
    const { timestamps = 'dispatch', costs = [], keep = 100_000 } = options
    const measurements = new Measurements(costs, keep)
    const { device } = runtime
    this.#measurements = measurements
    this.#clock = !device
      ? new CpuClock(measurements)
      : device.features.has('timestamp-query')
        ? new GpuClock(device, timestamps === 'dispatch' ? 'each' : undefined, measurements)
        : new SubmitClock(device, measurements)
    const called = (dispatch: ObservedDispatch) => measurements.called(dispatch)
    this.#detach = [runtime.observe({ called }), runtime.observe(this.#clock)]
  }

  /**
   * Runs `body` as a section: what it dispatches is counted for it and for the sections around it. Sections that run
   * side by side cannot be told apart: a dispatch goes to the one that was opened last.
   */
  section<T>(name: string, body: () => T | Promise<T>): Promise<T> {
    return this.#measurements.sections.run(name, body)
  }

  /** The statistics since the start or the last `reset`, once what was submitted is done. */
  async summary(): Promise<Summary> {
    return summarize(await this.#measured())
  }

  /** The same as a table for people. */
  async report(): Promise<string> {
    return reportOf(await this.summary())
  }

  /** Dispatches, sections and submits on a time line, as JSON for Perfetto (ui.perfetto.dev) and chrome://tracing. */
  async trace(): Promise<ChromeTrace> {
    return chromeTrace(await this.#measured())
  }

  /** Forgets what was measured so far, as after a warm-up. */
  async reset(): Promise<void> {
    await this.#clock.settle()
    this.#measurements.forget()
  }

  /** Ends the measuring; what was measured can still be asked for. */
  end(): void {
    for (const detach of this.#detach) detach()
  }

  [Symbol.dispose](): void {
    this.end()
  }

  async #measured(): Promise<Measured> {
    await this.#clock.settle()
    return this.#measurements.measured(this.#clock.kind)
  }
}

/**
 * Measures what `runtime` does from now on, until `end()`: on WebGPU by timestamps, on the CPU by the host's clock. Where
 * a device has no timestamps, all that is measured is how long the host waits for each submit, and that is what it says.
 */
export const profiler = (runtime: Runtime, options: ProfilerOptions = {}): Profiler => new Profiler(runtime, options)
