import { ceilDiv, d, inout, input, kernel, u32 } from '@weft/dsl'

/**
 * c[z, i, j] = Σₛ partial[s, z, i, j], or that added to c[z, i, j]: joins the sums over parts of k, which is exact in any order.
 *
 * partial: [splits, batch, m, width] i32, of which the first n of each row count; c with strides as in matmulInt8. An invocation for each element.
 */
export const matmulInt8Join = kernel(
  'matmul_int8_join',
  {
    doc: 'c = the sum of the partial products, or c + the sum, in i32',
    workgroupSize: [256],
    bindings: { partial: input(d.arrayOf(d.i32)), c: inout(d.arrayOf(d.i32)) },
    params: {
      ...{ m: d.u32, n: d.u32, batch: d.u32, splits: d.u32, width: d.u32 },
      ...{ c_offset: d.u32, c_row: d.u32, c_batch: d.u32, onto: d.u32 },
    },
    workgroups: ({ m, n, batch }) => [ceilDiv(m.mul(n).mul(batch), 256)],
  },
  ({ partial, c, m, n, batch, splits, width, c_offset, c_row, c_batch, onto }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(u32`${m} * ${n} * ${batch}`), () => {
      const { col, line } = k.let({ col: i.rem(n), line: i.div(n) })
      const { first, part } = k.let({ first: u32`${line} * ${width} + ${col}`, part: u32`${batch} * ${m} * ${width}` })
      const place = c.at(u32`${c_offset} + ${line} / ${m} * ${c_batch} + ${line} % ${m} * ${c_row} + ${col}`)
      const sum = k.var(
        'sum',
        k.when(onto.ne(0), () => place, 0),
      )
      k.range('s', splits, (s) => sum.addAssign(partial.at(u32`${s} * ${part} + ${first}`)))
      place.set(sum)
    })
  },
)
