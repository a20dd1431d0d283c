import type { Choices, Shape } from './tunable'

/** Devices that a result holds for. */
export interface DeviceClass {
  readonly vendor: string
  readonly architecture: string
  /** Which of the vendor's devices; '' where it is not told. */
  readonly device: string
  /** The adapter's description, often with the version of its driver. */
  readonly adapter: string
  readonly backend: 'webgpu' | 'cpu'
  /** Whether the adapter computes on the CPU: its times say nothing of a GPU. */
  readonly software: boolean
}

/** A kernel that was right, with its times. */
export interface Timed {
  readonly choices: Choices
  readonly kernel: string
  /** Of the compiled kernel. */
  readonly hash: string
  /** Milliseconds of one launch: the median of the last round that it was in. */
  readonly ms: number
  /** Its time over that of the incumbent, each measured beside the other: the median, and the quartiles around it. */
  readonly ratio: readonly [low: number, median: number, high: number]
  readonly samples: number
  /** The round after which it was left out, counted from 0; the last one for those that were in all. */
  readonly round: number
  /** The largest error in parts of its bound. */
  readonly error: number
}

/** A kernel that was not timed. */
export interface Refused {
  readonly choices: Choices
  readonly kernel: string
  readonly hash: string
  readonly because: string
}

export interface TunedShape {
  readonly family: string
  readonly type: string
  readonly shape: Shape
  /** `stopped`: the time was up; `running`: nobody ended it, as where the process was killed. `--resume` goes on with both. */
  readonly state: 'done' | 'stopped' | 'running'
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** The next round to run, and the hashes of the kernels that take part in it. */
  readonly round: number
  readonly next: readonly string[]
  /** What was measured, in short: another program or other candidates have another key. */
  readonly key: string
  readonly winner: Timed | null
  readonly incumbent: Timed | null
  /** All that were timed, those of the latest round first, by speed. */
  readonly candidates: readonly Timed[]
  /** Those that gave wrong results or could not run. */
  readonly refused: readonly Refused[]
  /** How many combinations are neither timed, nor refused, nor infeasible, since the time was up: `--resume` goes on with them. */
  readonly notReached: number
  /** Combinations that were no candidates, by the reason. */
  readonly infeasible: readonly { readonly because: string; readonly count: number }[]
}

/** What `weft tune` writes. */
export interface TuningFile {
  readonly format: 1
  readonly kind: 'weft-tuning'
  readonly device: DeviceClass
  /** What the times are: of passes by the device's timestamps, or of the host waiting for a long pass. */
  readonly clock: 'timestamps' | 'wall'
  readonly results: readonly TunedShape[]
}
