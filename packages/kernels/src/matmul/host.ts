import { argsOf, flag, input, maybe, output, size } from '../args'
import { type BufferLike, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'
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

const MATMUL_ARGS = argsOf<MatmulArgs>({
  a: input,
  b: input,
  c: output,
  bias: maybe(input),
  m: size,
  n: size,
  k: size,
  transposeA: maybe(flag),
  transposeB: maybe(flag),
})

/**
 * c = a · b (+ bias), in f32, for any sizes; k = 0 gives zeros (or the bias). The plain product: `gemm` also takes batches, strides, f16 and
 * more behind the product, and chooses among kernels by sizes and device.
 */
export async function matmul(runtime: Runtime, args: MatmulArgs, options: HostOptions = {}): Promise<void> {
  checkCall('matmul', args, MATMUL_ARGS, options)
  const { a, b, c, bias, m, n, k, transposeA = false, transposeB = false } = args
  checkBuffers('matmul', {
    a: [a, m * k],
    b: [b, k * n],
    c: [c, m * n],
    ...(bias === undefined ? {} : { bias: [bias, n] }),
  })
  const form = { transposeA, transposeB, bias: bias !== undefined }
  await runtime.run(chosen(chooseMatmul(form), options), { a, b, ...(bias === undefined ? {} : { bias }), c, m, n, k })
}
