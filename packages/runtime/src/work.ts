import type { Backend } from './backend'
import { asFault, type WeftError } from './errors'
import type { Life } from './life'
import { follow, type Memory, type Outcome } from './memory'
import { Timeline } from './timeline'

/** A promise that nobody need await: its failure is told elsewhere too. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** The promise of a call that was refused: it knows whether somebody waits for it. */
class Refusal extends Promise<void> {
  told = (): void => undefined

  override then<A = void, B = never>(
    resolved?: ((value: void) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.told()
    return super.then(resolved, rejected)
  }
}

/** What became of work that was handed over, or will be. */
export interface Handed {
  readonly outcome: Outcome
  /** Whether it waits for the end of a batch, so that nobody may wait for its outcome before. */
  readonly batched: boolean
}

/** Outcomes that somebody waits for together; those that were good are forgotten at once. */
export class Gathered {
  readonly #open = new Set<Outcome>()
  #failure: WeftError | null = null

  add(outcome: Outcome): void {
    this.#open.add(outcome)
    void outcome.then((error) => {
      this.#failure ??= error
      this.#open.delete(outcome)
    })
  }

  /** The first failure among them, once all are known. */
  async all(): Promise<WeftError | null> {
    await Promise.all(this.#open)
    return this.#failure
  }
}

/** The work of one runtime: where it goes, the order of its effects, what became of it, and for how long it may go on. */
export class Work {
  readonly timeline = new Timeline()
  readonly #unsettled = new Set<Outcome>()
  readonly #gathering = new Set<Gathered>()

  constructor(
    readonly backend: Backend,
    readonly life: Life,
  ) {}

  /** Keeps an outcome until it is known, for `idle` and for open batches. */
  track(outcome: Outcome): void {
    this.#unsettled.add(outcome)
    for (const gathered of this.#gathering) gathered.add(outcome)
    void outcome.then((error) => {
      this.#unsettled.delete(outcome)
      if (error) this.life.failed(error)
    })
  }

  /** The outcome of work that reads and writes memory, kept with what it writes, and tracked. */
  follow(own: Outcome, reads: Iterable<Memory>, writes: readonly Memory[]): Outcome {
    const outcome = follow(own, reads, writes)
    this.track(outcome)
    return outcome
  }

  /** Gathers the outcomes of what is tracked from now on. */
  gather(): Gathered {
    const gathered = new Gathered()
    this.#gathering.add(gathered)
    return gathered
  }

  gatherNoMore(gathered: Gathered): void {
    this.#gathering.delete(gathered)
  }

  /**
   * The promise of a call: it waits until the device has accepted the work – in a batch, until it is recorded – and,
   * where the device is far behind, until it has caught up. Not awaited, a failure is still told: by reads of the
   * outputs and by `idle`.
   */
  promised(handed: Handed | Promise<Handed>): Promise<void> {
    return quiet(this.life.during(this.#accepted(handed)))
  }

  /**
   * The promise of a call that is refused before anything has run. Who awaits it at once has been told, and what it would
   * have written is as it was. Otherwise it is told like any failure: by reads of that, by `idle`, by an open batch.
   */
  refused(error: unknown, writes: readonly Memory[]): Promise<void> {
    const reason = asFault(error)
    const before = writes.map((memory) => memory.outcome)
    const outcome = follow(Promise.resolve(reason), [], writes)
    const refusal = new Refusal((_, reject) => reject(error))
    quiet(refusal)
    let told = false
    refusal.told = () => {
      told = true
      writes.forEach((memory, i) => {
        if (memory.outcome === outcome) memory.outcome = before[i] ?? null
      })
    }
    // at the end of the turn, as an engine looks for rejections that nobody handles
    this.track(new Promise((resolve) => setTimeout(() => resolve(told ? null : reason))))
    return refusal
  }

  async #accepted(handed: Handed | Promise<Handed>): Promise<void> {
    const { outcome, batched } = handed instanceof Promise ? await handed : handed
    if (batched) return
    const error = await outcome
    if (error) throw error
    await this.backend.stream.room()
  }

  /** Submits what is recorded, in its place of the order. */
  flush(): Handed | Promise<Handed> {
    return this.timeline.push(() => ({ outcome: this.backend.stream.flush(), batched: false }))
  }

  /** When all that was started so far is done or has failed. */
  async settled(): Promise<void> {
    await this.life.during(this.timeline.settled())
    await this.life.during(Promise.all(this.#unsettled))
  }
}
