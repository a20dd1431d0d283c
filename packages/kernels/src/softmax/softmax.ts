import { d, f32, fn, input, kernel, output } from '@weft/dsl'
import { widthIn } from '../parts/fixed-row'
import { lanesOf } from '../parts/lanes'
import { REDUCE_VARIANTS } from '../parts/reduce'
import type { Row } from '../parts/row'
import { rowOf } from '../parts/row-of'
import { normalizer } from '../parts/row-sums'
import { ROW_INVOCATIONS, type Span, spanned, type Width, widened } from '../parts/span'
import { named, type Storage } from '../parts/storage'

const { exp, select } = fn

export const softmaxOf = (storage: Storage, span: Span = 'any', width: Width = 1) => {
  const lanes = lanesOf(storage, width)
  return kernel(
    named(spanned(widened('softmax', width), span), storage),
    {
      doc: 'y = exp(x - m) / Σ exp(x - m) over each row, with m its maximum; a row of -∞ gives zeros',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: { x: input(lanes.array), y: output(lanes.array) },
      ...widthIn(span, { rows: d.u32, cols: d.u32 }),
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, y, cols }, k) => {
      const body = (row: Row<'x'>): void => {
        const { top, total } = normalizer(k, row, ({ x }) => x)
        const scale = k.let('scale', select(f32(1).div(total), 0, total.eq(0)))
        row.each(({ x }, { i }) => y.at(i).set(lanes.stored(exp(x.sub(top)).mul(scale))))
      }
      rowOf(k, cols, { x: (i) => lanes.read(x.at(i)) }, body, lanes, span)
    },
  )
}

/**
 * y[r, :] = exp(x[r, :] − m) / Σ exp(x[r, :] − m), with m the maximum of the row (which no finite input overflows).
 * x, y: rows × cols, row-major. A workgroup takes a row, whatever its width: up to 8,192 columns it reads it once, wider ones twice.
 * A row of −∞ gives zeros. y may be x.
 */
export const softmax = softmaxOf('f32')
