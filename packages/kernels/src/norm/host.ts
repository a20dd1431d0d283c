import { artifact } from '../../generated/norm/rmsnorm'
import {
  type BufferLike,
  checkBuffers,
  checkKeys,
  checkSizes,
  chosen,
  type HostOptions,
  keysOf,
  type Runtime,
} from '../host'

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
}

const RMSNORM_KEYS = keysOf<RmsnormArgs>()('x weight y rows cols eps')

/** y[r, :] = x[r, :] / √(mean(x[r, :]²) + eps) · weight, in f32. */
export async function rmsnorm(runtime: Runtime, args: RmsnormArgs, options: HostOptions = {}): Promise<void> {
  checkKeys('rmsnorm', args, RMSNORM_KEYS)
  const { x, weight, y, rows, cols, eps = 1e-5 } = args
  checkSizes('rmsnorm', { rows, cols })
  checkBuffers('rmsnorm', { x: [x, rows * cols], weight: [weight, cols], y: [y, rows * cols] })
  if (cols > 0) await runtime.run(chosen(artifact, options), { x, weight, y, rows, cols, eps })
}
