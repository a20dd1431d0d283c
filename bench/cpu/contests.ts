// The two problems that are compared on the CPU, as a consumer calls them.

import { matmul, softmax } from '@weft/kernels'
import { expError, gamma, rowSteps } from '../../tests/kernels/bounds'
import type { Contest, Input } from '../gpu/contest'
import { library } from '../gpu/entries'
import { valueAt, valuesAt } from '../gpu/values'

/** Elements that are checked: spread over the result by a step that has no factor in common with sizes of powers of two. */
const spread = (count: number, length: number): number[] =>
  Array.from({ length: count }, (_, i) => (i * 104_729) % length)

/** f32, n × n × n; errors against float64 in parts of γₙ · Σ|a||b|. */
export function matmulContest(n: number): Contest {
  const a: Input = { type: 'f32', length: n * n, seed: 1 }
  const b: Input = { type: 'f32', length: n * n, seed: 2 }
  return {
    name: `f32 ${n} x ${n} x ${n}`,
    kind: 'matmul',
    dtype: 'f32',
    shape: { m: n, n, k: n },
    work: { operations: 2 * n ** 3 },
    inputs: { a, b },
    outputs: { c: { type: 'f32', length: n * n } },
    check: async (read) => {
      const c = await read('c', 0, n * n)
      const errors = spread(500, n * n).map((at) => {
        const [row, col] = [Math.floor(at / n), at % n]
        const products = Array.from({ length: n }, (_, k) => valueAt(a, row * n + k) * valueAt(b, k * n + col))
        const sum = products.reduce((x, y) => x + y, 0)
        const size = products.reduce((x, y) => x + Math.abs(y), 0)
        return Math.abs((c[at] as number) - sum) / (gamma(n) * size)
      })
      return largest(errors)
    },
    entries: [library('weft', (runtime, { a, b, c }) => matmul(runtime, { a: a!, b: b!, c: c!, m: n, n, k: n }))],
  }
}

/** f32, n rows of n; errors against float64, relative, in parts of what `exp` and the sum may be off. */
export function softmaxContest(n: number): Contest {
  const x: Input = { type: 'f32', length: n * n, seed: 3, scale: 4 }
  const bound = 2 * expError(8) + gamma(rowSteps(n)) + 3 * 2 ** -24
  return {
    name: `f32 softmax, ${n} rows of ${n}`,
    kind: 'softmax',
    dtype: 'f32',
    shape: { rows: n, cols: n },
    work: { bytes: 8 * n * n },
    inputs: { x },
    outputs: { y: { type: 'f32', length: n * n } },
    check: async (read) => {
      const y = await read('y', 0, n * n)
      const errors = spread(20, n).flatMap((row) => {
        const powers = valuesAt(x, row * n, n).map(Math.exp)
        const sum = powers.reduce((a, b) => a + b, 0)
        return Array.from(powers, (p, col) => Math.abs((y[row * n + col] as number) / (p / sum) - 1) / bound)
      })
      return largest(errors)
    },
    entries: [library('weft', (runtime, { x, y }) => softmax(runtime, { x: x!, y: y!, rows: n, cols: n }))],
  }
}

/** NaN counts as infinitely wrong. */
const largest = (errors: readonly number[]): number =>
  errors.reduce((most, error) => (error <= most ? most : Number.isNaN(error) ? Number.POSITIVE_INFINITY : error), 0)
