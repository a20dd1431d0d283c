/** Contents of buffers, short to write in a case. */
import { f16Bits, f16FromBits, roundF16 } from '@weft/dsl/ir'
import { SENTINEL } from '../engines/cases.js'

export const f32s = (...values: number[]): Float32Array => new Float32Array(values)
export const u32s = (...values: number[]): Uint32Array => new Uint32Array(values)
export const i32s = (...values: number[]): Int32Array => new Int32Array(values)
/** Rounded to f16, as bits. */
export const f16s = (...values: number[]): Uint16Array => f16sOf(values)
/** Of any number of values: arguments are limited by the stack. */
export const f16sOf = (values: ArrayLike<number>): Uint16Array => Uint16Array.from(values, (x) => f16Bits(roundF16(x)))
export const fromF16 = (bits: Uint16Array): number[] => Array.from(bits, f16FromBits)

/** `n` elements of 4 bytes that nobody has written: what is left of it afterwards was not touched. */
export const unset = (n: number): Uint8Array => new Uint8Array(4 * n).fill(SENTINEL)

/** `n` elements, the i-th being `f(i)`. */
export const f32of = (n: number, f: (i: number) => number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => f(i))
export const u32of = (n: number, f: (i: number) => number): Uint32Array =>
  Uint32Array.from({ length: n }, (_, i) => f(i))
export const i32of = (n: number, f: (i: number) => number): Int32Array => Int32Array.from({ length: n }, (_, i) => f(i))

/** `expected` followed by untouched elements, `n` in all. */
export function partly(n: number, expected: Float32Array | Uint32Array | Int32Array): Uint8Array {
  const all = unset(n)
  all.set(new Uint8Array(expected.buffer, expected.byteOffset, expected.byteLength))
  return all
}
