import type { Workgroups } from '../launch'
import type { Work } from './cost'
import type { Execution } from './sections'
import type { Span } from './stamps'

/**
 * What the times are times of. `gpu`: passes, by timestamps of the device. `cpu`: dispatches, which run while the host
 * waits. `submits`: the device has no timestamps, and all that is known is how long the host waited for each submit.
 */
export type ClockKind = 'gpu' | 'cpu' | 'submits'

export interface Noted {
  readonly kernel: string
  readonly variant: string
  readonly workgroups: Workgroups | null
  readonly work: Work
  readonly section: Execution | null
}

/** A pass (on the CPU a dispatch) and its stamps. */
export interface Sample extends Span {
  readonly dispatches: readonly Noted[]
  /** The submit that it was part of; null on the CPU, where there are none. */
  readonly submit: Submit | null
}

/** In milliseconds of `performance.now()`. */
export interface Submit {
  readonly at: number
  /** When the host knew it to be done; null where nobody waited for it. */
  done: number | null
  readonly dispatches: number
}

/** Everything that a profiler has seen, as raw numbers. */
export interface Measured {
  readonly clock: ClockKind
  readonly samples: readonly Sample[]
  readonly submits: readonly Submit[]
  readonly executions: readonly Execution[]
  /** Nanoseconds, or null where it is not known. */
  readonly resolution: number | null
  readonly dispatches: number
  /** Dispatches whose pass had no stamps of ours. */
  readonly unmeasured: number
  /** Samples that were too many to keep. */
  readonly forgotten: number
  /** Sections that ended before one that was opened within them. */
  readonly overlaps: number
}
