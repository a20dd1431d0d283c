import type { KernelSource } from '@weft/dsl/ir'

/** One value for each choice of a tunable: `{ tileM: 64, tileN: 128 }`. */
export type Choices = Readonly<Record<string, number | string | boolean>>

/** The sizes of a problem by name: `{ m: 4096, n: 4096, k: 4096 }`. */
export type Shape = Readonly<Record<string, number>>

/** What of a device decides whether a kernel can run on it. */
export interface TuneFacts {
  /** `GPUFeatureName`s. */
  readonly features: readonly string[]
  /** By their WebGPU names. */
  readonly limits: Readonly<Record<string, number>>
}

/** The numbers of a binding by their place: lanes count one by one. */
export type Numbers = (index: number) => number

/** What a right kernel writes to one place, in float64, and how far from it rounding may take it. */
export interface Expected {
  readonly value: number
  readonly bound: number
}

/** What a buffer holds: numbers by their place, the same as `weft run` makes, or nothing for what is only written. */
export interface Content {
  readonly type: 'f32' | 'f16' | 'i32' | 'u32'
  /** How many numbers, whatever the elements of the binding are. */
  readonly length: number
  /** `random`: floats in [-1, 1), integers below 256. Left out: an output, which is full of NaN before it is checked. */
  readonly fill?: 'random' | 'iota' | 'ones' | 'zeros'
  /** For `random`; 1 when left out. */
  readonly seed?: number
}

/** A shape with all that it takes to run a kernel on it and to check what it wrote. */
export interface Problem {
  readonly bindings: Readonly<Record<string, Content>>
  readonly params: Readonly<Record<string, number | boolean | readonly number[]>>
  /** For TFLOP/s and GB/s: floating-point operations, and bytes that have to be read or written. */
  readonly work?: { readonly operations?: number; readonly bytes?: number }
  /** What belongs at `index` of an output; of which one, where a kernel writes several. */
  expected(inputs: Readonly<Record<string, Numbers>>, index: number, output: string): Expected
}

/**
 * A kernel with open choices, as a module exports it for `weft tune`: which choices there are, which problems it is to be
 * fast for, and how to know that a result is right.
 *
 *     export const scale: Tunable<{ size: number }, { n: number }> = {
 *       kind: 'tunable', family: 'scale', type: 'f32',
 *       space: { size: [64, 128, 256] },
 *       shapes: [{ n: 2 ** 24 }],
 *       trials: [{ n: 1001 }],
 *       incumbent: () => ({ size: 64 }),
 *       kernel: ({ size }) => scaleOf(size),
 *       problem: ({ n }) => ({
 *         bindings: { x: { type: 'f32', length: n, fill: 'random' }, y: { type: 'f32', length: n } },
 *         params: { n, factor: 0.5 },
 *         expected: ({ x }, i) => ({ value: x(i) * 0.5, bound: 0 }),
 *       }),
 *     }
 */
export interface Tunable<C extends Choices = Choices, S extends Shape = Shape> {
  readonly kind: 'tunable'
  /** What results are filed and looked up under, together with `type`: `matmul`, `f32`. */
  readonly family: string
  readonly type: string
  /** The values of each choice; candidates are all their combinations. */
  readonly space: { readonly [K in keyof C]: readonly C[K][] }
  readonly shapes: readonly S[]
  /** Small shapes with odd sizes, of which every number is checked before a candidate is timed. */
  readonly trials: readonly S[]
  /** The choices that are made without tuning: what candidates are timed beside, and what stays where none is faster. */
  incumbent(shape: S): C
  /** `true`, or why a combination makes no sense on this device. Limits and features are checked besides. */
  feasible?(choices: C, device: TuneFacts): true | string
  /** The kernel for a combination. Its name says which it is, and is what a tuned choice is made by. */
  kernel(choices: C): KernelSource
  problem(shape: S): Problem
}
