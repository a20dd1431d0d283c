import { artifact } from '../../generated/norm/rmsnorm'
import { type BufferLike, checkBuffers, checkSizes, chosen, type HostOptions, type Runtime } from '../host'

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

/** y[r, :] = x[r, :] / √(mean(x[r, :]²) + eps) · weight, in f32. */
export async function rmsnorm(
  runtime: Runtime,
  { x, weight, y, rows, cols, eps = 1e-5 }: RmsnormArgs,
  options: HostOptions = {},
): Promise<void> {
  checkSizes('rmsnorm', { rows, cols })
  checkBuffers('rmsnorm', { x: [x, rows * cols], weight: [weight, cols], y: [y, rows * cols] })
  if (cols > 0) await runtime.run(chosen(artifact, options), { x, weight, y, rows, cols, eps })
}
