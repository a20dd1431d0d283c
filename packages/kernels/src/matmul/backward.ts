import { argsOf, checkKeys, flag, floatType, input, keysOf, maybe, number, output, size } from '../args'
import { badArgument, checkCall, type Runtime } from '../host'
import { checked, MATMUL_OPTIONS, type MatmulArgs, type MatmulOptions, planned } from './host'
import { matmulReference } from './reference'
import { type MatrixLike, matrix, reach } from './views'
import type { Product } from './windows'

export interface MatmulBackwardArgs extends Pick<MatmulArgs, 'a' | 'b' | 'm' | 'n' | 'k' | 'batch' | 'type' | 'alpha'> {
  /** The gradient of the product: m × n */
  readonly dc: MatrixLike
  /** Written: the gradient of a, as a lies */
  readonly da?: MatrixLike
  /** Written: the gradient of b, as b lies */
  readonly db?: MatrixLike
  readonly transposeA?: boolean
  readonly transposeB?: boolean
}

const WHAT = 'matmulBackward'
const MATMUL_BACKWARD_ARGS = argsOf<MatmulBackwardArgs>({
  dc: matrix(input),
  da: maybe(matrix(output)),
  db: maybe(matrix(output)),
  transposeA: maybe(flag),
  transposeB: maybe(flag),
  a: matrix(input),
  b: matrix(input),
  m: size,
  n: size,
  k: size,
  batch: maybe(size),
  type: floatType,
  alpha: maybe(number),
})

/**
 * The gradients of c = alpha · a · b, which are products themselves: da = alpha · dc · bᵀ and db = alpha · aᵀ · dc. Of an operand that is
 * stored transposed the gradient is too: (alpha · dc · bᵀ)ᵀ = alpha · b · dcᵀ. The gradient of a bias is the sum of dc over its rows.
 */
export async function matmulBackward(
  runtime: Runtime,
  args: MatmulBackwardArgs,
  options: MatmulOptions = {},
): Promise<void> {
  checkCall(runtime, WHAT, args, MATMUL_BACKWARD_ARGS, options, MATMUL_OPTIONS)
  const { a, b, dc, da, db, m, n, k, transposeA = false, transposeB = false, batch, type, alpha } = args
  const common = {
    ...(batch === undefined ? {} : { batch }),
    ...(type === undefined ? {} : { type }),
    ...(alpha === undefined ? {} : { alpha }),
  }
  const products: Product[] = []
  if (da !== undefined) {
    const gradient = transposeA
      ? { ...common, a: b, b: dc, c: da, m: k, n: m, k: n, transposeA: transposeB, transposeB: true }
      : { ...common, a: dc, b, c: da, m, n: k, k: n, transposeB: !transposeB }
    const names = transposeA ? { a: 'b', b: 'dc', c: 'da' } : { a: 'dc', b: 'b', c: 'da' }
    products.push(checked(WHAT, gradient, names))
  }
  if (db !== undefined) {
    const gradient = transposeB
      ? { ...common, a: dc, b: a, c: db, m: n, n: k, k: m, transposeA: true, transposeB: transposeA }
      : { ...common, a, b: dc, c: db, m: k, n, k: m, transposeA: !transposeA }
    const names = transposeB ? { a: 'dc', b: 'a', c: 'db' } : { a: 'a', b: 'dc', c: 'db' }
    products.push(checked(WHAT, gradient, names))
  }
  checkApart(products)
  const runs = products.map((product) => planned(runtime, WHAT, product, options))
  for (const run of runs) await run()
}

/** Refuses results that meet in one buffer, unless their rows lie side by side in it. */
function checkApart(products: readonly Product[]): void {
  const [first, second] = products.map(({ c, batch }) => ({ ...c, from: c.offset, to: reach(c, batch) }))
  if (!first || !second || first.data !== second.data || first.from >= second.to || second.from >= first.to) return
  const [left, right] = first.from <= second.from ? [first, second] : [second, first]
  const sideBySide =
    left.row === right.row &&
    left.offset + left.cols <= right.offset &&
    right.offset + right.cols <= left.offset + left.row
  if (!sideBySide) throw badArgument(`${WHAT}: da and db must not overlap: both are written`)
}

export interface MatmulBackwardReferenceArgs {
  readonly a: ArrayLike<number>
  readonly b: ArrayLike<number>
  readonly dc: ArrayLike<number>
  readonly m: number
  readonly n: number
  readonly k: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
}

const REFERENCE_KEYS = keysOf<MatmulBackwardReferenceArgs>({
  a: true,
  b: true,
  dc: true,
  m: true,
  n: true,
  k: true,
  transposeA: true,
  transposeB: true,
})

/** The gradients of one product in float64, each as its operand lies. */
export function matmulBackwardReference(args: MatmulBackwardReferenceArgs): {
  readonly da: Float64Array
  readonly db: Float64Array
} {
  checkKeys('matmulBackwardReference', args, REFERENCE_KEYS)
  const { a, b, dc, m, n, k, transposeA = false, transposeB = false } = args
  const da = transposeA
    ? matmulReference({ a: b, b: dc, m: k, n: m, k: n, transposeA: transposeB, transposeB: true })
    : matmulReference({ a: dc, b, m, n: k, k: n, transposeB: !transposeB })
  const db = transposeB
    ? matmulReference({ a: dc, b: a, m: n, n: k, k: m, transposeA: true, transposeB: transposeA })
    : matmulReference({ a, b: dc, m: k, n, k: m, transposeA: !transposeA })
  return { da, db }
}
