/** Rounding to WGSL's float types, and the bits of floats. */

const f32 = new Float32Array(1)
const u32 = new Uint32Array(f32.buffer)

export const f32Bits = (x: number): number => {
  f32[0] = x
  return u32[0] as number
}

export const f32FromBits = (bits: number): number => {
  u32[0] = bits
  return f32[0] as number
}

/** Rounds to binary16, to nearest even; overflow gives ±∞, subnormals are kept. */
export function roundF16(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x
  const magnitude = Math.abs(x)
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14)
  // log2 may be off by one next to a power of two: one correction in either direction settles it.
  const e =
    2 ** exponent > magnitude && exponent > -14
      ? exponent - 1
      : 2 ** (exponent + 1) <= magnitude
        ? exponent + 1
        : exponent
  const quantum = 2 ** (e - 10)
  const rounded = roundEven(magnitude / quantum) * quantum
  return Math.sign(x) * (rounded > 65504 ? Infinity : rounded)
}

/** The nearest integer, ties to even, with the sign of zero kept: `round` in WGSL. */
export function roundEven(x: number): number {
  if (!Number.isFinite(x) || Math.abs(x) >= 2 ** 52) return x
  const low = Math.floor(x)
  const diff = x - low
  const result = diff < 0.5 ? low : diff > 0.5 ? low + 1 : low % 2 === 0 ? low : low + 1
  return result === 0 && (x < 0 || Object.is(x, -0)) ? -0 : result
}

/** The 16 bits of a value that is exactly representable in binary16 (round first). */
export function f16Bits(x: number): number {
  if (Number.isNaN(x)) return 0x7e00
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0
  const magnitude = Math.abs(x)
  if (magnitude === Infinity) return sign | 0x7c00
  if (magnitude < 2 ** -14) return sign | (magnitude / 2 ** -24)
  const exponent = (f32Bits(magnitude) >>> 23) - 127
  return sign | ((exponent + 15) << 10) | ((magnitude / 2 ** exponent - 1) * 1024)
}

export function f16FromBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >>> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
