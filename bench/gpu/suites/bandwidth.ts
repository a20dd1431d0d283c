// Contests of one function of the library against memory: their inputs, and checks of a part of their outputs.

import type { Runtime } from '@weft/runtime'
import type { Contest, Input, Output, ReadOutput, Work } from '../contest'
import { library } from '../entries'
import type { Flag, Kind } from '../kinds'
import type { Named } from '../lab'

export type Halves = 'f32' | 'f16'
/** An error may be `bound` times |value| + size. */
export type Bound = readonly [bound: number, size: number]

type Name =
  | ('x' | 'y' | 'dx' | 'dy' | 'a' | 'b' | 'weight' | 'bias' | 'dweight' | 'dbias' | 'target' | 'loss' | 'lse')
  | ('p' | 'g' | 'm' | 'v' | 'keys' | 'values' | 'sortedKeys' | 'sortedValues')
/** By the names of the inputs and outputs that the contest has. */
type Buffers = Readonly<Record<Name, Named[string] & object>>

export interface Told {
  readonly kind: Kind
  readonly dtype?: Halves
  readonly shape: Readonly<Record<string, number>>
  readonly flags?: readonly Flag[]
  readonly inputs: Readonly<Record<string, Input>>
  readonly outputs: Readonly<Record<string, Output>>
  /** Bytes, where it is not all inputs and outputs once. */
  readonly bytes?: number
  readonly items?: number
  readonly check: (read: ReadOutput) => Promise<number>
  readonly run: (runtime: Runtime, buffers: Buffers) => Promise<unknown>
}

const BYTES = { f32: 4, f16: 2, u32: 4 } as const

export function bandwidth(name: string, told: Told): Contest {
  const { dtype = 'f32', bytes, items, run, ...rest } = told
  const all = [...Object.values(told.inputs), ...Object.values(told.outputs)]
  const work: Work = {
    bytes: bytes ?? all.reduce((sum, { type, length }) => sum + BYTES[type] * length, 0),
    ...(items === undefined ? {} : { items }),
  }
  return {
    ...rest,
    name,
    dtype,
    work,
    ...(dtype === 'f16' ? { features: ['shader-f16'] as const } : {}),
    entries: [library('weft', (runtime, buffers) => run(runtime, buffers as Buffers))],
  }
}

export const f32 = (length: number, seed: number, scale = 1): Input => ({ type: 'f32', length, seed, scale })
export const u32 = (length: number, seed: number): Input => ({ type: 'u32', length, seed })
export const halves = (input: Input, type: Halves): Input => ({ ...input, type })
export const out = (length: number, type: Output['type'] = 'f32'): Output => ({ type, length })

/** The largest error in parts of its bound. */
export function worst(got: ArrayLike<number>, want: ArrayLike<number>, bound: number, size = 0): number {
  let most = 0
  for (let i = 0; i < want.length; i++) {
    const error = Math.abs((got[i] as number) - (want[i] as number)) / (bound * (Math.abs(want[i] as number) + size))
    most = Math.max(most, Number.isNaN(error) ? Number.POSITIVE_INFINITY : error)
  }
  return most
}

/** Checks the first row of an output, one in the midst of it, and the last one. */
export const rowsOf =
  (name: string, rows: number, cols: number, row: (r: number) => ArrayLike<number>, [bound, size]: Bound) =>
  async (read: ReadOutput): Promise<number> => {
    let most = 0
    for (const r of [0, Math.floor(rows / 3), rows - 1])
      most = Math.max(most, worst(await read(name, r * cols, cols), row(r), bound, size))
    return most
  }

/** Checks 1,000 elements at either end of an output. */
export const ends =
  (name: string, n: number, value: (i: number) => number, [bound, size]: Bound) =>
  async (read: ReadOutput): Promise<number> => {
    let most = 0
    for (const first of [0, n - 1000]) {
      const want = Float64Array.from({ length: 1000 }, (_, i) => value(first + i))
      most = Math.max(most, worst(await read(name, first, 1000), want, bound, size))
    }
    return most
  }
