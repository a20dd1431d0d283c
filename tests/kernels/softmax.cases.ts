import { softmax, softmaxSerial } from '@weft/kernels/source'
import { softmaxReference } from '../../packages/kernels/src/softmax/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { expError, gamma, rescales, rowSteps, U } from './bounds.js'
import { emptyOutput, filled, near } from './outputs.js'

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
      (2 + rescales(cols)) * expError(10) + gamma(rowSteps(cols)) + 8 * U,
    ),
  }
}

/** The kernel for adapters that compute on the CPU, which takes rows of vec4f. */
function serialCase(rows: number, cols: number, x = uniform(1, rows * cols, -5, 5), what = ''): ParityCase {
  return {
    name: `softmax_serial, ${rows}×${cols}${what}`,
    kernel: softmaxSerial,
    params: { rows, quads: cols / 4 },
    bindings: { x, y: emptyOutput(rows * cols) },
    expect: { y: filled(softmaxReference({ x, rows, cols })) },
    tolerance: near(
      1e-37,
      'an exponential of |x| ≤ 10, a sum of positive terms in sixteen parts, a division and a product',
      2 * expError(10) + gamma(cols / 16 + 20) + 8 * U,
    ),
  }
}

const hidden = -Infinity

export const softmaxCases: readonly ParityCase[] = [
  ...[
    [1, 1],
    [3, 7],
    [2, 255],
    [2, 256],
    [5, 257],
    [1, 1000],
    // a whole block and a part of one; a row that is streamed
    [2, 3000],
    [1, 10_300],
  ].map(([rows = 0, cols = 0]) => softmaxCase(rows, cols)),
  softmaxCase(3, 3, Float32Array.of(hidden, hidden, hidden, 0, hidden, 1, 88.8, -88, 80), ', a row of −∞'),
  ...[
    [1, 4],
    [3, 12],
    [65, 16],
    [2, 1020],
  ].map(([rows = 0, cols = 0]) => serialCase(rows, cols)),
  serialCase(2, 4, Float32Array.of(hidden, hidden, hidden, hidden, hidden, 88.8, -88, 80), ', a row of −∞'),
]
