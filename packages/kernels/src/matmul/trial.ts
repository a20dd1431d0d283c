import type { Storage } from '../parts/storage'
import { type Problem, STEP, trialValues } from '../problem'
import type { MatmulArgs } from './host'
import { matmulReference } from './reference'

/** No tile divides them, and each is more than one tile of the smaller kernels. */
const SIZES = { m: 131, n: 139, k: 77 } as const

/** What of a product decides which kernel computes it; sizes that are left out are those of large ones. */
export interface TrialProduct extends Required<Pick<MatmulArgs, 'transposeA' | 'transposeB' | 'type'>> {
  readonly m?: number
  readonly n?: number
  readonly k?: number
  /** In what the kernel that is tried sums f16; f32 when left out. */
  readonly sums?: Storage
}

/**
 * What `verify: true` asks of a kernel: a product of odd sizes with a bias and a residual, beside the reference. Elements may be off by a step,
 * of what they are summed in, for each term, relative to the sum of their magnitudes (Higham, 2002, §3.1).
 */
export function matmulProblem({
  transposeA,
  transposeB,
  type,
  sums = 'f32',
  ...given
}: TrialProduct): Problem<MatmulArgs> {
  const sizes = { ...SIZES, ...given }
  const { m, n, k } = sizes
  const arrays = {
    a: trialValues(1, m * k),
    b: trialValues(2, k * n),
    bias: trialValues(3, n),
    residual: trialValues(4, m * n),
  }
  const product = { ...sizes, transposeA, transposeB, alpha: 0.5 } as const
  const options = { ...product, type } as const
  const step = sums === 'f16' ? 2 ** -10 : STEP
  const expected = matmulReference({ ...arrays, ...product })
  const { a, b, bias, residual } = arrays
  const sizesOf = { a: a.map(Math.abs), b: b.map(Math.abs), bias: bias.map(Math.abs), residual: residual.map(Math.abs) }
  const magnitude = matmulReference({ ...sizesOf, ...product })
  const input = (values: Float32Array) => ({ values, type })
  return {
    inputs: { a: input(a), b: input(b), bias: input(bias), residual: input(residual) },
    results: { c: { expected, type, bound: (i) => (k + 4) * step * (magnitude[i] as number) } },
    args: (buffers) => ({
      ...(buffers as Pick<Required<MatmulArgs>, 'a' | 'b' | 'bias' | 'residual' | 'c'>),
      ...options,
      sums,
    }),
  }
}
