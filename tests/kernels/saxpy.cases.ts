import { saxpy } from '@weft/kernels/source'
import { saxpyReference } from '../../packages/kernels/src/saxpy/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { U } from './bounds.js'
import { filled, near } from './outputs.js'

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

export const saxpyCases: readonly ParityCase[] = [1, 63, 64, 65, 1001].map(saxpyCase)
