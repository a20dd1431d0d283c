import type { KernelSource } from '@weft/dsl/ir'
import { addInt8, dynamicMatmuls, packZeroPoints, quantizers, reluInt8 } from '@weft/kernels/source'
import { matmulReference } from '../../packages/kernels/src/matmul/reference.js'
import {
  affineParams,
  dequantizeWeights,
  packBytes,
  packNibbles,
  packZeros,
  quantizeWeights,
  symmetricParams,
  type WordFormat,
} from '../../packages/kernels/src/quant/pack.js'
import { addInt8Reference, reluInt8Reference } from '../../packages/kernels/src/quant/reference.js'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { gamma, U } from './bounds.js'
import { poisoned, spread } from './inputs.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf, shipped } from './outputs.js'

const byName = (name: string) => quantizers.find((kernel) => kernel.name === name) as KernelSource

/** Groups of lines; what lies at the edge of two integers is not in them, so that a division within 2.5 ULP gives the same integer. */
function paramsCase(half: boolean, symmetric: boolean, lines: number, k: number, group: number): ParityCase {
  const x = spread(1, lines * k, half, -1.5, 1)
  const [low, high, middle] = symmetric ? [0, 7, 8] : [-128, 127, 0]
  const groups = Math.ceil(k / group)
  const params = Array.from({ length: lines * groups }, (_, g) => {
    const from = Math.floor(g / groups) * k + (g % groups) * group
    const values = x.numbers.slice(from, Math.min(from + group, (Math.floor(g / groups) + 1) * k))
    if (symmetric) return symmetricParams(values, high, middle)
    const least = Math.min(0, ...values)
    const own = affineParams(values, low, high)
    const off = Math.abs(least / own.scale) % 1
    if (Math.abs(off - 0.5) < 1e-3) throw new Error(`group ${g} lies at an edge`)
    return own
  })
  return {
    name: `choose_params${half ? '_f16' : ''}, ${lines} × ${k} in groups of ${group}${symmetric ? ', symmetric' : ''}`,
    kernel: byName(half ? 'choose_params_f16' : 'choose_params'),
    params: { lines, k, group, groups, low, high, middle, symmetric: Number(symmetric) },
    bindings: { x: x.data, scales: emptyOutput(params.length), zeros: new Int32Array(params.length).fill(99) },
    expect: {
      scales: filled(params.map(({ scale }) => scale)),
      zeros: Int32Array.from(params, ({ zero }) => zero),
    },
    tolerance: near(0, 'a difference and a division of 2.5 ULP, and the rounding of the reference', 8 * U),
  }
}

/** Values within 0.4 of a step around integers, some of them beyond the range. */
function quantizeCase(half: boolean, bits: 8 | 4, lines: number, k: number, group: number, tag = ''): ParityCase {
  const groups = Math.ceil(k / group)
  const [low, high] = bits === 8 ? [-128, 127] : [0, 15]
  const scales = Array.from({ length: lines * groups }, (_, g) => 2 ** -(3 + (g % 3)))
  const zeros = Array.from({ length: lines * groups }, (_, g) => (g % 5) + (bits === 4 ? 4 : -2))
  const q = integers(1, lines * k, high - low + 9)
  const off = uniform(2, lines * k, -0.4, 0.4)
  const at = (i: number) => Math.floor(i / k) * groups + Math.floor((i % k) / group)
  const steps = Array.from(q, (v, i) => v + low - 4 - (zeros[at(i)] as number) + Math.round((off[i] as number) * 8) / 8)
  const x = poisoned(
    steps.map((step, i) => step * (scales[at(i)] as number)),
    half,
  )
  const expected = Array.from(q, (v) => Math.min(Math.max(v + low - 4, low), high))
  const w = bits === 8 ? packBytes(expected, lines, k) : packNibbles(expected, lines, k)
  return {
    name: `quantize_int${bits}${half ? '_f16' : ''}, ${lines} × ${k} in groups of ${group}${tag}`,
    kernel: byName(`quantize_int${bits}${half ? '_f16' : ''}`),
    params: { lines, k, group, groups, low, high },
    bindings: {
      ...{ x: x.data, scales: Float32Array.from(scales), zeros: Int32Array.from(zeros) },
      w: new Uint32Array(w.length + 1).fill(0xdead_beef),
    },
    expect: { w: Uint32Array.from([...w, 0xdead_beef]) },
  }
}

function zerosCase(lines: number, groups: number): ParityCase {
  const zeros = integers(1, lines * groups, 16)
  return {
    name: `pack_zeros, ${lines} × ${groups} [case-S06]`,
    kernel: packZeroPoints,
    params: { lines, groups },
    bindings: { zeros: Int32Array.from(zeros), w: new Uint32Array(lines * Math.ceil(groups / 8)) },
    expect: { w: packZeros(zeros, lines, groups) },
  }
}

function dynamicCase(kernel: KernelSource, m: number, n: number, k: number, group: number): ParityCase {
  const half = kernel.name.endsWith('_f16')
  const format = kernel.name.replace(/^matmul_dynamic_|_f16$/g, '') as WordFormat
  const weights = quantizeWeights(format, uniform(1, n * k, -1, 2), {
    n,
    k,
    ...(format.startsWith('int4') && { group }),
  })
  const q = Int32Array.from(integers(2, m * k, 256), (v) => v - 128)
  const [scales, zeros] = [uniform(3, m, 0.001, 0.01), Int32Array.from(integers(4, m, 256), (v) => v - 128)]
  const bias = spread(5, n, half)
  const a = Float64Array.from(
    q,
    (v, i) => (v - (zeros[Math.floor(i / k)] as number)) * (scales[Math.floor(i / k)] as number),
  )
  const values = dequantizeWeights(weights)
  const y = matmulReference({ a, b: values, bias: bias.numbers, m, n, k, transposeB: true })
  const most = values.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  const tiles = Math.ceil(k / 32)
  // integers are exact; a tile becomes f32 once and is summed with the others
  const error = gamma(tiles + 6) * (k * 255 * 0.01 * most + 1)
  const because = 'Σ|x·w| ≤ k · 255 · 0.01 · max|w|, exact within tiles of 32, which are summed one after another'
  const int4 = format !== 'int8'
  return {
    name: `${kernel.name}, ${m}×${n}×${k}${int4 ? ` in groups of ${group}` : ''}`,
    kernel,
    params: {
      ...{ m, n, k, with_bias: 1, words: Math.ceil(k / (int4 ? 8 : 4)) },
      ...(int4 ? { group, groups: Math.ceil(k / group) } : {}),
    },
    bindings: {
      ...{ w: weights.w, scales: weights.scales, ...(weights.zeros ? { zeros: weights.zeros } : {}) },
      ...{ x: packBytes(q, m, k), x_scales: scales, x_zeros: zeros, bias: bias.data },
      y: half ? emptyHalfOutput(m * n) : emptyOutput(m * n),
    },
    expect: { y: half ? filledHalf(y) : filled(y) },
    tolerance: half ? nearHalf(error, because) : near(error, because),
  }
}

const int8s = (seed: number, n: number): number[] => Array.from(integers(seed, n, 256), (v) => v - 128)

/** Scales are powers of two with sums that are no halves, so that every step is exact. */
function arithmetic(n: number): readonly ParityCase[] {
  const [x, y] = [int8s(1, n), int8s(2, n)]
  const [ofX, ofY, out] = [
    { scale: 0.5, zero: 3 },
    { scale: 0.25, zero: -7 },
    { scale: 1, zero: 5 },
  ]
  // halves of a step are where a division within 2.5 ULP may go either way: the elements that give one are changed
  const odd = y.map((v, i) => {
    const sum = ((x[i] as number) - ofX.zero) * ofX.scale + (v - ofY.zero) * ofY.scale
    return Math.abs(sum % 1) === 0.5 ? (v === 127 ? v - 1 : v + 1) : v
  })
  const even = x.map((v) => (Math.abs(((v - ofX.zero) * ofX.scale) % 1) === 0.5 ? (v === 127 ? v - 1 : v + 1) : v))
  const words = Math.ceil(n / 4)
  const params = { words, x_scale: ofX.scale, x_zero: ofX.zero, out_scale: out.scale, out_zero: out.zero }
  const [left, right, only] = [packBytes(x, 1, n), packBytes(odd, 1, n), packBytes(even, 1, n)]
  return [
    {
      name: `add_int8, ${n} elements`,
      kernel: addInt8,
      params: { ...params, y_scale: ofY.scale, y_zero: ofY.zero },
      bindings: { x: left, y: right, out: new Uint32Array(words + 1).fill(7) },
      expect: { out: Uint32Array.from([...packBytes(addInt8Reference(x, ofX, odd, ofY, out), 1, n), 7]) },
    },
    {
      name: `relu_int8, ${n} elements`,
      kernel: reluInt8,
      params,
      bindings: { x: only, out: new Uint32Array(words + 1).fill(7) },
      expect: { out: Uint32Array.from([...packBytes(reluInt8Reference(even, ofX, out), 1, n), 7]) },
    },
  ]
}

const cases: readonly ParityCase[] = [
  ...[false, true].flatMap((half) => [
    paramsCase(half, false, 3, 300, 300),
    paramsCase(half, true, 2, 70, 32),
    paramsCase(half, false, 1, 1, 1),
    quantizeCase(half, 8, 3, 33, 33),
    quantizeCase(half, 4, 3, 70, 32),
    quantizeCase(half, 4, 1, 7, 8),
  ]),
  quantizeCase(false, 8, 2, 2, 2, ' [case-S10]'),
  quantizeCase(false, 8, 3, 5, 5, ' [case-S10]'),
  quantizeCase(false, 8, 1, 1, 1, ' [case-S10]'),
  quantizeCase(false, 8, 1, 7, 7, ' [case-S10]'),
  zerosCase(2, 3),
  zerosCase(3, 17),
  ...dynamicMatmuls.map((kernel, i) => dynamicCase(kernel, 5 + i, 67, [70, 33, 96][i % 3] as number, 32)),
  dynamicCase(dynamicMatmuls[1] as KernelSource, 65, 3, 128, 64),
  dynamicCase(dynamicMatmuls[0] as KernelSource, 1, 1, 1, 32),
  ...arithmetic(64),
]

export const quantizeCases: readonly ParityCase[] = cases.map(shipped)
