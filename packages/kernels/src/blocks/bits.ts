import { type Builder, type Expr, f32, fn, u32 } from '@weft/dsl'
import { highNibbles, lowNibbles } from '../quant/packed'

/** Quants and scales of llama.cpp's blocks from the words that they are in: see layout.ts for where the bits are. */

type U32 = Expr<'u32'>

/** The i-th of the words that begin two bytes behind these. */
export const behindTwo = (words: readonly U32[], i: number): U32 =>
  u32`(${words[i] as U32} >> 16) | (${words[i + 1] as U32} << 16)`

/** Four bits of a word, from place j on, each as bit 4 of a byte: three copies, 7 bits apart, put them there. */
const fifthBits = (bits: U32, j: number): U32 => u32`((((${bits} >> ${j}) & 15) * 0x204081) & 0x01010101) << 4`

/** Bytes of five bits: the low nibbles of four words and then the high ones, with their fifth bits in a word of its own. */
export const fiveBits = (bits: U32, words: readonly U32[]): readonly U32[] => [
  ...words.map((word, i) => lowNibbles(word).bitOr(fifthBits(bits, 4 * i))),
  ...words.map((word, i) => highNibbles(word).bitOr(fifthBits(bits, 16 + 4 * i))),
]

/** Bytes of six bits: of the low nibbles with bits 0 and 1 of each byte of `bits`, and of the high ones with bits 4 and 5. */
export const sixBits = (words: readonly U32[], bits: readonly U32[]): readonly [readonly U32[], readonly U32[]] => [
  words.map((word, e) => u32`${lowNibbles(word)} | ((${bits[e] as U32} << 4) & 0x30303030)`),
  words.map((word, e) => u32`${highNibbles(word)} | (${bits[e] as U32} & 0x30303030)`),
]

/** Six bits of scale and of minimum for two neighbours of the eight groups, the pair-th, in the low bytes: see `putScales` of pack.ts. */
function scalesOf(k: Builder, head: Expr<'vec4u'>, pair: U32): { readonly scale: U32; readonly min: U32 } {
  const shift = k.let('shift', u32`${pair} % 2 * 16`)
  const { y, z, w } = k.let({ y: head.y.shr(shift), z: head.z.shr(shift), w: head.w.shr(shift) })
  const late = pair.ge(2)
  return {
    scale: fn.select(y.bitAnd(0x3f3f), u32`(${w} & 0x0f0f) | ((${y} >> 2) & 0x3030)`, late),
    min: fn.select(z.bitAnd(0x3f3f), u32`((${w} >> 4) & 0x0f0f) | ((${z} >> 2) & 0x3030)`, late),
  }
}

/** Of the first 16 bytes of a block of 256 what the weights of two neighbouring groups of 32 are: scale · q - least. */
export function pairOfGroups(k: Builder, head: Expr<'vec4u'>, pair: U32) {
  const { scale, min } = k.let(scalesOf(k, head, pair))
  const both = k.let('both', fn.unpack2x16float(head.x))
  const byte = (word: U32, which: 0 | 1) => f32(word.shr(8 * which).bitAnd(255))
  return (which: 0 | 1) => ({ scale: both.x.mul(byte(scale, which)), least: both.y.mul(byte(min, which)) })
}
