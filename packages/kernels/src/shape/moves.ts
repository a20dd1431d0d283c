import { anyType, argsOf, input, integer, listOf, listOfArgs, maybe, object, output, size } from '../args'
import { rowMajor, type Shape, sizeOf } from '../elementwise/shape'
import { type BufferLike, badArgument, bytesIn, checkBuffers, checkCall, type HostOptions, type Runtime } from '../host'
import { copying, type MovedType } from './copy-host'

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
    throw badArgument(`${what}: axis must be one of 0 … ${rank - 1}, got ${axis}`)
}

const typed = (type: MovedType | undefined) => (type === undefined ? {} : { type })

export interface PermuteArgs extends Moved {
  /** For each axis of the result the one of x. */
  readonly axes: readonly number[]
}

const PERMUTE_ARGS = argsOf<PermuteArgs>({
  axes: listOf(integer),
  x: input,
  shape: listOf(size),
  out: output,
  type: anyType,
})

/** out[c[axes[0]], c[axes[1]], …] = x[c]: axis i of the result is axis `axes[i]` of x. */
export async function permute(runtime: Runtime, args: PermuteArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'permute', args, PERMUTE_ARGS, options)
  await permuted(runtime, 'permute', args, options)
}

async function permuted(
  runtime: Runtime,
  what: string,
  { x, shape, axes, out, type }: PermuteArgs,
  options: HostOptions,
): Promise<void> {
  if ([...axes].sort((a, b) => a - b).join() !== shape.map((_, i) => i).join())
    throw badArgument(`${what}: axes must be a permutation of 0 … ${shape.length - 1}, got [${axes.join(', ')}]`)
  const strides = rowMajor(shape)
  const picked = (list: readonly number[]) => axes.map((axis) => list[axis] as number)
  await copying(
    runtime,
    what,
    ['x', 'out'],
    { from: { data: x, strides: picked(strides) }, to: { data: out }, shape: picked(shape), ...typed(type) },
    options,
  )()
}

export interface SliceArgs extends Moved {
  /** As Python has them, one for each axis: negative ones count from the end. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** 1 for every axis when left out; may be negative, not 0. */
  readonly steps?: readonly number[]
}

const SLICE_ARGS = argsOf<SliceArgs>({
  starts: listOf(integer),
  ends: listOf(integer),
  steps: maybe(listOf(integer)),
  x: input,
  shape: listOf(size),
  out: output,
  type: anyType,
})

/** out = x[start : end : step] along every axis, as Python has it; steps may be negative. Gives the shape of the result. */
export async function slice(runtime: Runtime, args: SliceArgs, options: HostOptions = {}): Promise<number[]> {
  checkCall(runtime, 'slice', args, SLICE_ARGS, options)
  const { x, shape, starts, ends, steps = shape.map(() => 1), out, type } = args
  for (const [name, list] of Object.entries({ starts, ends, steps })) {
    if (list.length !== shape.length || !list.every(Number.isInteger))
      throw badArgument(`slice: ${name} must be ${shape.length} integers, got [${list.join(', ')}]`)
  }
  if (steps.includes(0)) throw badArgument('slice: a step must not be 0')
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
    await copying(
      runtime,
      'slice',
      ['x', 'out'],
      { from, to: { data: out }, shape: extents, ...typed(type) },
      options,
    )()
  }
  return extents
}

export interface FlipArgs extends Moved {
  /** Along which the order is reversed. */
  readonly axes: readonly number[]
}

const FLIP_ARGS = argsOf<FlipArgs>({ axes: listOf(integer), x: input, shape: listOf(size), out: output, type: anyType })

/** x with the order along some axes reversed. */
export async function flip(runtime: Runtime, args: FlipArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'flip', args, FLIP_ARGS, options)
  const { x, shape, axes, out, type } = args
  for (const axis of axes) checkAxis('flip', axis, shape.length)
  const strides = rowMajor(shape)
  const offset = axes.reduce(
    (sum, axis) => sum + Math.max(0, (shape[axis] as number) - 1) * (strides[axis] as number),
    0,
  )
  const turned = strides.map((s, axis) => (axes.includes(axis) ? -s : s))
  await copying(
    runtime,
    'flip',
    ['x', 'out'],
    { from: { data: x, offset, strides: turned }, to: { data: out }, shape, ...typed(type) },
    options,
  )()
}

export interface RepeatArgs extends Moved {
  /** How often, for each axis. */
  readonly times: readonly number[]
}

const REPEAT_ARGS = argsOf<RepeatArgs>({
  times: listOf(size),
  x: input,
  shape: listOf(size),
  out: output,
  type: anyType,
})

/** x, `times[a]` times along axis a. */
export async function repeat(runtime: Runtime, args: RepeatArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'repeat', args, REPEAT_ARGS, options)
  const { x, shape, times, out, type } = args
  if (times.length !== shape.length)
    throw badArgument(`repeat: times must be ${shape.length} numbers, got ${times.length}`)
  const strides = rowMajor(shape)
  // each axis becomes two: the copies, and the elements of one
  const walk = shape.flatMap((extent, axis) => [times[axis] as number, extent])
  const steps = strides.flatMap((s) => [0, s])
  await copying(
    runtime,
    'repeat',
    ['x', 'out'],
    { from: { data: x, strides: steps }, to: { data: out }, shape: walk, ...typed(type) },
    options,
  )()
}

export interface ExpandArgs extends Moved {
  /** The larger shape. */
  readonly to: Shape
}

const EXPAND_ARGS = argsOf<ExpandArgs>({ to: listOf(size), x: input, shape: listOf(size), out: output, type: anyType })

/** x seen as a larger shape, by the rules of broadcasting, and written out. */
export async function expand(runtime: Runtime, args: ExpandArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'expand', args, EXPAND_ARGS, options)
  const { x, shape, to, out, type } = args
  const lead = to.length - shape.length
  const fits = lead >= 0 && shape.every((extent, axis) => extent === 1 || extent === to[axis + lead])
  if (!fits) throw badArgument(`expand: [${shape.join(', ')}] does not broadcast to [${to.join(', ')}]`)
  const own = rowMajor(shape)
  const strides = to.map((_, axis) => (axis < lead || shape[axis - lead] === 1 ? 0 : (own[axis - lead] as number)))
  await copying(
    runtime,
    'expand',
    ['x', 'out'],
    { from: { data: x, strides }, to: { data: out }, shape: to, ...typed(type) },
    options,
  )()
}

interface Part {
  readonly x: BufferLike
  readonly shape: Shape
}

const PART_ARGS = argsOf<Part>({ x: input, shape: listOf(size) })

export interface ConcatenateArgs {
  /** Row-major without gaps; their shapes are equal but along the axis. */
  readonly inputs: readonly Part[]
  readonly axis: number
  readonly out: BufferLike
  readonly type?: MovedType
}

const CONCATENATE_ARGS = argsOf<ConcatenateArgs>({
  inputs: listOfArgs(object<Part>(PART_ARGS)),
  axis: size,
  out: output,
  type: anyType,
})

/** The inputs one after the other along an axis: one dispatch for each. Gives the shape of the result. */
export async function concatenate(
  runtime: Runtime,
  args: ConcatenateArgs,
  options: HostOptions = {},
): Promise<number[]> {
  checkCall(runtime, 'concatenate', args, CONCATENATE_ARGS, options)
  const { inputs, axis, out, type } = args
  const [first] = inputs
  if (!first) throw badArgument('concatenate: there are no inputs')
  checkAxis('concatenate', axis, first.shape.length)
  for (const input of inputs) {
    const { shape } = input
    if (shape.length !== first.shape.length || shape.some((extent, a) => a !== axis && extent !== first.shape[a]))
      throw badArgument(
        `concatenate: shapes [${first.shape.join(', ')}] and [${shape.join(', ')}] differ along another axis than ${axis}`,
      )
  }
  const shape = first.shape.map((extent, a) =>
    a === axis ? inputs.reduce((sum, input) => sum + (input.shape[axis] as number), 0) : extent,
  )
  checkBuffers('concatenate', { out: [out, sizeOf(shape), bytesIn(type)] })
  const strides = rowMajor(shape)
  let start = 0
  const copies = inputs.map(({ x, shape: own }, i) => {
    const to = { data: out, offset: start * (strides[axis] as number), strides }
    start += own[axis] as number
    return copying(
      runtime,
      'concatenate',
      [`inputs[${i}].x`, 'out'],
      { from: { data: x }, to, shape: own, ...typed(type) },
      options,
    )
  })
  for (const run of copies) await run()
  return shape
}

export interface PadArgs extends Moved {
  /** Elements before x, for each axis. */
  readonly before: readonly number[]
  /** And after it. */
  readonly after: readonly number[]
}

const PAD_ARGS = argsOf<PadArgs>({
  before: listOf(size),
  after: listOf(size),
  x: input,
  shape: listOf(size),
  out: output,
  type: anyType,
})

/** x, with `before[a]` and `after[a]` elements around it along axis a. What is around it has to be filled before: see `fill`. */
export async function pad(runtime: Runtime, args: PadArgs, options: HostOptions = {}): Promise<number[]> {
  checkCall(runtime, 'pad', args, PAD_ARGS, options)
  const { x, shape, before, after, out, type } = args
  for (const [name, list] of Object.entries({ before, after })) {
    if (list.length !== shape.length)
      throw badArgument(`pad: ${name} must be ${shape.length} numbers, got ${list.length}`)
  }
  const whole = shape.map((extent, axis) => extent + (before[axis] as number) + (after[axis] as number))
  const strides = rowMajor(whole)
  const offset = before.reduce((sum, extent, axis) => sum + extent * (strides[axis] as number), 0)
  checkBuffers('pad', { out: [out, sizeOf(whole), bytesIn(type)] })
  await copying(
    runtime,
    'pad',
    ['x', 'out'],
    { from: { data: x }, to: { data: out, offset, strides }, shape, ...typed(type) },
    options,
  )()
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

const HEADS_ARGS = argsOf<HeadsArgs>({
  x: input,
  out: output,
  batch: size,
  tokens: size,
  heads: size,
  size: size,
  type: anyType,
})

/** [batch, tokens, heads · size] → [batch, heads, tokens, size], as attention takes it. */
export async function splitHeads(runtime: Runtime, args: HeadsArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'splitHeads', args, HEADS_ARGS, options)
  const { x, out, batch, tokens, heads, size, type } = args
  const moved = { x, out, shape: [batch, tokens, heads, size], axes: [0, 2, 1, 3], ...typed(type) }
  await permuted(runtime, 'splitHeads', moved, options)
}

/** [batch, heads, tokens, size] → [batch, tokens, heads · size]: the inverse of `splitHeads`. */
export async function mergeHeads(runtime: Runtime, args: HeadsArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'mergeHeads', args, HEADS_ARGS, options)
  const { x, out, batch, tokens, heads, size, type } = args
  const moved = { x, out, shape: [batch, heads, tokens, size], axes: [0, 2, 1, 3], ...typed(type) }
  await permuted(runtime, 'mergeHeads', moved, options)
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

const PIXEL_SHUFFLE_ARGS = argsOf<PixelShuffleArgs>({
  x: input,
  out: output,
  items: size,
  channels: size,
  height: size,
  width: size,
  factor: size,
  type: anyType,
})

/** Channels become places: each block of factor² channels is a factor × factor tile of one (Shi et al., 2016). */
export async function pixelShuffle(runtime: Runtime, args: PixelShuffleArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'pixelShuffle', args, PIXEL_SHUFFLE_ARGS, options)
  const { x, out, items, channels, height, width, factor, type } = args
  const shape = [items, channels, factor, factor, height, width]
  await permuted(runtime, 'pixelShuffle', { x, out, shape, axes: [0, 1, 4, 2, 5, 3], ...typed(type) }, options)
}
