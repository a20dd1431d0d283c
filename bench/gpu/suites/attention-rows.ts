// Single rows of attention and of its gradients in float64, from the formulas of the inputs.

import type { Input } from '../contest'
import { valuesAt } from '../values'

export interface Sizes {
  readonly batch: number
  readonly heads: number
  readonly kvHeads: number
  readonly queries: number
  readonly keys: number
  readonly headSize: number
  readonly causal: boolean
}

/** The rows of an input, one head at a time. */
type Rows = readonly Float64Array[]

function rowsOf(input: Input, head: number, count: number, width: number): Rows {
  const all = valuesAt(input, head * count * width, count * width)
  return Array.from({ length: count }, (_, i) => all.subarray(i * width, (i + 1) * width))
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let c = 0; c < a.length; c++) sum += (a[c] as number) * (b[c] as number)
  return sum
}

function add(to: Float64Array, factor: number, values: Float64Array): void {
  for (let c = 0; c < to.length; c++) to[c] = (to[c] as number) + factor * (values[c] as number)
}

const kvHeadOf = (h: number, { heads, kvHeads }: Sizes): number =>
  Math.floor(h / heads) * kvHeads + Math.floor((h % heads) / (heads / kvHeads))

/** How many keys query i sees. */
const seenBy = (i: number, { queries, keys, causal }: Sizes): number => (causal ? i + keys - queries + 1 : keys)

/** The weights of query i after the softmax. */
function weightsOf(q: Float64Array, k: Rows, seen: number): Float64Array {
  const scores = Float64Array.from({ length: seen }, (_, j) => dot(q, k[j] as Float64Array) / Math.sqrt(q.length))
  const top = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const powers = scores.map((score) => Math.exp(score - top))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((x) => x / sum)
}

type Inputs<N extends string> = Readonly<Record<N, Input>>

/** Row i of head h, over the batch, of the output. */
export function outputRow(inputs: Inputs<'q' | 'k' | 'v'>, sizes: Sizes, h: number, i: number): Float64Array {
  const { queries, keys, headSize } = sizes
  const q = valuesAt(inputs.q, (h * queries + i) * headSize, headSize)
  const [k, v] = [inputs.k, inputs.v].map((input) => rowsOf(input, kvHeadOf(h, sizes), keys, headSize)) as [Rows, Rows]
  const out = new Float64Array(headSize)
  weightsOf(q, k, seenBy(i, sizes)).forEach((weight, j) => {
    add(out, weight, v[j] as Float64Array)
  })
  return out
}

/** The gradients by query `at` and by key `at` of head h, where every head has keys of its own and the same number of tokens. */
export function gradientRows(inputs: Inputs<'q' | 'k' | 'v' | 'dout'>, sizes: Sizes, h: number, at: number) {
  const { keys, queries, headSize } = sizes
  const [q, k, v, dout] = (['q', 'k', 'v', 'dout'] as const).map((name) => rowsOf(inputs[name], h, keys, headSize)) as [
    Rows,
    Rows,
    Rows,
    Rows,
  ]
  const scale = headSize ** -0.5
  const [dq, dk, dv] = [0, 0, 0].map(() => new Float64Array(headSize)) as [Float64Array, Float64Array, Float64Array]
  for (let i = 0; i < queries; i++) {
    const seen = seenBy(i, sizes)
    if (i !== at && at >= seen) continue
    const gradient = dout[i] as Float64Array
    const weights = weightsOf(q[i] as Float64Array, k, seen)
    const slopes = v.slice(0, seen).map((row) => dot(gradient, row))
    const mean = slopes.reduce((sum, slope, j) => sum + slope * (weights[j] as number), 0)
    const ds = (j: number): number => (weights[j] as number) * ((slopes[j] as number) - mean) * scale
    if (i === at) for (let j = 0; j < seen; j++) add(dq, ds(j), k[j] as Float64Array)
    if (at >= seen) continue
    add(dk, ds(at), q[i] as Float64Array)
    add(dv, weights[at] as number, gradient)
  }
  return { dq, dk, dv }
}
