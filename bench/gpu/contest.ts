// What bench/gpu measures: contests, which are one problem each, and their entries, which solve it. A suite is a list of
// contests (`suites/*.ts`). Every entry of a contest gets the same inputs, is checked against float64 by the contest's
// `check`, and is then timed in turn with the others: see measure.ts.

import type { Flag, Kind } from './kinds'
import type { Lab } from './lab'

export type ElementType = 'f32' | 'f16' | 'u32'

/** An array that is filled by a formula: element i is `valueAt(seed, i) · scale`, on the host and on the device. */
export interface Input {
  readonly type: ElementType
  /** elements */
  readonly length: number
  readonly seed: number
  /** 1 when left out; u32 takes 32 random bits and no scale. */
  readonly scale?: number
  /** Of u32: values are below it; 0 or left out: all 32 bits. */
  readonly most?: number
  /** Of u32: the bits that may be set; all when left out. */
  readonly mask?: number
}

export interface Output {
  readonly type: ElementType
  /** elements */
  readonly length: number
}

/** Reads `count` elements of an output from `first` on. */
export type ReadOutput = (name: string, first: number, count: number) => Promise<ArrayLike<number>>

export interface Problem {
  readonly inputs: Readonly<Record<string, Input>>
  readonly outputs: Readonly<Record<string, Output>>
  /** The largest error in parts of its documented bound, over sampled elements: 1 or less is right. */
  readonly check: (read: ReadOutput) => Promise<number>
}

/** What one run of a contest does, by which its speed is quoted. */
export interface Work {
  /** floating-point (or integer) operations */
  readonly operations?: number
  /** bytes read and written, each array counted once */
  readonly bytes?: number
  /** anything else, such as `{ keys: 2 ** 25 }` */
  readonly items?: number
}

/**
 * What is computed, in words that peers understand: those that know the kind join the contest by themselves
 * (`peers/index.ts`). The names of sizes, inputs and outputs are those of `kinds.ts`.
 */
export interface Facts {
  readonly kind?: Kind
  /** of the elements of inputs and outputs */
  readonly dtype?: string
  readonly shape?: Readonly<Record<string, number>>
  readonly flags?: readonly Flag[]
  /** What the contest calls its inputs and outputs, by their names there, where it calls them otherwise: `{ a: 'x' }`. */
  readonly names?: Readonly<Record<string, string>>
}

export interface Contest extends Problem, Facts {
  /** Unique within its suite: `'f32 4096 x 4096 x 4096'`. */
  readonly name: string
  readonly work: Work
  readonly entries: readonly Entry[]
  /** Device features without which nobody can take part. */
  readonly features?: readonly GPUFeatureName[]
}

export interface Entry {
  readonly name: string
  /** Throws where it cannot take part; the reason goes into the table. */
  readonly open: (lab: Lab, contest: Contest) => Promise<Opened>
}

export interface Opened {
  /** milliseconds from source to pipelines, where the entry knows it */
  readonly compileMs?: number
  /** How many sets of buffers there are, so that a run never finds those that it has just used in a cache. */
  readonly turns: number
  /** By which it is timed, where the clock of the lab does not see its work. */
  readonly clock?: Stopwatch
  /** Submits one run on the buffers of a turn. */
  run(turn: number): unknown
  /** Reads an output of the last run. */
  readonly read: ReadOutput
  close(): unknown
}

export interface Stopwatch {
  /** Milliseconds that the device spent on what `work` submits. */
  time(work: () => unknown): Promise<number>
}
