import {
  attention,
  flashAttention,
  matmul,
  matmulBias,
  matmulNaive,
  matmulTransposeA,
  matmulTransposeB,
  matmulTransposeBoth,
  rmsnorm,
  SCAN_BLOCK,
  saxpy,
  scanBlocks,
  scanOffsets,
  softmax,
} from '@weft/kernels/source'
import { attentionReference } from '../../packages/kernels/src/attention/reference.js'
import { matmulReference } from '../../packages/kernels/src/matmul/reference.js'
import { rmsnormReference } from '../../packages/kernels/src/rmsnorm/reference.js'
import { saxpyReference } from '../../packages/kernels/src/saxpy/reference.js'
import { scanReference } from '../../packages/kernels/src/scan/reference.js'
import { softmaxReference } from '../../packages/kernels/src/softmax/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase, Tolerance } from '../parity/case.js'
import { unset } from '../parity/data.js'
import { expError, gamma, rowSteps, U } from './bounds.js'

/** Elements behind each output that nobody may touch. */
const GUARD = 5

const emptyOutput = (n: number): Float32Array => new Float32Array(unset(n + GUARD).buffer)

/** The expected values, then the untouched rest. */
function filled(expected: ArrayLike<number>): Float32Array {
  const all = emptyOutput(expected.length)
  all.set(expected)
  return all
}

const near = (abs: number, because: string, rel = 0): Tolerance => ({ kind: 'near', abs, rel, because })

function saxpyCase(n: number): ParityCase {
  const [x, y] = [uniform(1, n, -2, 2), uniform(2, n, -2, 2)]
  return {
    name: `saxpy, n = ${n}`,
    kernel: saxpy,
    params: { n, alpha: 1.5 },
    bindings: { x, y: filled(y) },
    expect: { y: filled(saxpyReference({ alpha: 1.5, x, y })) },
    tolerance: near(
      14 * U,
      'a product of at most 3 and a sum of at most 5, each rounded once, and the reference rounded to f32',
    ),
  }
}

type Transposes = readonly [kernel: ParityCase['kernel'], transposeA: boolean, transposeB: boolean]
const TILED: readonly Transposes[] = [
  [matmul, false, false],
  [matmulTransposeA, true, false],
  [matmulTransposeB, false, true],
  [matmulTransposeBoth, true, true],
]

function tiledCase([kernel, transposeA, transposeB]: Transposes, m: number, n: number, k: number): ParityCase {
  const [a, b] = [uniform(1, m * k, -1, 1), uniform(2, k * n, -1, 1)]
  return {
    name: `${kernel.name}, ${m}×${n}×${k}`,
    kernel,
    params: { m, n, k },
    bindings: { a, b, c: emptyOutput(m * n) },
    expect: { c: filled(matmulReference({ a, b, m, n, k, transposeA, transposeB })) },
    tolerance: near(gamma(k + 1) * k, 'Σ|a·b| ≤ k, summed one after another'),
  }
}

function biasCase(m: number, n: number, k: number): ParityCase {
  const [a, b, bias] = [uniform(1, m * k, -1, 1), uniform(2, k * n, -1, 1), uniform(3, n, -1, 1)]
  return {
    name: `matmul_bias, ${m}×${n}×${k}`,
    kernel: matmulBias,
    params: { m, n, k },
    bindings: { a, b, bias, c: emptyOutput(m * n) },
    expect: { c: filled(matmulReference({ a, b, bias, m, n, k })) },
    tolerance: near(gamma(k + 2) * (k + 1), 'Σ|a·b| + |bias| ≤ k + 1, summed one after another'),
  }
}

function naiveCase(m: number, n: number, k: number, transposeA: boolean, transposeB: boolean): ParityCase {
  const [a, b] = [uniform(1, m * k, -1, 1), uniform(2, k * n, -1, 1)]
  const [a_row, a_col] = transposeA ? [1, m] : [k, 1]
  const [b_row, b_col] = transposeB ? [1, k] : [n, 1]
  return {
    name: `matmul_naive, ${m}×${n}×${k}${transposeA ? ', aᵀ' : ''}${transposeB ? ', bᵀ' : ''}`,
    kernel: matmulNaive,
    params: { m, n, k, a_row, a_col, b_row, b_col },
    bindings: { a, b, c: emptyOutput(m * n) },
    expect: { c: filled(matmulReference({ a, b, m, n, k, transposeA, transposeB })) },
    tolerance: near(gamma(k + 1) * k, 'Σ|a·b| ≤ k, summed one after another'),
  }
}

function softmaxCase(rows: number, cols: number, x = uniform(1, rows * cols, -5, 5), what = ''): ParityCase {
  return {
    name: `softmax, ${rows}×${cols}${what}`,
    kernel: softmax,
    params: { rows, cols },
    bindings: { x, y: emptyOutput(rows * cols) },
    expect: { y: filled(softmaxReference({ x, rows, cols })) },
    tolerance: near(
      1e-37,
      'two exponentials of |x| ≤ 10, a sum of positive terms, a division and a product',
      2 * expError(10) + gamma(rowSteps(cols)) + 8 * U,
    ),
  }
}

function rmsnormCase(rows: number, cols: number): ParityCase {
  const [x, weight] = [uniform(1, rows * cols, -2, 2), uniform(2, cols, -1, 1)]
  return {
    name: `rmsnorm, ${rows}×${cols}`,
    kernel: rmsnorm,
    params: { rows, cols, eps: 1e-5 },
    bindings: { x, weight, y: emptyOutput(rows * cols) },
    expect: { y: filled(rmsnormReference({ x, weight, rows, cols, eps: 1e-5 })) },
    tolerance: near(
      1e-37,
      'a sum of squares (halved by the root), a division, inverseSqrt of 2 ULP, two products',
      gamma(rowSteps(cols) + 2) + 12 * U,
    ),
  }
}

interface Heads {
  readonly batch: number
  readonly heads: number
  readonly kvHeads: number
  readonly queries: number
  readonly keys: number
  readonly headSize: number
  readonly causal: boolean
}

function attentionCase(sizes: Heads): ParityCase {
  const { batch, heads, kvHeads, queries, keys, headSize, causal } = sizes
  const q = uniform(1, batch * heads * queries * headSize, -1, 1)
  const k = uniform(2, batch * kvHeads * keys * headSize, -1, 1)
  const v = uniform(3, batch * kvHeads * keys * headSize, -1, 1)
  const scale = 1 / Math.sqrt(headSize)
  const score = gamma(headSize + 4) * headSize * scale
  return {
    name: `attention, head ${headSize}, ${heads}/${kvHeads} heads × ${batch}, ${queries} of ${keys}${causal ? ', causal' : ''}`,
    kernel: headSize === 64 ? attention : flashAttention('attention', headSize),
    params: { batch, heads, kv_heads: kvHeads, queries, keys, causal: Number(causal), scale },
    bindings: { q, k, v, out: emptyOutput(q.length) },
    expect: { out: filled(attentionReference({ q, k, v, ...sizes })) },
    tolerance: near(
      2 * (score + expError(2 * Math.sqrt(headSize)) + gamma(keys + Math.ceil(keys / 8) + 8)),
      'scores off by their dot products, weights by that and exp, both sums over the keys; |v| ≤ 1',
    ),
  }
}

function scanCase(n: number, exclusive: boolean): ParityCase {
  const x = uniform(1, n, -1, 1)
  const y = new Float64Array(n)
  const totals = new Float64Array(Math.ceil(n / SCAN_BLOCK))
  for (let b = 0; b < totals.length; b++) {
    const block = x.subarray(b * SCAN_BLOCK, (b + 1) * SCAN_BLOCK)
    y.set(scanReference({ x: block, exclusive }), b * SCAN_BLOCK)
    totals[b] = block.reduce((sum, value) => sum + value, 0)
  }
  return {
    name: `scan_blocks, n = ${n}${exclusive ? ', exclusive' : ''}`,
    kernel: scanBlocks,
    params: { n, exclusive: Number(exclusive) },
    bindings: { x, y: emptyOutput(n), totals: emptyOutput(totals.length) },
    expect: { y: filled(y), totals: filled(totals) },
    tolerance: near(gamma(16) * SCAN_BLOCK, 'at most 4 + 8 + 4 sums of at most 1,024 terms of at most 1'),
  }
}

function offsetsCase(n: number): ParityCase {
  const offsets = uniform(1, Math.ceil(n / SCAN_BLOCK), -9, 9)
  const y = uniform(2, n, -1, 1)
  return {
    name: `scan_offsets, n = ${n}`,
    kernel: scanOffsets,
    params: { n },
    bindings: { offsets, y: filled(y) },
    expect: { y: filled(Float64Array.from(y, (value, i) => value + (offsets[Math.floor(i / SCAN_BLOCK)] ?? 0))) },
    tolerance: near(20 * U, 'a sum of at most 10, rounded once, and the reference rounded to f32'),
  }
}

const hidden = -Infinity
const heads = (headSize: number, queries: number, keys: number, causal: boolean, h = 4, kv = 2, batch = 1): Heads => ({
  batch,
  heads: h,
  kvHeads: kv,
  queries,
  keys,
  headSize,
  causal,
})

/** The kernels of the library on the edges of their tiles, with odd sizes, guarded outputs and every option. */
export const kernelCases: readonly ParityCase[] = [
  ...[1, 63, 64, 65, 1001].map(saxpyCase),
  ...TILED.flatMap((t) => [
    tiledCase(t, 1, 1, 1),
    tiledCase(t, 67, 129, 33),
    tiledCase(t, 64, 64, 16),
    tiledCase(t, 63, 65, 17),
    tiledCase(t, 5, 1, 70),
    tiledCase(t, 1, 66, 3),
  ]),
  biasCase(66, 67, 31),
  biasCase(1, 3, 1),
  naiveCase(17, 33, 5, false, false),
  naiveCase(3, 7, 19, true, false),
  naiveCase(16, 1, 16, false, true),
  naiveCase(1, 18, 2, true, true),
  ...[
    [1, 1],
    [3, 7],
    [2, 255],
    [2, 256],
    [5, 257],
    [1, 1000],
  ].map(([rows = 0, cols = 0]) => softmaxCase(rows, cols)),
  softmaxCase(3, 3, Float32Array.of(hidden, hidden, hidden, 0, hidden, 1, 88.8, -88, 80), ', a row of −∞'),
  ...[
    [1, 1],
    [3, 7],
    [2, 256],
    [5, 257],
    [1, 1000],
  ].map(([rows = 0, cols = 0]) => rmsnormCase(rows, cols)),
  ...[
    heads(64, 1, 1, true),
    heads(64, 65, 65, true),
    heads(64, 5, 17, false),
    heads(64, 3, 70, true, 2, 2, 2),
    heads(64, 1, 65, true, 4, 1),
  ].map(attentionCase),
  // The number of keys below the number of queries: the first rows see none, and are zeros.
  attentionCase(heads(64, 9, 4, true)),
  ...[1, 3, 5, 16, 40, 72, 80, 96, 128, 256].map((headSize) =>
    attentionCase(heads(headSize, 5, 17, headSize % 2 === 0)),
  ),
  ...[1, 4, 1023, 1024, 1025, 5000].flatMap((n) => [scanCase(n, false), scanCase(n, true)]),
  offsetsCase(3000),
]
