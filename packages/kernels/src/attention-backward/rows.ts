import { d, f32, input, kernel, output, vec2f } from '@weft/dsl'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars } from '../parts/storage'

/**
 * What the gradient needs of each row of attention: (lse, δ) with δ = Σ dout · out, which is Σ w g of the weights and their gradients, without
 * the weights (Dao et al., 2022, appendix B). One buffer of pairs, since the kernels that read them have seven others.
 *
 *     out, dout: [rows, head_size]   lse: [rows] of the forward   stats: [rows]      rows = batch · heads · queries
 */
const rowsOf = (storage: Storage) =>
  kernel(
    named('attention_backward_rows', storage),
    {
      doc: 'stats[row] = (lse[row], the sum of dout · out)',
      workgroupSize: [64],
      bindings: {
        out: input(scalars(storage)),
        dout: input(scalars(storage)),
        lse: input(d.arrayOf(d.f32)),
        stats: output(d.arrayOf(d.vec2f)),
      },
      params: { rows: d.u32, head_size: d.u32 },
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
    },
    ({ out, dout, lse, stats, head_size }, k) => {
      const row = k.let('row', k.workgroupIndex)
      const part = k.var('part', f32(0))
      k.range('c', k.localIndex, head_size, 64, (c) => {
        const at = k.let('at', row.mul(head_size).add(c))
        part.addAssign(read(out.at(at)).mul(read(dout.at(at))))
      })
      const delta = k.let('delta', workgroupReduce(k, 'row_sum', part, SUM))
      k.if(k.localIndex.eq(0), () => stats.at(row).set(vec2f(lse.at(row), delta)))
    },
  )

export const attentionBackwardRows = rowsOf('f32')
export const attentionBackwardRowsHalf = rowsOf('f16')
