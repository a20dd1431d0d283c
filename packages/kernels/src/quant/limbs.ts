import { type Builder, bitcast, type Expr, f32, fn, i32, u32, vec4f, vec4i, vec4u } from '@weft/dsl'
import { dot4, dot4Unsigned } from './packed'

/**
 * Values of x as integers of 23 bits with one scale, in three bytes each, so that products with small integers are what `dot4I8Packed` and
 * `dot4U8Packed` add up, four at a time, and exact.
 *
 *   v = round(x / step),   step = 2^(e − 21) where 2^e ≤ max |x| < 2^(e + 1),   v = 2^16 d₀ + 2^8 d₁ + d₂
 *
 * The first digit is signed. The others are signed as well for weights that are, and go from 0 to 255 for those that are not: then they are
 * the bytes of v as they are.
 *
 * An error of at most step / 2 = 2⁻²² · 2^e: 2⁻²² of the largest value, which is what f32 has of one. A value that is not finite makes
 * all of them NaN.
 */

type U32 = Expr<'u32'>
type I32 = Expr<'i32'>
type F32 = Expr<'f32'>
type Quad = Expr<'vec4f'>

/** |v| is at most 2 to that. */
const BITS = 22
const BIAS = 127
/** 1.5 · 2²³: what is added to it is rounded to an integer, which its lowest bits then count, from those of the number itself on. */
const ROUNDER = 12_582_912
const ROUNDER_BITS = 0x4b40_0000
/** 128 for each digit, so that signed digits are bytes from 0 on, until their highest bits are turned. */
const CENTRE = 0x0080_8080
const TURN = 0x8080_8080
/** Of the largest value, with its bias: from there on the step is a normal number. */
const LEAST_EXPONENT = BITS

export interface Limbs {
  readonly signed: boolean
  /** Of each quad the words of its digits, the highest first. */
  readonly words: readonly (readonly U32[])[]
  readonly step: F32
  /** The integers, each larger by `centre`. */
  readonly values: readonly Expr<'vec4i'>[]
}

/** At most eight quads. Say in `kept` whether they count: if not, they are products of 0. */
export function limbsOf(k: Builder, quads: readonly Quad[], kept: Expr<'bool'>, signed: boolean): Limbs {
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
    return k.let('bytes', bitcast(vec4u, rounded).sub(vec4u(ROUNDER_BITS - (signed ? CENTRE : 0))))
  })
  const words = bytes.map((of) => digitWords(k, of).map((word) => k.let('limb', signed ? word.bitXor(TURN) : word)))
  return { signed, words, step, values: bytes.map((of) => bitcast(vec4i, of)) }
}

/** Of four words the bytes 2, the bytes 1 and the bytes 0, in a word each. */
function digitWords(k: Builder, { x, y, z, w }: Expr<'vec4u'>): readonly U32[] {
  const outer = (a: U32, b: U32) => k.let('outer', u32`(${a} & 0x00ff00ff) | ((${b} << 8) & 0xff00ff00)`)
  const inner = (a: U32, b: U32) => u32`((${a} >> 8) & 0xff) | (${b} & 0xff00)`
  const [first, second] = [outer(x, y), outer(z, w)]
  return [
    u32`(${first} >> 16) | (${second} & 0xffff0000)`,
    u32`(${inner(x, y)}) | ((${inner(z, w)}) << 16)`,
    u32`(${first} & 0xffff) | (${second} << 16)`,
  ]
}

const added = (terms: readonly I32[]): I32 => terms.reduce((a, b) => a.add(b))

/** Σ v of some quads. */
export function valueSum(k: Builder, { values, signed }: Limbs, from: number, to: number): I32 {
  const four = k.let(
    'four',
    values.slice(from, to).reduce((a, b) => a.add(b)),
  )
  const sum = four.x.add(four.y).add(four.z.add(four.w))
  return k.let('sum', signed ? sum.sub(i32(4 * (to - from) * CENTRE)) : sum)
}

/** Σ q d for each digit, the highest first: `bytes` are words of four q, multiplied by the quads from `from` on. */
function digitSums(k: Builder, bytes: readonly U32[], { words, signed }: Limbs, from: number): readonly I32[] {
  const dot = (digit: number) => (signed || digit === 0 ? dot4 : dot4Unsigned)
  return [0, 1, 2].map((digit) => added(bytes.map((q, i) => dot(digit)(k, q, words[from + i]?.[digit] as U32))))
}

/** Σ (q − zero) v, where all of that stays below 2³¹: whatever wraps on the way to it. */
export function exactSum(k: Builder, bytes: readonly U32[], limbs: Limbs, from: number, less?: I32): I32 {
  const [high, middle, low] = digitSums(k, bytes, limbs, from) as [I32, I32, I32]
  const sum = high.shl(16).add(middle.shl(8)).add(low)
  return less ? sum.sub(less) : sum
}

/** The same where it may be more: sums of digits, which are exact, joined as f32. */
export function roundedSum(k: Builder, bytes: readonly U32[], limbs: Limbs, from: number, less?: I32): F32 {
  const [high, middle, low] = digitSums(k, bytes, limbs, from).map((sum) => f32(sum)) as [F32, F32, F32]
  const sum = fn.fma(high, 65_536, fn.fma(middle, 256, low))
  return less ? sum.sub(f32(less)) : sum
}
