import { d, f32, fn, input, kernel, output } from '@weft/dsl'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'

/**
 * y[r, :] = x[r, :] / √(mean(x[r, :]²) + eps) · weight (Zhang and Sennrich, 2019).
 * x, y: rows × cols, row-major; weight: cols. A workgroup takes a row, in two passes. y may be x.
 */
export const rmsnorm = kernel(
  'rmsnorm',
  {
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.f32)), weight: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
    params: { rows: d.u32, cols: d.u32, eps: d.f32 },
    workgroups: ({ rows }) => [rows],
    variants: REDUCE_VARIANTS,
    aliases: [['x', 'y']],
  },
  ({ x, weight, y, cols, eps }, k) => {
    const start = k.let('start', k.workgroupIndex.mul(cols))

    const sum = k.var('sum', f32(0))
    k.range('c', k.localIndex, cols, k.workgroupSize, (c) => {
      const v = x.at(start.add(c))
      sum.set(fn.fma(v, v, sum))
    })
    const total = workgroupReduce(k, 'squares', sum, SUM)
    const scale = k.let('scale', f32`inverseSqrt(${total} / f32(${cols}) + ${eps})`)

    k.range('c', k.localIndex, cols, k.workgroupSize, (c) => {
      const i = start.add(c)
      y.at(i).set(x.at(i).mul(scale).mul(weight.at(c)))
    })
  },
)
