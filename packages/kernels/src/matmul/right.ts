import type { CompiledKernel } from '@weft/codegen'
import type { Runtime } from '../host'
import { WHOLE } from '../matmul-fast/options'
import { type Tuning, tuningTo } from '../tuning'
import { passes, trialOf } from '../verify'
import type { MatmulArgs, MatmulOptions } from './host'
import type { TrialProduct } from './trial'

/** Two tiles of a kernel that is for whole ones alone, and the least depth in which one tile follows another. */
export const WHOLE_SIZES = { m: WHOLE.side, n: 2 * WHOLE.side, k: 2 * WHOLE.depth } as const

/** As the options of a trial say, by the kernel that is tried alone. */
const itself = (kernel: CompiledKernel): Tuning => {
  // names of what is measured say 'nn', whatever is transposed here, and neither whether all tiles are whole nor how sums are kept and joined
  const plain = (name: string): string =>
    name
      .replace(/_[nt]{2}_whole$/, '')
      .replace(/_[nt]{2}(?=_|$)/, '_nn')
      .replace(/_f16(_few)?_split$/, (_, few = '_small') => `_f16${few}`)
      .replace(/_f16_sums$/, '_f16')
  return tuningTo((name) => plain(name) === plain(kernel.name))
}

/** Whether a kernel may be used: with `verify`, where a small product shows that it is right. */
export const isRight = (
  runtime: Runtime,
  kernel: CompiledKernel,
  product: TrialProduct,
  { device, ...options }: MatmulOptions,
  matmul: (runtime: Runtime, args: MatmulArgs, options: MatmulOptions) => Promise<void>,
): Promise<boolean> =>
  passes(
    runtime,
    kernel,
    options,
    trialOf(
      runtime,
      () => import('./trial'),
      ({ matmulProblem }) => matmulProblem(product),
      (_, small, only) => matmul(runtime, small, { ...only, ...(device && { device }), tuning: itself(kernel) }),
    ),
  )
