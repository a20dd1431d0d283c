import {
  type Builder,
  bool,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  fn,
  i32,
  input,
  kernel,
  output,
  u32,
  vec4i,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { MAX, MIN, REDUCE_VARIANTS, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars } from '../parts/storage'
import { packWord } from './packed'

/**
 * Quantizing on the device. Values x: [lines, k] have a scale and a zero point for each group of a line: `group` neighbours, of which the last
 * group of a line may have fewer; group = k is one for each line. q = clamp(round(x / scale) + zero, low, high), halves to even.
 */

type U32 = Expr<'u32'>

const storages = ['f32', 'f16'] as const

/**
 * Scale and zero point for each group. Affine: its least and greatest value, with 0 among them, become `low` and `high`; symmetric: the
 * greatest size becomes `high`, and 0 `middle`. A group of zeros has a scale of 1.
 *
 * x: [lines, k]; scales, zeros: [lines, groups]. A workgroup takes a group.
 */
const chooseParamsOf = (storage: Storage): KernelSource =>
  kernel(
    named('choose_params', storage),
    {
      doc: 'scale and zero point of each group, from its least and greatest value',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), scales: output(d.arrayOf(d.f32)), zeros: output(d.arrayOf(d.i32)) },
      params: {
        ...{ lines: d.u32, k: d.u32, group: d.u32, groups: d.u32 },
        ...{ low: d.i32, high: d.i32, middle: d.i32, symmetric: d.u32 },
      },
      workgroups: ({ lines, groups }) => [lines.mul(groups)],
      variants: REDUCE_VARIANTS,
    },
    ({ x, scales, zeros, k: depth, group, groups, low, high, middle, symmetric }, k) => {
      const { line, first } = k.let({
        line: k.workgroupIndex.div(groups),
        first: k.workgroupIndex.rem(groups).mul(group),
      })
      const end = k.let('end', u32`min(${first} + ${group}, ${depth})`)
      const { least, most } = k.var({ least: f32(0), most: f32(0) })
      k.range('i', first.add(k.localIndex), end, 256, (i) => {
        const value = k.let('value', read(x.at(u32`${line} * ${depth} + ${i}`)))
        least.set(fn.min(least, value))
        most.set(fn.max(most, value))
      })
      const lowest = workgroupReduce(k, 'lowest', least, MIN)
      const highest = workgroupReduce(k, 'highest', most, MAX)
      k.if(k.localIndex.eq(0), () => {
        const { scale, zero } = k.var({ scale: f32(1), zero: middle })
        k.if(symmetric.ne(0), () => {
          const size = k.let('size', fn.max(highest, lowest.neg()))
          k.if(size.gt(0), () => scale.set(size.div(f32(high))))
        }).else(() => {
          k.if(highest.gt(lowest), () => scale.set(highest.sub(lowest).div(f32(high.sub(low)))))
          zero.set(fn.clamp(low.sub(i32(fn.round(lowest.div(scale)))), low, high))
        })
        scales.at(k.workgroupIndex).set(scale)
        zeros.at(k.workgroupIndex).set(zero)
      })
    },
  )

/** What is far outside of any range, so that adding a zero point does not overflow. */
const FAR = 65_536

/** Values to words of four bytes, or of eight nibbles in the order of `packNibbles`; what fills up a line is 0. An invocation makes a word. */
const quantizeOf = (storage: Storage, bits: 8 | 4): KernelSource => {
  const perWord = 32 / bits
  return kernel(
    named(`quantize_int${bits}`, storage),
    {
      doc: `words of ${perWord} integers: clamp(round(x / scale) + zero, low, high)`,
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        scales: input(d.arrayOf(d.f32)),
        zeros: input(d.arrayOf(d.i32)),
        w: output(d.arrayOf(d.u32)),
      },
      params: { lines: d.u32, k: d.u32, group: d.u32, groups: d.u32, low: d.i32, high: d.i32 },
      workgroups: ({ lines, k }) => [ceilDiv(ceilDiv(k, perWord).mul(lines), 256)],
    },
    ({ x, scales, zeros, w, lines, k: depth, group, groups, low, high }, k) => {
      const words = k.let('words', u32`(${depth} + ${perWord - 1}) / ${perWord}`)
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(words.mul(lines)), () => {
        const { line, first } = k.let({ line: i.div(words), first: i.rem(words).mul(perWord) })
        const four = (from: U32): Expr<'vec4i'> => {
          const [a, b, c, e] = each(4).map((lane) =>
            quantized(k, from.add(lane), { x, scales, zeros, line, depth, group, groups, low, high }),
          ) as [Expr<'i32'>, Expr<'i32'>, Expr<'i32'>, Expr<'i32'>]
          return vec4i(a, b, c, e)
        }
        const bytes = packWord(four(first))
        w.at(i).set(bits === 8 ? bytes : bytes.bitOr(packWord(four(first.add(4))).shl(4)))
      })
    },
  )
}

interface Line {
  readonly x: { at(i: U32): Expr<'f32'> }
  readonly scales: { at(i: U32): Expr<'f32'> }
  readonly zeros: { at(i: U32): Expr<'i32'> }
  readonly line: U32
  readonly depth: U32
  readonly group: U32
  readonly groups: U32
  readonly low: Expr<'i32'>
  readonly high: Expr<'i32'>
}

/** The integer of one place of a line, 0 behind its end. */
function quantized(
  k: Builder,
  kk: U32,
  { x, scales, zeros, line, depth, group, groups, low, high }: Line,
): Expr<'i32'> {
  return k.when(
    bool`${kk} < ${depth}`,
    () => {
      const at = k.let('at', u32`${line} * ${groups} + ${kk} / ${group}`)
      const value = read(x.at(u32`${line} * ${depth} + ${kk}`)).div(scales.at(at))
      return fn.clamp(i32(fn.clamp(fn.round(value), -FAR, FAR)).add(zeros.at(at)), low, high)
    },
    0,
  )
}

/** Zero points as nibbles, eight to a word in order; lines begin at a word. zeros: [lines, groups] of 0 … 15. */
export const packZeroPoints: KernelSource = kernel(
  'pack_zeros',
  {
    doc: 'zero points as nibbles, eight to a word, lines beginning at a word',
    workgroupSize: [64],
    bindings: { zeros: input(d.arrayOf(d.i32)), w: output(d.arrayOf(d.u32)) },
    params: { lines: d.u32, groups: d.u32 },
    workgroups: ({ lines, groups }) => [ceilDiv(ceilDiv(groups, 8).mul(lines), 64)],
  },
  ({ zeros, w, lines, groups }, k) => {
    const words = k.let('words', u32`(${groups} + 7) / 8`)
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(words.mul(lines)), () => {
      const { line, first } = k.let({ line: i.div(words), first: i.rem(words).mul(8) })
      const word = k.var('word', u32(0))
      k.range('e', 8, (e) =>
        k.if(bool`${first} + ${e} < ${groups}`, () => {
          const zero = u32(zeros.at(u32`${line} * ${groups} + ${first} + ${e}`)).bitAnd(15)
          word.set(word.bitOr(zero.shl(e.mul(4))))
        }),
      )
      w.at(i).set(word)
    })
  },
)

export const quantizers: readonly KernelSource[] = [
  ...storages.flatMap((storage) => [chooseParamsOf(storage), quantizeOf(storage, 8), quantizeOf(storage, 4)]),
  packZeroPoints,
]
