import { artifact } from '../../generated/saxpy/saxpy'
import { type BufferLike, checkBuffers, checkSizes, type HostOptions, type Runtime } from '../host'

export interface SaxpyArgs {
  /** n elements */
  readonly x: BufferLike
  /** n elements, updated in place */
  readonly y: BufferLike
  readonly n: number
  readonly alpha: number
}

/** y = alpha · x + y, in f32. */
export async function saxpy(
  runtime: Runtime,
  { x, y, n, alpha }: SaxpyArgs,
  { kernel }: HostOptions = {},
): Promise<void> {
  checkSizes('saxpy', { n })
  checkBuffers('saxpy', { x: [x, n], y: [y, n] })
  await runtime.run(kernel ?? artifact, { x, y, n, alpha })
}
