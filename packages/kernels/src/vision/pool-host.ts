import * as g from '../../generated/vision'
import { argsOf, flag, floatType, input, maybe, output, pair, pairFrom1, size } from '../args'
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
import { type Window, windowedSize } from './reference'
import { area, checkResult, type Pair, type VisionType } from './window-host'

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
  if (pad.some((extent, axis) => 2 * extent > (filter[axis] as number) * (dilation[axis] as number)))
    throw badArgument(`${what}: pad must be at most half of the filter [${filter.join(', ')}], got [${pad.join(', ')}]`)
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

const MAX_POOL2D_ARGS = argsOf<MaxPool2dArgs>({
  index: output,
  x: input,
  y: output,
  planes: size,
  size: pair,
  type: floatType,
  filter: pairFrom1,
  stride: maybe(pairFrom1),
  pad: maybe(pair),
  dilation: maybe(pairFrom1),
})

/** The greatest element of each window, and its place in the plane in `index` (u32). Gives height and width of the result. */
export async function maxPool2d(runtime: Runtime, args: MaxPool2dArgs, options: HostOptions = {}): Promise<Pair> {
  checkCall(runtime, 'maxPool2d', args, MAX_POOL2D_ARGS, options)
  const { out, n, params } = pooled('maxPool2d', args)
  checkBuffers('maxPool2d', { index: [args.index, n] })
  const kernel = args.type === 'f16' ? g.max_pool2d_f16 : g.max_pool2d
  if (n > 0) await runtime.run(chosen(kernel, options), { x: args.x, y: args.y, index: args.index, ...params })
  return out
}

export interface AvgPool2dArgs extends Pool2dArgs {
  /** The mean is of all places of a window, those of the padding as 0. */
  readonly withPad?: boolean
}

const AVG_POOL2D_ARGS = argsOf<AvgPool2dArgs>({
  withPad: maybe(flag),
  x: input,
  y: output,
  planes: size,
  size: pair,
  type: floatType,
  filter: pairFrom1,
  stride: maybe(pairFrom1),
  pad: maybe(pair),
  dilation: maybe(pairFrom1),
})

/** The mean of each window: of its places in the image, or with `withPad` of all, padding as 0. Gives height and width. */
export async function avgPool2d(runtime: Runtime, args: AvgPool2dArgs, options: HostOptions = {}): Promise<Pair> {
  checkCall(runtime, 'avgPool2d', args, AVG_POOL2D_ARGS, options)
  const { out, n, params } = pooled('avgPool2d', args)
  const kernel = args.type === 'f16' ? g.avg_pool2d_f16 : g.avg_pool2d
  const given = { x: args.x, y: args.y, ...params, with_pad: Number(args.withPad ?? false) }
  if (n > 0) await runtime.run(chosen(kernel, options), given)
  return out
}
