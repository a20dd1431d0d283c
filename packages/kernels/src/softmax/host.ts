import {
  type BufferLike,
  bytesOf,
  checkBuffers,
  checkKeys,
  checkSizes,
  chosen,
  type HostOptions,
  keysOf,
  type Runtime,
} from '../host'
import { chooseSoftmax } from './choose'

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
  if (rows * cols === 0) return
  const quads = [x, y].every((buffer) => bytesOf(buffer) % 16 === 0)
  const { way, kernel } = chooseSoftmax(
    { cols, quads },
    options.kernel ? { software: false, backend: 'webgpu' } : runtime.info,
  )
  if (way === 'serial') await runtime.run(chosen(kernel, options), { x, y, rows, quads: cols / 4 })
  else await runtime.run(chosen(kernel, options), { x, y, rows, cols })
}
