import { rowMajor, type Shape, sizeOf } from '../elementwise/shape'
import { type BufferLike, bytesIn, checkBuffers, checkSizes, type HostOptions, type Runtime } from '../host'
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

/** out[c[axes[0]], c[axes[1]], …] = x[c]: axis i of the result is axis `axes[i]` of x. */
export async function permute(
  runtime: Runtime,
  { x, shape, axes, out, type }: Moved & { readonly axes: readonly number[] },
  options: HostOptions = {},
): Promise<void> {
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

/** out = x[start : end : step] along every axis, as Python has it; steps may be negative. Gives the shape of the result. */
export async function slice(
  runtime: Runtime,
  {
    x,
    shape,
    starts,
    ends,
    steps = shape.map(() => 1),
    out,
    type,
  }: Moved & {
    readonly starts: readonly number[]
    readonly ends: readonly number[]
    readonly steps?: readonly number[]
  },
  options: HostOptions = {},
): Promise<number[]> {
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

/** x with the order along some axes reversed. */
export async function flip(
  runtime: Runtime,
  { x, shape, axes, out, type }: Moved & { readonly axes: readonly number[] },
  options: HostOptions = {},
): Promise<void> {
  for (const axis of axes) checkAxis('flip', axis, shape.length)
  const strides = rowMajor(shape)
  const offset = axes.reduce(
    (sum, axis) => sum + Math.max(0, (shape[axis] as number) - 1) * (strides[axis] as number),
    0,
  )
  const turned = strides.map((s, axis) => (axes.includes(axis) ? -s : s))
  await copy(runtime, { from: { data: x, offset, strides: turned }, to: { data: out }, shape, ...typed(type) }, options)
}

/** x, `times[a]` times along axis a. */
export async function repeat(
  runtime: Runtime,
  { x, shape, times, out, type }: Moved & { readonly times: readonly number[] },
  options: HostOptions = {},
): Promise<void> {
  if (times.length !== shape.length)
    throw new RangeError(`repeat: times must be ${shape.length} numbers, got ${times.length}`)
  checkSizes('repeat', Object.fromEntries(times.map((t, axis) => [`times[${axis}]`, t])))
  const strides = rowMajor(shape)
  // each axis becomes two: the copies, and the elements of one
  const walk = shape.flatMap((extent, axis) => [times[axis] as number, extent])
  const steps = strides.flatMap((s) => [0, s])
  await copy(runtime, { from: { data: x, strides: steps }, to: { data: out }, shape: walk, ...typed(type) }, options)
}

/** x seen as a larger shape, by the rules of broadcasting, and written out. */
export async function expand(
  runtime: Runtime,
  { x, shape, to, out, type }: Moved & { readonly to: Shape },
  options: HostOptions = {},
): Promise<void> {
  const lead = to.length - shape.length
  const fits = lead >= 0 && shape.every((extent, axis) => extent === 1 || extent === to[axis + lead])
  if (!fits) throw new RangeError(`expand: [${shape.join(', ')}] does not broadcast to [${to.join(', ')}]`)
  const own = rowMajor(shape)
  const strides = to.map((_, axis) => (axis < lead || shape[axis - lead] === 1 ? 0 : (own[axis - lead] as number)))
  await copy(runtime, { from: { data: x, strides }, to: { data: out }, shape: to, ...typed(type) }, options)
}

export interface ConcatenateArgs {
  /** Row-major without gaps; their shapes are equal but along the axis. */
  readonly inputs: readonly { readonly x: BufferLike; readonly shape: Shape }[]
  readonly axis: number
  readonly out: BufferLike
  readonly type?: MovedType
}

/** The inputs one after the other along an axis: one dispatch for each. Gives the shape of the result. */
export async function concatenate(
  runtime: Runtime,
  { inputs, axis, out, type }: ConcatenateArgs,
  options: HostOptions = {},
): Promise<number[]> {
  const [first] = inputs
  if (!first) throw new RangeError('concatenate: there are no inputs')
  checkAxis('concatenate', axis, first.shape.length)
  for (const { shape } of inputs) {
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

/** x, with `before[a]` and `after[a]` elements around it along axis a. What is around it has to be filled before: see `fill`. */
export async function pad(
  runtime: Runtime,
  {
    x,
    shape,
    before,
    after,
    out,
    type,
  }: Moved & { readonly before: readonly number[]; readonly after: readonly number[] },
  options: HostOptions = {},
): Promise<number[]> {
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

/** [batch, tokens, heads · size] → [batch, heads, tokens, size], as attention takes it. */
export const splitHeads = (
  runtime: Runtime,
  { x, out, batch, tokens, heads, size, type }: HeadsArgs,
  options: HostOptions = {},
): Promise<void> =>
  permute(runtime, { x, out, shape: [batch, tokens, heads, size], axes: [0, 2, 1, 3], ...typed(type) }, options)

/** [batch, heads, tokens, size] → [batch, tokens, heads · size]: the inverse of `splitHeads`. */
export const mergeHeads = (
  runtime: Runtime,
  { x, out, batch, tokens, heads, size, type }: HeadsArgs,
  options: HostOptions = {},
): Promise<void> =>
  permute(runtime, { x, out, shape: [batch, heads, tokens, size], axes: [0, 2, 1, 3], ...typed(type) }, options)

export interface HeadsArgs {
  readonly x: BufferLike
  readonly out: BufferLike
  readonly batch: number
  readonly tokens: number
  readonly heads: number
  readonly size: number
  readonly type?: MovedType
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

/** Channels become places: each block of factor² channels is a factor × factor tile of one (Shi et al., 2016). */
export const pixelShuffle = (
  runtime: Runtime,
  { x, out, items, channels, height, width, factor, type }: PixelShuffleArgs,
  options: HostOptions = {},
): Promise<void> =>
  permute(
    runtime,
    { x, out, shape: [items, channels, factor, factor, height, width], axes: [0, 1, 4, 2, 5, 3], ...typed(type) },
    options,
  )
