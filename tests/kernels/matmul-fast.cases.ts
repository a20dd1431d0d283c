import type { KernelSource } from '@weft/dsl/ir'
import {
  blockedMatmul,
  blockedMatmuls,
  matmulAlign,
  matmulAlignHalf,
  matrixMatmuls,
  wholeMatmuls,
} from '@weft/kernels/source'
import { ACTIVATIONS, type Activation } from '../../packages/kernels/src/matmul/options.js'
import { matmulReference } from '../../packages/kernels/src/matmul/reference.js'
import { RESIDUAL } from '../../packages/kernels/src/matmul-fast/options.js'
import type { ParityCase } from '../parity/case.js'
import { f16sOf } from '../parity/data.js'
import { expError, gamma, U } from './bounds.js'
import { poisoned, spread } from './inputs.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf, shipped } from './outputs.js'

type Sizes = readonly [m: number, n: number, k: number, batch?: number]

interface Options {
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  readonly activation?: Activation
  /** A bias and a residual: one of its own, or what c holds. */
  readonly residual?: keyof typeof RESIDUAL
  /** Elements more than a row has from a row to the next, beyond what makes it whole loads. */
  readonly gap?: number
}

/** What the name of a kernel says of it. */
const parsed = ({ name }: KernelSource) => ({
  half: /_f16/.test(name),
  wide: /_f16/.test(name) ? 8 : 4,
  transposeA: /_t[nt](_|$)/.test(name),
  transposeB: /_[nt]t(_|$)/.test(name),
  /** Whether a param says what is transposed. */
  isAny: /^matmul_block_\d+$/.test(name),
})

/** Rows of whole loads with NaN between them, and zeros up to the next load where k runs along them. */
function rowsOf(
  given: readonly number[],
  cols: number,
  o: { wide: number; gap: number; half: boolean; alongK: boolean },
) {
  const { wide, gap, half, alongK } = o
  const whole = Math.ceil(cols / wide) * wide
  const all: number[] = []
  for (let at = 0; at < given.length; at += cols) {
    const behind = new Array<number>(whole - cols).fill(alongK ? 0 : Number.NaN)
    all.push(...given.slice(at, at + cols), ...behind, ...new Array<number>(gap * wide).fill(Number.NaN))
  }
  return { ...poisoned(all, half, 2 * wide), row: whole + gap * wide }
}

const EXTRA = {
  none: () => 0,
  relu: () => 0,
  gelu: (range: number) => range * 2e-5,
  silu: (range: number) => range * (expError(range) + 8 * U),
} as const
/** Of gelu and silu, at most: what an error of the sum becomes. */
const SLOPE = 1.13
const HALF_U = 2 ** -11

function tolerance(kernel: KernelSource, k: number, alpha: number, activation: Activation) {
  const range = alpha * k + 1
  const u = kernel.name.endsWith('_sums') ? ((k + 4) * HALF_U) / (1 - (k + 4) * HALF_U) : gamma(k + 4)
  const abs = u * range * SLOPE + EXTRA[activation](range) + 2 * U * (range + 1)
  const because = 'Σ|a·b| ≤ k in any order, times alpha, |bias| ≤ 1; gelu and silu have slopes of at most 1.13'
  return parsed(kernel).half ? nearHalf(abs, because) : near(abs, because)
}

function operands(kernel: KernelSource, [m, n, k, batch = 1]: Sizes, options: Options) {
  const { half, wide, isAny, ...of } = parsed(kernel)
  const { transposeA = of.transposeA, transposeB = of.transposeB, gap = 1 } = options
  const [rowsA, colsA] = transposeA ? [k, m] : [m, k]
  const [rowsB, colsB] = transposeB ? [n, k] : [k, n]
  const given = (seed: number, size: number) => spread(seed, batch * size, half).numbers
  const [x, y] = [given(1, m * k), given(2, k * n)]
  const a = rowsOf(x, colsA, { wide, gap, half, alongK: !transposeA })
  const b = rowsOf(y, colsB, { wide, gap, half, alongK: transposeB })
  const params = {
    ...{ m, n, k, batch, a_offset: a.offset, a_row: a.row, a_batch: rowsA * a.row },
    ...{ b_offset: b.offset, b_row: b.row, b_batch: rowsB * b.row },
    ...(isAny ? { transposed: Number(transposeA) + 2 * Number(transposeB) } : {}),
  }
  return { a, b, x, y, params, transposeA, transposeB, half }
}

/** What engines cannot run it, or not in time. */
const SLOW =
  'its inner loop, written out, takes a software GPU half a minute to compile; smaller blocks of the same source run'
const limited = ({ name }: KernelSource): Partial<ParityCase> => {
  if (name.startsWith('matmul_matrix')) return { subgroupSize: 32 }
  return name.startsWith('matmul_block_128') ? { not: { software: SLOW } } : {}
}
const titled = (kernel: KernelSource, [m, n, k, batch = 1]: Sizes, { transposeA, transposeB }: Options) =>
  `${kernel.name}, ${batch > 1 ? `${batch} of ` : ''}${m}×${n}×${k}${transposeA ? ', aᵀ' : ''}${transposeB ? ', bᵀ' : ''}`

/** The whole product, with what follows. */
function fastCase(kernel: KernelSource, sizes: Sizes, options: Options = {}): ParityCase {
  const [m, n, k, batch = 1] = sizes
  const { activation = 'none', residual: from = 'none' } = options
  const isPlain = kernel.name.startsWith('matmul_block')
  const { a, b, x, y, params, transposeA, transposeB, half } = operands(kernel, sizes, options)
  const added = from !== 'none'
  const bias = spread(3, n, half, -1, 1, 2)
  const residual = spread(4, batch * m * n, half, -1, 1, from === 'result' ? 0 : 3)
  const empty = half ? emptyHalfOutput(batch * m * n) : emptyOutput(batch * m * n)
  const c = from === 'result' ? (half ? filledHalf(residual.numbers) : filled(residual.numbers)) : empty
  const alpha = 0.5
  const expected = matmulReference({
    ...{ a: x, b: y, m, n, k, batch, transposeA, transposeB, alpha, activation },
    ...(added ? { bias: bias.numbers, residual: residual.numbers } : {}),
  })
  const after = {
    ...{ activation: ACTIVATIONS.indexOf(activation), with_bias: Number(added), with_residual: RESIDUAL[from] },
    ...{ bias_offset: bias.offset, residual_offset: residual.offset, residual_row: n, residual_batch: m * n },
  }
  return {
    name: `${titled(kernel, sizes, options)}, ${activation}, residual: ${from}`,
    kernel,
    params: { ...params, splits: 1, span: k, c_offset: 0, c_row: n, c_batch: m * n, alpha, ...(isPlain ? {} : after) },
    bindings: {
      ...{ a: a.data, b: b.data, c },
      ...(isPlain ? {} : { bias: bias.data, residual: residual.data }),
    },
    expect: { c: half ? filledHalf(expected) : filled(expected) },
    tolerance: tolerance(kernel, k, alpha, activation),
    ...limited(kernel),
  }
}

/** Sums over parts of k: [splits, batch, m, n] of f32. */
function splitCase(kernel: KernelSource, sizes: Sizes, span: number, options: Options = {}): ParityCase {
  const [m, n, k, batch = 1] = sizes
  const { a, b, x, y, params, transposeA, transposeB } = operands(kernel, sizes, options)
  const splits = Math.ceil(k / span)
  // what lies outside of a part counts as 0
  const part = (s: number) =>
    x.map((value, i) => (Math.floor((transposeA ? Math.floor(i / m) % k : i % k) / span) === s ? value : 0))
  const expected = Array.from({ length: splits }, (_, s) => [
    ...matmulReference({ a: part(s), b: y, m, n, k, batch, transposeA, transposeB }),
  ]).flat()
  const isBlock = kernel.name.startsWith('matmul_block')
  return {
    name: `${titled(kernel, sizes, options)}, in ${splits} parts`,
    kernel,
    params: { ...params, splits, span, c_offset: 0, c_row: n, c_batch: m * n, ...(isBlock ? { alpha: 1 } : {}) },
    bindings: { a: a.data, b: b.data, c: emptyOutput(expected.length) },
    expect: { c: filled(expected) },
    tolerance: near(gamma(span + 1) * span, 'Σ|a·b| ≤ span, summed one after another'),
    ...limited(kernel),
  }
}

function alignCase(half: boolean, rows: number, cols: number, batch: number): ParityCase {
  const [wide, row] = [half ? 8 : 4, cols + 3]
  const width = Math.ceil(cols / wide) * wide
  const x = spread(1, batch * rows * row, half, -1, 1, 1)
  const expected = Array.from({ length: batch * rows * width }, (_, i) =>
    i % width < cols ? (x.numbers[Math.floor(i / width) * row + (i % width)] as number) : 0,
  )
  return {
    name: `matmul_align${half ? '_f16' : ''}, ${batch} of ${rows}×${cols} in rows of ${width}`,
    kernel: half ? matmulAlignHalf : matmulAlign,
    params: { rows, cols, batch, offset: x.offset, row, item: rows * row, width },
    bindings: { x: x.data, out: half ? f16sOf(expected) : Float32Array.from(expected) },
    expect: { out: half ? f16sOf(expected) : Float32Array.from(expected) },
  }
}

const transposes = [false, true].flatMap((transposeA) =>
  [false, true].map((transposeB) => ({ transposeA, transposeB })),
)
/** For one pair of transposes, and for whole tiles: what a factory makes where these are known. */
const specialized = transposes.flatMap(({ transposeA, transposeB }) => {
  const name = `matmul_block_32_${transposeA ? 't' : 'n'}${transposeB ? 't' : 'n'}`
  const options = { tile: [32, 32, 32], block: [4, 4], transposed: [transposeA, transposeB] } as const
  return { some: blockedMatmul(name, options), whole: blockedMatmul(`${name}_whole`, { ...options, isWhole: true }) }
})
const form = (name: string) => matrixMatmuls.filter((kernel) => kernel.name.endsWith(name))

const cases: readonly ParityCase[] = [
  ...blockedMatmuls.flatMap((kernel) => [
    ...transposes.map((t) => fastCase(kernel, [37, 68, 39, 2], t)),
    fastCase(kernel, [5, 4, 1], { gap: 0 }),
    fastCase(kernel, [130, 36, 64]),
    splitCase(kernel, [9, 36, 70, 2], 32),
    splitCase(kernel, [9, 36, 70], 64, { transposeA: true, transposeB: true }),
  ]),
  ...wholeMatmuls.map((kernel) => fastCase(kernel, [128, 128, 32])),
  ...specialized.flatMap(({ some, whole }) => [
    fastCase(some, [37, 36, 39, 2]),
    fastCase(whole, [64, 32, 64, 2]),
    splitCase(whole, [32, 32, 96], 64),
  ]),
  ...[...form('_f16'), ...form('_small'), ...form('_few')].flatMap((kernel) => [
    fastCase(kernel, [37, 72, 69, 2]),
    fastCase(kernel, [9, 136, 8], { activation: 'relu', residual: 'result' }),
  ]),
  // more than one tile of the depth, and a last one of which some slices are empty
  ...form('_few').map((kernel) => fastCase(kernel, [37, 72, 296])),
  ...form('_sums').map((kernel) => fastCase(kernel, [37, 40, 40], { activation: 'silu', residual: 'other' })),
  ...form('_split').map((kernel) => splitCase(kernel, [9, 72, 150, 2], 64)),
  alignCase(false, 3, 5, 2),
  alignCase(true, 3, 9, 2),
]

export const matmulFastCases: readonly ParityCase[] = cases.map(shipped)
/** Those that take minutes. */
export const fullCases: readonly ParityCase[] = [
  ...blockedMatmuls.flatMap((kernel) => [64, 127, 128, 129].map((m) => fastCase(kernel, [m, 4 * m - 252, 33]))),
  ...wholeMatmuls.flatMap((kernel) => [fastCase(kernel, [256, 384, 48, 2]), fastCase(kernel, [1280, 128, 16])]),
].map(shipped)
