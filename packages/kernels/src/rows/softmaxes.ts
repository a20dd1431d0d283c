import { d, fn, input, kernel, output } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { normalizer, rowOf, rowSum } from '../parts/row'
import { ROW_INVOCATIONS, SPANS, type Span, spanned } from '../parts/span'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { softmaxOf } from '../softmax/softmax'

/**
 * Softmax in f16, its logarithm and the gradients of both, over rows of any width: a workgroup takes a row. With m the maximum of a
 * row and s = Σ exp(x − m), which no finite input overflows:
 *
 *     softmax      y = exp(x − m) / s           dx = y · (dy − Σ dy · y)
 *     log-softmax  y = x − m − ln s             dx = dy − exp(y) · Σ dy
 */

const params = { rows: d.u32, cols: d.u32 } as const

const logarithm = (storage: Storage, span: Span): KernelSource =>
  kernel(
    named(spanned('log_softmax', span), storage),
    {
      doc: 'y = x - m - ln Σ exp(x - m) over each row, with m its maximum; a row of -∞ gives -∞',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)) },
      params,
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, y, cols }, k) =>
      rowOf(k, cols, { x: (i) => read(x.at(i)) }, (row) => {
        const { top, total } = normalizer(k, row, ({ x }) => x)
        const shift = k.let('shift', fn.log(total))
        row.each(({ x }, { i }) => y.at(i).set(stored(storage, x.sub(top).sub(shift))))
      }),
  )

const backward = (storage: Storage, span: Span, logarithm: boolean): KernelSource =>
  kernel(
    named(spanned(logarithm ? 'log_softmax_backward' : 'softmax_backward', span), storage),
    {
      doc: logarithm ? 'dx = dy - exp(y) · Σ dy, of the result y' : 'dx = y · (dy - Σ dy · y), of the result y',
      workgroupSize: [ROW_INVOCATIONS[span]],
      bindings: { y: input(scalars(storage)), dy: input(scalars(storage)), dx: output(scalars(storage)) },
      params,
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['dy', 'dx']],
    },
    ({ y, dy, dx, cols }, k) =>
      rowOf(k, cols, { y: (i) => read(y.at(i)), g: (i) => read(dy.at(i)) }, (row) => {
        const total = rowSum(k, 'total', row, ({ y, g }) => (logarithm ? g : g.mul(y)))
        row.each(({ y, g }, { i }) =>
          dx.at(i).set(stored(storage, logarithm ? g.sub(fn.exp(y).mul(total)) : y.mul(g.sub(total)))),
        )
      }),
  )

export const softmaxes: readonly KernelSource[] = [
  softmaxOf('f16'),
  softmaxOf('f32', 'short'),
  softmaxOf('f16', 'short'),
  ...SPANS.flatMap((span) =>
    (['f32', 'f16'] as const).flatMap((storage) => [
      logarithm(storage, span),
      backward(storage, span, false),
      backward(storage, span, true),
    ]),
  ),
]
