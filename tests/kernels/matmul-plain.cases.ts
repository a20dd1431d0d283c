import {
  matmul,
  matmulBias,
  matmulNaive,
  matmulTransposeA,
  matmulTransposeB,
  matmulTransposeBoth,
} from '@weft/kernels/source'
import { matmulReference } from '../../packages/kernels/src/matmul/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { gamma } from './bounds.js'
import { emptyOutput, filled, near } from './outputs.js'

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

/** The forms on the edges of their tiles, with odd sizes. */
export const matmulPlainCases: readonly ParityCase[] = [
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
]
