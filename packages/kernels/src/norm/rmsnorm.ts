import { d, f32, fn, input, kernel, output } from '@weft/dsl'
import { widthIn } from '../parts/fixed-row'
import { lanesOf } from '../parts/lanes'
import { REDUCE_VARIANTS } from '../parts/reduce'
import type { Row } from '../parts/row'
import { rowOf } from '../parts/row-of'
import { rowSum } from '../parts/row-sums'
import { ROW_INVOCATIONS, type Span, spanned, type Width, widened } from '../parts/span'
import { named, type Storage } from '../parts/storage'

export const rmsnormOf = (storage: Storage, span: Span = 'any', width: Width = 1) => {
  const lanes = lanesOf(storage, width)
  return kernel(
    named(spanned(widened('rmsnorm', width), span), storage),
    {
      doc: 'y = x / √(mean(x²) + eps) · weight over each row',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: { x: input(lanes.array), weight: input(lanes.array), y: output(lanes.array) },
      ...widthIn(span, { rows: d.u32, cols: d.u32, eps: d.f32 }),
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, weight, y, cols, eps }, k) => {
      const body = (row: Row<'x'>): void => {
        const total = rowSum(k, 'squares', row, ({ x }) => x.mul(x))
        const scale = k.let('scale', fn.inverseSqrt(total.div(f32(cols)).add(eps)))
        row.each(({ x, w }, { i }) => y.at(i).set(lanes.stored(x.mul(scale).mul(w))), {
          w: ({ c }) => lanes.read(weight.at(c)),
        })
      }
      rowOf(k, cols, { x: (i) => lanes.read(x.at(i)) }, body, lanes, span)
    },
  )
}

/**
 * y[r, :] = x[r, :] / √(mean(x[r, :]²) + eps) · weight (Zhang and Sennrich, 2019).
 * x, y: rows × cols, row-major; weight: cols. A workgroup takes a row: up to 8,192 columns it reads it once, wider ones twice.
 * y may be x.
 */
export const rmsnorm = rmsnormOf('f32')
