import { type Builder, bitcast, type Expr, each, f32, fn, u32, vec4f, vec4u } from '@weft/dsl'
import { dot4 } from './packed'

/**
 * Values of x as integers of 23 bits with one scale, in three signed bytes each, so that products with small integers are what
 * `dot4I8Packed` adds up, four at a time, and exact.
 *
 *   v = round(x / step),   step = 2^(e − 21) where 2^e ≤ max |x| < 2^(e + 1),   v = 2^16 d₀ + 2^8 d₁ + d₂,   d in −128 … 127
 *
 * An error of at most step / 2 = 2⁻²² · 2^e: 2⁻²² of the largest value, which is what f32 has of one. A value that is not finite makes
 * all of them NaN.
 */

type U32 = Expr<'u32'>
type I32 = Expr<'i32'>
type Quad = Expr<'vec4f'>

/** The digits of v, the highest first. */
const DIGITS = 3
/** |v| is at most 2 to that. */
const BITS = 22
const BIAS = 127
/** 1.5 · 2²³: what is added to it is rounded to an integer, which its lowest bits then count, from those of the number itself on. */
const ROUNDER = 12_582_912
const ROUNDER_BITS = 0x4b40_0000
/** 128 for each digit, so that digits are bytes from 0 on, until their highest bits are turned. */
const UNSIGNED = 0x0080_8080
const TURN = 0x8080_8080
/** Of the largest value, with its bias: from there on the step is a normal number. */
const LEAST_EXPONENT = BITS

export interface Limbs {
  /** For each digit a word of four bytes for each quad. */
  readonly words: readonly (readonly U32[])[]
  readonly step: Expr<'f32'>
  /** Σ v, of at most 32 values. */
  readonly sum: I32
}

/** At most eight quads. Say in `kept` whether they count: if not, they are products of 0. */
export function limbsOf(k: Builder, quads: readonly Quad[], kept: Expr<'bool'>): Limbs {
  const exponents = quads.map((quad) => bitcast(vec4u, quad).bitAnd(vec4u(0x7f80_0000)))
  const tops = k.let(
    'tops',
    exponents.reduce((a, b) => fn.max(a, b)),
  )
  const top = k.let('top', fn.max(fn.max(tops.x, tops.y), fn.max(tops.z, tops.w)).shr(23))
  const exponent = k.let('exponent', fn.max(top, u32(LEAST_EXPONENT)))
  const inverse = k.let('inverse', bitcast(f32, u32`(${2 * BIAS + BITS - 1} - ${exponent}) << 23`))
  const finite = u32`(${exponent} - ${BITS - 1}) << 23`
  const stepBits = fn.select(finite, u32(0x7fc0_0000), top.eq(255))
  const step = k.let('step', bitcast(f32, fn.select(u32(0), stepBits, kept)))
  const bytes = quads.map((quad) => {
    const rounded = fn.fma(quad, vec4f(inverse), vec4f(ROUNDER))
    return k.let('bytes', bitcast(vec4u, rounded).sub(vec4u(ROUNDER_BITS - UNSIGNED)))
  })
  const words = each(DIGITS).map((digit) => bytes.map((of) => k.let('limb', digitWord(of, DIGITS - 1 - digit))))
  const sum = joined(words.map((of) => added(of.map((word) => dot4(k, word, u32(0x0101_0101))))))
  return { words, step, sum: k.let('sum', sum) }
}

/** Byte `from` of each of four words, in a word, with their highest bits turned. */
function digitWord(of: Expr<'vec4u'>, from: number): U32 {
  const moved = [of.x, of.y, of.z, of.w].map((word, to) => {
    const left = 8 * (to - from)
    const place = left > 0 ? word.shl(left) : left < 0 ? word.shr(-left) : word
    return place.bitAnd((0xff << (8 * to)) >>> 0)
  })
  return moved.reduce((a, b) => a.bitOr(b)).bitXor(TURN)
}

const added = (terms: readonly I32[]): I32 => terms.reduce((a, b) => a.add(b))

/** Digits, or sums of their products, as one number. */
const joined = (digits: readonly I32[]): I32 =>
  added(digits.map((digit, i) => (i === DIGITS - 1 ? digit : digit.shl(8 * (DIGITS - 1 - i)))))

/**
 * Σ (q − zero) v over 32 values, where `quarters` are bytes of four q from 0 to 15 each: below 2³¹, as are 32 · 15 · 2²² and so the
 * difference, whatever wraps on the way to it.
 */
export function limbSum(k: Builder, quarters: readonly U32[], { words, sum }: Limbs, zero: I32): I32 {
  const products = words.map((limbs) => added(quarters.map((q, i) => dot4(k, q, limbs[i] as U32))))
  return joined(products).sub(zero.mul(sum))
}
