/** f16 on the host, by its bits: 1 of sign, 5 of exponent, 10 of fraction (IEEE 754 binary16). */

const float = new Float32Array(1)
const bitsOfFloat = new Uint32Array(float.buffer)

export function fromHalf(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return (bits & 0x8000 ? -1 : 1) * fraction * 2 ** -24
  if (exponent === 31) return fraction ? Number.NaN : bits & 0x8000 ? -Infinity : Infinity
  // f32 has the same fields, with a bias of 127 in place of 15 and 13 more bits of fraction
  bitsOfFloat[0] = ((bits & 0x8000) << 16) | ((exponent + 112) << 23) | (fraction << 13)
  return float[0] as number
}

/** The nearest f16, of two the one with an even fraction; ∞ from 65,520 on. */
export function toHalf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00
  float[0] = value
  const near = float[0] as number
  let bits = bitsOfFloat[0] as number
  const sign = (bits >>> 16) & 0x8000
  bits &= 0x7fff_ffff
  if (near !== value) {
    // cut off instead of rounded, and made odd: no longer the middle between two f16 unless it was exactly that
    if (Math.abs(near) > Math.abs(value)) bits--
    bits |= 1
  }
  if (bits >= INFINITE) return sign | 0x7c00
  if (bits < NORMAL) return sign | roundEven(Math.abs(value) * 2 ** 24)
  // half a step less the bit that is to become even; a carry out of the fraction goes into the exponent by itself
  return sign | ((bits - BIAS + 0xfff + ((bits >>> 13) & 1)) >>> 13)
}

/** Bits of f32: of 65,520, the middle between the greatest f16 and what would be the next, and of 2⁻¹⁴. */
const INFINITE = 0x477f_f000
const NORMAL = 0x3880_0000
/** What an exponent of f32 has more than that of the same f16. */
const BIAS = 112 << 23

/** The nearest integer, of two the even one. */
export function roundEven(x: number): number {
  const near = Math.round(x)
  return Math.abs(x % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near
}
