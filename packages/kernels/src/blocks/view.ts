import { d, type Expr, input } from '@weft/dsl'
import type { FormatView } from '../quant/format'
import type { BlockName } from './layout'

/** What a kernel declares of W in llama.cpp's blocks, and how its body sees that: the same for all ways to read them. */

type U32 = Expr<'u32'>

/** Rows of k weights, one after another from byte `offset` on, by words or by four words at a time. */
export interface View<W = U32> {
  readonly w: { at(i: U32): W }
  readonly offset: U32
  readonly k: U32
}
export const seen = <W = U32>(view: FormatView): View<W> => view as unknown as View<W>

export const declared = (name: BlockName, words: typeof d.u32 | typeof d.vec4u = d.u32) => ({
  name,
  doc: `llama.cpp's ${name.toUpperCase()} blocks`,
  bindings: { w: input(d.arrayOf(words)) },
  params: { offset: d.u32 },
})
