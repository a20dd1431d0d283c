import { type Builder, type Expr, fn, u32, vec4f } from '@weft/dsl'

/**
 * Small integers in a word as f32, without conversions of integers, which take four times as long as other steps.
 *
 * An f16 of exponent b has steps of 2⁻¹⁰⁺ᵇ: with an integer q of b bits as the highest bits of its fraction it is 2ᵇ + q. Two of them are
 * made in a word by a shift and a mask, and unpacked to f32 by one instruction. What comes of it is that much larger than q, which
 * costs nothing: it is subtracted with the zero point, from the sum.
 */

type U32 = Expr<'u32'>
type Quad = Expr<'vec4f'>

/** a[0], b[0], a[1], b[1] */
const interleaved = (a: Expr<'vec2f'>, b: Expr<'vec2f'>): Quad => vec4f(a.x, b.x, a.y, b.y)

/** The bits of 2ᵇ as f16, in both halves of a word, and where the fraction has its highest b bits. */
const base = (bits: number): number => (15 + bits) * 0x0400_0400
const field = (bits: number): number => ((1 << bits) - 1) * (1 << (10 - bits)) * 0x0001_0001

/** Integers of `bits` bits at bit `from` of both halves of a word. */
function pair(word: U32, bits: number, from: number): Expr<'vec2f'> {
  const left = 10 - bits - from
  const moved = left > 0 ? word.shl(left) : left < 0 ? word.shr(-left) : word
  return fn.unpack2x16float(u32`(${moved} & ${field(bits)}) | ${base(bits)}`)
}

/** What quads of integers of so many bits are too large by. */
export const excess = (bits: number): number => 2 ** bits

/** 16 + q of the low nibbles of the four bytes of a word, and of the high ones. */
export const nibbleQuads = (word: U32): readonly [Quad, Quad] => [
  interleaved(pair(word, 4, 0), pair(word, 4, 8)),
  interleaved(pair(word, 4, 4), pair(word, 4, 12)),
]

/** 2ᵇ + q of the four bytes of a word, which are below 2ᵇ, b = 5 … 8. */
export const byteQuad = (word: U32, bits: number): Quad => interleaved(pair(word, bits, 0), pair(word, bits, 8))

/** The same of signed bytes: 2⁸ + 128 + q. */
export const signedQuad = (k: Builder, word: U32): Quad => byteQuad(k.let('turned', word.bitXor(0x8080_8080)), 8)
export const SIGNED_EXCESS = 256 + 128
