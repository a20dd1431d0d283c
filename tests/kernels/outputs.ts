import type { ParityCase, Tolerance } from '../parity/case.js'
import { f16sOf, unset } from '../parity/data.js'

/** Elements behind each output that nobody may touch. */
const GUARD = 5

export const emptyOutput = (n: number): Float32Array => new Float32Array(unset(n + GUARD).buffer)

/** The expected values, then the untouched rest. */
export function filled(expected: ArrayLike<number>): Float32Array {
  const all = emptyOutput(expected.length)
  all.set(expected)
  return all
}

export const near = (abs: number, because: string, rel = 0): Tolerance => ({ kind: 'near', abs, rel, because })

/** An untouched output of f16, of an even number of elements, as a buffer of whole words has. */
export const emptyHalfOutput = (n: number): Uint16Array => new Uint16Array(unset((n + (n % 2)) / 2 + GUARD).buffer)

/** The expected values rounded to f16, then the untouched rest. */
export function filledHalf(expected: ArrayLike<number>): Uint16Array {
  const all = emptyHalfOutput(expected.length)
  all.set(f16sOf(expected))
  return all
}

/** Rounding to f16: half an ULP of 11 bits; below the least normal number half of the least subnormal one. */
export const HALF = { rel: 2 ** -11, abs: 2 ** -25 } as const

/** A tolerance for a result that is stored as f16. */
export const nearHalf = (abs: number, because: string, rel = 0): Tolerance =>
  near(abs + HALF.abs + HALF.abs, `${because}, rounded to f16`, rel + 2 * HALF.rel)

/** A case as the library ships its kernel: with params in uniform buffers. */
export const shipped = (c: ParityCase): ParityCase => ({ ...c, compile: { params: 'uniform' } })
