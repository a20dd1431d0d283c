import { d, f32, fn, input, kernel, output, u32, vec4f } from '@weft/dsl'
import { LOWEST } from '../attention/lowest'
import { type Rows, rowsType, storeQuad } from '../attention/quads'
import { named, type Storage } from '../parts/storage'
import { ROUND } from './split'

/**
 * The splits of `decode_split` put together: with m the greatest of their tops, the sums and the values of split s count exp(mₛ − m) times.
 *
 *     out[row, :] = Σₛ exp(mₛ − m) · partial[row, s, :] / Σₛ exp(mₛ − m) · sumₛ          zeros where no split has a key
 *
 * A workgroup takes a row. Every invocation goes over all splits for itself, of which there are few.
 */
const combineOf = (storage: Storage) =>
  kernel(
    named('decode_combine', storage),
    {
      doc: 'out[row, :] = the values of all splits over the sum of all splits, each rescaled to the greatest score',
      workgroupSize: [ROUND],
      bindings: {
        partial: input(d.arrayOf(d.vec4f)),
        stats: input(d.arrayOf(d.vec2f)),
        out: output(rowsType({ whole: true, storage })),
      },
      params: { rows: d.u32, splits: d.u32, head_size: d.u32 },
      workgroups: ({ rows }) => [rows],
    },
    ({ partial, stats, out, splits, head_size }, k) => {
      const quads = k.let('quads', head_size.div(4))
      const first = k.let('first', k.workgroupIndex.mul(splits))
      const top = k.var('top', f32(LOWEST))
      k.range('s', 0, splits, (s) => top.set(fn.max(top, stats.at(first.add(s)).x)))
      k.if(k.localIndex.lt(quads), () => {
        const sum = k.var('sum', f32(0))
        const values = k.var('values', vec4f())
        k.range('s', 0, splits, (s) => {
          const part = k.let('part', stats.at(first.add(s)))
          const factor = k.let('factor', fn.exp(part.x.sub(top)))
          sum.set(fn.fma(part.y, factor, sum))
          values.set(fn.fma(vec4f(factor), partial.at(u32`(${first} + ${s}) * ${quads} + ${k.localIndex}`), values))
        })
        const inverse = k.let('inverse', fn.select(f32(1).div(sum), 0, sum.eq(0)))
        const rows: Rows = { size: head_size, quads, whole: true, padded: false, storage }
        storeQuad(k, out, k.workgroupIndex, k.localIndex, values.mul(inverse), rows)
      })
    },
  )

export const decodeCombine = combineOf('f32')
export const decodeCombineHalf = combineOf('f16')
