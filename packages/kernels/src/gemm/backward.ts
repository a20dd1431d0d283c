import { checkCall, keysOf, type Runtime } from '../host'
import { GEMM_OPTIONS, type GemmArgs, type GemmOptions, gemm } from './host'
import { gemmReference } from './reference'
import type { MatrixLike } from './views'

export interface GemmBackwardArgs extends Pick<GemmArgs, 'a' | 'b' | 'm' | 'n' | 'k' | 'batch' | 'type' | 'alpha'> {
  /** The gradient of the product: m × n */
  readonly dc: MatrixLike
  /** Written: the gradient of a, as a lies */
  readonly da?: MatrixLike
  /** Written: the gradient of b, as b lies */
  readonly db?: MatrixLike
  readonly transposeA?: boolean
  readonly transposeB?: boolean
}

const GEMM_BACKWARD_KEYS = keysOf<GemmBackwardArgs>()('dc da db transposeA transposeB a b m n k batch type alpha')

/**
 * The gradients of c = alpha · a · b, which are products themselves: da = alpha · dc · bᵀ and db = alpha · aᵀ · dc. Of an operand that is
 * stored transposed the gradient is too: (alpha · dc · bᵀ)ᵀ = alpha · b · dcᵀ. The gradient of a bias is the sum of dc over its rows.
 */
export async function gemmBackward(runtime: Runtime, args: GemmBackwardArgs, options: GemmOptions = {}): Promise<void> {
  checkCall('gemm_backward', args, GEMM_BACKWARD_KEYS, options, GEMM_OPTIONS)
  const { a, b, dc, da, db, m, n, k, transposeA = false, transposeB = false, batch, type, alpha } = args
  const common = {
    ...(batch === undefined ? {} : { batch }),
    ...(type === undefined ? {} : { type }),
    ...(alpha === undefined ? {} : { alpha }),
  }
  if (da !== undefined)
    await gemm(
      runtime,
      transposeA
        ? { ...common, a: b, b: dc, c: da, m: k, n: m, k: n, transposeA: transposeB, transposeB: true }
        : { ...common, a: dc, b, c: da, m, n: k, k: n, transposeB: !transposeB },
      options,
    )
  if (db !== undefined)
    await gemm(
      runtime,
      transposeB
        ? { ...common, a: dc, b: a, c: db, m: n, n: k, k: m, transposeA: true, transposeB: transposeA }
        : { ...common, a, b: dc, c: db, m: k, n, k: m, transposeA: !transposeA },
      options,
    )
}

export interface GemmBackwardReferenceArgs {
  readonly a: ArrayLike<number>
  readonly b: ArrayLike<number>
  readonly dc: ArrayLike<number>
  readonly m: number
  readonly n: number
  readonly k: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
}

/** The gradients of one product in float64, each as its operand lies. */
export function gemmBackwardReference({
  a,
  b,
  dc,
  m,
  n,
  k,
  transposeA = false,
  transposeB = false,
}: GemmBackwardReferenceArgs): { readonly da: Float64Array; readonly db: Float64Array } {
  const da = transposeA
    ? gemmReference({ a: b, b: dc, m: k, n: m, k: n, transposeA: transposeB, transposeB: true })
    : gemmReference({ a: dc, b, m, n: k, k: n, transposeB: !transposeB })
  const db = transposeB
    ? gemmReference({ a: dc, b: a, m: n, n: k, k: m, transposeA: true, transposeB: transposeA })
    : gemmReference({ a, b: dc, m: k, n, k: m, transposeA: !transposeA })
  return { da, db }
}
