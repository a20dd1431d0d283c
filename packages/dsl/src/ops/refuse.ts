import type { Refuse } from './row'

/**
 * Arguments for which a constant expression is an error in WGSL. Each takes the lanes of the arguments; a lane that
 * is not constant is NaN, with which no comparison holds.
 */

const when = (test: (...lanes: number[]) => boolean, says: string): Refuse => (...lanes) => (test(...lanes) ? says : null)

export const MAX_F16 = 65504
export const MAX_F32 = 3.4028234663852886e38
const I32_MIN = -(2 ** 31)

export const zeroDivisor = when((_, y) => y === 0, 'the divisor is 0')
/** A float remainder is computed as `x - y * trunc(x / y)`, whose steps must not overflow. */
export const remainder: Refuse = (x = 0, y = 0) =>
  zeroDivisor(x, y) ?? (Math.abs(Math.fround(y * Math.trunc(Math.fround(x / y)))) <= MAX_F32 ? null : 'the quotient exceeds the range of f32')
const overflow = when((x, y) => x === I32_MIN && y === -1, 'the quotient exceeds the greatest i32')
export const divisor = { i32: ((x = 0, y = 0) => zeroDivisor(x, y) ?? overflow(x, y)) as Refuse, u32: zeroDivisor }
export const shiftAmount = when((_, amount = 0) => amount >= 32, 'the shift amount is 32 or more')
export const lowAboveHigh = when((_, low = 0, high = 0) => low > high, 'the lower bound exceeds the upper')
export const negative = when((x = 0) => x < 0, 'the argument is negative')
export const notPositive = when((x = 0) => x <= 0, 'the argument is not positive')
export const beyondOne = when((x = 0) => Math.abs(x) > 1, 'the argument is outside −1…1')
export const oneOrBeyond = when((x = 0) => Math.abs(x) >= 1, 'the argument is not between −1 and 1')
export const belowOne = when((x = 0) => x < 1, 'the argument is less than 1')
export const powDomain = when((x = 0, y = 0) => x < 0 || (x === 0 && y <= 0), 'the base is negative, or 0 with an exponent that is not positive')
export const equalEdges = when((low, high) => low === high, 'both edges are equal')
export const bitRange = when((_, offset = 0, count = 0) => offset + count > 32, 'offset + count exceeds 32')
export const ldexpRange = {
  f32: when((_, e = 0) => e > 128, 'the exponent exceeds 128'),
  f16: when((_, e = 0) => e > 16, 'the exponent exceeds 16'),
}
export const f16Range = when((...lanes) => lanes.some((x) => Math.abs(x) > MAX_F16), 'a value is beyond the range of f16')
