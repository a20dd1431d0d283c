import type { Tolerance } from '../parity/case.js'
import { unset } from '../parity/data.js'

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
