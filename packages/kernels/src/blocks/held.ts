import { type Builder, type Expr, each, f32, fn, i32, u32 } from '@weft/dsl'
import type { FormatView } from '../quant/format'
import type { HeldFormat } from '../quant/held'
import { common, highNibbles, lowNibbles } from '../quant/held-formats'
import { following } from '../quant/line-formats'
import { signedBytes } from '../quant/packed'
import { BLOCKS } from './layout'
import { fifthBits, kLines, q6kLines, scalesOf, smallLines } from './lines'

/** llama.cpp's blocks as bytes, 32 values of a row at a time: a block, or an eighth of one; see layout.ts for where the bits are. */

type U32 = Expr<'u32'>
type Words = Expr<'vec4u'>

interface View {
  readonly w: { at(i: U32): U32 }
  readonly offset: U32
  readonly k: U32
}
interface WideView {
  readonly w: { at(i: U32): Words }
  readonly offset: U32
  readonly k: U32
}
const seen = (view: FormatView): View => view as unknown as View

/** Words from the one on that byte `at` is in. */
const wordsFrom = ({ w }: View, at: U32, count: number): readonly U32[] =>
  each(count).map((i) => w.at(i === 0 ? at.div(4) : u32`${at} / 4 + ${i}`))

/** Words from their third byte on. */
const behindTwo = (words: readonly U32[], i: number): U32 =>
  u32`(${words[i] as U32} >> 16) | (${words[i + 1] as U32} << 16)`

/** The f16 that is the first or the second half of a word. */
function halfOf(k: Builder, word: U32, second: Expr<'bool'>): Expr<'f32'> {
  const two = k.let('two', fn.unpack2x16float(word))
  return fn.select(two.x, two.y, second)
}

type Small = 'q4_0' | 'q5_0' | 'q8_0'

/** Of the words behind the scale of a block its bytes; q5_0 has its fifth bits in the first. */
const SMALL: Readonly<Record<Small, { readonly words: number; readonly bytes: (words: readonly U32[]) => U32[] }>> = {
  q4_0: { words: 4, bytes: (words) => [...words.map(lowNibbles), ...words.map(highNibbles)] },
  q5_0: {
    words: 5,
    bytes: ([bits, ...words]) => [
      ...words.map((word, i) => lowNibbles(word).bitOr(fifthBits(bits as U32, 4 * i))),
      ...words.map((word, i) => highNibbles(word).bitOr(fifthBits(bits as U32, 16 + 4 * i))),
    ],
  },
  q8_0: { words: 8, bytes: (words) => [...words] },
}

function smallOf(name: Small, zero: number): HeldFormat {
  const { words, bytes } = SMALL[name]
  return {
    ...common(smallLines(name)),
    ...{ signed: name === 'q8_0', large: name !== 'q4_0', ahead: name !== 'q8_0', parts: [8], places: following(4) },
    column: (k, untyped, c) => {
      const view = seen(untyped)
      const at = (row: U32) => u32`${view.offset} + (${row} * (${view.k} / 32) + ${c}) * ${BLOCKS[name].bytes}`
      return {
        load: (row) => wordsFrom(view, k.let('at', at(row)), words + 1),
        unpack: (loads: readonly U32[], row) => {
          const second = k.let('second', at(row).rem(4).ne(0))
          const behind = each(words).map((i) =>
            k.let('word', fn.select(behindTwo(loads, i), loads[i + 1] as U32, second)),
          )
          const scale = halfOf(k, loads[0] as U32, second)
          return { bytes: bytes(behind), parts: [zero ? { scale, zero: i32(zero) } : { scale }] }
        },
      }
    },
  }
}

/** 16 bytes of nibbles: the low ones are of one group of 32, the high ones of the next. */
function kOf(name: 'q4_k' | 'q5_k'): HeldFormat {
  const units = BLOCKS[name].bytes / 16
  const lines = kLines(name)
  const five = name === 'q5_k'
  return {
    ...common(lines),
    ...{ ahead: five, parts: [4, 4], places: lines.places },
    column: (k, untyped, c) => {
      const view = untyped as unknown as WideView
      const { block, i } = k.let({ block: c.div(8), i: c.rem(8) })
      return {
        load: (row) => {
          const at = k.let('at', u32`${view.offset} / 16 + (${row} * (${view.k} / 256) + ${block}) * ${units}`)
          const loads = [view.w.at(at), view.w.at(u32`${at} + ${units - 8} + ${i}`)]
          return five ? [...loads, view.w.at(u32`${at} + 1 + ${i} % 2`)] : loads
        },
        unpack: (loads) => {
          const [head, quants, fifth] = loads as readonly [Words, Words, Words?]
          const { scale, min } = k.let(scalesOf(k, head, i.div(2)))
          const both = k.let('both', fn.unpack2x16float(head.x))
          const words = each(4).map((e) => quants.at(e))
          const bits = fifth && each(4).map((e) => k.let('bits', fifth.at(e).shr(i.div(2).mul(2))))
          const low = words.map((word, e) =>
            bits ? u32`${lowNibbles(word)} | ((${bits[e] as U32} << 4) & 0x10101010)` : lowNibbles(word),
          )
          const high = words.map((word, e) =>
            bits ? u32`${highNibbles(word)} | ((${bits[e] as U32} << 3) & 0x10101010)` : highNibbles(word),
          )
          const part = (which: 0 | 1) => ({
            scale: both.x.mul(f32(scale.shr(8 * which).bitAnd(255))),
            least: both.y.mul(f32(min.shr(8 * which).bitAnd(255))),
          })
          return { bytes: [...low, ...high], parts: [part(0), part(1)] }
        },
      }
    },
  }
}

/** 16 bytes of low nibbles, and 16 with two high bits for four places each. */
const q6k: HeldFormat = {
  ...common(q6kLines),
  ...{ large: true, ahead: true, parts: [4, 4], places: q6kLines.places },
  column: (k, untyped, c) => {
    const view = seen(untyped)
    const { block, part, i } = k.let({ block: c.div(8), part: c.rem(8).div(4), i: c.rem(4) })
    const at = (row: U32) => u32`${view.offset} + (${row} * (${view.k} / 256) + ${block}) * 210`
    return {
      load: (row) => {
        const start = k.let('at', at(row))
        const scale = (e: number) => view.w.at(u32`(${start} + ${192 + e} + ${part} * 8 + ${i}) / 4`)
        return [
          ...wordsFrom(view, k.let('low_at', u32`${start} + ${part} * 64 + ${i} * 16`), 5),
          ...wordsFrom(view, k.let('high_at', u32`${start} + 128 + ${part} * 32 + ${i} % 2 * 16`), 5),
          ...[scale(0), scale(4), view.w.at(u32`(${start} + 208) / 4`)],
        ]
      },
      unpack: (loads: readonly U32[], row) => {
        const start = k.let('start', at(row))
        const second = k.let('second', start.rem(4).ne(0))
        const aligned = (words: readonly U32[]) =>
          each(4).map((e) => k.let('word', fn.select(words[e] as U32, behindTwo(words, e), second)))
        const shift = k.let('shift', u32`${i} / 2 * 2`)
        const bits = aligned(loads.slice(5, 10)).map((word) => k.let('bits', word.shr(shift)))
        const step = k.let('step_of_block', halfOf(k, loads[12] as U32, second))
        const byte = k.let('byte', u32`(${start} + ${i}) % 4 * 8`)
        const partOf = (load: U32) => ({ scale: step.mul(f32(signedBytes(load.shr(byte)).x)), zero: i32(32) })
        const low = aligned(loads.slice(0, 5))
        return {
          bytes: [
            ...low.map((word, e) => u32`${lowNibbles(word)} | ((${bits[e] as U32} << 4) & 0x30303030)`),
            ...low.map((word, e) => u32`${highNibbles(word)} | (${bits[e] as U32} & 0x30303030)`),
          ],
          parts: [partOf(loads[10] as U32), partOf(loads[11] as U32)],
        }
      },
    }
  },
}

export const BLOCK_HELD: readonly HeldFormat[] = [
  smallOf('q4_0', 8),
  smallOf('q5_0', 16),
  smallOf('q8_0', 0),
  kOf('q4_k'),
  kOf('q5_k'),
  q6k,
]
