import { bitcast, d, type Expr, f32, fn, func, u32, vec2u } from '@weft/dsl'
import { HALF_BITS, POWER, WEIGHT_SHIFT } from './plan'

/**
 * Probabilities as integers, which are the same on every device and may be added in any order: weights of 28 bits, and sums of them
 * as (high, low) = high · 2¹⁴ + low. Sums of the halves fit into u32 each for up to 2¹⁸ weights; `carried` makes low < 2¹⁴ again.
 */
export interface Mass {
  readonly high: Expr<'u32'>
  readonly low: Expr<'u32'>
}

const LOW = 2 ** HALF_BITS - 1

export const halves = (weight: Expr<'u32'>): Mass => ({ high: weight.shr(HALF_BITS), low: weight.bitAnd(LOW) })

export const carried = ({ high, low }: Mass): Mass => ({ high: high.add(low.shr(HALF_BITS)), low: low.bitAnd(LOW) })

/** a > b, of two that are carried. */
export const beyond = (a: Mass, b: Mass): Expr<'bool'> => a.high.gt(b.high).or(a.high.eq(b.high).and(a.low.gt(b.low)))

/** ⌊(high · 2¹⁴ + low) · part / 2³²⌋: products of 16 × 16 bits, as there is no wider one. */
const shareOf = func('share(high, low, part)', [d.u32, d.u32, d.u32], (high, low, part, k) => {
  const half = (x: Expr<'u32'>) => [x.shr(16), x.bitAnd(0xffff)] as const
  const [high1, high0] = half(high)
  const [part1, part0] = half(part)
  // high · part, of 64 bits, and low · part / 2¹⁴, of 32
  const middle = k.let('middle', u32`${high1} * ${part0} + ((${high0} * ${part0}) >> 16)`)
  const other = k.let('other', u32`${high0} * ${part1} + (${middle} & 0xffff)`)
  const top = k.let('top', u32`${high1} * ${part1} + (${middle} >> 16) + (${other} >> 16)`)
  const small = k.let('small', u32`${low} * ${part1} * 4 + ((${low} * ${part0}) >> ${HALF_BITS})`)
  const bottom = k.let('bottom', u32`${high} * ${part} + ${small}`)
  // what overflows is less than what was added
  const carry = fn.select(u32(0), u32(1), bottom.lt(small))
  return vec2u(top.add(carry), bottom.shr(32 - HALF_BITS))
})

/** A part of a mass, in 2⁻³² of it, rounded down: less than the mass. */
export function share({ high, low }: Mass, part: Expr<'u32'>): Mass {
  const result = shareOf(high, low, part)
  return { high: result.x, low: result.y }
}

/** The weight of a logit whose distance from the greatest is so many 2⁻¹⁶ of a halving: 2^(28 − distance / 2¹⁶), within 2⁻¹⁴ of it. */
export const weightAt = func('weight(distance)', [d.u32], (distance, k) => {
  const t = k.let('t', distance.bitAnd(0xffff))
  const [c1, c2, c3, c4] = POWER
  const inner = u32`${c2} - ((${t} * (${c3} - ((${t} * ${c4}) >> 16))) >> 16)`
  const mantissa = k.let('mantissa', u32`65535 - ((${t} * (${c1} - ((${t} * (${inner})) >> 16))) >> 16)`)
  return u32`(${mantissa} << ${WEIGHT_SHIFT}) >> min(${distance} >> 16, 31u)`
})

/** The number that has an order key. */
export function valueOfKey(key: Expr<'u32'>): Expr<'f32'> {
  return bitcast(f32, fn.select(key.bitNot(), key.bitAnd(0x7fff_ffff), key.ge(0x8000_0000)))
}
