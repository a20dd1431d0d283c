import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/rows'
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
import { forColumns, type Span, trialColumns } from '../parts/span'
import { solve } from '../problem'
import { rowsKernel } from '../reduce/host'
import { proven } from '../verify'
import { crossEntropyProblem, gradientProblem, logSoftmaxProblem, squaredErrorProblem } from './trial'

export type RowType = 'f32' | 'f16'

type Pair = Readonly<Record<RowType, CompiledKernel>>
type BySpan = Readonly<Record<Span, Pair>>

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

const LOG: BySpan = {
  any: { f32: g.log_softmax, f16: g.log_softmax_f16 },
  short: { f32: g.log_softmax_short, f16: g.log_softmax_short_f16 },
}

const LOG_SOFTMAX_KEYS = keysOf<LogSoftmaxArgs>()('x y rows cols type')

/** y = x − m − ln Σ exp(x − m) over each row, with m its maximum; a row of −∞ gives −∞. */
export async function logSoftmax(runtime: Runtime, args: LogSoftmaxArgs, options: HostOptions = {}): Promise<void> {
  checkCall('log_softmax', args, LOG_SOFTMAX_KEYS, options)
  const { x, y, rows, cols, type = 'f32' } = args
  checkSizes('log_softmax', { rows, cols })
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('log_softmax', { x: [x, n, bytes], y: [y, n, bytes] })
  if (n === 0) return
  const trial = (only: HostOptions) =>
    solve(runtime, logSoftmaxProblem(trialColumns(cols), type), (small) => logSoftmax(runtime, small, only))
  const kernel = await proven(runtime, chosen(forColumns(LOG, cols)[type], options), options, trial)
  await runtime.run(kernel, { x, y, rows, cols })
}

export interface SoftmaxGradientArgs extends Rows {
  /** The result of the forward: [rows, cols] */
  readonly y: BufferLike
  readonly dy: BufferLike
  /** Written; may be dy. */
  readonly dx: BufferLike
}

const SOFTMAX_GRADIENT_KEYS = keysOf<SoftmaxGradientArgs>()('y dy dx rows cols type')

async function gradient(
  runtime: Runtime,
  [what, of, kernels]: readonly [what: string, of: 'softmax' | 'logSoftmax', kernels: BySpan],
  args: SoftmaxGradientArgs,
  options: HostOptions,
): Promise<void> {
  checkCall(what, args, SOFTMAX_GRADIENT_KEYS, options)
  const { y, dy, dx, rows, cols, type = 'f32' } = args
  checkSizes(what, { rows, cols })
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers(what, { y: [y, n, bytes], dy: [dy, n, bytes], dx: [dx, n, bytes] })
  if (n === 0) return
  const trial = (only: HostOptions) =>
    solve(runtime, gradientProblem(of, trialColumns(cols), type), (small) =>
      gradient(runtime, [what, of, kernels], small, only),
    )
  const kernel = await proven(runtime, chosen(forColumns(kernels, cols)[type], options), options, trial)
  await runtime.run(kernel, { y, dy, dx, rows, cols })
}

const SOFTMAX_BACKWARD: BySpan = {
  any: { f32: g.softmax_backward, f16: g.softmax_backward_f16 },
  short: { f32: g.softmax_backward_short, f16: g.softmax_backward_short_f16 },
}

/** dx = y · (dy − Σ dy · y), of the result y of softmax. */
export const softmaxBackward = (
  runtime: Runtime,
  args: SoftmaxGradientArgs,
  options: HostOptions = {},
): Promise<void> => gradient(runtime, ['softmax_backward', 'softmax', SOFTMAX_BACKWARD], args, options)

const LOG_BACKWARD: BySpan = {
  any: { f32: g.log_softmax_backward, f16: g.log_softmax_backward_f16 },
  short: { f32: g.log_softmax_backward_short, f16: g.log_softmax_backward_short_f16 },
}

/** dx = dy − exp(y) · Σ dy, of the result y of log-softmax. */
export const logSoftmaxBackward = (
  runtime: Runtime,
  args: SoftmaxGradientArgs,
  options: HostOptions = {},
): Promise<void> => gradient(runtime, ['log_softmax_backward', 'logSoftmax', LOG_BACKWARD], args, options)

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

const CROSS_ENTROPY_KEYS = keysOf<CrossEntropyArgs>()('x target loss lse rows cols type')

/** loss[r] = ln Σ exp(x[r, ·]) − x[r, target[r]], for any vocabulary. */
export async function crossEntropy(runtime: Runtime, args: CrossEntropyArgs, options: HostOptions = {}): Promise<void> {
  checkCall('cross_entropy', args, CROSS_ENTROPY_KEYS, options)
  const { x, target, loss, lse, rows, cols, type = 'f32' } = args
  checkSizes('cross_entropy', { rows, cols })
  checkBuffers('cross_entropy', {
    x: [x, rows * cols, bytesIn(type)],
    target: [target, rows],
    loss: [loss, rows],
    lse: [lse, rows],
  })
  if (cols === 0 && rows > 0) throw new RangeError('cross_entropy: cols must be at least 1, got 0')
  const trial = (only: HostOptions) =>
    solve(runtime, crossEntropyProblem(type), (small) => crossEntropy(runtime, small, only))
  const kernel = await proven(runtime, chosen(CROSS[type], options), options, trial)
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

const CROSS_ENTROPY_BACKWARD_KEYS = keysOf<CrossEntropyBackwardArgs>()('x target lse dx scale rows cols type')

/** dx = scale · (softmax(x) − one-hot(target)), from the logits and their lse. */
export async function crossEntropyBackward(
  runtime: Runtime,
  args: CrossEntropyBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall('cross_entropy_backward', args, CROSS_ENTROPY_BACKWARD_KEYS, options)
  const { x, target, lse, dx, rows, cols, scale = 1, type = 'f32' } = args
  checkSizes('cross_entropy_backward', { rows, cols })
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('cross_entropy_backward', {
    x: [x, n, bytes],
    target: [target, rows],
    lse: [lse, rows],
    dx: [dx, n, bytes],
  })
  if (n > 0) await runtime.run(chosen(CROSS_BACKWARD[type], options), { x, target, lse, dx, rows, cols, scale })
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
const MEAN_SQUARED_ERROR_KEYS = keysOf<MeanSquaredErrorArgs>()('x y out n type')

/** out = Σ (x − y)² / n. Its gradient by x is `sub`, times 2 / n. */
export async function meanSquaredError(
  runtime: Runtime,
  args: MeanSquaredErrorArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall('squared_error', args, MEAN_SQUARED_ERROR_KEYS, options)
  const { x, y, out, n, type = 'f32' } = args
  checkSizes('squared_error', { n })
  checkBuffers('squared_error', { x: [x, n, bytesIn(type)], y: [y, n, bytesIn(type)], out: [out, 1] })
  if (n === 0) throw new RangeError('squared_error: there is no mean of 0 elements')
  const trial = (only: HostOptions) =>
    solve(runtime, squaredErrorProblem(type), (small) => meanSquaredError(runtime, small, only))
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
