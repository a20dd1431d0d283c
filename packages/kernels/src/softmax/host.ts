import { argsOf, floatType, input, outputOver, size } from '../args'
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
import { proven, trialOf } from '../verify'
import { chooseSoftmax } from './choose'

const trials = () => import('../rows/trial')

export interface SoftmaxArgs {
  /** rows × cols, row-major */
  readonly x: BufferLike
  /** rows × cols, written; may be x */
  readonly y: BufferLike
  readonly rows: number
  readonly cols: number
  /** Of x and y; f32 when left out. */
  readonly type?: 'f32' | 'f16'
}

const SOFTMAX_ARGS = argsOf<SoftmaxArgs>({ x: input, y: outputOver('x'), rows: size, cols: size, type: floatType })

/** y[r, :] = softmax(x[r, :]), computed in f32; a row of −∞ gives zeros. */
export async function softmax(runtime: Runtime, args: SoftmaxArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'softmax', args, SOFTMAX_ARGS, options)
  const { x, y, rows, cols, type = 'f32' } = args
  const [n, bytes] = [rows * cols, bytesIn(type)]
  checkBuffers('softmax', { x: [x, n, bytes], y: [y, n, bytes] })
  if (n === 0) return
  const { way, kernel, columns } = chooseSoftmax(
    { cols, bytes: [x, y].map(bytesOf), type },
    options.kernel ? { software: false, backend: 'webgpu' } : runtime.info,
  )
  if (way === 'serial') {
    await runtime.run(chosen(kernel, options), { x, y, rows, quads: cols / 4 })
    return
  }
  const trial = trialOf(runtime, trials, ({ softmaxProblem }) => softmaxProblem(columns, type), softmax)
  await runRows(runtime, await proven(runtime, chosen(kernel, options), options, trial), { x, y, rows, cols })
}
