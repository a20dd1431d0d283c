import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/rows'
import { argsOf, floatType, input, maybe, number, output, outputOver, size } from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  bytesOf,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
  runRows,
} from '../host'
import { FEW_COLUMNS, forRows, type RowKernels } from '../parts/span'
import { rowsKernel } from '../reduce/host'
import { proven, trialOf } from '../verify'
import { CROSS_TILE } from './plan'

const trials = () => import('./trial')

export type RowType = 'f32' | 'f16'

type Pair = Readonly<Record<RowType, CompiledKernel>>

interface Rows {
  readonly rows: number
  readonly cols: number
  readonly type?: RowType
}

export interface LogSoftmaxArgs extends Rows {
  /** [rows, cols] */
  readonly x: BufferLike
  /** [rows, cols], written; may be x */
  readonly y: BufferLike
}

const LOG: RowKernels<CompiledKernel> = {
  f32: { any: g.log_softmax, short: g.log_softmax_short },
  f16: { any: g.log_softmax_f16, short: g.log_softmax_short_f16 },
  quads: {
    f16: {
      wide: g.log_softmax_quads_wide_f16,
      fixed: g.log_softmax_quads_fixed_f16,
      fixed_short: g.log_softmax_quads_fixed_short_f16,
    },
  },
}

const LOG_SOFTMAX_ARGS = argsOf<LogSoftmaxArgs>({
  x: input,
  y: outputOver('x'),
  rows: size,
  cols: size,
  type: floatType,
})

/** y = x − m − ln Σ exp(x − m) over each row, with m its maximum; a row of −∞ gives −∞. */
export async function logSoftmax(runtime: Runtime, args: LogSoftmaxArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'logSoftmax', args, LOG_SOFTMAX_ARGS, options)
  const { x, y, rows, cols, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('logSoftmax', { x: [x, n, bytes], y: [y, n, bytes] })
  if (n === 0) return
  const { kernel: fit, columns } = forRows(LOG, cols, type, [x, y].map(bytesOf))
  const trial = trialOf(runtime, trials, ({ logSoftmaxProblem }) => logSoftmaxProblem(columns, type), logSoftmax)
  const kernel = await proven(runtime, chosen(fit, options), options, trial)
  await runRows(runtime, kernel, { x, y, rows, cols })
}

export interface SoftmaxGradientArgs extends Rows {
  /** The result of the forward: [rows, cols] */
  readonly y: BufferLike
  readonly dy: BufferLike
  /** Written; may be dy. */
  readonly dx: BufferLike
}

const SOFTMAX_GRADIENT_ARGS = argsOf<SoftmaxGradientArgs>({
  y: input,
  dy: input,
  dx: outputOver('dy'),
  rows: size,
  cols: size,
  type: floatType,
})

async function gradient(
  runtime: Runtime,
  [what, of, kernels]: readonly [what: string, of: 'softmax' | 'logSoftmax', kernels: RowKernels<CompiledKernel>],
  args: SoftmaxGradientArgs,
  options: HostOptions,
): Promise<void> {
  checkCall(runtime, what, args, SOFTMAX_GRADIENT_ARGS, options)
  const { y, dy, dx, rows, cols, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers(what, { y: [y, n, bytes], dy: [dy, n, bytes], dx: [dx, n, bytes] })
  if (n === 0) return
  const { kernel: fit, columns } = forRows(kernels, cols, type, [y, dy, dx].map(bytesOf))
  const trial = trialOf(
    runtime,
    trials,
    ({ gradientProblem }) => gradientProblem(of, columns, type),
    (_, small, only) => gradient(runtime, [what, of, kernels], small, only),
  )
  const kernel = await proven(runtime, chosen(fit, options), options, trial)
  await runRows(runtime, kernel, { y, dy, dx, rows, cols })
}

const SOFTMAX_BACKWARD: RowKernels<CompiledKernel> = {
  f32: { any: g.softmax_backward, short: g.softmax_backward_short },
  f16: { any: g.softmax_backward_f16, short: g.softmax_backward_short_f16 },
  quads: {
    f16: {
      wide: g.softmax_backward_quads_wide_f16,
      fixed: g.softmax_backward_quads_fixed_f16,
      fixed_short: g.softmax_backward_quads_fixed_short_f16,
    },
  },
}

/** dx = y · (dy − Σ dy · y), of the result y of softmax. */
export const softmaxBackward = (
  runtime: Runtime,
  args: SoftmaxGradientArgs,
  options: HostOptions = {},
): Promise<void> => gradient(runtime, ['softmaxBackward', 'softmax', SOFTMAX_BACKWARD], args, options)

const LOG_BACKWARD: RowKernels<CompiledKernel> = {
  f32: { any: g.log_softmax_backward, short: g.log_softmax_backward_short },
  f16: { any: g.log_softmax_backward_f16, short: g.log_softmax_backward_short_f16 },
  quads: {
    f16: {
      wide: g.log_softmax_backward_quads_wide_f16,
      fixed: g.log_softmax_backward_quads_fixed_f16,
      fixed_short: g.log_softmax_backward_quads_fixed_short_f16,
    },
  },
}

/** dx = dy − exp(y) · Σ dy, of the result y of log-softmax. */
export const logSoftmaxBackward = (
  runtime: Runtime,
  args: SoftmaxGradientArgs,
  options: HostOptions = {},
): Promise<void> => gradient(runtime, ['logSoftmaxBackward', 'logSoftmax', LOG_BACKWARD], args, options)

export interface CrossEntropyArgs extends Rows {
  /** Logits: [rows, cols] */
  readonly x: BufferLike
  /** u32: [rows]; one that is not below cols leaves its row out */
  readonly target: BufferLike
  /** [rows], f32, written */
  readonly loss: BufferLike
  /** ln Σ exp(x), for the gradient: [rows], f32, written */
  readonly lse: BufferLike
}

const CROSS: Pair = { f32: g.cross_entropy, f16: g.cross_entropy_f16 }
const CROSS_FEW: Pair = { f32: g.cross_entropy_few, f16: g.cross_entropy_few_f16 }

const CROSS_ENTROPY_ARGS = argsOf<CrossEntropyArgs>({
  x: input,
  target: input,
  loss: output,
  lse: output,
  rows: size,
  cols: size,
  type: floatType,
})

/** loss[r] = ln Σ exp(x[r, ·]) − x[r, target[r]], for any vocabulary. */
export async function crossEntropy(runtime: Runtime, args: CrossEntropyArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'crossEntropy', args, CROSS_ENTROPY_ARGS, options)
  const { x, target, loss, lse, rows, cols, type = 'f32' } = args
  checkBuffers('crossEntropy', {
    x: [x, rows * cols, bytesIn(type)],
    target: [target, rows],
    loss: [loss, rows],
    lse: [lse, rows],
  })
  if (cols === 0 && rows > 0) throw badArgument('crossEntropy: cols must be at least 1, got 0')
  const trial = trialOf(runtime, trials, ({ crossEntropyProblem }) => crossEntropyProblem(type), crossEntropy)
  const kernel = await proven(runtime, chosen((cols <= FEW_COLUMNS ? CROSS_FEW : CROSS)[type], options), options, trial)
  await runtime.run(kernel, { x, target, loss, lse, rows, cols })
}

export interface CrossEntropyBackwardArgs extends Rows {
  readonly x: BufferLike
  readonly target: BufferLike
  /** As the forward left it. */
  readonly lse: BufferLike
  /** [rows, cols], written; may be x */
  readonly dx: BufferLike
  /** The gradient of each loss: 1 / rows for the mean. 1 when left out. */
  readonly scale?: number
}

const CROSS_BACKWARD: Pair = { f32: g.cross_entropy_backward, f16: g.cross_entropy_backward_f16 }
const CROSS_BACKWARD_WIDE: Pair = { f32: g.cross_entropy_backward_wide, f16: g.cross_entropy_backward_wide_f16 }

const CROSS_ENTROPY_BACKWARD_ARGS = argsOf<CrossEntropyBackwardArgs>({
  x: input,
  target: input,
  lse: input,
  dx: outputOver('x'),
  scale: maybe(number),
  rows: size,
  cols: size,
  type: floatType,
})

/** dx = scale · (softmax(x) − one-hot(target)), from the logits and their lse. */
export async function crossEntropyBackward(
  runtime: Runtime,
  args: CrossEntropyBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'crossEntropyBackward', args, CROSS_ENTROPY_BACKWARD_ARGS, options)
  const { x, target, lse, dx, rows, cols, scale = 1, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('crossEntropyBackward', {
    x: [x, n, bytes],
    target: [target, rows],
    lse: [lse, rows],
    dx: [dx, n, bytes],
  })
  const kernels = cols >= CROSS_TILE ? CROSS_BACKWARD_WIDE : CROSS_BACKWARD
  if (n > 0) await runtime.run(chosen(kernels[type], options), { x, target, lse, dx, rows, cols, scale })
}

export interface MeanSquaredErrorArgs {
  /** [n] */
  readonly x: BufferLike
  /** [n] */
  readonly y: BufferLike
  /** [1], f32, written */
  readonly out: BufferLike
  readonly n: number
  readonly type?: RowType
}

const ERROR: Pair = { f32: g.squared_error, f16: g.squared_error_f16 }
const PART = 65_536
const MEAN_SQUARED_ERROR_ARGS = argsOf<MeanSquaredErrorArgs>({
  x: input,
  y: input,
  out: output,
  n: size,
  type: floatType,
})

/** out = Σ (x − y)² / n. Its gradient by x is `sub`, times 2 / n. */
export async function meanSquaredError(
  runtime: Runtime,
  args: MeanSquaredErrorArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'meanSquaredError', args, MEAN_SQUARED_ERROR_ARGS, options)
  const { x, y, out, n, type = 'f32' } = args
  checkBuffers('meanSquaredError', { x: [x, n, bytesIn(type)], y: [y, n, bytesIn(type)], out: [out, 1] })
  if (n === 0) throw badArgument('meanSquaredError: there is no mean of 0 elements')
  const trial = trialOf(runtime, trials, ({ squaredErrorProblem }) => squaredErrorProblem(type), meanSquaredError)
  const kernel = await proven(runtime, chosen(ERROR[type], options), options, trial)
  if (n <= PART) {
    await runtime.run(kernel, { x, y, out, rows: 1, size: n, n, scale: 1 / n })
    return
  }
  const rows = Math.ceil(n / PART)
  using parts = runtime.buffer({ size: 4 * rows })
  await runtime.run(kernel, { x, y, out: parts, rows, size: PART, n, scale: 1 })
  const sum = await rowsKernel(runtime, 'sum', 'f32', options)
  await runtime.run(sum, { x: parts, out, rows: 1, size: rows, n: rows, scale: 1 / n })
}
