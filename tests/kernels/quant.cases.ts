import { quantized, quantLines, quantMatrices, quantOneRow, quantTwoRows } from '@weft/kernels/source'
import {
  dequantizeWeights,
  type PackedWeights,
  packBytes,
  packNibbles,
  packZeros,
  quantizeWeights,
  type WordFormat,
} from '../../packages/kernels/src/quant/pack.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { gamma } from './bounds.js'
import { emptyOutput, filled, near, shipped } from './outputs.js'
import { type CaseWeights, weightCase } from './weights.js'

/** Weights as the kernels get them, with words and scales behind that must not be read. */
function bound(weights: PackedWeights, lines = false): CaseWeights {
  const { format, n, k, group, w, scales, zeros } = weights
  const int4 = format.startsWith('int4')
  const poisoned = Float32Array.from([...scales, Number.NaN, Number.NaN])
  return {
    bindings: { w: Uint32Array.from([...w, 0xffff_ffff]), scales: poisoned, ...(zeros ? { zeros } : {}) },
    params: int4
      ? {
          words: Math.ceil(k / 8),
          groups: Math.ceil(k / group),
          ...(lines ? { group_log2: Math.log2(group) } : { group }),
        }
      : { words: Math.ceil(k / 4) },
    values: dequantizeWeights(weights),
    n,
    k,
  }
}

const random = (format: WordFormat, n: number, k: number, group: number, lines = false): CaseWeights =>
  bound(quantizeWeights(format, uniform(1, n * k, -1, 2), { n, k, ...(format.startsWith('int4') && { group }) }), lines)

const byName = (name: string) => quantized.find((kernel) => kernel.name === name) as (typeof quantized)[number]

/** Groups of an odd number: their zero points fill no word, and the next row begins at one. */
function zeroPoints(): ParityCase {
  const [n, k] = [2, 96]
  const weights = bound({
    ...{ format: 'int4_zeros', n, k, group: 32, scales: new Float32Array(6).fill(1) },
    ...{ w: packNibbles(new Uint8Array(n * k).fill(8), n, k), zeros: packZeros([1, 2, 3, 4, 5, 6], n, 3) },
  })
  const kernel = byName('matvec1_int4_zeros')
  return {
    name: 'matvec1_int4_zeros, sums of 576 and 288 [case-S06]',
    kernel,
    params: { m: 1, n, k, with_bias: 0, ...weights.params },
    bindings: {
      ...weights.bindings,
      ...{ x: new Float32Array(k).fill(1), bias: new Float32Array(2), y: new Float32Array(2) },
    },
    expect: { y: Float32Array.of(576, 288) },
  }
}

/** Values below the zero point, all of four words. */
function below(): ParityCase {
  const q = Array.from({ length: 16 }, (_, i) => 120 + i)
  const weights = bound({
    ...{ format: 'uint8', n: 1, k: 16, group: 16, w: packBytes(q, 1, 16) },
    ...{ scales: Float32Array.of(0.5), zeros: Int32Array.of(128) },
  })
  return weightCase(byName('dequantize_uint8'), weights, 0, ', from -4 to 3.5 [case-S07]')
}

/** A sum that passes the range of f16 on the way, and ends at 0. */
function cancelling(name: string, format: 'int8' | 'int4', q: (i: number) => number): ParityCase {
  const k = 4096
  const values = Array.from({ length: k }, (_, i) => q(i))
  const common = { format, n: 1, k, group: format === 'int8' ? k : 32 }
  const weights = bound(
    format === 'int8'
      ? { ...common, w: packBytes(values, 1, k), scales: Float32Array.of(1) }
      : { ...common, w: packNibbles(values, 1, k), scales: new Float32Array(k / 32).fill(1) },
  )
  return {
    name: `${name}, sums up to 65,536 that end at 0 [case-N09]`,
    kernel: byName(name),
    params: { m: 1, n: 1, k, with_bias: 0, ...weights.params },
    bindings: {
      ...weights.bindings,
      ...{ x: new Uint16Array(k).fill(0x4800), bias: new Uint16Array(2), y: new Uint16Array(2) },
    },
    expect: { y: Uint16Array.of(0, 0) },
  }
}

/** Rows of x whose values are far apart, are all of the least size, and are not numbers: what is kept of them in integers. */
function farApart(): ParityCase {
  const [m, n, k] = [4, 2, 64]
  const weights = random('int4', n, k, 32, true)
  const x = uniform(5, m * k, -1, 1).map((value, i) => value * ([1, 2 ** -126, 1, 1][Math.floor(i / k)] as number))
  x[3] = 40_000
  x[2 * k + 5] = Number.NaN
  x[3 * k + 40] = Number.NEGATIVE_INFINITY
  const y = Float64Array.from({ length: m * n }, (_, i) => {
    const [row, col] = [Math.floor(i / n), i % n]
    return x.subarray(row * k, row * k + k).reduce((sum, value, j) => sum + value * weights.values[col * k + j]!, 0)
  })
  // what is not finite makes all of its 32 values NaN
  for (const row of [2, 3]) y.fill(Number.NaN, row * n, row * n + n)
  const most = weights.values.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  return {
    name: 'matvec1_int4_held, values that are far apart, tiny, or no numbers',
    kernel: quantOneRow.find(({ name }) => name === 'matvec1_int4_held') as (typeof quantOneRow)[number],
    params: { m, n, k, with_bias: 0, ...weights.params, rows: 16 },
    bindings: { ...weights.bindings, x, bias: new Float32Array(n), y: emptyOutput(m * n) },
    expect: { y: filled(y) },
    tolerance: near(
      (2 ** -22 + gamma(8)) * 32 * 40_000 * most,
      '32 values rounded by 2⁻²² of the largest, times weights; sums of a few terms',
    ),
  }
}

const cases: readonly ParityCase[] = [
  ...quantized.map((kernel, i) => {
    const format = kernel.name.replace(/^[a-z0-9]+_|_f16$/g, '') as WordFormat
    const m = /matvec1/.test(kernel.name) ? 2 : /matvec4/.test(kernel.name) ? 7 : 5
    const n = kernel.name.startsWith('matmul') ? 66 : 3
    return weightCase(kernel, random(format, n, [35, 70, 129, 96][i % 4] as number, [32, 64, 128][i % 3] as number), m)
  }),
  ...quantLines.map((kernel, i) => {
    const format = kernel.name.replace(/^[a-z0-9]+_|_lines(_f16)?$/g, '') as WordFormat
    const [n, k] = [
      [5, 2080],
      [3, 96],
      [9, 32],
      [4, 4128],
    ][i % 4] as [number, number]
    return weightCase(kernel, random(format, n, k, [32, 64, 128][i % 3] as number, true), i % 4 === 3 ? 1 : 5)
  }),
  ...[...quantOneRow, ...quantTwoRows].map((kernel, i) => {
    const two = kernel.name.startsWith('matvec2')
    const format = kernel.name.replace(/^matvec\d_|_held(_f16)?$/g, '') as WordFormat
    const [n, k] = [
      [35, 96],
      [5, 4128],
      [33, 32],
    ][i % 3] as [number, number]
    const weights = random(format, n, k, [32, 64, 128][i % 3] as number, true)
    const params = { ...weights.params, rows: [16, 32, 4][i % 3] as number }
    return weightCase(kernel, { ...weights, params }, two ? 3 - (i % 2) : 1 + (i % 2))
  }),
  farApart(),
  ...quantMatrices.map((kernel, i) => {
    const format = kernel.name.replace(/^matmul_|_matrices_.*$/g, '') as WordFormat
    const [m, n, k] = [
      [5, 19, 288],
      [16, 70, 32],
      [33, 35, 160],
      [131, 130, 96],
    ][i % 4] as [number, number, number]
    return weightCase(kernel, random(format, n, k, 32, true), m)
  }),
  weightCase(byName('matmul_int4'), random('int4', 65, 32, 32), 65),
  weightCase(byName('matmul_int8'), random('int8', 1, 1, 1), 1),
  weightCase(byName('dequantize_int8'), random('int8', 2, 2, 2), 0, ' [case-S10]'),
  weightCase(byName('dequantize_uint8'), random('uint8', 1, 7, 7), 0, ' [case-S10]'),
  zeroPoints(),
  below(),
  cancelling('matvec1_int8_f16', 'int8', (i) => (i < 2048 ? 4 : -4)),
  cancelling('matvec1_int4_f16', 'int4', (i) => (i < 2048 ? 12 : 4)),
]

export const quantCases: readonly ParityCase[] = cases.map(shipped)
