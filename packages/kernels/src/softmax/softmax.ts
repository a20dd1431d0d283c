import { d, f32, fn, input, kernel, output } from '@weft/dsl'
import { MAX, REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'

const { exp, max } = fn

/** Below every score, and finite: LOWEST − LOWEST is 0, where −∞ − (−∞) would be NaN. */
const LOWEST = -3.4028234663852886e38

/**
 * y[r, :] = exp(x[r, :] − m) / Σ exp(x[r, :] − m), with m the maximum of the row (which no finite input overflows).
 * x, y: rows × cols, row-major. A workgroup takes a row, whatever its width, in three passes: maximum, sum, result.
 * A row of −∞ gives zeros. y may be x.
 */
export const softmax = kernel(
  'softmax',
  {
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
    params: { rows: d.u32, cols: d.u32 },
    workgroups: ({ rows }) => [rows],
    variants: REDUCE_VARIANTS,
    aliases: [['x', 'y']],
  },
  ({ x, y, cols }, k) => {
    const start = k.let('start', k.workgroupIndex.mul(cols))

    const highest = k.var('highest', f32(LOWEST))
    k.range('c', k.localIndex, cols, k.workgroupSize, (c) => highest.set(max(highest, x.at(start.add(c)))))
    const top = k.let('top', workgroupReduce(k, 'row_max', highest, MAX))

    const sum = k.var('sum', f32(0))
    k.range('c', k.localIndex, cols, k.workgroupSize, (c) => sum.addAssign(exp(x.at(start.add(c)).sub(top))))
    const total = workgroupReduce(k, 'row_sum', sum, SUM)
    const scale = k.let('scale', fn.select(f32(1).div(total), 0, total.eq(0)))

    k.range('c', k.localIndex, cols, k.workgroupSize, (c) => {
      const i = start.add(c)
      y.at(i).set(exp(x.at(i).sub(top)).mul(scale))
    })
  },
)
