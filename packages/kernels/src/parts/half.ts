/** f16 on the host, by its bits: 1 of sign, 5 of exponent, 10 of fraction (IEEE 754 binary16). */

export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}

/** The nearest f16, of two the one with an even fraction; ∞ from 65,520 on. */
export function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const size = Math.abs(value)
  if (Number.isNaN(size)) return 0x7e00
  if (size >= 65_520) return sign | 0x7c00
  // the step between f16 values of this size: that of subnormals below 2⁻¹⁴
  const exponent = Math.max(Math.floor(Math.log2(size || 1e-30)), -14)
  const steps = roundEven(size * 2 ** (10 - exponent))
  // a carry out of the fraction goes into the exponent by itself
  return sign | (steps < 1024 ? steps : ((exponent + 14) << 10) + steps)
}

/** The nearest integer, of two the even one. */
export function roundEven(x: number): number {
  const near = Math.round(x)
  return Math.abs(x % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near
}
