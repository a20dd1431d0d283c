import { d, f32, fn, input, kernel, output } from '@weft/dsl'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { rowOf, rowSum } from '../parts/row'
import { ROW_INVOCATIONS, type Span, spanned } from '../parts/span'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

export const rmsnormOf = (storage: Storage, span: Span = 'any') =>
  kernel(
    named(spanned('rmsnorm', span), storage),
    {
      doc: 'y = x / √(mean(x²) + eps) · weight over each row',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: { x: input(scalars(storage)), weight: input(scalars(storage)), y: output(scalars(storage)) },
      params: { rows: d.u32, cols: d.u32, eps: d.f32 },
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, weight, y, cols, eps }, k) =>
      rowOf(k, cols, { x: (i) => read(x.at(i)) }, (row) => {
        const total = rowSum(k, 'squares', row, ({ x }) => x.mul(x))
        const scale = k.let('scale', fn.inverseSqrt(total.div(f32(cols)).add(eps)))
        row.each(({ x, w }, { i }) => y.at(i).set(stored(storage, x.mul(scale).mul(w))), {
          w: ({ c }) => read(weight.at(c)),
        })
      }),
  )

/**
 * y[r, :] = x[r, :] / √(mean(x[r, :]²) + eps) · weight (Zhang and Sennrich, 2019).
 * x, y: rows × cols, row-major; weight: cols. A workgroup takes a row: up to 8,192 columns it reads it once, wider ones twice.
 * y may be x.
 */
export const rmsnorm = rmsnormOf('f32')
