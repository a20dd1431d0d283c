import { d, type Expr, each, f32, input, u32 } from '@weft/dsl'
import { excess, nibbleQuads, SIGNED_EXCESS, signedQuad } from './decode'
import type { FormatView } from './format'
import type { LineFormat } from './lines'

/** The formats of format.ts by lines: an invocation takes 16 bytes of W at a time. */

type U32 = Expr<'u32'>

interface View {
  readonly w: { at(i: U32): Expr<'vec4u'> }
  readonly scales: { at(i: U32): Expr<'f32'> }
  readonly zeros: { at(i: U32): U32 }
  readonly words: U32
  readonly group_log2: U32
  readonly groups: U32
}
const seen = (view: FormatView): View => view as unknown as View
const wide = () => input(d.arrayOf(d.vec4u))
const scales = () => input(d.arrayOf(d.f32))
const components = (words: Expr<'vec4u'>): readonly U32[] => [words.x, words.y, words.z, words.w]
/** The eights of chunk c where chunks follow each other. */
export const following = (eights: number) => (c: U32) =>
  each(eights).map((i) => (i === 0 ? c.mul(eights) : u32`${c} * ${eights} + ${i}`))

export const int8Lines: LineFormat = {
  name: 'int8',
  doc: 'int8 with a scale for each row',
  bindings: { w: wide(), scales: scales() },
  params: { words: d.u32 },
  chunk: 16,
  blocking: (vectors) => (vectors === 1 ? [4, 128] : [2, 128]),
  places: following(2),
  line: (k, view, row) => {
    const start = k.let('w_row', row.mul(seen(view).words.div(4)))
    return (c) => {
      const words = k.let('w_load', seen(view).w.at(start.add(c)))
      return () => [{ quads: components(words).map((word) => signedQuad(k, word)), least: f32(SIGNED_EXCESS) }]
    }
  },
  rowScale: (view, row) => seen(view).scales.at(row),
}

function int4LinesOf(withZeros: boolean): LineFormat {
  return {
    name: withZeros ? 'int4_zeros' : 'int4',
    doc: `int4 with a scale${withZeros ? ' and a zero point' : ''} for each group, of a power of two`,
    bindings: { w: wide(), scales: scales(), ...(withZeros ? { zeros: input(d.arrayOf(d.u32)) } : {}) },
    params: { words: d.u32, group_log2: d.u32, groups: d.u32 },
    chunk: 32,
    blocking: (vectors) => (vectors === 1 ? [4, 64] : [2, 64]),
    places: following(4),
    line: (k, view, row) => {
      const { w, scales, zeros, words, group_log2, groups } = seen(view)
      const { start, first_group } = k.let({ start: row.mul(words.div(4)), first_group: row.mul(groups) })
      const firstZeros = withZeros ? k.let('first_zeros', u32`${row} * ((${groups} + 7) / 8)`) : null
      return (c) => {
        const words = k.let('w_load', w.at(start.add(c)))
        const group = k.let('group', u32`(${c} * 32) >> ${group_log2}`)
        const scale = k.let('scale', scales.at(first_group.add(group)))
        const eight = firstZeros && k.let('zeros_load', zeros.at(u32`${firstZeros} + ${group} / 8`))
        return () => {
          const more = excess(4)
          const z = eight ? f32(u32`((${eight} >> (${group} % 8 * 4)) & 15) + ${more}`) : f32(more + 8)
          return [{ quads: components(words).flatMap(nibbleQuads), scale, least: k.let('least', scale.mul(z)) }]
        }
      }
    },
  }
}

export const int4Lines = int4LinesOf(false)
export const int4ZerosLines = int4LinesOf(true)
export const LINE_FORMATS: readonly LineFormat[] = [int8Lines, int4Lines, int4ZerosLines]
