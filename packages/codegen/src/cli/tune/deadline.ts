import { availableParallelism } from 'node:os'

/** How long a part of the work may begin something: what is begun is ended. All in milliseconds of performance.now(). */
export interface Deadline {
  /** Whether nothing more is begun; `urgent` is what the rest is worth nothing without, the incumbent. */
  over(urgent: boolean): boolean
  /** How many kernels are compiled side by side, all of which are begun when the time is up. */
  readonly abreast: number
}

/** A part of the time until `end` for one step of making candidates ready, all of it for what is urgent: the rest is for the next steps. */
export function partUntil(end: number, part: number): Deadline {
  const now = performance.now()
  const until = end === Infinity ? Infinity : now + (end - now) * part
  return {
    over: (urgent) => performance.now() > (urgent ? end : until),
    abreast: end === Infinity ? Infinity : availableParallelism(),
  }
}

export const NEVER: Deadline = { over: () => false, abreast: Infinity }
