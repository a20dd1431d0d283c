import { artifact } from '../../generated/saxpy/saxpy'
import { argsOf, input, number, size, updated } from '../args'
import { type BufferLike, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'

export interface SaxpyArgs {
  /** n elements */
  readonly x: BufferLike
  /** n elements, updated in place */
  readonly y: BufferLike
  readonly n: number
  readonly alpha: number
}

const SAXPY_ARGS = argsOf<SaxpyArgs>({ x: input, y: updated, n: size, alpha: number })

/** y = alpha · x + y, in f32. */
export async function saxpy(runtime: Runtime, args: SaxpyArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'saxpy', args, SAXPY_ARGS, options)
  const { x, y, n, alpha } = args
  checkBuffers('saxpy', { x: [x, n], y: [y, n] })
  await runtime.run(chosen(artifact, options), { x, y, n, alpha })
}
