import type { PreparedDispatch } from '@weft/runtime'
import type { CompiledKernel } from '../../artifact'
import type { Clock } from './clock'
import { quartiles, type Score } from './halving'
import type { Bench } from './problem'

const MOST_REPEATS = 2000
/** Milliseconds: less than any launch takes. */
const LEAST = 1e-4
/** Milliseconds of a pass that heats. */
const LONG = 20

/** A kernel with its arguments on every set of buffers, to be timed again and again. */
export class Contestant {
  #launches: readonly PreparedDispatch[]
  #next = 0
  #repeats = 0

  private constructor(
    readonly clock: Clock,
    launches: readonly PreparedDispatch[],
  ) {
    this.#launches = launches
  }

  static async prepare(kernel: CompiledKernel, bench: Bench, clock: Clock): Promise<Contestant> {
    const launches = bench.sets.map((set) => bench.runtime.prepare(kernel, bench.args(kernel, set)))
    return new Contestant(clock, await Promise.all(launches))
  }

  /** Milliseconds of one launch: the mean of as many as it takes to be told well, none on the buffers of the one before. */
  async sample(): Promise<number> {
    if (this.#repeats === 0) {
      // the first launches after a compilation are slow
      await this.#time(1)
      const once = await this.#time(1)
      this.#repeats = Math.min(MOST_REPEATS, Math.max(1, Math.ceil(this.clock.least / Math.max(once, LEAST))))
      const many = await this.#time(this.#repeats)
      const wanted = Math.ceil((this.#repeats * this.clock.least) / Math.max(many, LEAST))
      this.#repeats = Math.min(MOST_REPEATS, Math.max(this.#repeats, wanted))
    }
    // a clock of large steps may say that no time has passed
    return Math.max(await this.#time(this.#repeats), LEAST) / this.#repeats
  }

  #time(count: number): Promise<number> {
    const from = this.#next
    this.#next += count
    const { length } = this.#launches
    return this.clock.time(
      Array.from({ length: count }, (_, i) => this.#launches[(from + i) % length] as PreparedDispatch),
    )
  }

  /** Keeps the device busy until its clock is up: long passes, so that it has no time to rest between them. */
  async heat(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return
    const count = Math.min(MOST_REPEATS, Math.ceil(LONG / (await this.sample())))
    for (const start = performance.now(); performance.now() - start < milliseconds; ) await this.#time(count)
  }
}

export interface RoundOptions {
  readonly samples: number
  /** Milliseconds of work before the first sample: a GPU slows down within a second of idling. */
  readonly heatMs: number
  /** Whether the time is up. */
  readonly over: () => boolean
}

/**
 * One round: every contestant beside the incumbent, in turn, in an order that turns around, so that whatever slows the
 * device down slows both. When the time is up, the turn of one is ended: nothing of those whose first turn had not come, and
 * whole rows of turns of the others.
 */
export async function round(
  contestants: readonly Contestant[],
  incumbent: Contestant,
  { samples, heatMs, over }: RoundOptions,
): Promise<readonly (Score | null)[]> {
  const times = contestants.map((): number[] => [])
  const ratios = contestants.map((): number[] => [])
  await incumbent.heat(heatMs)
  for (let sample = 0; sample < samples && !over(); sample++) {
    const order = contestants.map((_, i) => (sample % 2 ? contestants.length - 1 - i : i))
    for (const i of order) {
      if (over()) break
      const one = contestants[i] as Contestant
      const before = sample % 2 ? await incumbent.sample() : null
      const ms = await one.sample()
      const beside = before ?? (await incumbent.sample())
      times[i]?.push(ms)
      ratios[i]?.push(ms / beside)
    }
  }
  // those whose turn came first have no more samples than the others, but for the first
  const whole = Math.max(1, Math.min(...times.map(({ length }) => length)))
  return times.map((list, i) =>
    list.length === 0
      ? null
      : {
          ms: quartiles(list.slice(0, whole))[1],
          ratio: quartiles((ratios[i] as number[]).slice(0, whole)),
          samples: whole,
        },
  )
}
