import { expectLength } from '../expect-length'
import { matmulReference } from '../matmul/reference'
import type { Activation } from './options'

export interface GemmReferenceArgs {
  /** [batch, m, k], or [batch, k, m] with `transposeA`; one matrix where it is for all of the batch */
  readonly a: ArrayLike<number>
  /** [batch, k, n], or [batch, n, k] with `transposeB`; one matrix where it is for all of the batch */
  readonly b: ArrayLike<number>
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch?: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  /** 1 when left out */
  readonly alpha?: number
  /** [n] */
  readonly bias?: ArrayLike<number> | undefined
  readonly activation?: Activation
  /** [batch, m, n] */
  readonly residual?: ArrayLike<number> | undefined
}

const ACTIVATE: Readonly<Record<Activation, (x: number) => number>> = {
  none: (x) => x,
  relu: (x) => Math.max(x, 0),
  gelu: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  silu: (x) => x / (1 + Math.exp(-x)),
}

const slice = (x: ArrayLike<number>, from: number, n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => x[from + i] as number)

/**
 * `activation(alpha · a · b + bias) + residual` for each of a batch, in float64.
 *
 * @returns `[batch, m, n]`
 * @throws RangeError when an operand does not have the length that the sizes ask for
 */
export function gemmReference(args: GemmReferenceArgs): Float64Array {
  const { a, b, m, n, k, batch = 1, alpha = 1, bias, activation = 'none', residual, ...transposes } = args
  const one = { a: a.length === m * k && batch > 1, b: b.length === k * n && batch > 1 }
  if (!one.a) expectLength('a', a, batch * m * k)
  if (!one.b) expectLength('b', b, batch * k * n)
  if (bias !== undefined) expectLength('bias', bias, n)
  if (residual !== undefined) expectLength('residual', residual, batch * m * n)
  const { transposeA = false, transposeB = false } = transposes
  const c = new Float64Array(batch * m * n)
  for (let z = 0; z < batch; z++) {
    const product = matmulReference({
      a: slice(a, one.a ? 0 : z * m * k, m * k),
      b: slice(b, one.b ? 0 : z * k * n, k * n),
      m,
      n,
      k,
      transposeA,
      transposeB,
    })
    product.forEach((sum, i) => {
      const at = z * m * n + i
      c[at] = ACTIVATE[activation](alpha * sum + (bias?.[i % n] ?? 0)) + (residual?.[at] ?? 0)
    })
  }
  return c
}
