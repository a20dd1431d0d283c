import type { KernelSource } from '@weft/dsl/ir'
import { gemvs, matmulReduce, matmulReduceHalf, matmuls } from '@weft/kernels/source'
import { ACTIVATIONS } from '../../packages/kernels/src/matmul/options.js'
import { type MatmulReferenceArgs, matmulReference } from '../../packages/kernels/src/matmul/reference.js'
import type { ParityCase } from '../parity/case.js'
import { expError, gamma, U } from './bounds.js'
import { type Given, poisoned, spread } from './inputs.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf, shipped } from './outputs.js'

type Sizes = readonly [m: number, n: number, k: number, batch?: number]

/** What the name of a kernel says of it. */
const parsed = ({ name }: KernelSource) => ({
  half: name.endsWith('_f16'),
  transposeA: /^matmul_t/.test(name),
  transposeB: /^matmul_.t|^gemv_[tl]/.test(name),
  epilogue: name.includes('epilogue') || name.startsWith('gemv') || name.startsWith('matmul_reduce'),
})

interface Options {
  readonly activation?: (typeof ACTIVATIONS)[number]
  /** Left out of both: what stands in for a bias or a residual must not be read. */
  readonly added?: boolean
  /** One b for all of the batch. */
  readonly shared?: boolean
  /** Elements more than a row has from a row to the next. */
  readonly gap?: number
  readonly tag?: string
}

const empty = (half: boolean, n: number) => (half ? emptyHalfOutput(n) : emptyOutput(n))
const full = (half: boolean, values: ArrayLike<number>) => (half ? filledHalf(values) : filled(values))

/** |error| of an activation at values of at most `range`, and the greatest slope, which carries the error of its argument on. */
const ACTIVATION_ERROR = {
  none: () => 0,
  relu: () => 0,
  gelu: (range: number) => range * 2e-5,
  silu: (range: number) => range * (expError(range) + 8 * U),
} as const
const SLOPE = 1.13

function tolerance(half: boolean, k: number, alpha: number, activation: keyof typeof ACTIVATION_ERROR) {
  const range = alpha * k + 1
  const sum = gamma(k + 4) * range * SLOPE + ACTIVATION_ERROR[activation](range) + 2 * U * (range + 1)
  const because = 'Σ|a·b| ≤ k in any order, times alpha, |bias| ≤ 1; gelu and silu have slopes of at most 1.13'
  return half ? nearHalf(sum, because) : near(sum, because)
}

/** A matrix of rows with gaps of NaN between them. */
function gapped(given: readonly number[], cols: number, gap: number, half: boolean, before: number): Given {
  const rows = cols === 0 ? 0 : given.length / cols
  const all: number[] = []
  for (let r = 0; r < rows; r++) all.push(...given.slice(r * cols, (r + 1) * cols), ...new Array<number>(gap).fill(NaN))
  return { ...poisoned(all, half, before), numbers: given }
}

function matmulCase(kernel: KernelSource, [m, n, k, batch = 1]: Sizes, options: Options = {}): ParityCase {
  const { half, transposeA, transposeB, epilogue } = parsed(kernel)
  const { activation = epilogue ? 'silu' : 'none', added = epilogue, shared = false } = options
  const few = kernel.name.startsWith('gemv')
  // kernels that read 16 bytes take rows that begin at such
  const aligned = /^gemv_(lines|columns)/.test(kernel.name) ? 8 : 0
  const gap = options.gap ?? (aligned || 2)
  const [aCols, bCols] = [transposeA ? m : k, transposeB ? k : n]
  const matrices = shared ? 1 : batch
  const a = gapped(spread(1, batch * m * k, half).numbers, aCols, gap, half, aligned || 1)
  const b = gapped(spread(2, matrices * k * n, half).numbers, bCols, gap, half, aligned || 2)
  const bias = spread(3, n, half, -1, 1, 2)
  const residual = spread(4, batch * m * n, half, -1, 1, 3)
  const alpha = 0.5
  const reference: MatmulReferenceArgs = {
    ...{ a: a.numbers, b: b.numbers, m, n, k, batch, transposeA, transposeB, alpha, activation },
    ...(added ? { bias: bias.numbers, residual: residual.numbers } : {}),
  }
  const rows = (transposed: boolean, outer: number) => (transposed ? k : outer)
  const ab = {
    ...{ a_offset: a.offset, a_row: aCols + gap, a_batch: rows(transposeA, m) * (aCols + gap) },
    ...{ b_offset: b.offset, b_row: bCols + gap, b_batch: shared ? 0 : rows(!transposeB, n) * (bCols + gap) },
  }
  const to = { c_offset: 0, c_row: n, c_batch: m * n }
  const columns = few ? { a_col: 1, c_col: 1, bias_row: 0, bias_col: 1, residual_col: 1 } : {}
  const after = {
    ...{ activation: ACTIVATIONS.indexOf(activation), with_bias: Number(added), with_residual: Number(added) },
    ...{ bias_offset: bias.offset, residual_offset: residual.offset, residual_row: n, residual_batch: m * n },
  }
  return {
    name: `${kernel.name}, ${batch > 1 ? `${batch} of ` : ''}${m}×${n}×${k}${epilogue ? ` ${activation}${added ? ', bias and residual' : ''}` : ''}${shared ? ', one b' : ''}${options.tag ?? ''}`,
    kernel,
    params: { m, n, k, batch, alpha, ...ab, ...to, ...columns, ...(epilogue ? after : {}) },
    bindings: {
      ...{ a: a.data, b: b.data, c: empty(half, batch * m * n) },
      ...(epilogue ? { bias: added ? bias.data : a.data, residual: added ? residual.data : a.data } : {}),
    },
    expect: { c: full(half, matmulReference(reference)) },
    tolerance: tolerance(half, k, alpha, activation),
  }
}

/** A product with few rows over parts of k: [splits, batch, m, n] of f32, which is here a result for each part. */
function columnsCase(kernel: KernelSource, [m, n, k, batch = 1]: Sizes, span: number): ParityCase {
  const { half } = parsed(kernel)
  const whole = splitCase(kernel, [m, n, k, batch], span)
  return {
    ...whole,
    params: { ...whole.params, a_col: 1, c_row: n, c_col: 1, c_batch: m * n },
    name: `${kernel.name}, ${batch} of ${m}×${n}×${k} in parts of ${span}${half ? ', f16' : ''}`,
  }
}

/** Parts of k, [splits, batch, m, n] of f32. */
function splitCase(kernel: KernelSource, [m, n, k, batch = 1]: Sizes, span: number): ParityCase {
  const { half, transposeA, transposeB } = parsed(kernel)
  const splits = Math.ceil(k / span)
  const [a, b] = [spread(1, batch * m * k, half), spread(2, batch * k * n, half)]
  // what lies outside of a part counts as 0
  const part = (s: number) =>
    a.numbers.map((value, i) => {
      const kk = transposeA ? Math.floor(i / m) % k : i % k
      return Math.floor(kk / span) === s ? value : 0
    })
  const expected = Array.from({ length: splits }, (_, s) => [
    ...matmulReference({ a: part(s), b: b.numbers, m, n, k, batch, transposeA, transposeB }),
  ]).flat()
  const params = {
    ...{ m, n, k, batch, splits, span, c_offset: 0 },
    ...{
      a_offset: 0,
      a_row: transposeA ? m : k,
      a_batch: m * k,
      b_offset: 0,
      b_row: transposeB ? k : n,
      b_batch: k * n,
    },
  }
  return {
    name: `${kernel.name}, ${batch} of ${m}×${n}×${k} in ${splits} parts`,
    kernel,
    params,
    bindings: { a: a.data, b: b.data, c: emptyOutput(expected.length) },
    expect: { c: filled(expected) },
    tolerance: near(gamma(span + 1) * span, 'Σ|a·b| ≤ span, summed one after another'),
  }
}

function joinCase(half: boolean, [m, n, splits, batch = 1]: Sizes, width = n): ParityCase {
  const size = batch * m * n
  const partial = spread(1, splits * size)
  const rows = Array.from({ length: splits * batch * m }, (_, i) => [
    ...partial.numbers.slice(i * n, (i + 1) * n),
    ...new Array<number>(width - n).fill(Number.NaN),
  ])
  const [bias, residual] = [spread(2, n, half, -1, 1, 2), spread(3, size, half, -1, 1, 1)]
  // the sum over the parts as a product of ones with them
  const expected = matmulReference({
    ...{ a: new Array<number>(splits).fill(1), b: partial.numbers, m: 1, n: size, k: splits, alpha: 0.5 },
    ...{ bias: Array.from({ length: size }, (_, i) => bias.numbers[i % n] as number), residual: residual.numbers },
    activation: 'gelu',
  })
  return {
    name: `matmul_reduce${half ? '_f16' : ''}, ${splits} parts of ${batch} × ${m}×${n} in rows of ${width}`,
    kernel: half ? matmulReduceHalf : matmulReduce,
    params: {
      ...{ m, n, batch, splits, width, alpha: 0.5, c_offset: 0, c_row: n, c_batch: m * n, activation: 2, with_bias: 1 },
      ...{
        with_residual: 1,
        bias_offset: bias.offset,
        residual_offset: residual.offset,
        residual_row: n,
        residual_batch: m * n,
      },
    },
    bindings: { partial: poisoned(rows.flat()).data, bias: bias.data, residual: residual.data, c: empty(half, size) },
    expect: { c: full(half, expected) },
    tolerance: tolerance(half, splits, 0.5, 'gelu'),
  }
}

/** Sums that cancel, and pass the range of f16 on the way: 4096 products of ± 64, in f16. */
function cancelling(kernel: KernelSource, tag: string): ParityCase {
  const k = 4096
  const a = poisoned(
    Array.from({ length: k }, () => 8),
    true,
  )
  const b = poisoned(
    Array.from({ length: k }, (_, i) => (i < k / 2 ? 4 : -4)),
    true,
  )
  const { transposeB } = parsed(kernel)
  const few = kernel.name.startsWith('gemv')
  return {
    name: `${kernel.name}, sums up to 65,536 that end at 0 ${tag}`,
    kernel,
    params: {
      ...{
        m: 1,
        n: 1,
        k,
        batch: 1,
        alpha: 1,
        a_offset: 0,
        a_row: k,
        a_batch: 0,
        b_offset: 0,
        b_row: transposeB ? k : 1,
      },
      ...{ b_batch: 0, c_offset: 0, c_row: 1, c_batch: 0 },
      ...(few
        ? {
            ...{ a_col: 1, c_col: 1, bias_row: 0, bias_col: 0, bias_offset: 0, residual_row: 0, residual_col: 0 },
            ...{ residual_offset: 0, residual_batch: 0, activation: 0, with_bias: 0, with_residual: 0 },
          }
        : {}),
    },
    bindings: {
      ...{ a: a.data, b: b.data, c: emptyHalfOutput(1) },
      ...(few ? { bias: a.data, residual: a.data } : {}),
    },
    expect: { c: filledHalf([0]) },
  }
}

/**
 * A matrix–vector product whose rows are spread over two dimensions, as those above 65,535 are, with workgroups to spare: row i of
 * ones times i mod 7.
 */
function manyRows(n: number, workgroups?: readonly number[]): ParityCase {
  const values = Array.from({ length: n }, (_, i) => i % 7)
  const one = poisoned([1]).data
  return {
    name: `gemv_t1, ${n} rows of b${workgroups ? ` over ${workgroups.join(' × ')} workgroups` : ''} [case-S17]`,
    kernel: byName('gemv_t1'),
    params: {
      ...{ m: 1, n, k: 1, batch: 1, alpha: 1, a_offset: 0, a_row: 1, a_col: 1, a_batch: 0, b_offset: 0, b_row: 1 },
      ...{ b_batch: 0, c_offset: 0, c_row: n, c_col: 1, c_batch: 0, bias_offset: 0, bias_row: 0, bias_col: 0 },
      ...{ residual_offset: 0, residual_row: 0, residual_col: 0, residual_batch: 0, activation: 0 },
      ...{ with_bias: 0, with_residual: 0 },
    },
    bindings: { a: one, b: poisoned(values).data, bias: one, residual: one, c: emptyOutput(n) },
    expect: { c: filled(values) },
    ...(workgroups ? { workgroups } : {}),
  }
}

const gemvLines = gemvs.filter(({ name }) => name.startsWith('gemv_lines'))
const gemvColumns = gemvs.filter(({ name }) => name.startsWith('gemv_columns'))
const byName = (name: string): KernelSource =>
  [...matmuls, ...gemvs].find((kernel) => kernel.name === name) as KernelSource
const split = (kernel: KernelSource) => kernel.name.includes('split')

const cases: readonly ParityCase[] = [
  ...matmuls.map((kernel, i) =>
    split(kernel)
      ? splitCase(kernel, [5 + i, 9, 70, 2], 32)
      : matmulCase(kernel, [i % 2 ? 65 : 33, i % 2 ? 6 : 67, 19, 2], { shared: i % 3 === 0 }),
  ),
  ...gemvs
    .filter((kernel) => !gemvLines.includes(kernel) && !gemvColumns.includes(kernel))
    .map((kernel) =>
      matmulCase(kernel, [Number(/\d/.exec(kernel.name)?.[0]) - (/[48]/.test(kernel.name) ? 1 : 0), 67, 131, 2]),
    ),
  ...gemvLines.map((kernel) => {
    const few = Number(/\d/.exec(kernel.name)?.[0])
    return matmulCase(kernel, [few === 1 ? 1 : few - 1, few === 4 ? 67 : 3, few === 4 ? 8 : 1032, 2])
  }),
  ...gemvColumns.map((kernel, i) => {
    const m = /columns1/.test(kernel.name) ? 1 + (i % 2) : 6
    return split(kernel) ? columnsCase(kernel, [m, 40, 333, 2], 128) : matmulCase(kernel, [m, 136, 139, 2])
  }),
  matmulCase(byName('gemv_columns1'), [1, 8, 1], { activation: 'none', added: false }),
  matmulCase(byName('gemv_columns4'), [4, 64, 0], { activation: 'relu' }),
  matmulCase(byName('gemv_lines1'), [1, 3, 4096], { activation: 'none', added: false }),
  matmulCase(byName('gemv_lines8'), [8, 5, 1016], { activation: 'relu' }),
  matmulCase(byName('matmul_nn'), [1, 1, 1]),
  matmulCase(byName('matmul_nt'), [64, 64, 16], { gap: 0 }),
  matmulCase(byName('matmul_tn'), [63, 65, 17]),
  matmulCase(byName('matmul_tt'), [3, 1, 33, 3]),
  matmulCase(byName('matmul_nn'), [2, 3, 0], { tag: ' [case-S22]' }),
  matmulCase(byName('matmul_nn'), [0, 3, 2], { tag: ' [case-S22]' }),
  matmulCase(byName('matmul_nn'), [500, 3, 16], { tag: ' [case-S01]' }),
  matmulCase(byName('matmul_nn'), [1025, 3, 16], { tag: ' [case-S01]' }),
  matmulCase(byName('matmul_nn_epilogue'), [5, 7, 3], { activation: 'relu', added: false }),
  matmulCase(byName('matmul_nt_epilogue'), [5, 7, 3], { activation: 'gelu' }),
  matmulCase(byName('gemv_t1'), [1, 1, 1], { activation: 'none', added: false }),
  matmulCase(byName('gemv_t8'), [5, 3, 127], { activation: 'gelu' }),
  matmulCase(byName('gemv_n8'), [8, 64, 2], { activation: 'relu' }),
  matmulCase(byName('gemv_n1'), [1, 65, 0], { activation: 'none' }),
  joinCase(false, [3, 5, 4, 2]),
  joinCase(true, [3, 5, 1, 1]),
  joinCase(false, [3, 5, 2, 2], 8),
  cancelling(byName('matmul_nn_f16'), '[case-N09]'),
  cancelling(byName('gemv_t1_f16'), '[case-N09]'),
  cancelling(byName('gemv_n1_f16'), '[case-N09]'),
  manyRows(67, [7, 10]),
]

export const matmulCases: readonly ParityCase[] = cases.map(shipped)
/** Those that take minutes. */
export const fullCases: readonly ParityCase[] = [
  ...[65_535, 65_536, 65_537, 131_071].map((n) => shipped(manyRows(n))),
  ...[64, 256, 499, 500, 535, 1024, 1025].map((m) =>
    shipped(matmulCase(byName('matmul_nn'), [m, 64, 64], { tag: ' [case-S01]' })),
  ),
]
