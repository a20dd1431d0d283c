import type { RecordedOp, Replay, Replayed } from './backend'
import { asFault, fault, type WeftError } from './errors'
import { isEmpty } from './kernel'
import type { Launches } from './launches'
import { doubts, type Memory } from './memory'
import type { Observers } from './observer'
import { oneByOne, stepsOf, touched } from './ops'
import type { Reading } from './recorder'
import { type KeptPlan, type Step, stale, staleness } from './step'
import { quiet } from './work'

type Bytes = Uint8Array<ArrayBuffer>

/** What `replay` gives for the readings that the recording's function returned. */
export type Values<R extends readonly Reading<unknown>[]> = {
  -readonly [I in keyof R]: R[I] extends Reading<infer T> ? T : never
}

/** What a recording knows of one of its steps. */
interface Followed {
  readonly times: number
  bindings: unknown
  empty: boolean
}

const DONE: Promise<never[]> = Promise.resolve([])

/**
 * Dispatches, copies and reads that are replayed together: made by `runtime.record(…)`. A replay is one submit with one
 * pass, with the params and bindings that the prepared dispatches have by then.
 */
export class Recording<R extends readonly Reading<unknown>[] = readonly Reading<unknown>[]> {
  readonly #launches: Launches
  readonly #ops: readonly RecordedOp[]
  readonly #readings: R
  readonly #replay: Replay | null
  readonly #steps = new Map<Step, Followed>()
  #dispatches = 0
  #reads: readonly Memory[] = []
  #writes: readonly Memory[] = []
  /** Whether the memory above is that of the steps' plans. */
  #current = false
  /** The count of doubts when nothing was wrong. */
  #checked = -1
  #destroyed = false

  /** Use `runtime.record`. */
  constructor(launches: Launches, ops: readonly RecordedOp[], readings: R) {
    this.#launches = launches
    this.#ops = ops
    this.#readings = readings
    // first, since it may refuse: nothing is to follow the steps then
    this.#replay = launches.work.backend.record?.(ops) ?? null
    for (const step of stepsOf(ops)) {
      const times = (this.#steps.get(step)?.times ?? 0) + 1
      this.#steps.set(step, { times, bindings: step.plan.bindings, empty: isEmpty(step.plan) })
      step.followers.add(this)
      if (!isEmpty(step.plan)) this.#dispatches++
    }
  }

  /** Dispatches of one replay, those of no workgroups left out. */
  get dispatches(): number {
    return this.#dispatches
  }

  /** @internal A step has another plan. */
  changed(step: Step): void {
    const followed = this.#steps.get(step)
    if (!followed) return
    const empty = isEmpty(step.plan)
    if (empty !== followed.empty) this.#dispatches += empty ? -followed.times : followed.times
    followed.empty = empty
    const rebound = step.plan.bindings !== followed.bindings
    followed.bindings = step.plan.bindings
    if (rebound) this.#current = false
    this.#replay?.changed(step, rebound)
  }

  /**
   * Does all of it once, in order with everything else. Resolves with what the returned readings read – without any,
   * when the device has accepted the work. Rejects `stale-replay` when a buffer of it was destroyed (nothing has run
   * then), and as `runtime.run` and `buffer.read` do.
   */
  replay(): Promise<Values<R>> {
    const { work } = this.#launches
    const { life, timeline, backend } = work
    try {
      life.check()
      const known = this.#check()
      const plans = backend.observers ? this.#called(backend.observers) : null
      const { batching } = backend.stream
      const replayed = timeline.push(() => {
        life.check()
        // something may have been bound while this waited
        if (!this.#current) this.#gather()
        return this.#now(plans)
      })
      if (!(replayed instanceof Promise)) return this.#settled(replayed, known, batching)
      // said now, so that reads which are called meanwhile wait for it
      const outcome = replayed.then((late) => late.outcome, asFault)
      work.follow(outcome, this.#reads, this.#writes)
      return quiet(life.during(replayed.then((late) => this.#settled(late, false, batching))))
    } catch (error) {
      return work.refused(error, this.#writes) as Promise<never>
    }
  }

  /** Lets go of what it holds. Again: nothing. */
  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    // replays that wait for their turn still need to hear of the changes before them
    this.#launches.work.timeline.push(() => {
      for (const step of this.#steps.keys()) step.followers.delete(this)
      this.#replay?.release()
    })
  }

  [Symbol.dispose](): void {
    this.destroy()
  }

  /** Throws where something of it is gone; whether nothing is known against what it uses. */
  #check(): boolean {
    if (this.#destroyed) throw fault('stale-replay', 'the recording was destroyed', 'record it again')
    if (this.#checked === doubts.count && this.#current) return true
    if (!this.#current) this.#gather()
    let known = true
    for (const memories of [this.#reads, this.#writes]) {
      for (const memory of memories) {
        if (memory.destroyed) throw this.#staleness(memory)
        known &&= memory.outcome === null
      }
    }
    this.#checked = known ? doubts.count : -1
    return known
  }

  #staleness({ label }: Memory): WeftError {
    for (const { plan } of this.#steps.keys()) {
      const found = staleness(plan)
      if (found) return found
    }
    return stale('the recording', `'${label}'`)
  }

  #gather(): void {
    const { reads, writes } = touched(this.#launches.work.backend, this.#ops)
    this.#reads = reads
    this.#writes = writes
    this.#current = true
  }

  /** The plans of one replay, each an object of its own: observers tell dispatches apart by it. */
  #called(observers: Observers): KeptPlan[] {
    const plans = stepsOf(this.#ops).map(({ latest }) => ({ ...latest }))
    for (const plan of plans) if (!isEmpty(plan)) observers.called(plan)
    return plans
  }

  #now(plans: readonly KeptPlan[] | null): Replayed {
    this.#launches.dispatches += this.#dispatches
    if (this.#replay && !plans) return this.#replay.replay()
    const { backend } = this.#launches.work
    return oneByOne(backend, this.#ops, plans ?? stepsOf(this.#ops).map(({ plan }) => plan))
  }

  #settled({ outcome, reads }: Replayed, known: boolean, batched: boolean): Promise<Values<R>> {
    const { work } = this.#launches
    if (!outcome && !reads && known) {
      const room = work.backend.stream.room()
      return (room ? room.then(() => []) : DONE) as Promise<Values<R>>
    }
    if (reads) quiet(reads)
    const followed = work.follow(outcome ?? Promise.resolve(null), this.#reads, this.#writes)
    const accepted = work.promised({ outcome: followed, batched: batched && !reads })
    const values = reads ? work.life.during(this.#values(accepted, reads)) : accepted.then(() => [])
    return quiet(values) as Promise<Values<R>>
  }

  async #values(accepted: Promise<void>, reads: Promise<Bytes[]>): Promise<unknown[]> {
    await accepted
    const bytes = await reads
    return this.#readings.map(({ index, decode }) => decode(bytes[index] as Bytes))
  }
}
