import type { KernelSource } from '@weft/dsl/ir'
import { gradientsByRows, normGradients, norms } from '@weft/kernels/source'
import { type NormShape, normBackwardReference, normReference } from '../../packages/kernels/src/norms/reference.js'
import { QUAD_SPANS, type Span, spanned, type Width, widened } from '../../packages/kernels/src/parts/span.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, ParityCase, Tolerance } from '../parity/case.js'
import { f16s, fromF16 } from '../parity/data.js'
import { gamma, rowSteps, U } from './bounds.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf, shipped } from './outputs.js'

type Kind = 'layer' | 'rms' | 'group'

const kernelOf = (name: string, half: boolean, span: Span = 'any', width: Width = 1): KernelSource =>
  [...norms, ...normGradients, ...gradientsByRows].find(
    (kernel) => kernel.name === `${spanned(widened(name, width), span)}${half ? '_f16' : ''}`,
  ) as KernelSource

function given(seed: number, n: number, half: boolean): { data: BufferData; numbers: number[] } {
  const x = uniform(seed, n + (n % 2), -1, 1)
  if (!half) return { data: x, numbers: [...x].slice(0, n) }
  const data = f16s(...x)
  return { data, numbers: fromF16(data).slice(0, n) }
}

const out = (half: boolean, n: number): BufferData => (half ? emptyHalfOutput(n) : emptyOutput(n))
const expected = (half: boolean, of: ArrayLike<number>): BufferData => (half ? filledHalf(of) : filled(of))

/** Values of at most `size`, of a row of so many elements; the root of a small variance enlarges by at most 1 / √eps. */
const tolerance = (half: boolean, cols: number, size: number): Tolerance => {
  const because = 'sums over the row, an inverse root of 2 ULP and products, of values within the given size'
  const abs = size * (4 * gamma(rowSteps(cols, 64) + 8) + 16 * U)
  return half ? nearHalf(abs, because) : near(abs, because, 16 * U)
}

const shapeOf = (kind: Kind, items: number, channels: number, places: number, groups: number): NormShape => ({
  items,
  channels,
  places,
  groups,
  eps: 0.0625,
  centered: kind !== 'rms',
})

const sizes = (kind: Kind, { items, channels, places, groups, eps }: NormShape) => ({
  rows: items * groups,
  cols: (channels / groups) * places,
  eps,
  ...(kind === 'group' ? { groups, places } : {}),
})

/** The width of rows as a kernel has it: as a param, or as an override. */
function widthFor(
  span: Span,
  { cols, ...others }: Readonly<Record<string, number>> & { readonly cols: number },
): Pick<ParityCase, 'params' | 'overrides'> {
  return span.startsWith('fixed') ? { params: others, overrides: { cols } } : { params: { ...others, cols } }
}

const title = ({ items, channels, places, groups }: NormShape): string =>
  places * groups === 1 ? `${items}×${channels}` : `${items}×${channels}×${places} in ${groups} groups`

function forwardCase(kind: Kind, half: boolean, shape: NormShape, span: Span = 'any', width: Width = 1): ParityCase {
  const n = shape.items * shape.channels * shape.places
  const [x, weight, bias] = [given(1, n, half), given(2, shape.channels, half), given(3, shape.channels, half)]
  const shift = kind === 'rms' ? {} : { bias: bias.numbers }
  const y = normReference({ x: x.numbers, weight: weight.numbers, ...shift, ...shape })
  const kernel = kernelOf(`${kind}norm`, half, span, width)
  return {
    name: `${kernel.name}, ${title(shape)}`,
    kernel,
    ...widthFor(span, sizes(kind, shape)),
    bindings: { x: x.data, weight: weight.data, ...(kind === 'rms' ? {} : { bias: bias.data }), y: out(half, n) },
    expect: { y: expected(half, y) },
    tolerance: tolerance(half, sizes(kind, shape).cols, 8),
  }
}

function residualCase(half: boolean, rows: number, cols: number, span: Span = 'any', width: Width = 1): ParityCase {
  const [x, residual, weight] = [given(1, rows * cols, half), given(2, rows * cols, half), given(3, cols, half)]
  const rounded = x.numbers.map((v, i) => v + residual.numbers[i]!)
  const sum = half ? fromF16(f16s(...rounded)) : [...Float32Array.from(rounded)]
  const shape = shapeOf('rms', rows, cols, 1, 1)
  const y = normReference({ x: sum, weight: weight.numbers.map((w) => w + 1), ...shape })
  const kernel = kernelOf('residual_rmsnorm', half, span, width)
  const padded = half ? f16s(...sum, ...(sum.length % 2 ? fromF16(residual.data as Uint16Array).slice(-1) : [])) : null
  return {
    name: `${kernel.name}, ${rows}×${cols}`,
    kernel,
    ...widthFor(span, { rows, cols, eps: shape.eps, shift: 1 }),
    bindings: { x: x.data, residual: residual.data, weight: weight.data, y: out(half, rows * cols) },
    expect: {
      residual: padded ?? Float32Array.from([...sum, ...[...(residual.data as Float32Array)].slice(sum.length)]),
      y: expected(half, y),
    },
    tolerance: tolerance(half, cols, 8),
  }
}

function backwardCase(kind: Kind, half: boolean, shape: NormShape): ParityCase {
  const n = shape.items * shape.channels * shape.places
  const [x, weight, dy] = [given(1, n, half), given(2, shape.channels, half), given(3, n, half)]
  const exact = normBackwardReference({ x: x.numbers, weight: weight.numbers, dy: dy.numbers, ...shape })
  const { dx } = exact
  const stats = aboveFirst(exact.stats, x.numbers, shape)
  const kernel = kernelOf(`${kind}norm_backward`, half)
  return {
    name: `${kernel.name}, ${title(shape)}`,
    kernel,
    params: sizes(kind, shape),
    bindings: { x: x.data, weight: weight.data, dy: dy.data, dx: out(half, n), stats: emptyOutput(stats.length + 1) },
    expect: { dx: expected(half, dx), stats: withGuard(stats) },
    tolerance: tolerance(half, sizes(kind, shape).cols, 64),
  }
}

/** Pairs, then an untouched rest of whole pairs. */
function withGuard(stats: Float64Array): Float32Array {
  const all = emptyOutput(stats.length + 1)
  all.set(stats)
  return all
}

/** The means as kernels hand them on: above the first element of their row. */
const aboveFirst = (stats: Float64Array, x: readonly number[], { centered }: NormShape): Float64Array =>
  stats.map((value, i) => (centered && i % 2 === 0 ? value - x[(i * x.length) / stats.length]! : value))

function weightCase(kind: Kind, half: boolean, shape: NormShape): ParityCase {
  const { items, channels, places, groups } = shape
  const n = items * channels * places
  const [x, weight, dy] = [given(1, n, half), given(2, channels, half), given(3, n, half)]
  const exact = normBackwardReference({ x: x.numbers, weight: weight.numbers, dy: dy.numbers, ...shape })
  const kernel = kernelOf(`${kind}norm_backward_weight`, half)
  const results = kind === 'rms' ? { dweight: exact.dweight } : { dweight: exact.dweight, dbias: exact.dbias }
  return {
    name: `${kernel.name}, ${title(shape)}`,
    kernel,
    params: kind === 'group' ? { items, groups, channels: channels / groups, places } : { rows: items, cols: channels },
    bindings: {
      x: x.data,
      dy: dy.data,
      stats: Float32Array.from(aboveFirst(exact.stats, x.numbers, shape)),
      ...Object.fromEntries(Object.keys(results).map((name) => [name, emptyOutput(channels)])),
    },
    expect: Object.fromEntries(Object.entries(results).map(([name, values]) => [name, filled(values)])),
    tolerance: near(
      gamma(items * places + 16) * items * places * 8,
      'a sum over items and places of terms of at most 8',
    ),
  }
}

/** The widest rows that a kernel takes. */
type Widest = 1024 | 2048 | 8192

/** All gradients by rows, of which each of two workgroups takes every second one. */
function rowsCase(
  kind: Kind,
  half: boolean,
  widest: Widest,
  rows: number,
  cols: number,
  { x, what = '' } = { x: given(1, rows * cols, half) } as { x: ReturnType<typeof given>; what?: string },
): ParityCase {
  const shape = row(kind, rows, cols)
  const [weight, dy] = [given(2, cols, half), given(3, rows * cols, half)]
  const part = (g: number) => {
    const own = (numbers: readonly number[]) => numbers.filter((_, i) => Math.floor(i / cols) % 2 === g)
    const items = own(x.numbers).length / cols
    return normBackwardReference({ x: own(x.numbers), weight: weight.numbers, dy: own(dy.numbers), ...shape, items })
  }
  const { dx } = normBackwardReference({ x: x.numbers, weight: weight.numbers, dy: dy.numbers, ...shape })
  const [even, odd] = [part(0), part(1)]
  const sums = {
    scales: Float64Array.of(...even.dweight, ...odd.dweight),
    ...(kind === 'rms' ? {} : { shifts: Float64Array.of(...even.dbias, ...odd.dbias) }),
  }
  const kernel = kernelOf(`${kind}norm_backward_rows_${widest}`, half)
  return {
    name: `${kernel.name}, ${title(shape)}${what}`,
    kernel,
    params: { rows, groups: 2, eps: shape.eps },
    overrides: { quads: cols / 4 },
    bindings: {
      ...{ x: x.data, weight: weight.data, dy: dy.data, dx: out(half, rows * cols) },
      ...Object.fromEntries(Object.keys(sums).map((name) => [name, emptyOutput(2 * cols)])),
    },
    expect: {
      dx: expected(half, dx),
      ...Object.fromEntries(Object.entries(sums).map(([name, values]) => [name, filled(values)])),
    },
    tolerance: tolerance(half, cols, 64),
  }
}

/** Rows far from 0, and rows whose first element, to which all others are taken as distances, is far from them. */
function farCase(what: 'mean' | 'first'): ParityCase {
  const [rows, cols] = [3, 1000]
  const { numbers } = given(1, rows * cols, false)
  const far = Float32Array.from(numbers, (v, i) => v + (what === 'mean' || i % cols === 0 ? 1000 : 0))
  const x = { data: far, numbers: [...far] }
  return rowsCase('layer', false, 1024, rows, cols, { x, what: `, a ${what} far from 0` })
}

const row = (kind: Kind, rows: number, cols: number) => shapeOf(kind, rows, cols, 1, 1)
const grouped = (items: number, channels: number, places: number, groups: number) =>
  shapeOf('group', items, channels, places, groups)

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
    ...[false, true].map((half) => forwardCase('layer', half, row('layer', rows, cols), span, 4)),
    forwardCase('rms', true, row('rms', rows, cols), span, 4),
    ...(span === 'fixed' ? [forwardCase('rms', false, row('rms', rows, cols), span, 4)] : []),
    residualCase(true, rows, cols, span, 4),
  ]),
)

const cases: readonly ParityCase[] = [false, true].flatMap((half) => [
  ...[
    [1, 2],
    [3, 67],
    [2, 257],
  ].flatMap(([rows = 1, cols = 1]) => [
    forwardCase('layer', half, row('layer', rows, cols)),
    residualCase(half, rows, cols),
    ...(half ? [forwardCase('rms', half, row('rms', rows, cols))] : []),
    backwardCase('layer', half, row('layer', rows, cols)),
    backwardCase('rms', half, row('rms', rows, cols)),
    weightCase('layer', half, row('layer', rows, cols)),
    weightCase('rms', half, row('rms', rows, cols)),
  ]),
  ...[
    [3, 67],
    [2, 600],
  ].flatMap(([rows = 1, cols = 1]) => [
    forwardCase('layer', half, row('layer', rows, cols), 'short'),
    forwardCase('rms', half, row('rms', rows, cols), 'short'),
    residualCase(half, rows, cols, 'short'),
  ]),
  // a part of one vec4f for each invocation, whole ones for all of them, and one more for one of them
  ...(
    [
      [1024, 5, 68],
      [1024, 2, 1024],
      [2048, 3, 1028],
      [8192, 3, 3072],
      [8192, 2, 8188],
    ] as const
  ).flatMap(([widest, rows, cols]) => [
    rowsCase('layer', half, widest, rows, cols),
    rowsCase('rms', half, widest, rows, cols),
  ]),
  // rows that are streamed: a few whole strides and a rest
  forwardCase('layer', half, row('layer', 1, 10_300)),
  residualCase(half, 1, 10_300),
  backwardCase('layer', half, row('layer', 1, 10_300)),
  ...[grouped(2, 6, 5, 3), grouped(1, 4, 90, 2), grouped(3, 3, 1, 1)].flatMap((shape) => [
    forwardCase('group', half, shape),
    backwardCase('group', half, shape),
    weightCase('group', half, shape),
  ]),
])

export const normsCases: readonly ParityCase[] = [...cases, ...quads, farCase('mean'), farCase('first')].map(shipped)
