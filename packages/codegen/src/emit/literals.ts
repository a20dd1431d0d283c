import type { ScalarName } from '@weft/dsl/ir'

/**
 * Literals: exact, and with a suffix, so that no constant arithmetic happens in an abstract type. JavaScript's shortest
 * form of a double is a WGSL literal, and read back it gives the same f32: FLT_MAX is 3.4028234663852886e+38f, while the
 * shortest form of the f32 itself, 3.4028235e38f, is out of range for Tint.
 */
export function literal(scalar: ScalarName, x: number): string {
  switch (scalar) {
    case 'bool':
      return x ? 'true' : 'false'
    case 'u32':
      return `${x}u`
    case 'i32':
      return x === -2147483648 ? 'i32(-2147483648)' : `${x}i`
    case 'f32':
      return `${decimal(x)}f`
    case 'f16':
      return `${decimal(x)}h`
  }
}

function decimal(x: number): string {
  if (x === 0) return Object.is(x, -0) ? '-0.0' : '0.0'
  const text = String(x)
  return Number.isInteger(x) && !text.includes('e') ? `${text}.0` : text
}

/** Floats that no literal can spell: they are made of bits at run time, and each set of bits is one of these. */
export const SPECIAL = {
  inf: { name: 'inf_bits', bits: 0x7f800000 },
  negInf: { name: 'neg_inf_bits', bits: 0xff800000 },
  nan: { name: 'nan_bits', bits: 0x7fc00000 },
} as const

export type Special = keyof typeof SPECIAL

/** Which special value `x` is, or null for a finite number. */
export const specialOf = (x: number): Special | null =>
  Number.isFinite(x) ? null : Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : 'negInf'
