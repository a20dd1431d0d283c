import type { PureName } from '../../ops'

/** The greatest u32: that of a value which something limits, where only the run tells how much. */
export const LIMITED = 2 ** 32 - 1

/** `n`: the second argument, where it is a constant; else NaN. */
type Rule = (x: number, y: number, z: number, n: number) => number

/**
 * The greatest value of an op by those of its arguments. NaN, and what has no rule: limited where all arguments are.
 * What a rule is limited by is enough: `min(x, 3)` is, whatever `x` is.
 */
export const RULES: { readonly [K in PureName | 'product']?: Rule } = {
  add: (x, y) => x + y,
  mul: (x, y) => x * y,
  div: (x, _y, _z, n) => Math.floor(x / (n > 0 ? n : 1)),
  rem: (x, y) => Math.min(x, y - 1),
  min: (x, y) => Math.min(x, y),
  max: (x, y) => Math.max(x, y),
  clamp: (x, y, z) => Math.min(Math.max(x, y), z),
  select: (x, y) => Math.max(x, y),
  bitAnd: (x, y) => Math.min(x, y),
  bitOr: (x, y) => 2 ** Math.ceil(Math.log2(Math.max(x, y) + 1)) - 1,
  bitXor: (x, y) => 2 ** Math.ceil(Math.log2(Math.max(x, y) + 1)) - 1,
  shl: (x, _y, _z, n) => x * 2 ** n,
  shr: (x, _y, _z, n) => Math.floor(x / 2 ** (n || 0)),
  countLeadingZeros: () => 32,
  countOneBits: () => 32,
  countTrailingZeros: () => 32,
  saturate: () => 1,
  step: () => 1,
  unpack4xU8: () => 255,
  // At least −1 or −128, which are great as u32.
  sign: () => LIMITED,
  unpack4xI8: () => LIMITED,
}
