import { rowMajor, type Shape, sizeOf } from '../elementwise/shape'
import {
  type BufferLike,
  bytesIn,
  checkBuffers,
  checkCall,
  checkKeys,
  checkSizes,
  type HostOptions,
  keysOf,
  type Runtime,
} from '../host'
import { copy, type MovedType } from './copy-host'

/** What only moves elements: each a copy with the right strides. */

interface Moved {
  readonly x: BufferLike
  /** Of x, row-major without gaps. */
  readonly shape: Shape
  /** Written, row-major without gaps. */
  readonly out: BufferLike
  readonly type?: MovedType
}

const checkAxis = (what: string, axis: number, rank: number): void => {
  if (!Number.isInteger(axis) || axis < 0 || axis >= rank)
    throw new RangeError(`${what}: axis must be one of 0 … ${rank - 1}, got ${axis}`)
}

const typed = (type: MovedType | undefined) => (type === undefined ? {} : { type })

export interface PermuteArgs extends Moved {
  /** For each axis of the result the one of x. */
  readonly axes: readonly number[]
}

const PERMUTE_KEYS = keysOf<PermuteArgs>()('axes x shape out type')

/** out[c[axes[0]], c[axes[1]], …] = x[c]: axis i of the result is axis `axes[i]` of x. */
export async function permute(runtime: Runtime, args: PermuteArgs, options: HostOptions = {}): Promise<void> {
  checkCall('permute', args, PERMUTE_KEYS, options)
  const { x, shape, axes, out, type } = args
  if ([...axes].sort((a, b) => a - b).join() !== shape.map((_, i) => i).join())
    throw new RangeError(`permute: axes must be a permutation of 0 … ${shape.length - 1}, got [${axes.join(', ')}]`)
  const strides = rowMajor(shape)
  const picked = (list: readonly number[]) => axes.map((axis) => list[axis] as number)
  await copy(
    runtime,
    { from: { data: x, strides: picked(strides) }, to: { data: out }, shape: picked(shape), ...typed(type) },
    options,
  )
}

export interface SliceArgs extends Moved {
  /** As Python has them, one for each axis: negative ones count from the end. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** 1 for every axis when left out; may be negative, not 0. */
  readonly steps?: readonly number[]
}

const SLICE_KEYS = keysOf<SliceArgs>()('starts ends steps x shape out type')

/** out = x[start : end : step] along every axis, as Python has it; steps may be negative. Gives the shape of the result. */
export async function slice(runtime: Runtime, args: SliceArgs, options: HostOptions = {}): Promise<number[]> {
  checkCall('slice', args, SLICE_KEYS, options)
  const { x, shape, starts, ends, steps = shape.map(() => 1), out, type } = args
  for (const [name, list] of Object.entries({ starts, ends, steps })) {
    if (list.length !== shape.length || !list.every(Number.isInteger))
      throw new RangeError(`slice: ${name} must be ${shape.length} integers, got [${list.join(', ')}]`)
  }
  if (steps.includes(0)) throw new RangeError('slice: a step must not be 0')
  const strides = rowMajor(shape)
  let offset = 0
  const extents = shape.map((extent, axis) => {
    const step = steps[axis] as number
    const [low, high] = step > 0 ? [0, extent] : [-1, extent - 1]
    const clamped = (at: number): number => Math.min(Math.max(at < 0 ? at + extent : at, low), high)
    const start = clamped(starts[axis] as number)
    // past the first element backwards has no index of its own: anything before the array ends there
    const end = step < 0 && (ends[axis] as number) < -extent ? -1 : clamped(ends[axis] as number)
    offset += start * (strides[axis] as number)
    return Math.max(0, Math.ceil((end - start) / step))
  })
  if (sizeOf(extents) > 0) {
    const from = { data: x, offset, strides: strides.map((s, axis) => s * (steps[axis] as number)) }
    await copy(runtime, { from, to: { data: out }, shape: extents, ...typed(type) }, options)
  }
  return extents
}

export interface FlipArgs extends Moved {
  /** Along which the order is reversed. */
  readonly axes: readonly number[]
}

const FLIP_KEYS = keysOf<FlipArgs>()('axes x shape out type')

/** x with the order along some axes reversed. */
export async function flip(runtime: Runtime, args: FlipArgs, options: HostOptions = {}): Promise<void> {
  checkCall('flip', args, FLIP_KEYS, options)
  const { x, shape, axes, out, type } = args
  for (const axis of axes) checkAxis('flip', axis, shape.length)
  const strides = rowMajor(shape)
  const offset = axes.reduce(
    (sum, axis) => sum + Math.max(0, (shape[axis] as number) - 1) * (strides[axis] as number),
    0,
  )
  const turned = strides.map((s, axis) => (axes.includes(axis) ? -s : s))
  await copy(runtime, { from: { data: x, offset, strides: turned }, to: { data: out }, shape, ...typed(type) }, options)
}

export interface RepeatArgs extends Moved {
  /** How often, for each axis. */
  readonly times: readonly number[]
}

const REPEAT_KEYS = keysOf<RepeatArgs>()('times x shape out type')

/** x, `times[a]` times along axis a. */
export async function repeat(runtime: Runtime, args: RepeatArgs, options: HostOptions = {}): Promise<void> {
  checkCall('repeat', args, REPEAT_KEYS, options)
  const { x, shape, times, out, type } = args
  if (times.length !== shape.length)
    throw new RangeError(`repeat: times must be ${shape.length} numbers, got ${times.length}`)
  checkSizes('repeat', Object.fromEntries(times.map((t, axis) => [`times[${axis}]`, t])))
  const strides = rowMajor(shape)
  // each axis becomes two: the copies, and the elements of one
  const walk = shape.flatMap((extent, axis) => [times[axis] as number, extent])
  const steps = strides.flatMap((s) => [0, s])
  await copy(runtime, { from: { data: x, strides: steps }, to: { data: out }, shape: walk, ...typed(type) }, options)
}

export interface ExpandArgs extends Moved {
  /** The larger shape. */
  readonly to: Shape
}

const EXPAND_KEYS = keysOf<ExpandArgs>()('to x shape out type')

/** x seen as a larger shape, by the rules of broadcasting, and written out. */
export async function expand(runtime: Runtime, args: ExpandArgs, options: HostOptions = {}): Promise<void> {
  checkCall('expand', args, EXPAND_KEYS, options)
  const { x, shape, to, out, type } = args
  const lead = to.length - shape.length
  const fits = lead >= 0 && shape.every((extent, axis) => extent === 1 || extent === to[axis + lead])
  if (!fits) throw new RangeError(`expand: [${shape.join(', ')}] does not broadcast to [${to.join(', ')}]`)
  const own = rowMajor(shape)
  const strides = to.map((_, axis) => (axis < lead || shape[axis - lead] === 1 ? 0 : (own[axis - lead] as number)))
  await copy(runtime, { from: { data: x, strides }, to: { data: out }, shape: to, ...typed(type) }, options)
}

interface Part {
  readonly x: BufferLike
  readonly shape: Shape
}

const PART_KEYS = keysOf<Part>()('x shape')

export interface ConcatenateArgs {
  /** Row-major without gaps; their shapes are equal but along the axis. */
  readonly inputs: readonly Part[]
  readonly axis: number
  readonly out: BufferLike
  readonly type?: MovedType
}

const CONCATENATE_KEYS = keysOf<ConcatenateArgs>()('inputs axis out type')

/** The inputs one after the other along an axis: one dispatch for each. Gives the shape of the result. */
export async function concatenate(
  runtime: Runtime,
  args: ConcatenateArgs,
  options: HostOptions = {},
): Promise<number[]> {
  checkCall('concatenate', args, CONCATENATE_KEYS, options)
  const { inputs, axis, out, type } = args
  const [first] = inputs
  if (!first) throw new RangeError('concatenate: there are no inputs')
  checkAxis('concatenate', axis, first.shape.length)
  for (const [i, input] of inputs.entries()) {
    checkKeys(`concatenate: inputs[${i}]`, input, PART_KEYS)
    const { shape } = input
    if (shape.length !== first.shape.length || shape.some((extent, a) => a !== axis && extent !== first.shape[a]))
      throw new RangeError(
        `concatenate: shapes [${first.shape.join(', ')}] and [${shape.join(', ')}] differ along another axis than ${axis}`,
      )
  }
  const shape = first.shape.map((extent, a) =>
    a === axis ? inputs.reduce((sum, input) => sum + (input.shape[axis] as number), 0) : extent,
  )
  checkBuffers('concatenate', { out: [out, sizeOf(shape), bytesIn(type)] })
  const strides = rowMajor(shape)
  let start = 0
  for (const input of inputs) {
    const to = { data: out, offset: start * (strides[axis] as number), strides }
    await copy(runtime, { from: { data: input.x }, to, shape: input.shape, ...typed(type) }, options)
    start += input.shape[axis] as number
  }
  return shape
}

export interface PadArgs extends Moved {
  /** Elements before x, for each axis. */
  readonly before: readonly number[]
  /** And after it. */
  readonly after: readonly number[]
}

const PAD_KEYS = keysOf<PadArgs>()('before after x shape out type')

/** x, with `before[a]` and `after[a]` elements around it along axis a. What is around it has to be filled before: see `fill`. */
export async function pad(runtime: Runtime, args: PadArgs, options: HostOptions = {}): Promise<number[]> {
  checkCall('pad', args, PAD_KEYS, options)
  const { x, shape, before, after, out, type } = args
  for (const [name, list] of Object.entries({ before, after })) {
    if (list.length !== shape.length)
      throw new RangeError(`pad: ${name} must be ${shape.length} numbers, got ${list.length}`)
    checkSizes('pad', Object.fromEntries(list.map((extent, axis) => [`${name}[${axis}]`, extent])))
  }
  const whole = shape.map((extent, axis) => extent + (before[axis] as number) + (after[axis] as number))
  const strides = rowMajor(whole)
  const offset = before.reduce((sum, extent, axis) => sum + extent * (strides[axis] as number), 0)
  checkBuffers('pad', { out: [out, sizeOf(whole), bytesIn(type)] })
  await copy(runtime, { from: { data: x }, to: { data: out, offset, strides }, shape, ...typed(type) }, options)
  return whole
}

export interface HeadsArgs {
  readonly x: BufferLike
  readonly out: BufferLike
  readonly batch: number
  readonly tokens: number
  readonly heads: number
  readonly size: number
  readonly type?: MovedType
}

const HEADS_KEYS = keysOf<HeadsArgs>()('x out batch tokens heads size type')

/** [batch, tokens, heads · size] → [batch, heads, tokens, size], as attention takes it. */
export async function splitHeads(runtime: Runtime, args: HeadsArgs, options: HostOptions = {}): Promise<void> {
  checkCall('split_heads', args, HEADS_KEYS, options)
  const { x, out, batch, tokens, heads, size, type } = args
  const moved = { x, out, shape: [batch, tokens, heads, size], axes: [0, 2, 1, 3], ...typed(type) }
  await permute(runtime, moved, options)
}

/** [batch, heads, tokens, size] → [batch, tokens, heads · size]: the inverse of `splitHeads`. */
export async function mergeHeads(runtime: Runtime, args: HeadsArgs, options: HostOptions = {}): Promise<void> {
  checkCall('merge_heads', args, HEADS_KEYS, options)
  const { x, out, batch, tokens, heads, size, type } = args
  const moved = { x, out, shape: [batch, heads, tokens, size], axes: [0, 2, 1, 3], ...typed(type) }
  await permute(runtime, moved, options)
}

export interface PixelShuffleArgs {
  /** [items, channels · factor², height, width] */
  readonly x: BufferLike
  /** [items, channels, height · factor, width · factor], written */
  readonly out: BufferLike
  readonly items: number
  /** Of the result. */
  readonly channels: number
  readonly height: number
  readonly width: number
  readonly factor: number
  readonly type?: MovedType
}

const PIXEL_SHUFFLE_KEYS = keysOf<PixelShuffleArgs>()('x out items channels height width factor type')

/** Channels become places: each block of factor² channels is a factor × factor tile of one (Shi et al., 2016). */
export async function pixelShuffle(runtime: Runtime, args: PixelShuffleArgs, options: HostOptions = {}): Promise<void> {
  checkCall('pixel_shuffle', args, PIXEL_SHUFFLE_KEYS, options)
  const { x, out, items, channels, height, width, factor, type } = args
  const shape = [items, channels, factor, factor, height, width]
  await permute(runtime, { x, out, shape, axes: [0, 1, 4, 2, 5, 3], ...typed(type) }, options)
}
