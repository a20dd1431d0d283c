import { f16FromBits } from '@weft/dsl/ir'

/** Conversions of f16 without loops or logarithms; the tests compare them with the plain ones of the DSL. */

/** Every f16 by its bits. */
export const HALVES = Float32Array.from({ length: 65536 }, (_, bits) => f16FromBits(bits))

const double = new Float64Array(1)
const doubleWords = new Uint32Array(double.buffer)
const single = new Float32Array(1)
const singleWord = new Uint32Array(single.buffer)

/**
 * By the exponent of a double: 1.5 · 2^(e + 42). Adding and subtracting it leaves the bits of x from 2^(e − 10) on,
 * rounded to nearest even by the hardware. Below 2^-14 the quantum is that of the subnormals; above the range it is
 * 0, which leaves x alone for the test of overflow.
 */
const MAGIC = Float64Array.from({ length: 2048 }, (_, biased) => {
  const exponent = Math.max(biased - 1023, -14)
  return exponent > 15 ? 0 : 1.5 * 2 ** (exponent + 42)
})

/** Rounds to binary16, to nearest even. */
export function roundHalf(x: number): number {
  double[0] = x
  const magic = MAGIC[((doubleWords[1] as number) >>> 20) & 2047] as number
  const rounded = x + magic - magic
  if (rounded === 0) return x * 0
  return rounded > 65504 ? Infinity : rounded < -65504 ? -Infinity : rounded
}

/** The bits of a value that is an f16. */
export function halfBits(x: number): number {
  single[0] = x
  const bits = singleWord[0] as number
  const magnitude = bits & 0x7fffffff
  const sign = (bits >>> 16) & 0x8000
  if (magnitude < 0x38800000) return sign | (Math.abs(x) * 16777216)
  if (magnitude >= 0x7f800000) return magnitude === 0x7f800000 ? sign | 0x7c00 : 0x7e00
  return sign | ((magnitude - 0x38000000) >>> 13)
}
