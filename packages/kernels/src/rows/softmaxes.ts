import { type Builder, d, type Expr, f32, fn, input, kernel, output } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { MAX, REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/**
 * Softmax in f16, its logarithm and the gradients of both, over rows of any width: a workgroup takes a row. With m the maximum of a
 * row and s = Σ exp(x − m), which no finite input overflows:
 *
 *     softmax      y = exp(x − m) / s           dx = y · (dy − Σ dy · y)
 *     log-softmax  y = x − m − ln s             dx = dy − exp(y) · Σ dy
 */

const { exp, log, max } = fn

/** Below every score, and finite: LOWEST − LOWEST is 0, where −∞ − (−∞) would be NaN. */
export const LOWEST = -3.4028234663852886e38

interface Source {
  at(i: Expr<'u32'>): Expr<'f32'>
}

/** Calls its body for the elements of the row that are this invocation's, by their index. */
export const eachOf = (k: Builder, start: Expr<'u32'>, cols: Expr<'u32'>, body: (i: Expr<'u32'>) => void): void =>
  k.range('c', k.localIndex, cols, k.workgroupSize, (c) => body(k.let('i', start.add(c))))

/** The maximum of a row of x, and Σ exp(x − maximum). */
export function normalizer(
  k: Builder,
  x: Source,
  start: Expr<'u32'>,
  cols: Expr<'u32'>,
): { readonly top: Expr<'f32'>; readonly total: Expr<'f32'> } {
  const highest = k.var('highest', f32(LOWEST))
  eachOf(k, start, cols, (i) => highest.set(max(highest, read(x.at(i)))))
  const top = k.let('top', workgroupReduce(k, 'row_max', highest, MAX))
  const sum = k.var('sum', f32(0))
  eachOf(k, start, cols, (i) => sum.addAssign(exp(read(x.at(i)).sub(top))))
  return { top, total: k.let('total', workgroupReduce(k, 'row_sum', sum, SUM)) }
}

const params = { rows: d.u32, cols: d.u32 } as const

const forward = (storage: Storage, logarithm: boolean): KernelSource =>
  kernel(
    named(logarithm ? 'log_softmax' : 'softmax', storage),
    {
      doc: logarithm
        ? 'y = x - m - ln Σ exp(x - m) over each row, with m its maximum; a row of -∞ gives -∞'
        : 'y = exp(x - m) / Σ exp(x - m) over each row, with m its maximum; a row of -∞ gives zeros',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: output(scalars(storage)) },
      params,
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['x', 'y']],
    },
    ({ x, y, cols }, k) => {
      const start = k.let('start', k.workgroupIndex.mul(cols))
      const { top, total } = normalizer(k, x as unknown as Source, start, cols)
      if (logarithm) {
        const shift = k.let('shift', log(total))
        eachOf(k, start, cols, (i) => y.at(i).set(stored(storage, read(x.at(i)).sub(top).sub(shift))))
      } else {
        const scale = k.let('scale', fn.select(f32(1).div(total), 0, total.eq(0)))
        eachOf(k, start, cols, (i) => y.at(i).set(stored(storage, exp(read(x.at(i)).sub(top)).mul(scale))))
      }
    },
  )

const backward = (storage: Storage, logarithm: boolean): KernelSource =>
  kernel(
    named(logarithm ? 'log_softmax_backward' : 'softmax_backward', storage),
    {
      doc: logarithm ? 'dx = dy - exp(y) · Σ dy, of the result y' : 'dx = y · (dy - Σ dy · y), of the result y',
      workgroupSize: [256],
      bindings: { y: input(scalars(storage)), dy: input(scalars(storage)), dx: output(scalars(storage)) },
      params,
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
      aliases: [['dy', 'dx']],
    },
    ({ y, dy, dx, cols }, k) => {
      const start = k.let('start', k.workgroupIndex.mul(cols))
      const sum = k.var('sum', f32(0))
      eachOf(k, start, cols, (i) => {
        const g = read(dy.at(i))
        sum.addAssign(logarithm ? g : g.mul(read(y.at(i))))
      })
      const total = k.let('total', workgroupReduce(k, 'row_sum', sum, SUM))
      eachOf(k, start, cols, (i) => {
        const [of, g] = [read(y.at(i)), read(dy.at(i))]
        dx.at(i).set(stored(storage, logarithm ? g.sub(exp(of).mul(total)) : of.mul(g.sub(total))))
      })
    },
  )

export const softmaxes: readonly KernelSource[] = [
  forward('f16', false),
  ...(['f32', 'f16'] as const).flatMap((storage) => [
    forward(storage, true),
    backward(storage, false),
    backward(storage, true),
  ]),
]
