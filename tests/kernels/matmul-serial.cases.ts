import { matmulSerial } from '@weft/kernels/source'
import { matmulReference } from '../../packages/kernels/src/matmul/reference.js'
import type { ParityCase } from '../parity/case.js'
import { gamma, U } from './bounds.js'
import { spread } from './inputs.js'
import { emptyOutput, filled, near, shipped } from './outputs.js'

function serialCase(m: number, n: number, k: number): ParityCase {
  const [a, b] = [spread(1, m * k), spread(2, k * n)]
  const alpha = 0.5
  return shipped({
    name: `matmul_serial, ${m}×${n}×${k}`,
    kernel: matmulSerial,
    params: { m, n_quads: n / 4, k_quads: k / 4, alpha },
    bindings: { a: a.data, b: b.data, c: emptyOutput(m * n) },
    expect: { c: filled(matmulReference({ a: a.numbers, b: b.numbers, m, n, k, alpha })) },
    tolerance: near(gamma(k + 4) * k * alpha + 2 * U * k, 'Σ|a·b| ≤ k in any order, times alpha'),
  })
}

/** Blocks of 6 × 16 and workgroups of 128 columns: one less, all, one more. */
export const matmulSerialCases: readonly ParityCase[] = [
  serialCase(1, 4, 4),
  serialCase(5, 12, 8),
  serialCase(6, 16, 4),
  serialCase(7, 20, 12),
  serialCase(13, 132, 16),
  serialCase(3, 8, 0),
]
