import type { Runtime } from '@weft/runtime'
import type { Clock } from './clock'
import type { Results } from './file'

/** What all shapes of a run have in common. */
export interface Session {
  readonly runtime: Runtime
  readonly clock: Clock
  readonly results: Results
  /** Of the last round. */
  readonly samples: number
  /** Bytes that the other sets of buffers fill before one has its turn again. */
  readonly cacheBytes: number
  readonly heatMs: number
  /** Progress, a line at a time. */
  say(text: string): void
}
