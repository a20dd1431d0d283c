import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/norms'
import { type BufferLike, bytesIn, checkBuffers, checkSizes, chosen, type HostOptions, type Runtime } from '../host'

export type NormType = 'f32' | 'f16'

type Pair = Readonly<Record<NormType, CompiledKernel>>

interface Rows {
  readonly rows: number
  readonly cols: number
  /** Added to the variance; 1e-5 when left out. */
  readonly eps?: number
  readonly type?: NormType
}

interface Groups {
  readonly items: number
  /** All channels; a multiple of `groups`. */
  readonly channels: number
  /** The product of the axes after the channels. */
  readonly places: number
  readonly groups: number
  readonly eps?: number
  readonly type?: NormType
}

function checkGroups(what: string, { items, channels, places, groups }: Groups): void {
  checkSizes(what, { items, channels, places, groups })
  if (groups < 1 || channels % groups !== 0)
    throw new RangeError(`${what}: channels must be a multiple of groups = ${groups}, got ${channels}`)
}

export interface LayernormArgs extends Rows {
  /** [rows, cols] */
  readonly x: BufferLike
  /** [cols] */
  readonly weight: BufferLike
  /** [cols] */
  readonly bias: BufferLike
  /** [rows, cols], written; may be x */
  readonly y: BufferLike
}

const LAYERNORM: Pair = { f32: g.layernorm, f16: g.layernorm_f16 }

/** y = (x − mean) / √(variance + eps) · weight + bias over each row, in two passes and f32. */
export async function layernorm(
  runtime: Runtime,
  { x, weight, bias, y, rows, cols, eps = 1e-5, type = 'f32' }: LayernormArgs,
  options: HostOptions = {},
): Promise<void> {
  checkSizes('layernorm', { rows, cols })
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('layernorm', {
    x: [x, n, bytes],
    weight: [weight, cols, bytes],
    bias: [bias, cols, bytes],
    y: [y, n, bytes],
  })
  if (n > 0) await runtime.run(chosen(LAYERNORM[type], options), { x, weight, bias, y, rows, cols, eps })
}

export interface GroupnormArgs extends Groups {
  /** [items, channels, places] */
  readonly x: BufferLike
  /** [channels] */
  readonly weight: BufferLike
  /** [channels] */
  readonly bias: BufferLike
  /** [items, channels, places], written; may be x */
  readonly y: BufferLike
}

const GROUPNORM: Pair = { f32: g.groupnorm, f16: g.groupnorm_f16 }

/** The same over each group of channels with all their places. With one channel in a group it is instance normalization. */
export async function groupnorm(
  runtime: Runtime,
  { x, weight, bias, y, eps = 1e-5, type = 'f32', ...shape }: GroupnormArgs,
  options: HostOptions = {},
): Promise<void> {
  checkGroups('groupnorm', shape)
  const { items, channels, places, groups } = shape
  const [n, bytes] = [items * channels * places, bytesIn(type)]
  checkBuffers('groupnorm', {
    x: [x, n, bytes],
    weight: [weight, channels, bytes],
    bias: [bias, channels, bytes],
    y: [y, n, bytes],
  })
  if (n === 0) return
  const params = { rows: items * groups, cols: (channels / groups) * places, eps, groups, places }
  await runtime.run(chosen(GROUPNORM[type], options), { x, weight, bias, y, ...params })
}

export interface ResidualRmsnormArgs extends Rows {
  /** [rows, cols] */
  readonly x: BufferLike
  /** [rows, cols], in place: x is added to it */
  readonly residual: BufferLike
  /** [cols] */
  readonly weight: BufferLike
  /** [rows, cols], written; may be x */
  readonly y: BufferLike
  /** Added to the weight: 1 where weights are stored as their difference from 1. */
  readonly shift?: number
}

const RESIDUAL: Pair = { f32: g.residual_rmsnorm, f16: g.residual_rmsnorm_f16 }

/** residual ← x + residual, then y = rmsnorm(residual) · (weight + shift), in one dispatch. */
export async function residualRmsnorm(
  runtime: Runtime,
  { x, residual, weight, y, rows, cols, eps = 1e-5, shift = 0, type = 'f32' }: ResidualRmsnormArgs,
  options: HostOptions = {},
): Promise<void> {
  checkSizes('residual_rmsnorm', { rows, cols })
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('residual_rmsnorm', {
    x: [x, n, bytes],
    residual: [residual, n, bytes],
    weight: [weight, cols, bytes],
    y: [y, n, bytes],
  })
  if (n > 0) await runtime.run(chosen(RESIDUAL[type], options), { x, residual, weight, y, rows, cols, eps, shift })
}

interface Gradients {
  /** What went in. */
  readonly x: BufferLike
  readonly weight: BufferLike
  /** The gradient of the result. */
  readonly dy: BufferLike
  /** Written, as large as x. */
  readonly dx: BufferLike
  /** [channels], f32, written. */
  readonly dweight: BufferLike
}

export interface RowGradientArgs extends Gradients, Rows {}
export interface LayernormBackwardArgs extends RowGradientArgs {
  /** [cols], f32, written. */
  readonly dbias: BufferLike
}
export interface GroupnormBackwardArgs extends Gradients, Groups {
  /** [channels], f32, written. */
  readonly dbias: BufferLike
}

async function rowGradients(
  runtime: Runtime,
  what: string,
  kernels: { readonly input: Pair; readonly weight: Pair },
  { x, weight, dy, dx, rows, cols, eps = 1e-5, type = 'f32' }: RowGradientArgs,
  results: Readonly<Record<string, BufferLike>>,
  options: HostOptions,
): Promise<void> {
  checkSizes(what, { rows, cols })
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers(what, {
    x: [x, n, bytes],
    weight: [weight, cols, bytes],
    dy: [dy, n, bytes],
    dx: [dx, n, bytes],
    ...Object.fromEntries(Object.entries(results).map(([name, buffer]) => [name, [buffer, cols] as const])),
  })
  if (cols === 0) return
  using stats = runtime.buffer({ size: 8 * Math.max(1, rows) })
  if (rows > 0) await runtime.run(chosen(kernels.input[type], options), { x, weight, dy, dx, stats, rows, cols, eps })
  await runtime.run(chosen(kernels.weight[type], options), { x, dy, stats, ...results, rows, cols })
}

/** The gradients of layernorm by x, weight and bias. */
export const layernormBackward = (
  runtime: Runtime,
  args: LayernormBackwardArgs,
  options: HostOptions = {},
): Promise<void> =>
  rowGradients(
    runtime,
    'layernorm_backward',
    {
      input: { f32: g.layernorm_backward, f16: g.layernorm_backward_f16 },
      weight: { f32: g.layernorm_backward_weight, f16: g.layernorm_backward_weight_f16 },
    },
    args,
    { dweight: args.dweight, dbias: args.dbias },
    options,
  )

/** The gradients of rmsnorm by x and weight. */
export const rmsnormBackward = (runtime: Runtime, args: RowGradientArgs, options: HostOptions = {}): Promise<void> =>
  rowGradients(
    runtime,
    'rmsnorm_backward',
    {
      input: { f32: g.rmsnorm_backward, f16: g.rmsnorm_backward_f16 },
      weight: { f32: g.rmsnorm_backward_weight, f16: g.rmsnorm_backward_weight_f16 },
    },
    args,
    { dweight: args.dweight },
    options,
  )

const GROUP_INPUT: Pair = { f32: g.groupnorm_backward, f16: g.groupnorm_backward_f16 }
const GROUP_WEIGHT: Pair = { f32: g.groupnorm_backward_weight, f16: g.groupnorm_backward_weight_f16 }

/** The gradients of groupnorm by x, weight and bias. */
export async function groupnormBackward(
  runtime: Runtime,
  { x, weight, dy, dx, dweight, dbias, eps = 1e-5, type = 'f32', ...shape }: GroupnormBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  checkGroups('groupnorm_backward', shape)
  const { items, channels, places, groups } = shape
  const [n, bytes] = [items * channels * places, bytesIn(type)]
  checkBuffers('groupnorm_backward', {
    x: [x, n, bytes],
    weight: [weight, channels, bytes],
    dy: [dy, n, bytes],
    dx: [dx, n, bytes],
    dweight: [dweight, channels],
    dbias: [dbias, channels],
  })
  if (channels === 0) return
  const rows = items * groups
  using stats = runtime.buffer({ size: 8 * Math.max(1, rows) })
  const cols = (channels / groups) * places
  if (n > 0)
    await runtime.run(chosen(GROUP_INPUT[type], options), { x, weight, dy, dx, stats, rows, cols, eps, groups, places })
  const params = { items, groups, channels: channels / groups, places }
  await runtime.run(chosen(GROUP_WEIGHT[type], options), { x, dy, stats, dweight, dbias, ...params })
}
