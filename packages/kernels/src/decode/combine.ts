import { d, f32, fn, input, kernel, output, u32, vec4f } from '@weft/dsl'
import { LOWEST } from '../attention-flash/lowest'
import { type Rows, rowsType, storeQuad } from '../attention-flash/quads'
import { MAX, REDUCE_VARIANTS, workgroupReduce } from '../parts/reduce'
import { named, type Storage } from '../parts/storage'

const INVOCATIONS = 256

/**
 * The splits of `decode_split` put together: with m the greatest of their tops, the sums and the values of split s count exp(mₛ − m) times.
 *
 *     out[row, :] = Σₛ exp(mₛ − m) · partial[row, s, :] / Σₛ exp(mₛ − m) · sumₛ          zeros where no split has a key
 *
 * A workgroup takes a row: as many splits side by side as its invocations hold quads of the head, so that no invocation waits for the
 * memory of more than a few; then their sums are added up through workgroup memory.
 */
const combineOf = (storage: Storage) =>
  kernel(
    named('decode_combine', storage),
    {
      doc: 'out[row, :] = the values of all splits over the sum of all splits, each rescaled to the greatest score',
      workgroupSize: [INVOCATIONS],
      bindings: {
        partial: input(d.arrayOf(d.vec4f)),
        stats: input(d.arrayOf(d.vec2f)),
        out: output(rowsType({ whole: true, storage })),
      },
      params: { rows: d.u32, splits: d.u32, head_size: d.u32 },
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
    },
    ({ partial, stats, out, splits, head_size }, k) => {
      const i = k.localIndex
      const quads = k.let('quads', head_size.div(4))
      const first = k.let('first', k.workgroupIndex.mul(splits))
      const own = k.var('own', f32(LOWEST))
      k.range('s', i, splits, INVOCATIONS, (s) => own.set(fn.max(own, stats.at(first.add(s)).x)))
      const top = k.let('top', workgroupReduce(k, 'row_top', own, MAX))
      const groups = k.let('groups', u32(INVOCATIONS).div(quads))
      const { quad, group } = k.let({ quad: i.rem(quads), group: i.div(quads) })
      const sum = k.var('sum', f32(0))
      const values = k.var('values', vec4f())
      k.range('s', fn.select(splits, group, group.lt(groups)), splits, groups, (s) => {
        const part = k.let('part', stats.at(first.add(s)))
        const factor = k.let('factor', fn.exp(part.x.sub(top)))
        sum.set(fn.fma(part.y, factor, sum))
        values.set(fn.fma(vec4f(factor), partial.at(u32`(${first} + ${s}) * ${quads} + ${quad}`), values))
      })
      const sums = k.workgroup('sums', f32, INVOCATIONS)
      const parts = k.workgroup('parts', vec4f, INVOCATIONS)
      sums.at(i).set(sum)
      parts.at(i).set(values)
      k.workgroupBarrier()
      k.if(i.lt(quads), () => {
        const total = k.var('total', sums.at(i))
        const whole = k.var('whole', parts.at(i))
        k.range('g', 1, groups, (g) => {
          const at = k.let('at', u32`${g} * ${quads} + ${i}`)
          total.addAssign(sums.at(at))
          whole.addAssign(parts.at(at))
        })
        const inverse = k.let('inverse', fn.select(f32(1).div(total), 0, total.eq(0)))
        const rows: Rows = { size: head_size, quads, whole: true, padded: false, storage }
        storeQuad(k, out, k.workgroupIndex, i, whole.mul(inverse), rows)
      })
    },
  )

export const decodeCombine = combineOf('f32')
export const decodeCombineHalf = combineOf('f16')
