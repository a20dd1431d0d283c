import { bitcast, d, type Expr, f32, input, kernel, output, u32, vec2f, vec4u, type WriteRef } from '@weft/dsl'
import { type Lengths, lengthOf } from '../attention/sight'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars } from '../parts/storage'
import { statsType } from './masked'

const LENGTH_PARAMS = {
  heads: d.u32,
  queries: d.u32,
  keys: d.u32,
  past: d.i32,
  lengths_stride: d.u32,
  from_end: d.u32,
}

type Sizes = Parameters<typeof lengthOf>[1]

/**
 * What the gradient needs of each row of attention: (lse, δ) with δ = Σ dout · out, which is Σ w g of the weights and their gradients, without
 * the weights (Dao et al., 2022, appendix B). One buffer of pairs, since the kernels that read them have seven others.
 *
 *     out, dout: [rows, head_size]   lse: [rows] of the forward   stats: [rows]      rows = batch · heads · queries
 *
 * The masked form adds what the lengths say of the row's batch: its keys, and the position of its first query (see `masked.ts`).
 */
const rowsOf = (storage: Storage, masked: boolean) =>
  kernel(
    named(`attention_backward_${masked ? 'masked_' : ''}rows`, storage),
    {
      doc: `stats[row] = (lse[row], the sum of dout · out${masked ? ', keys of its batch, position of its first query' : ''})`,
      workgroupSize: [64],
      bindings: {
        out: input(scalars(storage)),
        dout: input(scalars(storage)),
        lse: input(d.arrayOf(d.f32)),
        stats: output(statsType(masked)),
        ...((masked ? { lengths: input(d.arrayOf(d.u32)) } : {}) as Record<never, never>),
      },
      params: { rows: d.u32, head_size: d.u32, ...((masked ? LENGTH_PARAMS : {}) as Record<never, never>) },
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
    },
    (view, k) => {
      const { out, dout, lse, stats, head_size } = view
      const row = k.let('row', k.workgroupIndex)
      const part = k.var('part', f32(0))
      k.range('c', k.localIndex, head_size, 64, (c) => {
        const at = k.let('at', row.mul(head_size).add(c))
        part.addAssign(read(out.at(at)).mul(read(dout.at(at))))
      })
      const delta = k.let('delta', workgroupReduce(k, 'row_sum', part, SUM))
      k.if(k.localIndex.eq(0), () => {
        if (!masked) {
          stats.at(row).set(vec2f(lse.at(row), delta))
          return
        }
        const sizes = view as unknown as Sizes
        const { keys, past } = lengthOf(k, sizes, view as unknown as Lengths, row.div(sizes.queries))
        const all = vec4u(bitcast(u32, lse.at(row)), bitcast(u32, delta as Expr<'f32'>), keys, bitcast(u32, past))
        ;(stats as unknown as WriteRef<{ readonly array: 'vec4u' }>).at(row).set(all)
      })
    },
  )

export const attentionBackwardRows = (['f32', 'f16'] as const).flatMap((storage) =>
  [false, true].map((masked) => rowsOf(storage, masked)),
)
