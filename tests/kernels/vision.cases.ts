import type { KernelSource } from '@weft/dsl/ir'
import { convolutions, pools, resamplers } from '@weft/kernels/source'
import { integers, uniform } from '../../packages/kernels/src/testing/index.js'
import * as reference from '../../packages/kernels/src/vision/reference.js'
import type { BufferData, ParityCase, Tolerance } from '../parity/case.js'
import { f16s, fromF16, unset } from '../parity/data.js'
import { gamma, U } from './bounds.js'
import { emptyHalfOutput, emptyOutput, filled, filledHalf, near, nearHalf, shipped } from './outputs.js'

type Pair = readonly [number, number]

const kernelOf = (name: string, half: boolean): KernelSource =>
  [...convolutions, ...pools, ...resamplers].find(
    (kernel) => kernel.name === `${name}${half ? '_f16' : ''}`,
  ) as KernelSource

function given(seed: number, n: number, half: boolean): { data: BufferData; numbers: number[] } {
  const x = uniform(seed, n + (n % 2), -1, 1)
  if (!half) return { data: x, numbers: [...x].slice(0, n) }
  const data = f16s(...x)
  return { data, numbers: fromF16(data).slice(0, n) }
}

const out = (half: boolean, n: number): BufferData => (half ? emptyHalfOutput(n) : emptyOutput(n))
const expected = (half: boolean, of: ArrayLike<number>): BufferData => (half ? filledHalf(of) : filled(of))
const within = (half: boolean, abs: number, because: string): Tolerance =>
  half ? nearHalf(abs, because) : near(abs, because)
const words = (values: ArrayLike<number>): Uint32Array => {
  const all = new Uint32Array(unset(values.length + 5).buffer)
  all.set(values)
  return all
}

interface Conv {
  readonly items: number
  readonly channels: number
  readonly size: Pair
  readonly outs: number
  readonly filter: Pair
  readonly stride: Pair
  readonly pad: Pair
  readonly dilation: Pair
  readonly groups: number
}

const conv = (
  channels: number,
  outs: number,
  groups: number,
  size: Pair,
  filter: Pair,
  stride: Pair = [1, 1],
  pad: Pair = [0, 0],
  dilation: Pair = [1, 1],
): Conv => ({ items: 2, channels, outs, groups, size, filter, stride, pad, dilation })

const title = ({ channels, outs, groups, size, filter, stride, pad, dilation }: Conv): string =>
  `${channels} → ${outs} channels in ${groups}, ${size.join('×')} by ${filter.join('×')}, stride ${stride}, pad ${pad}, dilation ${dilation}`

const params = (c: Conv, [rows, columns]: Pair, bias: boolean) => ({
  items: c.items,
  channels: c.channels,
  height: c.size[0],
  width: c.size[1],
  outs: c.outs,
  out_height: rows,
  out_width: columns,
  groups: c.groups,
  filter: c.filter,
  stride: c.stride,
  pad: c.pad,
  dilation: c.dilation,
  has_bias: Number(bias),
  low: -1.5,
  high: 2,
})

function convCase(half: boolean, c: Conv, transposed: boolean, withBias: boolean): ParityCase {
  const x = given(1, c.items * c.channels * c.size[0] * c.size[1], half)
  const weight = given(2, (c.outs * c.channels * c.filter[0] * c.filter[1]) / c.groups, half)
  const bias = given(3, c.outs, half)
  const size = transposed ? reference.transposedSize(c.size, c) : reference.windowedSize(c.size, c)
  const args = { ...c, x: x.numbers, weight: weight.numbers, ...(withBias ? { bias: bias.numbers } : {}) }
  const exact = (transposed ? reference.convTranspose2dReference : reference.conv2dReference)(args)
  const terms = (c.channels / c.groups) * c.filter[0] * c.filter[1] + 1
  const kernel = kernelOf(transposed ? 'conv_transpose2d' : 'conv2d', half)
  return {
    name: `${kernel.name}, ${title(c)}${withBias ? ', bias' : ''}`,
    kernel,
    params: params(c, size, withBias),
    bindings: { x: x.data, weight: weight.data, bias: bias.data, y: out(half, exact.length) },
    expect: {
      y: expected(
        half,
        exact.map((v) => Math.min(Math.max(v, -1.5), 2)),
      ),
    },
    tolerance: within(half, gamma(terms + 1) * terms, 'a sum of products of at most 1, one after another'),
  }
}

/** i8 values, four to a word. */
const bytes = (values: Int8Array): Uint32Array => {
  const padded = new Int8Array(Math.ceil(values.length / 4) * 4)
  padded.set(values)
  return new Uint32Array(padded.buffer)
}

function int8Case(c: Conv): ParityCase {
  const of = (seed: number, n: number) => Int8Array.from(integers(seed, n, 256), (v) => v - 128)
  const x = of(1, c.items * c.channels * c.size[0] * c.size[1])
  const weight = of(2, (c.outs * c.channels * c.filter[0] * c.filter[1]) / c.groups)
  const [scales, bias] = [uniform(3, c.outs, 0.001, 0.01), uniform(4, c.outs, -1, 1)]
  const zero = -7
  const size = reference.windowedSize(c.size, c)
  const sums = reference.conv2dReference({ ...c, x: Array.from(x, (v) => v - zero), weight: [...weight] })
  const place = size[0] * size[1]
  const exact = sums.map((v, i) => {
    const o = Math.floor(i / place) % c.outs
    return Math.min(Math.max(v * 0.0625 * scales[o]! + bias[o]!, -1.5), 2)
  })
  return {
    name: `conv2d_i8, ${title(c)}`,
    kernel: kernelOf('conv2d_i8', false),
    params: { ...params(c, size, true), x_scale: 0.0625, x_zero: zero },
    bindings: { x: bytes(x), weight: bytes(weight), weight_scale: scales, bias, y: emptyOutput(exact.length) },
    expect: { y: filled(exact) },
    tolerance: near(2e-4, 'a sum below 2²⁴ that is exact, two products and a sum of at most 800', 4 * U),
  }
}

interface Pool {
  readonly planes: number
  readonly size: Pair
  readonly filter: Pair
  readonly stride: Pair
  readonly pad: Pair
  readonly dilation: Pair
}

function poolCases(half: boolean, p: Pool): ParityCase[] {
  const x = given(1, p.planes * p.size[0] * p.size[1], half)
  // equal values, so that the first of them has to be found; none is -0, which compares equal to 0
  const data = half
    ? f16s(...x.numbers.map((v) => Math.round(v * 3) + 0), ...(x.numbers.length % 2 ? [0] : []))
    : Float32Array.from(x.numbers, (v) => Math.round(v * 3) + 0)
  const numbers = half ? fromF16(data as Uint16Array) : [...(data as Float32Array)]
  const args = { ...p, x: numbers.slice(0, x.numbers.length) }
  const most = reference.maxPool2dReference(args)
  const [rows, columns] = reference.windowedSize(p.size, p)
  const sizes = { planes: p.planes, height: p.size[0], width: p.size[1], out_height: rows, out_width: columns }
  const { filter, stride, pad, dilation } = p
  const window = { ...sizes, filter, stride, pad, dilation }
  const n = most.y.length
  const what = `${p.planes}×${p.size.join('×')} by ${filter.join('×')}, stride ${stride}, pad ${pad}, dilation ${dilation}`
  return [
    {
      name: `${kernelOf('max_pool2d', half).name}, ${what}`,
      kernel: kernelOf('max_pool2d', half),
      params: window,
      bindings: { x: data, y: out(half, n), index: words(new Uint32Array(n)) },
      expect: { y: expected(half, most.y), index: words(most.index) },
    },
    ...[false, true].map(
      (withPad): ParityCase => ({
        name: `${kernelOf('avg_pool2d', half).name}, ${what}${withPad ? ', with padding' : ''}`,
        kernel: kernelOf('avg_pool2d', half),
        params: { ...window, with_pad: Number(withPad) },
        bindings: { x: data, y: out(half, n) },
        expect: { y: expected(half, reference.avgPool2dReference({ ...args, withPad })) },
        tolerance: within(half, 32 * U, 'an exact sum, and a division of 2.5 ULP of at most 3'),
      }),
    ),
  ]
}

function resizeCases(half: boolean, planes: number, size: Pair, target: Pair): ParityCase[] {
  const x = given(1, planes * size[0] * size[1], half)
  const args = { x: x.numbers, planes, size, out: target }
  const sizes = { planes, height: size[0], width: size[1], out_height: target[0], out_width: target[1] }
  const n = planes * target[0] * target[1]
  const what = `${planes}×${size.join('×')} to ${target.join('×')}`
  const scale = (corners: boolean): Pair => {
    const by = (a: 0 | 1) => (corners ? (target[a] > 1 ? (size[a] - 1) / (target[a] - 1) : 0) : size[a] / target[a])
    return [by(0), by(1)]
  }
  const one = (
    name: string,
    more: Record<string, unknown>,
    values: ArrayLike<number>,
    label: string,
    abs: number,
  ): ParityCase => ({
    name: `${kernelOf(name, half).name}, ${what}${label}`,
    kernel: kernelOf(name, half),
    params: { ...sizes, ...more },
    bindings: { x: x.data, y: out(half, n) },
    expect: { y: expected(half, values) },
    ...(abs > 0 || half
      ? { tolerance: within(half, abs, 'places of at most 16 with an error of 4 ULP, between values of at most 1') }
      : {}),
  })
  const error = 16 * 8 * U
  return [
    one('adaptive_avg_pool2d', {}, reference.adaptiveAvgPool2dReference(args), '', error),
    one('upsample_nearest2d', { scale: scale(false) }, reference.upsampleNearestReference(args), '', 0),
    ...[false, true].map((corners) =>
      one(
        'upsample_bilinear2d',
        { scale: scale(corners), corners: Number(corners) },
        reference.upsampleBilinearReference({ ...args, corners }),
        corners ? ', corners aligned' : '',
        error,
      ),
    ),
  ]
}

function gridCase(half: boolean, nearest: boolean, corners: boolean): ParityCase {
  const [items, channels, size, target] = [2, 3, [4, 5], [3, 4]] as const
  const x = given(1, items * channels * 20, half)
  // sixteenths, which every step to a place holds exactly, and not halves between two elements
  const grid = Float32Array.from(integers(2, items * 24, 38), (v) => (v - 19) / 16 + 1 / 256)
  const exact = reference.gridSampleReference({
    x: x.numbers,
    grid,
    items,
    channels,
    size,
    out: target,
    nearest,
    corners,
  })
  return {
    name: `${kernelOf('grid_sample', half).name}${nearest ? ', nearest' : ''}${corners ? ', corners aligned' : ''}`,
    kernel: kernelOf('grid_sample', half),
    params: {
      ...{ items, channels, height: 4, width: 5, out_height: 3, out_width: 4 },
      nearest: Number(nearest),
      corners: Number(corners),
    },
    bindings: { x: x.data, grid, y: out(half, exact.length) },
    expect: { y: expected(half, exact) },
    tolerance: within(half, 32 * U, 'places of at most 5, between values of at most 1'),
  }
}

function batchNormCase(half: boolean): ParityCase {
  const [items, channels, places] = [2, 5, 7]
  const n = items * channels * places
  const x = given(1, n, half)
  const of = (seed: number, lo: number) => uniform(seed, channels, lo, 1)
  const [mean, variance, weight, bias] = [of(2, -1), of(3, 0.25), of(4, -1), of(5, -1)]
  const eps = 0.0625
  const exact = reference.batchNormReference({ x: x.numbers, mean, variance, weight, bias, places, eps })
  return {
    name: `${kernelOf('batch_norm', half).name}, ${items}×${channels}×${places}`,
    kernel: kernelOf('batch_norm', half),
    params: { n, channels, places, eps },
    bindings: { x: x.data, mean, variance, weight, bias, y: out(half, n) },
    expect: { y: expected(half, exact) },
    tolerance: within(half, 64 * U, 'an inverse root of 2 ULP, products and sums of at most 5'),
  }
}

const cases: readonly ParityCase[] = [
  ...[false, true].flatMap((half) => [
    convCase(half, conv(3, 4, 1, [5, 6], [3, 2]), false, true),
    convCase(half, conv(4, 6, 2, [7, 5], [3, 3], [2, 1], [1, 2], [1, 2]), false, false),
    convCase(half, conv(5, 5, 5, [6, 7], [3, 3], [1, 1], [1, 1]), false, true),
    convCase(half, conv(3, 2, 1, [1, 17], [1, 5], [1, 3], [0, 2], [1, 2]), false, true),
    convCase(half, conv(1, 1, 1, [1, 1], [1, 1]), false, true),
    convCase(half, conv(4, 6, 2, [3, 4], [3, 2], [2, 3], [1, 0]), true, true),
    convCase(half, conv(3, 2, 1, [4, 3], [2, 3], [1, 1], [1, 1], [2, 2]), true, false),
    ...poolCases(half, { planes: 3, size: [7, 6], filter: [3, 2], stride: [2, 2], pad: [1, 1], dilation: [1, 1] }),
    ...poolCases(half, { planes: 1, size: [9, 8], filter: [2, 3], stride: [1, 2], pad: [0, 1], dilation: [2, 1] }),
    ...resizeCases(half, 2, [5, 3], [7, 8]),
    ...resizeCases(half, 1, [8, 9], [3, 1]),
    gridCase(half, false, false),
    gridCase(half, false, true),
    gridCase(half, true, false),
    batchNormCase(half),
  ]),
  int8Case(conv(3, 4, 1, [5, 6], [3, 2], [1, 2], [1, 1])),
  int8Case(conv(4, 4, 4, [3, 3], [3, 3])),
]

export const visionCases: readonly ParityCase[] = cases.map(shipped)
