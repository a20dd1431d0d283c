import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/norms'
import { argsOf, count, floatType, input, maybe, notNegative, number, outputOver, size, updated } from '../args'
import {
  type BufferLike,
  bytesIn,
  bytesOf,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
  runRows,
} from '../host'
import { forRows, type RowKernels } from '../parts/span'
import { proven, trialOf } from '../verify'
import { checkGroups, type Groups, type Pair, type Rows } from './shapes'

const trials = () => import('./trial')

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

const LAYERNORM: RowKernels<CompiledKernel> = {
  f32: { any: g.layernorm, short: g.layernorm_short },
  f16: { any: g.layernorm_f16, short: g.layernorm_short_f16 },
  quads: {
    f32: { wide: g.layernorm_quads_wide, fixed: g.layernorm_quads_fixed, fixed_short: g.layernorm_quads_fixed_short },
    f16: {
      wide: g.layernorm_quads_wide_f16,
      fixed: g.layernorm_quads_fixed_f16,
      fixed_short: g.layernorm_quads_fixed_short_f16,
    },
  },
}

const LAYERNORM_ARGS = argsOf<LayernormArgs>({
  x: input,
  weight: input,
  bias: input,
  y: outputOver('x'),
  rows: size,
  cols: size,
  eps: maybe(notNegative),
  type: floatType,
})

/** y = (x − mean) / √(variance + eps) · weight + bias over each row, in two passes and f32. Of a row with values beyond 1.8e19, whose squares are ∞, it is 0. */
export async function layernorm(runtime: Runtime, args: LayernormArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'layernorm', args, LAYERNORM_ARGS, options)
  const { x, weight, bias, y, rows, cols, eps = 1e-5, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('layernorm', {
    x: [x, n, bytes],
    weight: [weight, cols, bytes],
    bias: [bias, cols, bytes],
    y: [y, n, bytes],
  })
  if (n === 0) return
  const { kernel: fit, columns } = forRows(LAYERNORM, cols, type, [x, weight, bias, y].map(bytesOf))
  const trial = trialOf(runtime, trials, ({ layernormProblem }) => layernormProblem(columns, type), layernorm)
  const kernel = await proven(runtime, chosen(fit, options), options, trial)
  await runRows(runtime, kernel, { x, weight, bias, y, rows, cols, eps })
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

const GROUPNORM_ARGS = argsOf<GroupnormArgs>({
  x: input,
  weight: input,
  bias: input,
  y: outputOver('x'),
  items: size,
  channels: size,
  places: size,
  groups: count,
  eps: maybe(notNegative),
  type: floatType,
})

/** The same over each group of channels with all their places. With one channel in a group it is instance normalization. */
export async function groupnorm(runtime: Runtime, args: GroupnormArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'groupnorm', args, GROUPNORM_ARGS, options)
  const { x, weight, bias, y, eps = 1e-5, type = 'f32', ...shape } = args
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
  const trial = trialOf(runtime, trials, ({ groupnormProblem }) => groupnormProblem(type), groupnorm)
  const kernel = await proven(runtime, chosen(GROUPNORM[type], options), options, trial)
  await runtime.run(kernel, { x, weight, bias, y, ...params })
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

const RESIDUAL: RowKernels<CompiledKernel> = {
  f32: { any: g.residual_rmsnorm, short: g.residual_rmsnorm_short },
  f16: { any: g.residual_rmsnorm_f16, short: g.residual_rmsnorm_short_f16 },
  quads: {
    f16: {
      wide: g.residual_rmsnorm_quads_wide_f16,
      fixed: g.residual_rmsnorm_quads_fixed_f16,
      fixed_short: g.residual_rmsnorm_quads_fixed_short_f16,
    },
  },
}

const RESIDUAL_RMSNORM_ARGS = argsOf<ResidualRmsnormArgs>({
  x: input,
  residual: updated,
  weight: input,
  y: outputOver('x'),
  shift: maybe(number),
  rows: size,
  cols: size,
  eps: maybe(notNegative),
  type: floatType,
})

/** residual ← x + residual, then y = rmsnorm(residual) · (weight + shift), in one dispatch. */
export async function residualRmsnorm(
  runtime: Runtime,
  args: ResidualRmsnormArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'residualRmsnorm', args, RESIDUAL_RMSNORM_ARGS, options)
  const { x, residual, weight, y, rows, cols, eps = 1e-5, shift = 0, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('residualRmsnorm', {
    x: [x, n, bytes],
    residual: [residual, n, bytes],
    weight: [weight, cols, bytes],
    y: [y, n, bytes],
  })
  if (n === 0) return
  const { kernel: fit, columns } = forRows(RESIDUAL, cols, type, [x, residual, weight, y].map(bytesOf))
  const trial = trialOf(runtime, trials, ({ residualProblem }) => residualProblem(columns, type), residualRmsnorm)
  const kernel = await proven(runtime, chosen(fit, options), options, trial)
  await runRows(runtime, kernel, { x, residual, weight, y, rows, cols, eps, shift })
}
