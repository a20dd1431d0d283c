import { d, fn, input, kernel, output } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { widthIn } from '../parts/fixed-row'
import { lanesOf } from '../parts/lanes'
import { REDUCE_VARIANTS } from '../parts/reduce'
import type { Row } from '../parts/row'
import { rowOf } from '../parts/row-of'
import { logarithm, normalizer, rowSum } from '../parts/row-sums'
import { QUAD_SPANS, ROW_FORMS, ROW_INVOCATIONS, type Span, spanned, type Width, widened } from '../parts/span'
import { named, type Storage } from '../parts/storage'
import { softmaxOf } from '../softmax/softmax'

/**
 * Softmax in f16, its logarithm and the gradients of both, over rows of any width: a workgroup takes a row. With m the maximum of a
 * row and s = Σ exp(x − m), which no finite input overflows:
 *
 *     softmax      y = exp(x − m) / s           dx = y · (dy − Σ dy · y)
 *     log-softmax  y = x − m − ln s             dx = dy − exp(y) · Σ dy
 */

const params = { rows: d.u32, cols: d.u32 } as const

const logSoftmaxOf = (storage: Storage, span: Span, width: Width = 1): KernelSource => {
  const lanes = lanesOf(storage, width)
  return kernel(
    named(spanned(widened('log_softmax', width), span), storage),
    {
      doc: 'y = x - m - ln Σ exp(x - m) over each row, with m its maximum; a row of -∞ gives -∞',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: { x: input(lanes.array), y: output(lanes.array) },
      ...widthIn(span, params),
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, y, cols }, k) => {
      const body = (row: Row<'x'>): void => {
        const { top, total } = normalizer(k, row, ({ x }) => x)
        const shift = k.let('shift', logarithm(total))
        row.each(({ x }, { i }) => y.at(i).set(lanes.stored(x.sub(top).sub(shift))))
      }
      rowOf(k, cols, { x: (i) => lanes.read(x.at(i)) }, body, lanes, span)
    },
  )
}

const backward = (storage: Storage, span: Span, ofLog: boolean, width: Width = 1): KernelSource => {
  const lanes = lanesOf(storage, width)
  return kernel(
    named(spanned(widened(ofLog ? 'log_softmax_backward' : 'softmax_backward', width), span), storage),
    {
      doc: ofLog ? 'dx = dy - exp(y) · Σ dy, of the result y' : 'dx = y · (dy - Σ dy · y), of the result y',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: { y: input(lanes.array), dy: input(lanes.array), dx: output(lanes.array) },
      ...widthIn(span, params),
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['dy', 'dx']],
    },
    ({ y, dy, dx, cols }, k) => {
      const body = (row: Row<'y' | 'g'>): void => {
        const total = rowSum(k, 'total', row, (values) => (ofLog ? values.g : values.g.mul(values.y)))
        row.each(({ y, g }, { i }) =>
          dx.at(i).set(lanes.stored(ofLog ? g.sub(fn.exp(y).mul(total)) : y.mul(g.sub(total)))),
        )
      }
      rowOf(k, cols, { y: (i) => lanes.read(y.at(i)), g: (i) => lanes.read(dy.at(i)) }, body, lanes, span)
    },
  )
}

export const softmaxes: readonly KernelSource[] = [
  softmaxOf('f16'),
  softmaxOf('f32', 'short'),
  softmaxOf('f16', 'short'),
  ...QUAD_SPANS.map((span) => softmaxOf('f16', span, 4)),
  softmaxOf('f32', 'fixed', 4),
  ...ROW_FORMS.flatMap(([storage, span, width]) => [
    logSoftmaxOf(storage, span, width),
    backward(storage, span, false, width),
    backward(storage, span, true, width),
  ]),
]
