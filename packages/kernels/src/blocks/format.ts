import { type Builder, type Expr, f32, fn, u32, vec4f } from '@weft/dsl'
import type { WeightFormat } from '../quant/format'
import { signedBytes, unsignedBytes } from '../quant/packed'
import { BLOCKS, type BlockName } from './layout'
import { declared, seen } from './view'

/**
 * The block formats of llama.cpp as weights: W: [n, k], k a whole number of blocks, rows one after another from byte `offset` on. Blocks have 18 to
 * 210 bytes, so they begin at any multiple of 2: a word may come from two. See layout.ts for where the bits are.
 */

type U32 = Expr<'u32'>

/** Bytes of the buffer by their address, which is a multiple of 2. */
class Bytes {
  constructor(
    private readonly k: Builder,
    private readonly w: { at(i: U32): U32 },
  ) {}

  byte(at: U32): U32 {
    return u32`(${this.w.at(at.div(4))} >> (${at} % 4 * 8)) & 255`
  }

  /** An f16. Scales are finite, which is all that `unpack2x16float` is sure of. */
  half(at: U32): Expr<'f32'> {
    return fn.unpack2x16float(u32`(${this.w.at(at.div(4))} >> (${at} % 4 * 8)) & 0xffff`).at(0)
  }

  /** Four bytes. */
  word(at: U32): U32 {
    const index = this.k.let('index', at.div(4))
    return this.k.when(
      at.rem(4).eq(0),
      () => this.w.at(index),
      () => u32`(${this.w.at(index)} >> 16) | (${this.w.at(index.add(1))} << 16)`,
    )
  }
}

/** Four weights of a block at byte `at`, from place j on, a multiple of 4. */
type Decode = (k: Builder, bytes: Bytes, at: U32, j: U32) => Expr<'vec4f'>

const scaled = (q: Expr<'vec4u'>, less: number, scale: Expr<'f32'>): Expr<'vec4f'> => vec4f(q).sub(less).mul(scale)

/** The nibbles of four bytes: the low ones for the first half of the places, the high ones for the second. */
const halfNibbles = (bytes: Bytes, from: U32, j: U32, half: number): U32 =>
  u32`(${bytes.word(from.add(j.rem(half)))} >> (${j} / ${half} * 4)) & 0x0f0f0f0f`

/** Four bits of a word, from place j on, each as the bit 4 of a byte. */
const fifthBits = (k: Builder, bits: U32): U32 => {
  const four = k.let('four', bits)
  return u32`((${four} & 1) << 4) | ((${four} & 2) << 11) | ((${four} & 4) << 18) | ((${four} & 8) << 25)`
}

/** Scale and minimum of the 32 places around j in a block of 256: 6 bits each, in 12 bytes. */
function scaleAndMin(k: Builder, bytes: Bytes, at: U32, sub: U32): { readonly scale: U32; readonly min: U32 } {
  const { scale, min } = k.var({ scale: u32(0), min: u32(0) })
  k.if(sub.lt(4), () => {
    scale.set(bytes.byte(at.add(sub)).bitAnd(63))
    min.set(bytes.byte(u32`${at} + ${sub} + 4`).bitAnd(63))
  }).else(() => {
    const low = k.let('low', bytes.byte(u32`${at} + ${sub} + 4`))
    scale.set(u32`(${low} & 15) | ((${bytes.byte(u32`${at} + ${sub} - 4`)} >> 6) << 4)`)
    min.set(u32`(${low} >> 4) | ((${bytes.byte(at.add(sub))} >> 6) << 4)`)
  })
  return { scale, min }
}

/** d · scale · q - dmin · min, of a block whose 12 bytes of scales are at byte 4. */
function kQuad(k: Builder, bytes: Bytes, at: U32, j: U32, q: U32): Expr<'vec4f'> {
  const { scale, min } = scaleAndMin(k, bytes, at.add(4), k.let('sub', j.div(32)))
  const step = k.let('step', bytes.half(at).mul(f32(scale)))
  const least = k.let('least', bytes.half(at.add(2)).mul(f32(min)))
  return vec4f(unsignedBytes(k.let('quants', q)))
    .mul(step)
    .sub(least)
}

/** In blocks of 256, 32 bytes have the nibbles of 64 places: the low ones of the first 32, the high ones of the others. */
const kNibbles = (bytes: Bytes, from: U32, j: U32): U32 =>
  u32`(${bytes.word(u32`${from} + ${j} / 64 * 32 + ${j} % 32`)} >> (${j} / 32 % 2 * 4)) & 0x0f0f0f0f`

const DECODE: Readonly<Record<BlockName, Decode>> = {
  q4_0: (k, bytes, at, j) =>
    scaled(unsignedBytes(k.let('quants', halfNibbles(bytes, at.add(2), j, 16))), 8, bytes.half(at)),
  q5_0: (k, bytes, at, j) => {
    const high = fifthBits(k, bytes.word(at.add(2)).shr(j))
    const q = k.let('quants', halfNibbles(bytes, at.add(6), j, 16).bitOr(high))
    return scaled(unsignedBytes(q), 16, bytes.half(at))
  },
  q8_0: (k, bytes, at, j) => vec4f(signedBytes(k.let('quants', bytes.word(u32`${at} + 2 + ${j}`)))).mul(bytes.half(at)),
  q4_k: (k, bytes, at, j) => kQuad(k, bytes, at, j, kNibbles(bytes, at.add(16), j)),
  q5_k: (k, bytes, at, j) => {
    // bit i of byte l is the fifth bit of place 32 i + l
    const high = u32`((${bytes.word(u32`${at} + 16 + ${j} % 32`)} >> (${j} / 32)) & 0x01010101) << 4`
    return kQuad(k, bytes, at, j, kNibbles(bytes, at.add(48), j).bitOr(high))
  },
  q6_k: (k, bytes, at, j) => {
    // each half of 128 places: 64 bytes of low nibbles, 32 bytes with two high bits for four places each
    const { half, l } = k.let({ half: j.div(128), l: j.rem(128) })
    const low = u32`(${bytes.word(u32`${at} + ${half} * 64 + ${l} % 64`)} >> (${l} / 64 * 4)) & 0x0f0f0f0f`
    const high = u32`((${bytes.word(u32`${at} + 128 + ${half} * 32 + ${l} % 32`)} >> (${l} / 32 * 2)) & 0x03030303) << 4`
    const scale = signedBytes(bytes.byte(u32`${at} + 192 + ${j} / 16`)).at(0)
    return scaled(unsignedBytes(k.let('quants', low.bitOr(high))), 32, bytes.half(at.add(208)).mul(f32(scale)))
  },
}

function formatOf(name: BlockName): WeightFormat {
  const { size, bytes } = BLOCKS[name]
  return {
    ...declared(name),
    quad: (k, view, row, kk) => {
      const { w, offset, k: depth } = seen(view)
      const block = u32`${row} * (${depth} / ${size}) + ${kk} / ${size}`
      const at = k.let('at', u32`${offset} + ${block} * ${bytes}`)
      return DECODE[name](k, new Bytes(k, w), at, k.let('j', kk.rem(size)))
    },
  }
}

export const BLOCK_FORMATS: readonly WeightFormat[] = (Object.keys(BLOCKS) as BlockName[]).map(formatOf)
