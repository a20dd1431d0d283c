import { type Builder, d, type Expr, f32, input, u32, vec4f } from '@weft/dsl'
import { lessEach, signedBytes, unsignedBytes } from './packed'

/**
 * How a matrix of weights W: [n, k] lies in memory, a row for each output. What a kernel reads of it is four neighbours of a row at a time:
 * enough to share the scale and the bytes, little enough to fit any layout.
 */

type U32 = Expr<'u32'>

/** A kernel's view of the bindings and params of a format, by name. */
export type FormatView = Readonly<Record<string, unknown>>

export interface WeightFormat {
  readonly name: string
  readonly doc: string
  readonly bindings: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, unknown>>
  /** W[row, kk … kk + 3] for a kk that is a multiple of 4. Elements from k on are finite, and anything. */
  readonly quad: (k: Builder, view: FormatView, row: U32, kk: U32) => Expr<'vec4f'>
}

interface Words {
  at(i: U32): U32
}
interface Floats {
  at(i: U32): Expr<'f32'>
}
interface Ints {
  at(i: U32): Expr<'i32'>
}

const words = () => input(d.arrayOf(d.u32))
const scales = () => input(d.arrayOf(d.f32))

/** What a kernel sees of W in words with scales. */
interface View {
  readonly w: Words
  readonly scales: Floats
  readonly zeros: Words & Ints
  readonly words: U32
  readonly group: U32
  readonly groups: U32
}
const seen = (view: FormatView): View => view as unknown as View

/** Formats whose weights are signed bytes times a scale, four to a word: what integer products take. */
export interface IntegerFormat extends WeightFormat {
  /** Four integers as signed bytes. */
  readonly bytes: (k: Builder, view: FormatView, row: U32, kk: U32) => U32
  readonly scale: (view: FormatView, row: U32, kk: U32) => Expr<'f32'>
}

const rowWord = ({ w, words }: View, row: U32, word: U32): U32 => w.at(u32`${row} * ${words} + ${word}`)

/** W[i, j] = q · scale[i], q in -127 … 127: four to a word, rows of `words` words; bytes from k on are 0. */
export const int8: IntegerFormat = {
  name: 'int8',
  doc: 'int8 with a scale for each row',
  bindings: { w: words(), scales: scales() },
  params: { words: d.u32 },
  bytes: (_, view, row, kk) => rowWord(seen(view), row, kk.div(4)),
  scale: (view, row) => seen(view).scales.at(row),
  quad: (k, view, row, kk) =>
    vec4f(signedBytes(k.let('word', rowWord(seen(view), row, kk.div(4))))).mul(seen(view).scales.at(row)),
}

/** W[i, j] = (q - zero[i]) · scale[i], q in 0 … 255, in words like int8; zero: i32. */
export const uint8: WeightFormat = {
  name: 'uint8',
  doc: 'uint8 with a scale and a zero point for each row',
  bindings: { w: words(), scales: scales(), zeros: input(d.arrayOf(d.i32)) },
  params: { words: d.u32 },
  quad: (k, view, row, kk) => {
    const { scales, zeros } = seen(view)
    const bytes = unsignedBytes(k.let('word', rowWord(seen(view), row, kk.div(4))))
    // integers up to 255 are exact in f32, and so is their difference
    return vec4f(bytes)
      .sub(f32(zeros.at(row) as unknown as Expr<'i32'>))
      .mul(scales.at(row))
  },
}

const groupOf = ({ group, groups }: View, row: U32, kk: U32): U32 => u32`${row} * ${groups} + ${kk} / ${group}`

/** Four of the eight nibbles of a word: the low halves of its bytes are the first four, the high halves the others. */
const nibbles = (view: View, row: U32, kk: U32): U32 =>
  u32`(${rowWord(view, row, kk.div(8))} >> (${kk} & 4)) & 0x0f0f0f0f`

/** The zero point of a group: eight to a word, in the order of their groups, rows begin at a word. */
const zeroOf = ({ zeros, group, groups }: View, row: U32, kk: U32): U32 => {
  const g = kk.div(group)
  return u32`(${zeros.at(u32`${row} * ((${groups} + 7) / 8) + ${g} / 8`) as U32} >> (${g} % 8 * 4)) & 15`
}

/**
 * W[i, j] = (q - z) · scale[i, j / group], q in 0 … 15, z = 8 or the zero point of the group. Eight to a word; `group` is a multiple of 8, the
 * last group of a row may be shorter. The nibbles of a word are in two halves so that a mask gives four bytes in order.
 */
function int4Of(withZeros: boolean): IntegerFormat {
  const zero = (view: View, row: U32, kk: U32): U32 => (withZeros ? zeroOf(view, row, kk) : u32(8))
  const scale = (view: View, row: U32, kk: U32) => view.scales.at(groupOf(view, row, kk))
  return {
    name: withZeros ? 'int4_zeros' : 'int4',
    doc: `int4 with a scale${withZeros ? ' and a zero point' : ''} for each group`,
    bindings: { w: words(), scales: scales(), ...(withZeros ? { zeros: words() } : {}) },
    params: { words: d.u32, group: d.u32, groups: d.u32 },
    bytes: (k, view, row, kk) => lessEach(nibbles(seen(view), row, kk), k.let('zero', zero(seen(view), row, kk))),
    scale: (view, row, kk) => scale(seen(view), row, kk),
    quad: (k, view, row, kk) => {
      const bytes = unsignedBytes(k.let('word', nibbles(seen(view), row, kk)))
      return vec4f(bytes)
        .sub(f32(zero(seen(view), row, kk)))
        .mul(scale(seen(view), row, kk))
    },
  }
}

export const int4 = int4Of(false)
export const int4Zeros = int4Of(true)
