const f32 = new Float32Array(1)
const bits32 = new Uint32Array(f32.buffer)

/** From 2^52 on a double has no fraction, so the sum is rounded to a whole number, ties to even. */
const roundEven = (x: number): number => x + 2 ** 52 - 2 ** 52

/** The bits of the binary16 number nearest to `x`, ties to even; what is too large gives ±∞. */
export function toHalf(x: number): number {
  if (Number.isNaN(x)) return 0x7e00
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0
  const size = Math.abs(x)
  // a double below 2^-14 counts in steps of 2^-24; a carry out of the fraction is the next exponent, as it should be
  if (size < 2 ** -14) return sign | roundEven(size * 2 ** 24)
  if (size >= 65520) return sign | 0x7c00
  f32[0] = size
  let exponent = ((bits32[0] as number) >>> 23) - 127
  if (2 ** exponent > size) exponent-- // rounding to f32 may have crossed a power of two
  return sign | (((exponent + 14) << 10) + roundEven(size * 2 ** (10 - exponent)))
}

export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >>> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}
