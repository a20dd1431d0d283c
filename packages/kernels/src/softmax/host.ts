import { artifact } from '../../generated/softmax/softmax'
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

export interface SoftmaxArgs {
  /** rows × cols, row-major */
  readonly x: BufferLike
  /** rows × cols, written; may be x */
  readonly y: BufferLike
  readonly rows: number
  readonly cols: number
}

const SOFTMAX_KEYS = keysOf<SoftmaxArgs>()('x y rows cols')

/** y[r, :] = softmax(x[r, :]), in f32; a row of −∞ gives zeros. */
export async function softmax(runtime: Runtime, args: SoftmaxArgs, options: HostOptions = {}): Promise<void> {
  checkKeys('softmax', args, SOFTMAX_KEYS)
  const { x, y, rows, cols } = args
  checkSizes('softmax', { rows, cols })
  checkBuffers('softmax', { x: [x, rows * cols], y: [y, rows * cols] })
  if (cols > 0) await runtime.run(chosen(artifact, options), { x, y, rows, cols })
}
