import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, Tolerance } from '../parity/case.js'
import { f16sOf, fromF16 } from '../parity/data.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf } from './outputs.js'

/** How the arrays of a case are stored: inputs as they lie in memory and as numbers, outputs with guards, tolerances. */
export interface Stored {
  readonly suffix: string
  /** `n` values in [lo, hi), then NaN: a kernel that reads past its input spoils its output. */
  readonly given: (seed: number, n: number, lo?: number, hi?: number) => { data: BufferData; numbers: number[] }
  readonly empty: (n: number) => BufferData
  readonly filled: (values: ArrayLike<number>) => BufferData
  readonly data: (values: ArrayLike<number>) => BufferData
  readonly near: (abs: number, because: string, rel?: number) => Tolerance
}

/** NaN elements behind each input, and one more where the number of f16 would be odd. */
const poisoned = (values: Float32Array): Float32Array => {
  const all = new Float32Array(values.length + 4 + (values.length % 2)).fill(Number.NaN)
  all.set(values)
  return all
}

export const F32: Stored = {
  suffix: '',
  given: (seed, n, lo = -1, hi = 1) => {
    const values = uniform(seed, n, lo, hi)
    return { data: poisoned(values), numbers: [...values] }
  },
  empty: emptyOutput,
  filled,
  data: (values) => Float32Array.from(values),
  near,
}

export const F16: Stored = {
  suffix: '_f16',
  given: (seed, n, lo = -1, hi = 1) => {
    const data = f16sOf(poisoned(uniform(seed, n, lo, hi)))
    return { data, numbers: fromF16(data).slice(0, n) }
  },
  empty: emptyHalfOutput,
  filled: filledHalf,
  data: f16sOf,
  near: nearHalf,
}

/** The same with NaN for the elements that are not there. */
export function poisonBehind(
  storage: Stored,
  given: ReturnType<Stored['given']>,
  isThere: (i: number) => boolean,
): ReturnType<Stored['given']> {
  const n = given.numbers.length
  const nan = storage === F16 ? 0x7e00 : Number.NaN
  return {
    numbers: given.numbers.map((x, i) => (isThere(i) ? x : Number.NaN)),
    data: given.data.map((x, i) => (i >= n || isThere(i) ? x : nan)) as BufferData,
  }
}
