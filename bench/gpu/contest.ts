// What bench/gpu measures: contests, which are one problem each, and their entries, which solve it. A suite is a list of
// contests (`suites/*.ts`). Every entry of a contest gets the same inputs, is checked against float64 by the contest's
// `check`, and is then timed in turn with the others: see measure.ts.

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

export interface Contest extends Problem {
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
  /** Submits one run on the buffers of a turn. */
  run(turn: number): unknown
  /** Reads an output of the last run. */
  readonly read: ReadOutput
  close(): unknown
}
