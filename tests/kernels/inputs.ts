import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData } from '../parity/case.js'
import { f16s, fromF16 } from '../parity/data.js'

/** NaN before and behind the values of an input: a kernel that reads outside of them shows it. */
const POISON = 3

export interface Given {
  readonly data: BufferData
  /** The values that the kernel may read, as they are stored. */
  readonly numbers: readonly number[]
  /** Where in `data` the first of them is. */
  readonly offset: number
}

/** An input with given values, stored as f32 or f16, between NaNs. */
export function poisoned(values: ArrayLike<number>, half = false, before = 0): Given {
  const tail = POISON + ((values.length + before + POISON) % 2)
  const all = [...new Array<number>(before).fill(NaN), ...Array.from(values), ...new Array<number>(tail).fill(NaN)]
  const data = half ? f16s(...all) : Float32Array.from(all)
  const numbers = (data instanceof Uint16Array ? fromF16(data) : [...data]).slice(before, before + values.length)
  return { data, numbers, offset: before }
}

/** `n` values spread evenly over [lo, hi), as an input between NaNs. */
export const spread = (seed: number, n: number, half = false, lo = -1, hi = 1, before = 0): Given =>
  poisoned(uniform(seed, n, lo, hi), half, before)
