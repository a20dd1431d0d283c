import { bitcast, type Expr, fn, u32 } from '@weft/dsl'

/**
 * A number whose order as u32 is that of the f32 values: −∞ < … < −0 = +0 < … < ∞ < NaN, all NaN equal. Of a negative value all
 * bits are turned over, of another the sign alone. By bits, so that no compiler may assume that there are no NaN.
 */
export function orderKey(x: Expr<'f32'>): Expr<'u32'> {
  const bits = bitcast(u32, x)
  const zero = fn.select(bits, u32(0), bits.eq(0x8000_0000))
  const turned = fn.select(zero.bitOr(0x8000_0000), zero.bitNot(), zero.ge(0x8000_0000))
  return fn.select(turned, u32(0xffff_ffff), bits.bitAnd(0x7fff_ffff).gt(0x7f80_0000))
}
