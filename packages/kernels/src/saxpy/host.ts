import { artifact } from '../../generated/saxpy/saxpy'
import {
  type BufferLike,
  checkBuffers,
  checkCall,
  checkSizes,
  chosen,
  type HostOptions,
  keysOf,
  type Runtime,
} from '../host'

export interface SaxpyArgs {
  /** n elements */
  readonly x: BufferLike
  /** n elements, updated in place */
  readonly y: BufferLike
  readonly n: number
  readonly alpha: number
}

const SAXPY_KEYS = keysOf<SaxpyArgs>()('x y n alpha')

/** y = alpha · x + y, in f32. */
export async function saxpy(runtime: Runtime, args: SaxpyArgs, options: HostOptions = {}): Promise<void> {
  checkCall('saxpy', args, SAXPY_KEYS, options)
  const { x, y, n, alpha } = args
  checkSizes('saxpy', { n })
  checkBuffers('saxpy', { x: [x, n], y: [y, n] })
  await runtime.run(chosen(artifact, options), { x, y, n, alpha })
}
