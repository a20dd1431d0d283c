import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'
import type { Activation } from './options'

export interface MatmulReferenceArgs {
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

const KEYS = keysOf<MatmulReferenceArgs>({
  a: true,
  b: true,
  m: true,
  n: true,
  k: true,
  batch: true,
  transposeA: true,
  transposeB: true,
  alpha: true,
  bias: true,
  activation: true,
  residual: true,
})

const ACTIVATE: Readonly<Record<Activation, (x: number) => number>> = {
  none: (x) => x,
  relu: (x) => Math.max(x, 0),
  gelu: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  silu: (x) => x / (1 + Math.exp(-x)),
}

/**
 * `activation(alpha · a · b + bias) + residual` for each of a batch, accumulated in float64, for any sizes ≥ 0: with `k = 0` the sums are empty.
 *
 * @returns `[batch, m, n]`
 * @throws RangeError when an operand does not have the length that the sizes ask for
 */
export function matmulReference(args: MatmulReferenceArgs): Float64Array {
  checkKeys('matmulReference', args, KEYS)
  const { a, b, m, n, k, batch = 1, alpha = 1, bias, activation = 'none', residual } = args
  const one = { a: a.length === m * k && batch > 1, b: b.length === k * n && batch > 1 }
  if (!one.a) expectLength('a', a, batch * m * k)
  if (!one.b) expectLength('b', b, batch * k * n)
  if (bias !== undefined) expectLength('bias', bias, n)
  if (residual !== undefined) expectLength('residual', residual, batch * m * n)
  const c = new Float64Array(batch * m * n)
  for (let z = 0; z < batch; z++)
    addProduct(c.subarray(z * m * n, (z + 1) * m * n), args, one.a ? 0 : z * m * k, one.b ? 0 : z * k * n)
  return c.map((sum, i) => ACTIVATE[activation](alpha * sum + (bias?.[i % n] ?? 0)) + (residual?.[i] ?? 0))
}

/** Adds one product of a batch, of operands that begin at `fromA` and `fromB`. */
function addProduct(c: Float64Array, args: MatmulReferenceArgs, fromA: number, fromB: number): void {
  const { a, b, m, n, k, transposeA = false, transposeB = false } = args
  for (let i = 0; i < m; i++) {
    const row = c.subarray(i * n, (i + 1) * n)
    // the innermost loop runs along a row of c and b, which is what makes 512³ take a fraction of a second
    for (let l = 0; l < k; l++) {
      const scale = a[fromA + (transposeA ? l * m + i : i * k + l)]!
      if (transposeB) for (let j = 0; j < n; j++) row[j]! += scale * b[fromB + j * k + l]!
      else for (let j = 0; j < n; j++) row[j]! += scale * b[fromB + l * n + j]!
    }
  }
}
