import { type Expr, i32, u32 } from '@weft/dsl'
import type { FormatView } from './format'
import type { HeldFormat } from './held'
import { following, int4Lines, int4ZerosLines, int8Lines } from './line-formats'
import { highNibbles, lowNibbles } from './packed'

/** The formats of format.ts as bytes, 32 values of a row at a time. */

type U32 = Expr<'u32'>
type Words = Expr<'vec4u'>

interface View {
  readonly w: { at(i: U32): Words }
  readonly scales: { at(i: U32): Expr<'f32'> }
  readonly zeros: { at(i: U32): U32 }
  readonly words: U32
  readonly group_log2: U32
  readonly groups: U32
}
const seen = (view: FormatView): View => view as unknown as View
const components = ({ x, y, z, w }: Words): readonly U32[] => [x, y, z, w]

/** What a format has in common with its lines. */
export const common = <T extends Pick<HeldFormat, 'name' | 'doc' | 'bindings' | 'params'>>({
  name,
  doc,
  bindings,
  params,
}: T) => ({ name, doc, bindings, params })

export const int8Held: HeldFormat = {
  ...common(int8Lines),
  ...{ signed: true, large: true, ahead: false, parts: [8], places: following(4) },
  ...(int8Lines.rowScale ? { rowScale: int8Lines.rowScale } : {}),
  column: (_, view, c) => ({
    load: (row) => {
      const at = u32`${row} * (${seen(view).words} / 4) + 2 * ${c}`
      return [seen(view).w.at(at), seen(view).w.at(at.add(1))]
    },
    unpack: (loads: readonly Words[]) => ({ bytes: loads.flatMap(components), parts: [{}] }),
  }),
}

function int4HeldOf(withZeros: boolean): HeldFormat {
  return {
    ...common(withZeros ? int4ZerosLines : int4Lines),
    ...{ ahead: true, parts: [8], places: following(4) },
    column: (k, view, c) => {
      const { w, scales, zeros, words, group_log2, groups } = seen(view)
      const group = k.let('group', u32`(${c} * 32) >> ${group_log2}`)
      return {
        load: (row) => [
          w.at(u32`${row} * (${words} / 4) + ${c}`),
          scales.at(u32`${row} * ${groups} + ${group}`),
          ...(withZeros ? [zeros.at(u32`${row} * ((${groups} + 7) / 8) + ${group} / 8`)] : []),
        ],
        unpack: (loads) => {
          const [load, scale, eight] = loads as readonly [Words, Expr<'f32'>, U32?]
          const zero = eight ? i32(u32`(${eight} >> (${group} % 8 * 4)) & 15`) : i32(8)
          const bytes = components(load).flatMap((word) => [lowNibbles(word), highNibbles(word)])
          return { bytes, parts: [{ scale, zero }] }
        },
      }
    },
  }
}

export const int4Held = int4HeldOf(false)
export const int4ZerosHeld = int4HeldOf(true)
export const HELD_FORMATS: readonly HeldFormat[] = [int8Held, int4Held, int4ZerosHeld]
