import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/vision'
import { argsOf, flag, floatType, input, maybe, output, pair, size } from '../args'
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
import { area, type Pair, type VisionType } from './window-host'

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
  const n = planes * area(out)
  checkBuffers(what, { x: [x, planes * area(size), bytesIn(type)], y: [y, n, bytesIn(type)] })
  if (n === 0) return null
  if (area(size) === 0) throw badArgument(`${what}: an image of [${size.join(', ')}] has no elements to take`)
  return { planes, height: size[0], width: size[1], out_height: out[0], out_width: out[1] }
}

const pick = (type: VisionType | undefined, f32: CompiledKernel, f16: CompiledKernel): CompiledKernel =>
  type === 'f16' ? f16 : f32
const RESIZE_ARGS = argsOf<ResizeArgs>({ x: input, y: output, planes: size, size: pair, out: pair, type: floatType })

/** The mean of the part of x that belongs to each place of the result. */
export async function adaptiveAvgPool2d(runtime: Runtime, args: ResizeArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'adaptiveAvgPool2d', args, RESIZE_ARGS, options)
  const params = resized('adaptiveAvgPool2d', args)
  const kernel = pick(args.type, g.adaptive_avg_pool2d, g.adaptive_avg_pool2d_f16)
  if (params) await runtime.run(chosen(kernel, options), { x: args.x, y: args.y, ...params })
}

/** The element of x at ⌊place · size / out⌋. */
export async function upsampleNearest2d(runtime: Runtime, args: ResizeArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'upsampleNearest2d', args, RESIZE_ARGS, options)
  const params = resized('upsampleNearest2d', args)
  const { x, y, size, out } = args
  const scale = [size[0] / out[0], size[1] / out[1]]
  const kernel = pick(args.type, g.upsample_nearest2d, g.upsample_nearest2d_f16)
  if (params) await runtime.run(chosen(kernel, options), { x, y, ...params, scale })
}

export interface UpsampleBilinear2dArgs extends ResizeArgs {
  /** The corners of both images are the same places; otherwise their edges. */
  readonly corners?: boolean
}

const UPSAMPLE_BILINEAR2D_ARGS = argsOf<UpsampleBilinear2dArgs>({
  corners: maybe(flag),
  x: input,
  y: output,
  planes: size,
  size: pair,
  out: pair,
  type: floatType,
})

/** Between four elements of x; with `corners` the corners of both images are the same places, else their edges. */
export async function upsampleBilinear2d(
  runtime: Runtime,
  args: UpsampleBilinear2dArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'upsampleBilinear2d', args, UPSAMPLE_BILINEAR2D_ARGS, options)
  const params = resized('upsampleBilinear2d', args)
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

const GRID_SAMPLE_ARGS = argsOf<GridSampleArgs>({
  x: input,
  grid: input,
  y: output,
  items: size,
  channels: size,
  size: pair,
  out: pair,
  nearest: maybe(flag),
  corners: maybe(flag),
  type: floatType,
})

/** x at the places of a grid; 0 outside. */
export async function gridSample(runtime: Runtime, args: GridSampleArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'gridSample', args, GRID_SAMPLE_ARGS, options)
  const { x, grid, y, items, channels, size, out, nearest = false, corners = false, type = 'f32' } = args
  const params = resized('gridSample', { x, y, planes: items * channels, size, out, type })
  checkBuffers('gridSample', { grid: [grid, items * area(out) * 2] })
  if (params === null) return
  const { planes: _, ...sizes } = params
  const kernel = pick(type, g.grid_sample, g.grid_sample_f16)
  const flags = { nearest: Number(nearest), corners: Number(corners) }
  await runtime.run(chosen(kernel, options), { x, grid, y, items, channels, ...sizes, ...flags })
}
