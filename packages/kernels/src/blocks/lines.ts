import { type Builder, d, type Expr, each, f32, fn, u32 } from '@weft/dsl'
import type { Part } from '../parts/lines'
import { byteQuad, excess, nibbleQuads, SIGNED_EXCESS, signedQuad } from '../quant/decode'
import { following } from '../quant/line-formats'
import type { LineFormat } from '../quant/lines'
import { signedBytes } from '../quant/packed'
import { behindTwo, fiveBits, pairOfGroups, sixBits } from './bits'
import { BLOCKS } from './layout'
import { declared, seen, type View } from './view'

/**
 * llama.cpp's blocks by lines: see layout.ts for where the bits are. Blocks of 32 begin at any multiple of 2 bytes, so that a word comes from one
 * or two; those of 144 and 176 bytes at multiples of 16, where the first does.
 */

type U32 = Expr<'u32'>
type Quad = Expr<'vec4f'>

/** `count` words from a byte on that is a multiple of 2: read now, and put in order later. */
function words(k: Builder, { w }: View, at: U32, count: number): () => readonly U32[] {
  const { index, between } = k.let({ index: at.div(4), between: at.rem(4) })
  const loads = each(count + 1).map((i) => k.let('w_load', w.at(i === 0 ? index : index.add(i))))
  return () => each(count).map((i) => k.let('word', fn.select(behindTwo(loads, i), loads[i] as U32, between.eq(0))))
}

/** An f16 at a multiple of 2, read now. */
function half(k: Builder, { w }: View, at: U32): () => Expr<'f32'> {
  const load = k.let('d_load', w.at(at.div(4)))
  return () => {
    const two = k.let('two', fn.unpack2x16float(load))
    return fn.select(two.y, two.x, at.rem(4).eq(0))
  }
}

/** A byte, read now, as a signed integer. */
function signedByte(k: Builder, { w }: View, at: U32): () => Expr<'f32'> {
  const load = k.let('s_load', w.at(at.div(4)))
  return () => f32(signedBytes(u32`${load} >> (${at} % 4 * 8)`).x)
}

/** A block of 32 for each invocation: what is read of it, and its quads. */
type Small = (k: Builder, view: View, at: U32, c: U32) => () => readonly Part[]

const nibbles = (of: readonly U32[]): readonly Quad[] => {
  const pairs = of.map(nibbleQuads)
  return [...pairs.map(([low]) => low), ...pairs.map(([, high]) => high)]
}

/** scale · (quad - less) */
const scaled = (k: Builder, quads: readonly Quad[], of: Expr<'f32'>, less: number): Part => {
  const scale = k.let('scale', of)
  return { quads, scale, least: k.let('least', scale.mul(less)) }
}

const SMALL: Readonly<Record<'q4_0' | 'q5_0' | 'q8_0', { readonly chunk: number; readonly read: Small }>> = {
  q4_0: {
    chunk: 32,
    read: (k, view, at) => {
      const [scale, quants] = [half(k, view, at), words(k, view, at.add(2), 4)]
      return () => [scaled(k, nibbles(quants()), scale(), excess(4) + 8)]
    },
  },
  q5_0: {
    chunk: 32,
    read: (k, view, at) => {
      const [scale, all] = [half(k, view, at), words(k, view, at.add(2), 5)]
      return () => {
        const [bits, ...quants] = all() as [U32, ...U32[]]
        const quads = fiveBits(bits, quants).map((word) => byteQuad(word, 5))
        return [scaled(k, quads, scale(), excess(5) + 16)]
      }
    },
  },
  // four invocations share a block
  q8_0: {
    chunk: 8,
    read: (k, view, at, c) => {
      const [scale, quants] = [half(k, view, at), words(k, view, u32`${at} + 2 + ${c} % 4 * 8`, 2)]
      return () => {
        const quads = quants().map((word) => signedQuad(k, word))
        return [scaled(k, quads, scale(), SIGNED_EXCESS)]
      }
    },
  },
}

export function smallLines(name: keyof typeof SMALL): LineFormat {
  const { chunk, read } = SMALL[name]
  const { size, bytes } = BLOCKS[name]
  return {
    ...declared(name),
    chunk,
    blocking: (vectors) => [vectors === 1 && chunk === 32 ? 4 : 2, 64],
    places: following(chunk / 8),
    line: (k, untyped, row) => {
      const view = seen(untyped)
      const start = k.let('w_row', u32`${view.offset} + ${row} * (${view.k} / ${size}) * ${bytes}`)
      return (c) => read(k, view, k.let('at', u32`${start} + ${c} / ${size / chunk} * ${bytes}`), c)
    },
  }
}

/** Where in a row the first of the 32 values of chunk c are, which are 16 from there on and 16 behind them, counted in eights. */
type First = (block: U32, i: U32) => U32
const runs = (first: First, between: number) => (c: U32) => {
  const start = first(c.div(8), c.rem(8))
  return [0, 1, between, between + 1].map((i) => (i === 0 ? start : start.add(i)))
}

/** Eight invocations share a block: 16 bytes of nibbles each, whose low halves are of one group of 32 and the high ones of the next. */
export function kLines(name: 'q4_k' | 'q5_k'): LineFormat {
  const units = BLOCKS[name].bytes / 16
  return {
    ...declared(name, d.vec4u),
    chunk: 32,
    window: 64,
    blocking: (vectors) => [vectors === 1 ? 4 : 2, 64],
    places: runs((block, i) => u32`${block} * 32 + ${i} / 2 * 8 + ${i} % 2 * 2`, 4),
    line: (k, untyped, row) => {
      const view = seen<Expr<'vec4u'>>(untyped)
      const start = k.let('w_row', u32`${view.offset} / 16 + ${row} * (${view.k} / 256) * ${units}`)
      return (c) => {
        const { at, i } = k.let({ at: u32`${start} + ${c} / 8 * ${units}`, i: c.rem(8) })
        const { head, quants } = k.let({ head: view.w.at(at), quants: view.w.at(at.add(units - 8).add(i)) })
        const fifth = name === 'q5_k' ? k.let('fifth', view.w.at(u32`${at} + 1 + ${i} % 2`)) : null
        return () => {
          const group = pairOfGroups(k, head, i.div(2))
          const quads = each(4).map((e) => {
            const word = quants.at(e)
            if (!fifth) return nibbleQuads(word)
            const bits = k.let('bits', fifth.at(e).shr(i.div(2).mul(2)))
            return [
              byteQuad(u32`(${word} & 0x0f0f0f0f) | ((${bits} & 0x01010101) << 4)`, 5),
              byteQuad(u32`((${word} >> 4) & 0x0f0f0f0f) | ((${bits} & 0x02020202) << 3)`, 5),
            ] as const
          })
          const part = (which: 0 | 1): Part => {
            const { scale, least } = group(which)
            const step = k.let('step', scale)
            const less = fn.fma(step, f32(excess(fifth ? 5 : 4)), least)
            return { quads: quads.map((pair) => pair[which]), scale: step, least: k.let('least', less) }
          }
          return [part(0), part(1)]
        }
      }
    },
  }
}

/** Eight invocations share a block: 16 bytes of low nibbles each, and 16 of those with two high bits for four places each. */
export const q6kLines: LineFormat = {
  ...declared('q6_k'),
  chunk: 32,
  window: 128,
  blocking: (vectors) => [vectors === 1 ? 4 : 2, 64],
  places: runs((block, i) => u32`${block} * 32 + ${i} / 4 * 16 + ${i} % 4 * 2`, 8),
  line: (k, untyped, row) => {
    const view = seen(untyped)
    const start = k.let('w_row', u32`${view.offset} + ${row} * (${view.k} / 256) * 210`)
    return (c) => {
      const { at, part, i } = k.let({ at: u32`${start} + ${c} / 8 * 210`, part: c.rem(8).div(4), i: c.rem(4) })
      const low = words(k, view, u32`${at} + ${part} * 64 + ${i} * 16`, 4)
      const high = words(k, view, u32`${at} + 128 + ${part} * 32 + ${i} % 2 * 16`, 4)
      const own = [0, 4].map((e) =>
        signedByte(k, view, k.let('scale_at', u32`${at} + ${192 + e} + ${part} * 8 + ${i}`)),
      )
      const scale = half(k, view, at.add(208))
      return () => {
        const step = k.let('step', scale())
        const shift = k.let('shift', u32`${i} / 2 * 2`)
        const [nibbles, bits] = [low(), high().map((word) => k.let('bits', word.shr(shift)))]
        const quads = sixBits(nibbles, bits).map((bytes) => bytes.map((word) => byteQuad(word, 6)))
        return quads.map((of, e) => scaled(k, of, step.mul((own[e] as () => Expr<'f32'>)()), excess(6) + 32))
      }
    }
  },
}

export const BLOCK_LINES: readonly LineFormat[] = [
  smallLines('q4_0'),
  smallLines('q5_0'),
  smallLines('q8_0'),
  kLines('q4_k'),
  kLines('q5_k'),
  q6kLines,
]
