import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/vision'
import { argsOf, bound, count, floatType, input, integer, maybe, number, output, pair, pairFrom1, size } from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import { transposedSize, type Window, windowedSize } from './reference'
import { area, checkResult, type Pair, type VisionType } from './window-host'

/** The greatest finite f32. */
const MOST = 3.4028234663852886e38

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

/** Refuses limits of which every result would be the greater or the less, whatever it is. */
function checkLimits(what: string, low: number, high: number): void {
  if (low > high) throw badArgument(`${what}: low must be at most high = ${high}, got ${low}`)
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
  checkLimits(what, low, high)
  for (const [name, count] of Object.entries({ channels, outs })) {
    if (groups < 1 || count % groups !== 0)
      throw badArgument(`${what}: ${name} must be a multiple of groups = ${groups}, got ${count}`)
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

const CONV2D = { f32: g.conv2d, f16: g.conv2d_f16 } as const
const CONV2D_ARGS = argsOf<Conv2dArgs>({
  x: input,
  weight: input,
  bias: maybe(input),
  y: output,
  items: size,
  channels: size,
  size: pair,
  outs: size,
  groups: maybe(count),
  low: maybe(bound),
  high: maybe(bound),
  type: floatType,
  filter: pairFrom1,
  stride: maybe(pairFrom1),
  pad: maybe(pair),
  dilation: maybe(pairFrom1),
})

/**
 * y[n, o, p, q] = bias[o] + Σ weight[o, c, a, b] · x[n, c, p · stride − pad + a · dilation, …], in f32. Gives height and width of
 * the result. A convolution of one dimension has height and filter height 1.
 */
export async function conv2d(runtime: Runtime, args: Conv2dArgs, options: HostOptions = {}): Promise<Pair> {
  checkCall(runtime, 'conv2d', args, CONV2D_ARGS, options)
  const out = windowedSize(args.size, args)
  return convolve(runtime, 'conv2d', CONV2D, args, false, out, options)
}

export interface Conv1dArgs extends Omit<Conv2dArgs, 'size' | keyof Window> {
  /** The length of x: [items, channels, length]. */
  readonly length: number
  readonly filter: number
  readonly stride?: number
  readonly pad?: number
  readonly dilation?: number
}

const CONV1D_ARGS = argsOf<Conv1dArgs>({
  length: size,
  filter: count,
  stride: maybe(count),
  pad: maybe(size),
  dilation: maybe(count),
  x: input,
  weight: input,
  bias: maybe(input),
  y: output,
  items: size,
  channels: size,
  outs: size,
  groups: maybe(count),
  low: maybe(bound),
  high: maybe(bound),
  type: floatType,
})

/** conv2d of one dimension. Gives the length of the result. */
export async function conv1d(runtime: Runtime, args: Conv1dArgs, options: HostOptions = {}): Promise<number> {
  checkCall(runtime, 'conv1d', args, CONV1D_ARGS, options)
  const { length, filter, stride = 1, pad = 0, dilation = 1, ...rest } = args
  const window: Window = { filter: [1, filter], stride: [1, stride], pad: [0, pad], dilation: [1, dilation] }
  const image = { ...rest, ...window, size: [1, length] } as Conv2dArgs
  const out = windowedSize(image.size, image)
  const [, columns] = await convolve(runtime, 'conv1d', CONV2D, image, false, out, options)
  return columns
}

const CONV_TRANSPOSE2D_ARGS = argsOf<ConvTranspose2dArgs>({
  outPad: maybe(pair),
  x: input,
  weight: input,
  bias: maybe(input),
  y: output,
  items: size,
  channels: size,
  size: pair,
  outs: size,
  groups: maybe(count),
  low: maybe(bound),
  high: maybe(bound),
  type: floatType,
  filter: pairFrom1,
  stride: maybe(pairFrom1),
  pad: maybe(pair),
  dilation: maybe(pairFrom1),
})

/** The adjoint of conv2d by its input: each element of x is spread over the places that it reaches. Gives height and width. */
export async function convTranspose2d(
  runtime: Runtime,
  args: ConvTranspose2dArgs,
  options: HostOptions = {},
): Promise<Pair> {
  checkCall(runtime, 'convTranspose2d', args, CONV_TRANSPOSE2D_ARGS, options)
  const out = transposedSize(args.size, args, args.outPad)
  const kernels = { f32: g.conv_transpose2d, f16: g.conv_transpose2d_f16 }
  return convolve(runtime, 'convTranspose2d', kernels, args, true, out, options)
}

export interface Conv2dInt8Args extends Omit<Conv2dArgs, 'type'> {
  /** One for each output channel, f32: [outs] */
  readonly weightScale: BufferLike
  readonly scale: number
  /** The value of x that stands for 0. */
  readonly zero?: number
}

const CONV2D_INT8_ARGS = argsOf<Conv2dInt8Args>({
  weightScale: input,
  scale: number,
  zero: maybe(integer),
  x: input,
  weight: input,
  bias: maybe(input),
  y: output,
  items: size,
  channels: size,
  size: pair,
  outs: size,
  groups: maybe(count),
  low: maybe(bound),
  high: maybe(bound),
  filter: pairFrom1,
  stride: maybe(pairFrom1),
  pad: maybe(pair),
  dilation: maybe(pairFrom1),
})

/**
 * conv2d of i8, four to a word: y = scale · weightScale[o] · Σ (x − zero) · weight + bias[o], in f32; x and weight in the orders of
 * conv2d, the sum exact. Gives height and width of the result.
 */
export async function conv2dInt8(runtime: Runtime, args: Conv2dInt8Args, options: HostOptions = {}): Promise<Pair> {
  checkCall(runtime, 'conv2dInt8', args, CONV2D_INT8_ARGS, options)
  const { x, weight, weightScale, bias, y, items, channels, size, outs, groups = 1, scale, zero = 0 } = args
  const { filter, stride = [1, 1], pad = [0, 0], dilation = [1, 1], low = -MOST, high = MOST } = args
  checkLimits('conv2dInt8', low, high)
  if (groups < 1 || channels % groups !== 0 || outs % groups !== 0)
    throw badArgument(
      `conv2dInt8: channels and outs must be multiples of groups = ${groups}, got ${channels} and ${outs}`,
    )
  const out = windowedSize(size, args)
  checkResult('conv2dInt8', out)
  checkBuffers('conv2dInt8', {
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
