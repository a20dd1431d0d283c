import { type Builder, type Expr, each, f32, fn, i32, u32 } from '@weft/dsl'
import type { HeldFormat } from '../quant/held'
import { common } from '../quant/held-formats'
import { following } from '../quant/line-formats'
import { highNibbles, lowNibbles, signedBytes } from '../quant/packed'
import { behindTwo, fiveBits, pairOfGroups, sixBits } from './bits'
import { BLOCKS } from './layout'
import { kLines, q6kLines, smallLines } from './lines'
import { seen, type View } from './view'

/** llama.cpp's blocks as bytes, 32 values of a row at a time: a block, or an eighth of one; see layout.ts for where the bits are. */

type U32 = Expr<'u32'>
type Words = Expr<'vec4u'>

/** Words from the one on that byte `at` is in. */
const wordsFrom = ({ w }: View, at: U32, count: number): readonly U32[] =>
  each(count).map((i) => w.at(i === 0 ? at.div(4) : u32`${at} / 4 + ${i}`))

/** The f16 that is the first or the second half of a word. */
function halfOf(k: Builder, word: U32, second: Expr<'bool'>): Expr<'f32'> {
  const two = k.let('two', fn.unpack2x16float(word))
  return fn.select(two.x, two.y, second)
}

type Small = 'q4_0' | 'q5_0' | 'q8_0'

/** How many words there are behind the scale of a block, and its bytes of them; q5_0 has its fifth bits in the first. */
interface Behind {
  readonly words: number
  readonly bytes: (words: readonly U32[]) => readonly U32[]
}
const SMALL: Readonly<Record<Small, Behind>> = {
  q4_0: { words: 4, bytes: (words) => [...words.map(lowNibbles), ...words.map(highNibbles)] },
  q5_0: { words: 5, bytes: ([bits, ...words]) => fiveBits(bits as U32, words) },
  q8_0: { words: 8, bytes: (words) => words },
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
      const view = seen<Words>(untyped)
      const { block, i } = k.let({ block: c.div(8), i: c.rem(8) })
      return {
        load: (row) => {
          const at = k.let('at', u32`${view.offset} / 16 + (${row} * (${view.k} / 256) + ${block}) * ${units}`)
          const loads = [view.w.at(at), view.w.at(u32`${at} + ${units - 8} + ${i}`)]
          return five ? [...loads, view.w.at(u32`${at} + 1 + ${i} % 2`)] : loads
        },
        unpack: (loads) => {
          const [head, quants, fifth] = loads as readonly [Words, Words, Words?]
          const group = pairOfGroups(k, head, i.div(2))
          const words = each(4).map((e) => quants.at(e))
          const bits = fifth && each(4).map((e) => k.let('bits', fifth.at(e).shr(i.div(2).mul(2))))
          const low = words.map((word, e) =>
            bits ? u32`${lowNibbles(word)} | ((${bits[e] as U32} << 4) & 0x10101010)` : lowNibbles(word),
          )
          const high = words.map((word, e) =>
            bits ? u32`${highNibbles(word)} | ((${bits[e] as U32} << 3) & 0x10101010)` : highNibbles(word),
          )
          return { bytes: [...low, ...high], parts: [group(0), group(1)] }
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
        return {
          bytes: sixBits(aligned(loads.slice(0, 5)), bits).flat(),
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
