import { rmsnorm } from '@weft/kernels/source'
import { rmsnormReference } from '../../packages/kernels/src/norm/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { gamma, rowSteps, U } from './bounds.js'
import { emptyOutput, filled, near } from './outputs.js'

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

export const normCases: readonly ParityCase[] = [
  [1, 1],
  [3, 7],
  [2, 256],
  [5, 257],
  [1, 1000],
  // a whole block and a part of one; a row that is streamed
  [2, 3000],
  [1, 10_300],
].map(([rows = 0, cols = 0]) => rmsnormCase(rows, cols))
