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
import { chooseMatmul } from './choose'

export interface MatmulArgs {
  /** m × k, row-major; k × m when `transposeA` */
  readonly a: BufferLike
  /** k × n, row-major; n × k when `transposeB` */
  readonly b: BufferLike
  /** m × n, row-major, written */
  readonly c: BufferLike
  /** n elements, added to every row */
  readonly bias?: BufferLike
  readonly m: number
  readonly n: number
  readonly k: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
}

const MATMUL_KEYS = keysOf<MatmulArgs>()('a b c bias m n k transposeA transposeB')

/** c = a · b (+ bias), in f32, for any sizes; k = 0 gives zeros (or the bias). */
export async function matmul(runtime: Runtime, args: MatmulArgs, options: HostOptions = {}): Promise<void> {
  checkCall('matmul', args, MATMUL_KEYS, options)
  const { a, b, c, bias, m, n, k, transposeA = false, transposeB = false } = args
  checkSizes('matmul', { m, n, k })
  checkBuffers('matmul', {
    a: [a, m * k],
    b: [b, k * n],
    c: [c, m * n],
    ...(bias === undefined ? {} : { bias: [bias, n] }),
  })
  const form = { transposeA, transposeB, bias: bias !== undefined }
  await runtime.run(chosen(chooseMatmul(form), options), { a, b, ...(bias === undefined ? {} : { bias }), c, m, n, k })
}
