import type { KernelSource } from '@weft/dsl/ir'
import { losses, softmaxes } from '@weft/kernels/source'
import { QUAD_SPANS, type Span, spanned, type Width, widened } from '../../packages/kernels/src/parts/span.js'
import {
  crossEntropyBackwardReference,
  crossEntropyReference,
  logSoftmaxBackwardReference,
  meanSquaredErrorReference,
  softmaxBackwardReference,
} from '../../packages/kernels/src/rows/reference.js'
import { logSoftmaxReference, softmaxReference } from '../../packages/kernels/src/softmax/reference.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, ParityCase, Tolerance } from '../parity/case.js'
import { f16s, fromF16 } from '../parity/data.js'
import { expError, gamma, rescales, rowSteps, U } from './bounds.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf, shipped } from './outputs.js'

const kernelOf = (name: string, half: boolean, span: Span = 'any', width: Width = 1): KernelSource =>
  [...softmaxes, ...losses].find(
    (kernel) => kernel.name === `${spanned(widened(name, width), span)}${half ? '_f16' : ''}`,
  ) as KernelSource

function given(seed: number, n: number, half: boolean, size = 1): { data: BufferData; numbers: number[] } {
  const x = uniform(seed, n + (n % 2), -size, size)
  if (!half) return { data: x, numbers: [...x].slice(0, n) }
  const data = f16s(...x)
  return { data, numbers: fromF16(data).slice(0, n) }
}

/** The width of rows as a kernel has it: as a param, or as an override. */
const widthFor = (span: Span, rows: number, cols: number): Pick<ParityCase, 'params' | 'overrides'> =>
  span.startsWith('fixed') ? { params: { rows }, overrides: { cols } } : { params: { rows, cols } }

const out = (half: boolean, n: number): BufferData => (half ? emptyHalfOutput(n) : emptyOutput(n))
const expected = (half: boolean, of: ArrayLike<number>): BufferData => (half ? filledHalf(of) : filled(of))
const within = (half: boolean, abs: number, because: string, rel = 0): Tolerance =>
  half ? nearHalf(abs, because, rel) : near(abs, because, rel)

/** Of a sum of exponentials of |x - m| ≤ 10, over the row. */
const sumError = (cols: number): number => (1 + rescales(cols)) * expError(10) + gamma(rowSteps(cols, 64)) + 8 * U

function forwardCase(
  half: boolean,
  logarithm: boolean,
  rows: number,
  cols: number,
  span: Span = 'any',
  width: Width = 1,
): ParityCase {
  const x = given(1, rows * cols, half, 5)
  const kernel = kernelOf(logarithm ? 'log_softmax' : 'softmax', half, span, width)
  const y = (logarithm ? logSoftmaxReference : softmaxReference)({ x: x.numbers, rows, cols })
  return {
    name: `${kernel.name}, ${rows}×${cols}`,
    kernel,
    ...widthFor(span, rows, cols),
    bindings: { x: x.data, y: out(half, rows * cols) },
    expect: { y: expected(half, y) },
    tolerance: logarithm
      ? within(half, sumError(cols) + 2 ** -21 + 32 * U, 'the logarithm of a sum, and two differences of at most 20')
      : within(half, 1e-37, 'two exponentials, a sum, a division and a product', 2 * sumError(cols)),
  }
}

function backwardCase(
  half: boolean,
  logarithm: boolean,
  rows: number,
  cols: number,
  span: Span = 'any',
  width: Width = 1,
): ParityCase {
  const [x, dy] = [given(1, rows * cols, half, 3), given(2, rows * cols, half)]
  const exact = (logarithm ? logSoftmaxReference : softmaxReference)({ x: x.numbers, rows, cols })
  const y = half ? fromF16(f16s(...exact)) : [...Float32Array.from(exact)]
  const kernel = kernelOf(logarithm ? 'log_softmax_backward' : 'softmax_backward', half, span, width)
  const dx = (logarithm ? logSoftmaxBackwardReference : softmaxBackwardReference)({ y, dy: dy.numbers, rows, cols })
  const data = half ? f16s(...y, ...(y.length % 2 ? [0] : [])) : Float32Array.from(y)
  const total = (gamma(rowSteps(cols) + cols) + expError(12)) * cols
  return {
    name: `${kernel.name}, ${rows}×${cols}`,
    kernel,
    ...widthFor(span, rows, cols),
    bindings: { y: data, dy: dy.data, dx: out(half, rows * cols) },
    expect: { dx: expected(half, dx) },
    tolerance: within(half, total + 8 * U, 'a sum over the row of terms of at most 1, an exponential and products'),
  }
}

/** Targets of which one is out of range and one is -1. */
const targets = (rows: number, cols: number): Uint32Array =>
  integers(3, rows, cols).map((id, r) => (r === 1 ? cols : r === 3 ? 0xffff_ffff : id))

function crossCase(half: boolean, rows: number, cols: number, few = false): ParityCase {
  const x = given(1, rows * cols, half, 5)
  const target = targets(rows, cols)
  const { loss, lse } = crossEntropyReference({ x: x.numbers, target, rows, cols })
  const kernel = kernelOf(few ? 'cross_entropy_few' : 'cross_entropy', half)
  return {
    name: `${kernel.name}, ${rows}×${cols}`,
    kernel,
    params: { rows, cols },
    bindings: { x: x.data, target, loss: emptyOutput(rows), lse: emptyOutput(rows) },
    expect: { loss: filled(loss), lse: filled(lse) },
    tolerance: near(
      sumError(cols) + 2 ** -21 + 64 * U,
      'the logarithm of a sum of exponentials, and differences of at most 20',
    ),
  }
}

function crossBackwardCase(half: boolean, rows: number, cols: number): ParityCase {
  const x = given(1, rows * cols, half, 5)
  const target = targets(rows, cols)
  const args = { x: x.numbers, target, rows, cols }
  const kernel = kernelOf(`cross_entropy_backward${cols >= 2048 ? '_wide' : ''}`, half)
  const lse = Float32Array.from(crossEntropyReference(args).lse)
  return {
    name: `${kernel.name}, ${rows}×${cols}`,
    kernel,
    params: { rows, cols, scale: 0.25 },
    bindings: { x: x.data, target, lse, dx: out(half, rows * cols) },
    expect: { dx: expected(half, crossEntropyBackwardReference({ ...args, scale: 0.25 })) },
    tolerance: within(
      half,
      0.25 * (expError(24) + 32 * U),
      'an exponential of at most 1, of a difference of at most 24',
    ),
  }
}

function errorCase(half: boolean, n: number, size: number): ParityCase {
  const [x, y] = [given(1, n, half), given(2, n, half)]
  const rows = Math.ceil(n / size)
  const part = (r: number) =>
    [x, y].map(({ numbers }) => numbers.slice(r * size, (r + 1) * size)) as [number[], number[]]
  const sums = Array.from({ length: rows }, (_, r) => meanSquaredErrorReference(...part(r)) * part(r)[0].length * 0.5)
  const kernel = kernelOf('squared_error', half)
  return {
    name: `${kernel.name}, ${n} elements in rows of ${size}`,
    kernel,
    params: { rows, size, n, scale: 0.5 },
    bindings: { x: x.data, y: y.data, out: emptyOutput(rows) },
    expect: { out: filled(sums) },
    tolerance: near(gamma(size + rowSteps(size)) * size * 4, 'a sum of squares of at most 4'),
  }
}

const cases: readonly ParityCase[] = [false, true].flatMap((half) => [
  ...[
    [1, 1],
    [4, 67],
    [2, 257],
  ].flatMap(([rows = 1, cols = 1]) => [
    ...(half ? [forwardCase(half, false, rows, cols)] : []),
    forwardCase(half, true, rows, cols),
    backwardCase(half, false, rows, cols),
    backwardCase(half, true, rows, cols),
    crossCase(half, rows, cols),
    crossBackwardCase(half, rows, cols),
  ]),
  ...[
    [4, 67],
    [2, 600],
  ].flatMap(([rows = 1, cols = 1]) => [
    forwardCase(half, false, rows, cols, 'short'),
    forwardCase(half, true, rows, cols, 'short'),
    backwardCase(half, false, rows, cols, 'short'),
    backwardCase(half, true, rows, cols, 'short'),
  ]),
  crossCase(half, 5, 1000),
  crossCase(half, 67, 31, true),
  crossCase(half, 3, 1, true),
  // rows as wide as what a workgroup takes, and wider: two rows in one workgroup, and the last one cut
  crossBackwardCase(half, 2, 2048),
  crossBackwardCase(half, 3, 2500),
  // more than two whole strides of a row that is streamed
  crossCase(half, 2, 4200),
  backwardCase(half, half, 1, 10_300),
  errorCase(half, 700, 300),
  errorCase(half, 1, 1),
])

type Hidden = 'softmax_quads' | 'log_softmax' | 'log_softmax_quads' | 'cross_entropy' | 'cross_entropy_few'

/** The second row is −∞ throughout: its softmax is 0, its log-softmax −∞, its cross-entropy ∞, and its lse a number. */
function hiddenCase(of: Hidden, cols: number, half = false, span: Span = 'any'): ParityCase {
  const rows = 3
  const { numbers } = given(1, rows * cols, half, 5)
  const x = Float32Array.from(numbers, (value, i) => (Math.floor(i / cols) === 1 ? -Infinity : value))
  const target = Uint32Array.of(1, 0, cols)
  const { loss, lse } = crossEntropyReference({ x, target, rows, cols })
  const kernel = kernelOf(of, half, span)
  const reference = of.startsWith('softmax') ? softmaxReference : logSoftmaxReference
  const forward = of.includes('softmax')
  const abs = sumError(cols) + 2 ** -21 + 64 * U
  return {
    name: `${kernel.name}, ${rows}×${cols}, a row of −∞`,
    kernel,
    ...widthFor(span, rows, cols),
    bindings: forward
      ? { x: half ? f16s(...x) : x, y: out(half, rows * cols) }
      : { x, target, loss: emptyOutput(rows), lse: emptyOutput(rows) },
    expect: forward ? { y: expected(half, reference({ x, rows, cols })) } : { loss: filled(loss), lse: filled(lse) },
    tolerance: within(half, abs, 'the logarithm of a sum, and differences of at most 20'),
  }
}

/** Rows by fours: as many for all invocations, or for one of them one more or one less; and rows that are streamed. */
const quads: readonly ParityCase[] = QUAD_SPANS.flatMap((span) =>
  (
    ({
      fixed: [
        [2, 1024],
        [1, 1028],
        [1, 8188],
      ],
      fixed_short: [
        [3, 4],
        [1, 260],
        [1, 2048],
      ],
      wide: [[1, 9000]],
    }) as const
  )[span].flatMap(([rows, cols]) => [
    ...(span === 'fixed' ? [forwardCase(false, false, rows, cols, span, 4)] : []),
    ...[false, true].flatMap((logarithm) => [
      forwardCase(true, logarithm, rows, cols, span, 4),
      backwardCase(true, logarithm, rows, cols, span, 4),
    ]),
  ]),
)

const hidden: readonly ParityCase[] = [
  hiddenCase('log_softmax', 67),
  hiddenCase('cross_entropy', 300),
  hiddenCase('cross_entropy_few', 5),
  hiddenCase('softmax_quads', 1028, false, 'fixed'),
  hiddenCase('softmax_quads', 1028, true, 'fixed'),
  hiddenCase('log_softmax_quads', 260, true, 'fixed_short'),
]

export const rowsCases: readonly ParityCase[] = [...cases, ...quads, ...hidden].map(shipped)
