import type { KernelSource } from '@weft/dsl/ir'
import { matmulReference } from '../../packages/kernels/src/matmul/reference.js'
import type { BufferData, ParityCase } from '../parity/case.js'
import { gamma, U } from './bounds.js'
import { spread } from './inputs.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf } from './outputs.js'

/** Weights W: [n, k] in some format, as a case binds them, and their float64 values. */
export interface CaseWeights {
  readonly bindings: Readonly<Record<string, BufferData>>
  readonly params: Readonly<Record<string, number>>
  readonly values: Float64Array
  readonly n: number
  readonly k: number
}

/** Places where an id is not that of a row. */
const IDS = [2, 0, 0xffff_ffff, 1, 5_000]

/**
 * A weight is a product or two and a difference, whose terms are at most eight times the greatest weight: a minimum of at most that, a range
 * of at most twice, and where integers of b bits are read as 2ᵇ + q, as much again as the range on both sides.
 */
const TERMS = 8

/** The case of one of the kernels over a format, by its name: dequantize, embedding, matvec1, matvec4, matmul. */
export function weightCase(kernel: KernelSource, weights: CaseWeights, m: number, tag = ''): ParityCase {
  const { n, k, values, bindings, params } = weights
  const half = kernel.name.endsWith('_f16')
  const most = values.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  const what = kernel.name.split('_')[0] as string
  const full = (list: ArrayLike<number>) => (half ? filledHalf(list) : filled(list))
  const empty = (count: number) => (half ? emptyHalfOutput(count) : emptyOutput(count))
  const within = (abs: number, because: string) => (half ? nearHalf(abs, because) : near(abs, because))
  if (what === 'dequantize' || what === 'embedding') {
    const ids = what === 'embedding' ? IDS : null
    const rows = ids
      ? ids.flatMap((id) => (id < n ? [...values.subarray(id * k, (id + 1) * k)] : new Array<number>(k).fill(0)))
      : values
    return {
      name: `${kernel.name}, ${n} × ${k}${ids ? `, ${ids.length} ids [case-S31]` : ''}${tag}`,
      kernel,
      params: { n, k, ...(ids ? { count: ids.length } : {}), ...params },
      bindings: { ...bindings, ...(ids ? { index: Uint32Array.from(ids) } : {}), y: empty(rows.length) },
      expect: { y: full(rows) },
      tolerance: within(4 * U * TERMS * most, 'two products and a difference, rounded'),
    }
  }
  const [x, bias] = [spread(7, m * k, half), spread(8, n, half)]
  const withBias = m % 2 === 1
  const y = matmulReference({
    ...{ a: x.numbers, b: values, m, n, k, transposeB: true },
    ...(withBias ? { bias: bias.numbers } : {}),
  })
  const terms = k * TERMS * most + 1
  // subgroup matrices of f16 take weights that are rounded to it
  const matrices = kernel.name.includes('_matrices_')
  const rounded = matrices ? 2 ** -11 * k * most : 0
  return {
    ...(matrices ? { subgroupSize: 32 } : {}),
    name: `${kernel.name}, ${m}×${n}×${k}${withBias ? ' with bias' : ''}${tag}`,
    kernel,
    params: { m, n, k, with_bias: Number(withBias), ...params },
    bindings: { ...bindings, x: x.data, bias: bias.data, y: empty(m * n) },
    expect: { y: full(y) },
    tolerance: within(
      gamma(k + 12) * terms + rounded,
      `Σ|x·w| in any order, |x| ≤ 1, of weights rounded three times${matrices ? ', and once to f16' : ''}`,
    ),
  }
}
