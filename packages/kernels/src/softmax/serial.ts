import { ceilDiv, d, type Expr, each, f32, fn, inout, input, kernel, u32, vec4f } from '@weft/dsl'
import { LOWEST } from '../parts/lowest'

const { exp, max, select } = fn

/** vec4f that one step of a loop takes. */
const STEP = 4

type Quad = Expr<'vec4f'>
const across = (fold: (a: Expr<'f32'>, b: Expr<'f32'>) => Expr<'f32'>, { x, y, z, w }: Quad): Expr<'f32'> =>
  fold(fold(x, y), fold(z, w))

/**
 * softmax for adapters that compute on the CPU (SwiftShader, lavapipe): an invocation takes a whole row of `quads` vec4f, and
 * nothing is shared, since it is barriers that cost there. `y` holds the exponentials until their sum is known.
 *
 * Tried on SwiftShader, 1,024 rows of 1,024, in CPU time: scalars instead of vec4f 58 ms, one vec4f a step 32 ms, two 24 ms,
 * four 19 ms, eight 25 ms; exponentials computed twice instead of kept 27 ms; four invocations a row with subgroup operations
 * 33 ms. The kernel of a workgroup a row: 500 ms.
 */
export const softmaxSerial = kernel(
  'softmax_serial',
  {
    doc: 'y = exp(x - m) / Σ exp(x - m) over each row of vec4f, an invocation a row: for adapters that compute on the CPU',
    workgroupSize: [64],
    bindings: { x: input(d.arrayOf(d.vec4f)), y: inout(d.arrayOf(d.vec4f)) },
    params: { rows: d.u32, quads: d.u32 },
    workgroups: ({ rows }) => [ceilDiv(rows, 64)],
    aliases: [['x', 'y']],
  },
  ({ x, y, rows, quads }, k) => {
    const row = k.globalIndex
    k.if(row.lt(rows), () => {
      const start = k.let('start', row.mul(quads))
      const whole = k.let('whole', u32`${quads} / ${STEP} * ${STEP}`)
      const walk = (body: (i: Expr<'u32'>, lane: number) => void): void => {
        k.range('c', 0, whole, STEP, (c) => {
          for (const j of each(STEP)) body(u32`${start} + ${c} + ${j}`, j)
        })
        k.range('c', whole, quads, (c) => body(start.add(c), 0))
      }

      const tops = each(STEP).map((j) => k.var(`top${j}`, vec4f(LOWEST)))
      walk((i, j) => tops[j]?.set(max(tops[j] as Quad, x.at(i))))
      const top = k.let(
        'top',
        vec4f(
          across(
            max,
            tops.reduce<Quad>((a, b) => max(a, b), vec4f(LOWEST)),
          ),
        ),
      )

      const sums = each(STEP).map((j) => k.var(`sum${j}`, vec4f(0)))
      walk((i, j) => {
        const power = k.let(`power${j}`, exp(x.at(i).sub(top)))
        sums[j]?.addAssign(power)
        y.at(i).set(power)
      })
      const total = k.let(
        'total',
        across(
          (a, b) => a.add(b),
          sums.reduce<Quad>((a, b) => a.add(b), vec4f(0)),
        ),
      )
      const scale = k.let('scale', select(f32(1).div(total), 0, total.eq(0)))
      walk((i) => y.at(i).set(y.at(i).mul(scale)))
    })
  },
)
