import { type Builder, type Expr, f32, fn, i32, u32 } from '@weft/dsl'

/**
 * Quotients, products and roundings of f32 by integers. WGSL lets a quotient be off by 2.5 ULP, a product go to either neighbour and an
 * expression be fused; what is to be the same bits on every device is computed here: to nearest, of two the even one.
 */

type U32 = Expr<'u32'>

/** A number above 0: mantissa · 2^(exponent − 150), the mantissa of 24 bits. */
export interface Float {
  readonly mantissa: U32
  readonly exponent: U32
}

/** The size of an f32, by its bits; the mantissa is 0 for a number below 2⁻¹²⁶. */
export function floatOf(k: Builder, bits: U32): Float {
  const exponent = k.let('exponent', bits.shr(23).bitAnd(255))
  const mantissa = k.let('mantissa', fn.select(u32(0), u32`(${bits} & 0x7fffff) | 0x800000`, exponent.ne(0)))
  return { mantissa, exponent }
}

/** x / 127. The dividend has 30 or 31 bits, as the quotient has 24; there is no tie, since 127 is odd. */
export function by127(k: Builder, { mantissa, exponent }: Float): Float {
  const small = k.let('small', mantissa.lt(127 * 2 ** 17))
  const dividend = k.let('dividend', mantissa.shl(fn.select(u32(6), u32(7), small)))
  const floor = k.let('floor', dividend.div(127))
  const up = fn.select(u32(0), u32(1), u32`${dividend} - ${floor} * 127`.gt(63))
  return { mantissa: k.let('quotient', floor.add(up)), exponent: exponent.sub(fn.select(u32(6), u32(7), small)) }
}

/**
 * 1 / x. The quotient 2⁴⁷ / mantissa is first that of f32, some units off. Its remainder then says how far: it fits into an i32, though
 * the product does not. There is no tie but for powers of two, which are exact.
 */
export function reciprocal(k: Builder, { mantissa, exponent }: Float): Float {
  const near = k.let('near', u32(fn.round(f32(2 ** 47).div(f32(mantissa)))))
  const rest = k.let('rest', i32(u32(0).sub(near.mul(mantissa))))
  const units = k.let('units', i32(fn.round(f32(rest).div(f32(mantissa)))))
  const own = k.let('own', i32(mantissa))
  const left = k.let('left', rest.sub(units.mul(own)))
  // the units themselves are rounded, where the rest is next to half of one
  const more = fn.select(i32(0), i32(1), left.mul(2).gt(own)).sub(fn.select(i32(0), i32(1), left.mul(-2).gt(own)))
  const exact = k.let('exact', near.add(u32(units.add(more))))
  const whole = k.let('whole', exact.shr(24))
  return { mantissa: exact.shr(whole), exponent: u32(253).sub(exponent).add(whole) }
}

/** The product of two mantissas: high · 2²⁴ + low. */
export interface Product {
  readonly high: U32
  readonly low: U32
}

export function product(k: Builder, a: U32, b: U32): Product {
  const half = (of: U32) => [of.shr(12), of.bitAnd(0xfff)] as const
  const [[a1, a0], [b1, b0]] = [half(a), half(b)]
  const middle = k.let('middle', u32`${a1} * ${b0} + ${a0} * ${b1}`)
  const low = k.let('low', u32`((${middle} & 0xfff) << 12) + ${a0} * ${b0}`)
  return { high: k.let('high', u32`${a1} * ${b1} + (${middle} >> 12) + (${low} >> 24)`), low: low.bitAnd(0xff_ffff) }
}

/** The bits of an f16 without a sign: ∞ from 65,520 on. */
export function halfBits(k: Builder, { mantissa, exponent }: Float): U32 {
  // 11 bits of the mantissa stay, fewer of a subnormal number; its leading one carries into the exponent by itself
  const shift = k.let('shift', u32`min(13 + 113 - min(${exponent}, 113), 25)`)
  const { kept, rest } = k.let({ kept: mantissa.shr(shift), rest: u32`${mantissa} & ((1u << ${shift}) - 1)` })
  const half = k.let('half', u32(1).shl(shift.sub(1)))
  const up = fn.select(u32(0), u32(1), rest.gt(half).or(rest.eq(half).and(kept.bitAnd(1).eq(1))))
  return k.let('bits', u32`min(((max(${exponent}, 113) - 113) << 10) + ${kept} + ${up}, 0x7c00)`)
}
