import type { CompiledKernel } from '@weft/codegen'
import { artifact } from '../../generated/norm/rmsnorm'
import {
  rmsnorm_f16,
  rmsnorm_quads_fixed,
  rmsnorm_quads_fixed_f16,
  rmsnorm_quads_fixed_short_f16,
  rmsnorm_quads_wide_f16,
  rmsnorm_short,
  rmsnorm_short_f16,
} from '../../generated/norms'
import { argsOf, floatType, input, maybe, notNegative, outputOver, size } from '../args'
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

const trials = () => import('../norms/trial')

export interface RmsnormArgs {
  /** rows × cols, row-major */
  readonly x: BufferLike
  /** cols */
  readonly weight: BufferLike
  /** rows × cols, written; may be x */
  readonly y: BufferLike
  readonly rows: number
  readonly cols: number
  /** Added to the mean square; 1e-5 when left out. */
  readonly eps?: number
  /** Of x, weight and y; f32 when left out. */
  readonly type?: 'f32' | 'f16'
}

const RMSNORM: RowKernels<CompiledKernel> = {
  f32: { any: artifact, short: rmsnorm_short },
  f16: { any: rmsnorm_f16, short: rmsnorm_short_f16 },
  quads: {
    f32: { fixed: rmsnorm_quads_fixed },
    f16: { wide: rmsnorm_quads_wide_f16, fixed: rmsnorm_quads_fixed_f16, fixed_short: rmsnorm_quads_fixed_short_f16 },
  },
}

const RMSNORM_ARGS = argsOf<RmsnormArgs>({
  x: input,
  weight: input,
  y: outputOver('x'),
  rows: size,
  cols: size,
  eps: maybe(notNegative),
  type: floatType,
})

/** y[r, :] = x[r, :] / √(mean(x[r, :]²) + eps) · weight, computed in f32. Of a row with values beyond 1.8e19, whose squares are ∞, it is 0. */
export async function rmsnorm(runtime: Runtime, args: RmsnormArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'rmsnorm', args, RMSNORM_ARGS, options)
  const { x, weight, y, rows, cols, eps = 1e-5, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('rmsnorm', { x: [x, n, bytes], weight: [weight, cols, bytes], y: [y, n, bytes] })
  const { kernel: fit, columns } = forRows(RMSNORM, cols, type, [x, weight, y].map(bytesOf))
  const trial = trialOf(runtime, trials, ({ rmsnormProblem }) => rmsnormProblem(columns, type), rmsnorm)
  const kernel = await proven(runtime, chosen(fit, options), options, trial)
  if (cols > 0) await runRows(runtime, kernel, { x, weight, y, rows, cols, eps })
}
