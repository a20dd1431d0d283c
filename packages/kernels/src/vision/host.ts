import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/vision'
import {
  type BufferLike,
  bytesIn,
  checkBuffers,
  checkCall,
  checkSizes,
  chosen,
  type HostOptions,
  keysOf,
  type Runtime,
} from '../host'
import { transposedSize, type Window, windowedSize } from './reference'

type Pair = readonly [number, number]
export type VisionType = 'f32' | 'f16'

const area = ([rows, columns]: Pair): number => rows * columns

/** The greatest finite f32. */
const MOST = 3.4028234663852886e38

function checkWindow(
  what: string,
  size: Pair,
  { filter, stride = [1, 1], pad = [0, 0], dilation = [1, 1] }: Window,
): void {
  const pairs = { size, filter, stride, pad, dilation }
  for (const [name, pair] of Object.entries(pairs)) {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw new RangeError(`${what}: ${name} must be [rows, columns], got ${pair}`)
    checkSizes(what, { [`${name}[0]`]: pair[0], [`${name}[1]`]: pair[1] })
  }
  for (const [name, pair] of Object.entries({ filter, stride, dilation })) {
    if (pair.some((extent) => extent < 1))
      throw new RangeError(`${what}: ${name} must be at least 1, got [${pair.join(', ')}]`)
  }
}

function checkResult(what: string, [rows, columns]: Pair): void {
  if (rows < 1 || columns < 1) throw new RangeError(`${what}: the filter is larger than the image and its padding`)
}

export interface Conv2dArgs extends Window {
  /** [items, channels, height, width] */
  readonly x: BufferLike
  /** [outs, channels / groups, filter]; transposed: [channels, outs / groups, filter] */
  readonly weight: BufferLike
  /** [outs] */
  readonly bias?: BufferLike
  /** Written: [items, outs, height, width of the result] */
  readonly y: BufferLike
  readonly items: number
  readonly channels: number
  /** Height and width of x. */
  readonly size: Pair
  readonly outs: number
  /** Channels and outs are multiples of it; as many as channels is a depthwise convolution. 1 when left out. */
  readonly groups?: number
  /** The result is clamped to [low, high]: 0 and 6 for a ReLU6. */
  readonly low?: number
  readonly high?: number
  readonly type?: VisionType
}

export interface ConvTranspose2dArgs extends Conv2dArgs {
  /** Added to the size of the result, less than the stride. */
  readonly outPad?: Pair
}

async function convolve(
  runtime: Runtime,
  what: string,
  kernels: Readonly<Record<VisionType, CompiledKernel>>,
  args: Conv2dArgs,
  transposed: boolean,
  out: Pair,
  options: HostOptions,
): Promise<Pair> {
  const { x, weight, bias, y, items, channels, size, outs, groups = 1, type = 'f32' } = args
  const { filter, stride = [1, 1], pad = [0, 0], dilation = [1, 1], low = -MOST, high = MOST } = args
  checkSizes(what, { items, channels, outs, groups })
  for (const [name, count] of Object.entries({ channels, outs })) {
    if (groups < 1 || count % groups !== 0)
      throw new RangeError(`${what}: ${name} must be a multiple of groups = ${groups}, got ${count}`)
  }
  checkResult(what, out)
  const bytes = bytesIn(type)
  const taps = ((transposed ? channels * outs : outs * channels) / groups) * area(filter)
  checkBuffers(what, {
    x: [x, items * channels * area(size), bytes],
    weight: [weight, taps, bytes],
    ...(bias ? { bias: [bias, outs, bytes] as const } : {}),
    y: [y, items * outs * area(out), bytes],
  })
  if (items * outs === 0) return out
  await runtime.run(chosen(kernels[type], options), {
    x,
    weight,
    bias: bias ?? weight,
    y,
    items,
    channels,
    height: size[0],
    width: size[1],
    outs,
    out_height: out[0],
    out_width: out[1],
    groups,
    filter,
    stride,
    pad,
    dilation,
    has_bias: Number(bias !== undefined),
    low,
    high,
  })
  return out
}

const CONV2D_KEYS = keysOf<Conv2dArgs>()(
  'x weight bias y items channels size outs groups low high type filter stride pad dilation',
)

/**
 * y[n, o, p, q] = bias[o] + Σ weight[o, c, a, b] · x[n, c, p · stride − pad + a · dilation, …], in f32. Gives height and width of
 * the result. A convolution of one dimension has height and filter height 1.
 */
export async function conv2d(runtime: Runtime, args: Conv2dArgs, options: HostOptions = {}): Promise<Pair> {
  checkCall('conv2d', args, CONV2D_KEYS, options)
  checkWindow('conv2d', args.size, args)
  const out = windowedSize(args.size, args)
  return convolve(runtime, 'conv2d', { f32: g.conv2d, f16: g.conv2d_f16 }, args, false, out, options)
}

export interface Conv1dArgs extends Omit<Conv2dArgs, 'size' | keyof Window> {
  /** The length of x: [items, channels, length]. */
  readonly length: number
  readonly filter: number
  readonly stride?: number
  readonly pad?: number
  readonly dilation?: number
}

const CONV1D_KEYS = keysOf<Conv1dArgs>()(
  'length filter stride pad dilation x weight bias y items channels outs groups low high type',
)

/** conv2d of one dimension. Gives the length of the result. */
export async function conv1d(runtime: Runtime, args: Conv1dArgs, options: HostOptions = {}): Promise<number> {
  checkCall('conv1d', args, CONV1D_KEYS, options)
  const { length, filter, stride = 1, pad = 0, dilation = 1, ...rest } = args
  const window: Window = { filter: [1, filter], stride: [1, stride], pad: [0, pad], dilation: [1, dilation] }
  const [, columns] = await conv2d(runtime, { ...rest, ...window, size: [1, length] } as Conv2dArgs, options)
  return columns
}

const CONV_TRANSPOSE2D_KEYS = keysOf<ConvTranspose2dArgs>()(
  'outPad x weight bias y items channels size outs groups low high type filter stride pad dilation',
)

/** The adjoint of conv2d by its input: each element of x is spread over the places that it reaches. Gives height and width. */
export async function convTranspose2d(
  runtime: Runtime,
  args: ConvTranspose2dArgs,
  options: HostOptions = {},
): Promise<Pair> {
  checkCall('conv_transpose2d', args, CONV_TRANSPOSE2D_KEYS, options)
  checkWindow('conv_transpose2d', args.size, args)
  const out = transposedSize(args.size, args, args.outPad)
  const kernels = { f32: g.conv_transpose2d, f16: g.conv_transpose2d_f16 }
  return convolve(runtime, 'conv_transpose2d', kernels, args, true, out, options)
}

export interface Conv2dInt8Args extends Omit<Conv2dArgs, 'type'> {
  /** One for each output channel, f32: [outs] */
  readonly weightScale: BufferLike
  readonly scale: number
  /** The value of x that stands for 0. */
  readonly zero?: number
}

const CONV2D_INT8_KEYS = keysOf<Conv2dInt8Args>()(
  'weightScale scale zero x weight bias y items channels size outs groups low high filter stride pad dilation',
)

/**
 * conv2d of i8, four to a word: y = scale · weightScale[o] · Σ (x − zero) · weight + bias[o], in f32; x and weight in the orders of
 * conv2d, the sum exact. Gives height and width of the result.
 */
export async function conv2dInt8(runtime: Runtime, args: Conv2dInt8Args, options: HostOptions = {}): Promise<Pair> {
  checkCall('conv2d_i8', args, CONV2D_INT8_KEYS, options)
  const { x, weight, weightScale, bias, y, items, channels, size, outs, groups = 1, scale, zero = 0 } = args
  const { filter, stride = [1, 1], pad = [0, 0], dilation = [1, 1], low = -MOST, high = MOST } = args
  checkWindow('conv2d_i8', size, args)
  checkSizes('conv2d_i8', { items, channels, outs, groups })
  if (groups < 1 || channels % groups !== 0 || outs % groups !== 0)
    throw new RangeError(
      `conv2d_i8: channels and outs must be multiples of groups = ${groups}, got ${channels} and ${outs}`,
    )
  const out = windowedSize(size, args)
  checkResult('conv2d_i8', out)
  checkBuffers('conv2d_i8', {
    x: [x, items * channels * area(size), 1],
    weight: [weight, (outs * channels * area(filter)) / groups, 1],
    weightScale: [weightScale, outs],
    ...(bias ? { bias: [bias, outs] as const } : {}),
    y: [y, items * outs * area(out)],
  })
  if (items * outs === 0) return out
  const [height, width] = size
  await runtime.run(chosen(g.conv2d_i8, options), {
    x,
    weight,
    weight_scale: weightScale,
    bias: bias ?? weightScale,
    y,
    ...{ items, channels, height, width, outs, out_height: out[0], out_width: out[1], groups },
    ...{ filter, stride, pad, dilation, has_bias: Number(bias !== undefined), low, high },
    x_scale: scale,
    x_zero: zero,
  })
  return out
}

export interface Pool2dArgs extends Window {
  /** [planes, height, width]; planes are items · channels */
  readonly x: BufferLike
  /** Written: [planes, height, width of the result] */
  readonly y: BufferLike
  readonly planes: number
  readonly size: Pair
  readonly type?: VisionType
}

interface Pooled {
  readonly out: Pair
  readonly n: number
  readonly params: Readonly<Record<string, unknown>>
}

/** By default a window moves by its own size. */
function pooled(what: string, { x, y, planes, size, type = 'f32', ...window }: Pool2dArgs): Pooled {
  const { filter, stride = filter, pad = [0, 0], dilation = [1, 1] } = window
  checkSizes(what, { planes })
  checkWindow(what, size, { filter, stride, pad, dilation })
  if (pad.some((extent, axis) => 2 * extent > (filter[axis] as number) * (dilation[axis] as number)))
    throw new RangeError(
      `${what}: pad must be at most half of the filter [${filter.join(', ')}], got [${pad.join(', ')}]`,
    )
  const out = windowedSize(size, { filter, stride, pad, dilation })
  checkResult(what, out)
  const n = planes * area(out)
  checkBuffers(what, { x: [x, planes * area(size), bytesIn(type)], y: [y, n, bytesIn(type)] })
  const sizes = { planes, height: size[0], width: size[1], out_height: out[0], out_width: out[1] }
  return { out, n, params: { ...sizes, filter, stride, pad, dilation } }
}

export interface MaxPool2dArgs extends Pool2dArgs {
  /** Written, u32: the place of each element in its plane */
  readonly index: BufferLike
}

const MAX_POOL2D_KEYS = keysOf<MaxPool2dArgs>()('index x y planes size type filter stride pad dilation')

/** The greatest element of each window, and its place in the plane in `index` (u32). Gives height and width of the result. */
export async function maxPool2d(runtime: Runtime, args: MaxPool2dArgs, options: HostOptions = {}): Promise<Pair> {
  checkCall('max_pool2d', args, MAX_POOL2D_KEYS, options)
  const { out, n, params } = pooled('max_pool2d', args)
  checkBuffers('max_pool2d', { index: [args.index, n] })
  const kernel = args.type === 'f16' ? g.max_pool2d_f16 : g.max_pool2d
  if (n > 0) await runtime.run(chosen(kernel, options), { x: args.x, y: args.y, index: args.index, ...params })
  return out
}

export interface AvgPool2dArgs extends Pool2dArgs {
  /** The mean is of all places of a window, those of the padding as 0. */
  readonly withPad?: boolean
}

const AVG_POOL2D_KEYS = keysOf<AvgPool2dArgs>()('withPad x y planes size type filter stride pad dilation')

/** The mean of each window: of its places in the image, or with `withPad` of all, padding as 0. Gives height and width. */
export async function avgPool2d(runtime: Runtime, args: AvgPool2dArgs, options: HostOptions = {}): Promise<Pair> {
  checkCall('avg_pool2d', args, AVG_POOL2D_KEYS, options)
  const { out, n, params } = pooled('avg_pool2d', args)
  const kernel = args.type === 'f16' ? g.avg_pool2d_f16 : g.avg_pool2d
  const given = { x: args.x, y: args.y, ...params, with_pad: Number(args.withPad ?? false) }
  if (n > 0) await runtime.run(chosen(kernel, options), given)
  return out
}

export interface ResizeArgs {
  /** [planes, height, width]; planes are items · channels */
  readonly x: BufferLike
  /** Written: [planes, out] */
  readonly y: BufferLike
  readonly planes: number
  readonly size: Pair
  /** Height and width of the result. */
  readonly out: Pair
  readonly type?: VisionType
}

function resized(what: string, { x, y, planes, size, out, type = 'f32' }: ResizeArgs): Record<string, number> | null {
  checkSizes(what, { planes, 'size[0]': size[0], 'size[1]': size[1], 'out[0]': out[0], 'out[1]': out[1] })
  const n = planes * area(out)
  checkBuffers(what, { x: [x, planes * area(size), bytesIn(type)], y: [y, n, bytesIn(type)] })
  if (n === 0) return null
  if (area(size) === 0) throw new RangeError(`${what}: an image of [${size.join(', ')}] has no elements to take`)
  return { planes, height: size[0], width: size[1], out_height: out[0], out_width: out[1] }
}

const pick = (type: VisionType | undefined, f32: CompiledKernel, f16: CompiledKernel): CompiledKernel =>
  type === 'f16' ? f16 : f32
const RESIZE_KEYS = keysOf<ResizeArgs>()('x y planes size out type')

/** The mean of the part of x that belongs to each place of the result. */
export async function adaptiveAvgPool2d(runtime: Runtime, args: ResizeArgs, options: HostOptions = {}): Promise<void> {
  checkCall('adaptive_avg_pool2d', args, RESIZE_KEYS, options)
  const params = resized('adaptive_avg_pool2d', args)
  const kernel = pick(args.type, g.adaptive_avg_pool2d, g.adaptive_avg_pool2d_f16)
  if (params) await runtime.run(chosen(kernel, options), { x: args.x, y: args.y, ...params })
}

/** The element of x at ⌊place · size / out⌋. */
export async function upsampleNearest2d(runtime: Runtime, args: ResizeArgs, options: HostOptions = {}): Promise<void> {
  checkCall('upsample_nearest2d', args, RESIZE_KEYS, options)
  const params = resized('upsample_nearest2d', args)
  const { x, y, size, out } = args
  const scale = [size[0] / out[0], size[1] / out[1]]
  const kernel = pick(args.type, g.upsample_nearest2d, g.upsample_nearest2d_f16)
  if (params) await runtime.run(chosen(kernel, options), { x, y, ...params, scale })
}

export interface UpsampleBilinear2dArgs extends ResizeArgs {
  /** The corners of both images are the same places; otherwise their edges. */
  readonly corners?: boolean
}

const UPSAMPLE_BILINEAR2D_KEYS = keysOf<UpsampleBilinear2dArgs>()('corners x y planes size out type')

/** Between four elements of x; with `corners` the corners of both images are the same places, else their edges. */
export async function upsampleBilinear2d(
  runtime: Runtime,
  args: UpsampleBilinear2dArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall('upsample_bilinear2d', args, UPSAMPLE_BILINEAR2D_KEYS, options)
  const params = resized('upsample_bilinear2d', args)
  const { x, y, size, out, corners = false } = args
  const by = (axis: 0 | 1): number =>
    corners ? (out[axis] > 1 ? (size[axis] - 1) / (out[axis] - 1) : 0) : size[axis] / out[axis]
  const kernel = pick(args.type, g.upsample_bilinear2d, g.upsample_bilinear2d_f16)
  if (params)
    await runtime.run(chosen(kernel, options), { x, y, ...params, scale: [by(0), by(1)], corners: Number(corners) })
}

export interface GridSampleArgs {
  /** [items, channels, height, width] */
  readonly x: BufferLike
  /** f32: [items, out height, out width, 2], horizontal and vertical from −1 to 1 */
  readonly grid: BufferLike
  /** Written: [items, channels, out] */
  readonly y: BufferLike
  readonly items: number
  readonly channels: number
  readonly size: Pair
  readonly out: Pair
  /** The nearest element in place of what lies between four. */
  readonly nearest?: boolean
  /** ±1 are the centres of the outermost elements, not their outer edges. */
  readonly corners?: boolean
  readonly type?: VisionType
}

const GRID_SAMPLE_KEYS = keysOf<GridSampleArgs>()('x grid y items channels size out nearest corners type')

/** x at the places of a grid; 0 outside. */
export async function gridSample(runtime: Runtime, args: GridSampleArgs, options: HostOptions = {}): Promise<void> {
  checkCall('grid_sample', args, GRID_SAMPLE_KEYS, options)
  const { x, grid, y, items, channels, size, out, nearest = false, corners = false, type = 'f32' } = args
  checkSizes('grid_sample', { items, channels })
  const params = resized('grid_sample', { x, y, planes: items * channels, size, out, type })
  checkBuffers('grid_sample', { grid: [grid, items * area(out) * 2] })
  if (params === null) return
  const { planes: _, ...sizes } = params
  const kernel = pick(type, g.grid_sample, g.grid_sample_f16)
  const flags = { nearest: Number(nearest), corners: Number(corners) }
  await runtime.run(chosen(kernel, options), { x, grid, y, items, channels, ...sizes, ...flags })
}

export interface BatchNormArgs {
  /** [items, channels, places] */
  readonly x: BufferLike
  /** [channels], f32, and so the next three */
  readonly mean: BufferLike
  readonly variance: BufferLike
  readonly weight: BufferLike
  readonly bias: BufferLike
  /** Written; may be x. */
  readonly y: BufferLike
  readonly items: number
  readonly channels: number
  readonly places: number
  readonly eps?: number
  readonly type?: VisionType
}

const BATCH_NORM_KEYS = keysOf<BatchNormArgs>()('x mean variance weight bias y items channels places eps type')

/** y = (x − mean[c]) / √(variance[c] + eps) · weight[c] + bias[c], with the statistics of the training. */
export async function batchNorm(runtime: Runtime, args: BatchNormArgs, options: HostOptions = {}): Promise<void> {
  checkCall('batch_norm', args, BATCH_NORM_KEYS, options)
  const { x, mean, variance, weight, bias, y, items, channels, places, eps = 1e-5, type = 'f32' } = args
  checkSizes('batch_norm', { items, channels, places })
  const n = items * channels * places
  const each = Object.entries({ mean, variance, weight, bias }).map(
    ([name, buffer]) => [name, [buffer, channels]] as const,
  )
  checkBuffers('batch_norm', { x: [x, n, bytesIn(type)], ...Object.fromEntries(each), y: [y, n, bytesIn(type)] })
  const kernel = pick(type, g.batch_norm, g.batch_norm_f16)
  if (n > 0)
    await runtime.run(chosen(kernel, options), { x, mean, variance, weight, bias, y, n, channels, places, eps })
}
