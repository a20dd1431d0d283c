import { roundF16, type ScalarName } from '@weft/dsl/ir'

/**
 * Literals: exact, and with a suffix, so that no constant arithmetic happens in an abstract type. Floats are written with
 * as few digits as give the same value, however a compiler rounds them: once, or first to a double. FLT_MAX is
 * 3.4028234663852886e+38f, since Tint finds the shorter 3.4028235e38f out of range.
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
      return `${decimal(x, Math.fround, 9, 3.4028234663852886e38)}f`
    case 'f16':
      return `${decimal(x, roundF16, 5, 65504)}h`
  }
}

function decimal(x: number, round: (n: number) => number, digits: number, greatest: number): string {
  if (x === 0) return Object.is(x, -0) ? '-0.0' : '0.0'
  const text = String(Number.isInteger(x) && Math.abs(x) < 2 ** 24 ? x : shortest(x, round, digits, greatest))
  return /[.e]/.test(text) ? text.replace('e+', 'e') : `${text}.0`
}

/** The double with the fewest digits that rounds to `x`, and so clearly that it cannot be taken for a tie. */
function shortest(x: number, round: (n: number) => number, digits: number, greatest: number): number {
  for (let n = 1; n <= digits; n++) {
    const near = Number(x.toPrecision(n))
    if (round(near) !== x || Math.abs(near) > greatest) continue
    const slack = (near - x) * 2 ** -20
    if (round(near + slack) === x) return near
  }
  return x
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
