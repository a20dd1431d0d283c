import { type Builder, bitcast, bool, ceilDiv, d, type Expr, each, fn, inout, input, kernel, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { by127, type Float, floatOf, halfBits, product, reciprocal } from '../parts/exact'
import { named, read, type Storage, scalars } from '../parts/storage'
import { BLOCKS } from './layout'

/**
 * Q8_0 and Q4_0 blocks from floats, on the device: the very bits that `packBlocks` gives, which are those of llama.cpp's reference. All
 * arithmetic is by integers (parts/exact.ts): a scale that is off by an ULP would move values that lie between two integers.
 *
 *     q8_0: d = max |x| / 127            q = x · (1/d), rounded to f32, then to an integer, halves away from 0
 *     q4_0: d = m / −8, m the first of the greatest size, with its sign            q = ⌊x · (1/d) + 8.5⌋, at most 15
 *
 * Four invocations share a block of 32 values: they find its scale, each makes the integers of eight values, and the workgroup writes whole
 * words, which blocks of 18 and 34 bytes end in the middle of. Blocks without a value from 2⁻¹¹⁹ on are zeros: their scale is 0 in f16.
 *
 * x: 32 · blocks; w: words, the first block at word `first`. Of a last word that the blocks fill by half the rest is kept.
 */

type U32 = Expr<'u32'>
export type QuantizedBlock = 'q8_0' | 'q4_0'

const INVOCATIONS = 256
/** Invocations that share a block, and values that each has. */
const SHARERS = 4
const EACH = 8
const AT_ONCE = INVOCATIONS / SHARERS
/** The exponent of 2⁻¹¹⁹: a block that has less would have a scale below the least normal f32. */
const LEAST_EXPONENT = 8

/** A value, and what it is multiplied by. */
interface Scaled {
  readonly bits: U32
  readonly inverse: Float
}

/** The number of fraction bits of `high`, of the product of a value and the inverse of a scale. */
const fractionOf = (value: Float, inverse: Float): U32 => u32`276 - ${value.exponent} - ${inverse.exponent}`

interface Form {
  /** Words of integers for each invocation. */
  readonly words: number
  /** Which value of the block is number i of an invocation. */
  readonly place: (lane: U32, i: number) => U32
  readonly scale: (k: Builder, most: Float) => Float
  /** Whether the scale has the sign that the value of the greatest size has not; it is positive otherwise. */
  readonly turned: boolean
  /** The integer of 0. */
  readonly zero: number
  /** The integer of a value; `negative` where value and scale have different signs. */
  readonly integer: (k: Builder, value: Scaled, negative: Expr<'bool'>) => U32
  readonly pack: (k: Builder, integers: readonly U32[]) => readonly U32[]
}

const bytesOf = (k: Builder, of: readonly U32[]): U32 =>
  k.let('word', u32`${of[0] as U32} | (${of[1] as U32} << 8) | (${of[2] as U32} << 16) | (${of[3] as U32} << 24)`)

const FORMS: Readonly<Record<QuantizedBlock, Form>> = {
  q8_0: {
    words: 2,
    place: (lane, i) => lane.mul(EACH).add(i),
    scale: by127,
    turned: false,
    zero: 0,
    integer: (k, { bits, inverse }, negative) => {
      const value = floatOf(k, bits)
      const { high, low } = product(k, value.mantissa, inverse.mantissa)
      // to 24 bits first, which high has or lacks one of
      const full = k.let('full', high.ge(2 ** 23))
      const { kept, rest } = k.let({
        kept: fn.select(u32`(${high} << 1) | (${low} >> 23)`, high, full),
        rest: fn.select(u32`(${low} << 1) & 0xffffff`, low, full),
      })
      const up = rest.gt(2 ** 23).or(rest.eq(2 ** 23).and(kept.bitAnd(1).eq(1)))
      const rounded = kept.add(fn.select(u32(0), u32(1), up))
      const fraction = k.let(
        'fraction',
        u32`min(${fractionOf(value, inverse)} + ${fn.select(u32(1), u32(0), full)}, 26)`,
      )
      const size = k.let('size', u32`(${rounded} + (1u << (${fraction} - 1))) >> ${fraction}`)
      return fn.select(size, u32`(256 - ${size}) & 255`, negative)
    },
    pack: (k, q) => [bytesOf(k, q.slice(0, 4)), bytesOf(k, q.slice(4))],
  },
  q4_0: {
    words: 1,
    place: (lane, i) => u32`${lane} * 4 + ${i < 4 ? i : i + 12}`,
    scale: (_, { mantissa, exponent }) => ({ mantissa, exponent: exponent.sub(3) }),
    turned: true,
    zero: 8,
    integer: (k, { bits, inverse }, negative) => {
      const value = floatOf(k, bits)
      const { high, low } = product(k, value.mantissa, inverse.mantissa)
      const fraction = k.let('fraction', u32`min(${fractionOf(value, inverse)}, 25)`)
      const half = k.let('half', u32(1).shl(fraction.sub(1)))
      // of a negative product a half goes towards 0, where nothing is behind it
      const less = fn.select(u32(1), u32(0), low.ne(0))
      const size = k.let('size', u32`(${high} + ${half} - ${fn.select(u32(0), less, negative)}) >> ${fraction}`)
      return fn.select(fn.min(size.add(8), 15), u32(8).sub(size), negative)
    },
    pack: (k, q) => {
      const pair = (i: number) => u32`${q[i] as U32} | (${q[i + 4] as U32} << 4)`
      return [bytesOf(k, each(4).map(pair))]
    },
  },
}

/** The bits of a value, and its place in the block. */
interface Value {
  readonly bits: U32
  readonly place: U32
}

/** The greatest size of the values of a block, for all of its invocations; where it is asked for the sign of the first that has it. */
function extremeOf(k: Builder, values: readonly Value[], own: U32, signed: boolean) {
  const best = (list: readonly U32[], pick: (a: U32, b: U32) => U32): U32 => list.reduce((a, b) => pick(a, b))
  const sizes = values.map(({ bits }) => bits.bitAnd(0x7fff_ffff))
  const mine = k.let('mine', best(sizes, fn.max))
  const largest = k.workgroup('largest', u32, INVOCATIONS)
  largest.at(k.localIndex).set(mine)
  // twice the place, and the sign: the least is that of the first place
  const NONE = u32(64)
  const firsts = signed ? k.workgroup('firsts', u32, INVOCATIONS) : null
  if (firsts) {
    const of = values.map(({ bits, place }, i) =>
      fn.select(NONE, u32`${place} * 2 + (${bits} >> 31)`, (sizes[i] as U32).eq(mine)),
    )
    firsts.at(k.localIndex).set(best(of, fn.min))
  }
  k.workgroupBarrier()
  const sharers = each(SHARERS).map((i) => k.let('sharer', u32`${own} * ${SHARERS} + ${i}`))
  const most = k.let(
    'most',
    best(
      sharers.map((at): U32 => largest.at(at)),
      fn.max,
    ),
  )
  if (!firsts) return { most, sign: u32(0) }
  const first = sharers.map((at) => fn.select(NONE, firsts.at(at), largest.at(at).eq(most)))
  return { most, sign: best(first, fn.min).bitAnd(1) }
}

const quantizeBlocksOf = (format: QuantizedBlock, storage: Storage): KernelSource => {
  const { size, bytes } = BLOCKS[format]
  const form = FORMS[format]
  const halves = bytes / 2
  return kernel(
    named(`quantize_${format}`, storage),
    {
      doc: `llama.cpp's ${format.toUpperCase()} blocks of 32 values each, bit for bit those of the host's packer`,
      workgroupSize: [INVOCATIONS],
      bindings: { x: input(scalars(storage)), w: inout(d.arrayOf(d.u32)) },
      params: { blocks: d.u32, first: d.u32 },
      workgroups: ({ blocks }) => [ceilDiv(blocks, AT_ONCE)],
    },
    ({ x, w, blocks, first }, k) => {
      const scales = k.workgroup('scales', u32, AT_ONCE)
      const quants = k.workgroup('quants', u32, INVOCATIONS * form.words)
      const { own, lane } = k.let({ own: k.localIndex.div(SHARERS), lane: k.localIndex.rem(SHARERS) })
      const block = k.let('block', u32`${k.workgroupIndex} * ${AT_ONCE} + ${own}`)
      const values = each(EACH).map((i): Value => {
        const place = k.let('place', form.place(lane, i))
        const bits = () => bitcast(u32, read(x.at(u32`${block} * ${size} + ${place}`)))
        return {
          place,
          bits: k.let('bits', k.when(block.lt(blocks), bits, 0)),
        }
      })
      const { most, sign } = extremeOf(k, values, own, form.turned)
      const isNegative = form.turned ? k.let('is_negative', sign.eq(0)) : bool`false`
      const there = k.let('there', most.ge(LEAST_EXPONENT << 23))
      const scale = form.scale(k, floatOf(k, k.let('at_least', fn.max(most, LEAST_EXPONENT << 23))))
      const inverse = reciprocal(k, scale)
      k.if(lane.eq(0), () => {
        // −0 of a block of zeros, where m / −8 is that
        const signBit = form.turned ? fn.select(u32(0), u32(0x8000), isNegative.or(there.not())) : u32(0)
        scales.at(own).set(fn.select(u32(0), halfBits(k, scale), there).bitOr(signBit))
      })
      const integers = values.map(({ bits }) => {
        const q = form.integer(k, { bits, inverse }, bits.shr(31).ne(0).ne(isNegative))
        return k.let('q', fn.select(u32(form.zero), q, there))
      })
      form.pack(k, integers).forEach((word, i) => {
        quants.at(u32`${k.localIndex} * ${form.words} + ${i}`).set(word)
      })
      k.workgroupBarrier()

      const half = (at: U32): U32 => {
        const { of, i } = k.let({ of: at.div(halves), i: at.rem(halves) })
        return k.when(
          i.eq(0),
          () => scales.at(of),
          () => {
            const before = i.sub(1)
            return u32`(${quants.at(u32`${of} * ${form.words * SHARERS} + ${before} / 2`)} >> (${before} % 2 * 16)) & 0xffff`
          },
        )
      }
      const start = k.let('start', u32`${k.workgroupIndex} * ${(AT_ONCE * halves) / 2}`)
      const end = k.let('end', blocks.mul(halves))
      k.range('j', k.localIndex, (AT_ONCE * halves) / 2, INVOCATIONS, (j) => {
        const place = k.let('to', start.add(j))
        k.if(place.mul(2).lt(end), () => {
          const { at, low } = k.let({ at: first.add(place), low: half(j.mul(2)) })
          k.if(place.mul(2).add(1).lt(end), () => w.at(at).set(low.bitOr(half(u32`${j} * 2 + 1`).shl(16)))).else(() =>
            w.at(at).set(u32`(${w.at(at)} & 0xffff0000) | ${low}`),
          )
        })
      })
    },
  )
}

export const blockQuantizers: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((storage) =>
  (['q8_0', 'q4_0'] as const).map((format) => quantizeBlocksOf(format, storage)),
)
