import { type Builder, bitcast, type Expr, fn, i32, u32, vec4i, vec4u } from '@weft/dsl'

/** Four bytes in a word, the first in the lowest bits. */

type U32 = Expr<'u32'>

/** The bytes of a word as unsigned integers. */
export const unsignedBytes = (word: U32): Expr<'vec4u'> =>
  vec4u(word)
    .shr(vec4u(0, 8, 16, 24))
    .bitAnd(vec4u(255))

/** The bytes of a word as signed integers: up to the sign bit of the lane, and back with copies of it. */
export const signedBytes = (word: U32): Expr<'vec4i'> =>
  vec4i(bitcast(i32, word))
    .shl(vec4u(24, 16, 8, 0))
    .shr(vec4u(24))

/** Every byte less z, as signed bytes: q - z for q and z in 0 … 15. No byte borrows from the next while its high bit is set. */
export const lessEach = (word: U32, z: U32): U32 => u32`((${word} | 0x80808080) - ${z} * 0x01010101) ^ 0x80808080`

/** The low nibbles of the bytes of a word, and the high ones. */
export const lowNibbles = (word: U32): U32 => word.bitAnd(0x0f0f_0f0f)
export const highNibbles = (word: U32): U32 => word.shr(4).bitAnd(0x0f0f_0f0f)

/** A word without its bytes from `left` on. */
export const lowBytes = (k: Builder, word: U32, left: U32): U32 =>
  word.bitAnd(k.let('mask', fn.select(u32(0xffff_ffff), u32`(1u << (min(${left}, 3) * 8)) - 1`, left.lt(4))))

/** The variants of a kernel that calls `dot4`. */
export const DOT_VARIANTS = { packed: ['packed-dot'], portable: [] } as const

/** Σ aᵢ bᵢ of four signed bytes each: by the instruction, or by lanes in the variant `portable`, where the language has none. */
export const dot4 = (k: Builder, a: U32, b: U32): Expr<'i32'> =>
  k.variant === 'portable' ? fn.dot(signedBytes(a), signedBytes(b)) : fn.dot4I8Packed(a, b)

/** The same of four bytes from 0 to 255 each. */
export const dot4Unsigned = (k: Builder, a: U32, b: U32): Expr<'i32'> =>
  i32(k.variant === 'portable' ? fn.dot(unsignedBytes(a), unsignedBytes(b)) : fn.dot4U8Packed(a, b))

/** Four integers as bytes of a word, by their lowest eight bits. */
export const packWord = (values: Expr<'vec4i'>): U32 => {
  const bytes = bitcast(vec4u, values)
    .bitAnd(vec4u(255))
    .shl(vec4u(0, 8, 16, 24))
  return bytes.at(0).bitOr(bytes.at(1)).bitOr(bytes.at(2)).bitOr(bytes.at(3))
}
