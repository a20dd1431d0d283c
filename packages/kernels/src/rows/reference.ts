import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'
import { LOWEST } from '../parts/lowest'

interface Rows {
  readonly rows: number
  readonly cols: number
}

const perRow = ({ rows, cols }: Rows, body: (start: number, row: number) => void): void => {
  for (let r = 0; r < rows; r++) body(r * cols, r)
}

const sumOf = (n: number, of: (i: number) => number): number => {
  let sum = 0
  for (let i = 0; i < n; i++) sum += of(i)
  return sum
}

export interface SoftmaxBackwardArgs extends Rows {
  /** The result of the forward. */
  readonly y: ArrayLike<number>
  readonly dy: ArrayLike<number>
}

const SOFTMAX_KEYS = keysOf<SoftmaxBackwardArgs>({ y: true, dy: true, rows: true, cols: true })

/** `dx = y · (dy − Σ dy · y)` over each row, in float64. */
export function softmaxBackwardReference(args: SoftmaxBackwardArgs): Float64Array {
  checkKeys('softmaxBackwardReference', args, SOFTMAX_KEYS)
  const { y, dy, rows, cols } = args
  for (const [name, list] of Object.entries({ y, dy })) expectLength(name, list, rows * cols)
  const dx = new Float64Array(rows * cols)
  perRow({ rows, cols }, (start) => {
    const total = sumOf(cols, (c) => dy[start + c]! * y[start + c]!)
    for (let i = start; i < start + cols; i++) dx[i] = y[i]! * (dy[i]! - total)
  })
  return dx
}

/** `dx = dy − exp(y) · Σ dy` over each row, in float64. */
export function logSoftmaxBackwardReference(args: SoftmaxBackwardArgs): Float64Array {
  checkKeys('logSoftmaxBackwardReference', args, SOFTMAX_KEYS)
  const { y, dy, rows, cols } = args
  for (const [name, list] of Object.entries({ y, dy })) expectLength(name, list, rows * cols)
  const dx = new Float64Array(rows * cols)
  perRow({ rows, cols }, (start) => {
    const total = sumOf(cols, (c) => dy[start + c]!)
    for (let i = start; i < start + cols; i++) dx[i] = dy[i]! - Math.exp(y[i]!) * total
  })
  return dx
}

export interface CrossEntropyReferenceArgs extends Rows {
  /** [rows, cols] logits */
  readonly x: ArrayLike<number>
  /** [rows]; one that is not below cols leaves its row out */
  readonly target: ArrayLike<number>
}

const ENTROPY_KEYS = keysOf<CrossEntropyReferenceArgs>({ x: true, target: true, rows: true, cols: true })

/** `loss[r] = ln Σ exp(x[r, ·]) − x[r, target[r]]`, and the logarithms of the sums, in float64. */
export function crossEntropyReference(args: CrossEntropyReferenceArgs): {
  readonly loss: Float64Array
  readonly lse: Float64Array
} {
  checkKeys('crossEntropyReference', args, ENTROPY_KEYS)
  const { x, target, rows, cols } = args
  expectLength('x', x, rows * cols)
  expectLength('target', target, rows)
  const [loss, lse] = [new Float64Array(rows), new Float64Array(rows)]
  perRow({ rows, cols }, (start, r) => {
    let max = -Infinity
    for (let i = start; i < start + cols; i++) max = Math.max(max, x[i]!)
    if (max === -Infinity) {
      // a row of −∞: a number instead of −∞, as the kernels have it, and a target of probability 0
      lse[r] = LOWEST
      loss[r] = target[r]! < cols ? Infinity : 0
      return
    }
    const log = Math.log(sumOf(cols, (c) => Math.exp(x[start + c]! - max)))
    lse[r] = max + log
    loss[r] = target[r]! < cols ? log - (x[start + target[r]!]! - max) : 0
  })
  return { loss, lse }
}

/** `dx[r, c] = scale · (softmax(x[r, ·])[c] − [c = target[r]])`, 0 for a row that is left out, in float64. */
export function crossEntropyBackwardReference(
  args: CrossEntropyReferenceArgs & { readonly scale: number },
): Float64Array {
  checkKeys('crossEntropyBackwardReference', args, [...ENTROPY_KEYS, 'scale'])
  const { x, target, rows, cols, scale } = args
  const { lse } = crossEntropyReference({ x, target, rows, cols })
  const dx = new Float64Array(rows * cols)
  perRow({ rows, cols }, (start, r) => {
    if (target[r]! >= cols) return
    for (let c = 0; c < cols; c++) dx[start + c] = scale * (Math.exp(x[start + c]! - lse[r]!) - Number(c === target[r]))
  })
  return dx
}

/** `Σ (x − y)² / n`, in float64; 0 of nothing. */
export function meanSquaredErrorReference(x: ArrayLike<number>, y: ArrayLike<number>): number {
  expectLength('y', y, x.length)
  return x.length === 0 ? 0 : sumOf(x.length, (i) => (x[i]! - y[i]!) ** 2) / x.length
}
