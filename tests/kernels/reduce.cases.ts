import type { KernelSource } from '@weft/dsl/ir'
import { reductions } from '@weft/kernels/source'
import { reduceFunctions, reduceReference } from '../../packages/kernels/src/reduce/reference.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, ParityCase, Tolerance } from '../parity/case.js'
import { f16s, fromF16, unset } from '../parity/data.js'
import { gamma, rowSteps, U } from './bounds.js'
import { emptyOutput, filled, near, shipped } from './outputs.js'

const FUNCTIONS: Readonly<Record<string, (values: readonly number[]) => number>> = {
  ...reduceFunctions,
  sum_squares: reduceFunctions.sumSquares,
}

/** Names are `op[_f16]_rows` or `op[_f16]_columns`. */
function parsed({ name }: KernelSource): { op: string; half: boolean; rows: boolean } {
  const rows = name.endsWith('_rows')
  const base = name.replace(/_(rows|columns)$/, '')
  return { op: base.replace(/_f16$/, ''), half: base.endsWith('_f16'), rows }
}

const isIndex = (op: string): boolean => ['argmax', 'argmin', 'any', 'all'].includes(op)

function values(op: string, half: boolean, n: number): { data: BufferData; numbers: readonly number[] } {
  if (op === 'any' || op === 'all') {
    const data = integers(1, n, 40).map((v) => (v === 0 ? 0 : op === 'all' ? v : v === 1 ? 5 : 0))
    return { data, numbers: [...data] }
  }
  // few different values, so that there are equal ones for argmax
  const x = isIndex(op) ? Float32Array.from(integers(1, n, 9), (v) => v - 4) : uniform(1, n + (n % 2), -1, 1)
  if (!half) return { data: x, numbers: [...x].slice(0, n) }
  const bits = f16s(...x, ...(x.length % 2 ? [0] : []))
  return { data: bits, numbers: fromF16(bits).slice(0, n) }
}

const emptyWords = (n: number): Uint32Array => new Uint32Array(unset(n + 5).buffer)

function expected(op: string, of: Float64Array): BufferData {
  if (!isIndex(op)) return filled(of)
  const all = emptyWords(of.length)
  all.set(of)
  return all
}

function toleranceOf(op: string, size: number, scale: number): { tolerance?: Tolerance } {
  if (isIndex(op) || op === 'min' || op === 'max') return {}
  const steps = op === 'variance' ? 2 * size + rowSteps(size) : size + rowSteps(size)
  const because = 'terms of at most 4, in parts that are joined by a tree or one after another'
  return { tolerance: near(gamma(steps + 4) * 4 * size * scale + 4 * U, because) }
}

function reduceCase(
  kernel: KernelSource,
  outer: number,
  size: number,
  inner: number,
  given?: readonly number[],
): ParityCase {
  const { op, half, rows } = parsed(kernel)
  const own = values(op, half, outer * size * inner)
  const { data, numbers } =
    given === undefined ? own : { data: half ? f16s(...given) : Float32Array.from(given), numbers: given }
  const scaled = op === 'sum' || op === 'sum_squares'
  const scale = op === 'variance' ? 1 / size : scaled ? 0.25 : 1
  const exact = reduceReference(FUNCTIONS[op] as (v: readonly number[]) => number, { x: numbers, outer, size, inner })
  const result = scaled ? exact.map((v) => v * scale) : exact
  return {
    name: `${kernel.name}, ${outer} × ${size}${rows ? '' : ` × ${inner}`}${given ? ' with NaN, ∞ and zeros' : ''}`,
    kernel,
    params: {
      ...(rows ? { rows: outer, size, n: outer * size } : { outer, size, inner, parts: 1 }),
      ...(op === 'variance' ? { inverse: 1 / size, scale } : scaled ? { scale } : {}),
    },
    bindings: { x: data, out: isIndex(op) ? emptyWords(exact.length) : emptyOutput(exact.length) },
    expect: { out: expected(op, result) },
    ...toleranceOf(op, size, scale),
  }
}

/** Rows of which the last is cut off by n; of an odd size, so that words of two f16 lie across their ends. */
function cutCase(kernel: KernelSource): ParityCase {
  const { data, numbers } = values('sum', parsed(kernel).half, 700)
  const parts = [numbers.slice(0, 299), numbers.slice(299, 598), numbers.slice(598, 699)]
  const sums = Float64Array.from(parts, (part) => reduceFunctions.sum(part))
  return {
    name: `${kernel.name}, 699 elements in rows of 299`,
    kernel,
    params: { rows: 3, size: 299, n: 699, scale: 1 },
    bindings: { x: data, out: emptyOutput(3) },
    expect: { out: filled(sums) },
    tolerance: near(gamma(299 + rowSteps(299)) * 299, 'sums of at most 299 terms of at most 1'),
  }
}

/** An axis in three parts of 34 elements, the last of 32. */
function partsCase(kernel: KernelSource): ParityCase {
  const [outer, size, inner, parts] = [2, 100, 3, 3]
  const x = uniform(1, outer * size * inner, -1, 1)
  const sums = new Float64Array(outer * parts * inner)
  x.forEach((value, i) => {
    const [o, j, c] = [Math.floor(i / (size * inner)), Math.floor(i / inner) % size, i % inner]
    const at = (o * parts + Math.floor(j / 34)) * inner + c
    sums[at] = (sums[at] as number) + value
  })
  return {
    name: `${kernel.name}, ${outer} × ${size} × ${inner} in ${parts} parts`,
    kernel,
    params: { outer, size, inner, parts, scale: 1 },
    bindings: { x, out: emptyOutput(sums.length) },
    expect: { out: filled(sums) },
    tolerance: near(gamma(34) * 34, 'sums of at most 34 terms of at most 1'),
  }
}

const special = [-0, 0, NaN, 3, Infinity, NaN, -Infinity, -Infinity, 2, NaN, NaN, NaN]

const cases: readonly ParityCase[] = reductions.flatMap((kernel) => {
  const { op, rows } = parsed(kernel)
  return [
    ...(rows
      ? [reduceCase(kernel, 3, 257, 1), reduceCase(kernel, 2, 1, 1)]
      : [reduceCase(kernel, 3, 7, 90), reduceCase(kernel, 1, 33, 5)]),
    ...(op === 'argmax' || op === 'argmin'
      ? rows
        ? [reduceCase(kernel, 4, 3, 1, special)]
        : [reduceCase(kernel, 1, 3, 4, special)]
      : []),
    ...(kernel.name === 'sum_rows' ? [cutCase(kernel), reduceCase(kernel, 1, 5000, 1)] : []),
    ...(kernel.name === 'sum_f16_rows' ? [cutCase(kernel), reduceCase(kernel, 1, 9001, 1)] : []),
    ...(kernel.name === 'sum_columns' ? [partsCase(kernel), reduceCase(kernel, 1, 150, 33)] : []),
  ]
})

export const reduceCases: readonly ParityCase[] = cases.map(shipped)
