import { expectLength } from '../expect-length'

/** Row-major, batch outermost: `q` is `[batch, heads, queries, headSize]`, `k` and `v` `[batch, kvHeads, keys, headSize]`. */
export interface AttentionArgs {
  readonly q: ArrayLike<number>
  readonly k: ArrayLike<number>
  readonly v: ArrayLike<number>
  readonly batch: number
  /** query heads; a multiple of `kvHeads` (grouped-query attention; multi-query with `kvHeads = 1`) */
  readonly heads: number
  readonly kvHeads: number
  /** new tokens */
  readonly queries: number
  /** all tokens: `keys − queries` of them are the past */
  readonly keys: number
  readonly headSize: number
  /** query `i` sees the keys `j ≤ i + keys − queries`, so that the last query sees all of them */
  readonly causal: boolean
  /** what the scores are multiplied by; `1 / √headSize` when left out */
  readonly scale?: number
  /** sliding window: a query sees its own position and the `window − 1` before it, none after it */
  readonly window?: number
  /** `[queries, keys]` for all heads, or `[batch, heads, queries, keys]`; 0 and false hide a key */
  readonly mask?: ArrayLike<number | boolean>
  /** shaped like `mask`, added to the scaled scores; −∞ hides a key */
  readonly bias?: ArrayLike<number>
}

/**
 * Scaled dot-product attention, `softmax(scale · q·kᵀ + bias) · v`, in float64 (Vaswani et al., "Attention is all you
 * need", 2017; grouped queries: Ainslie et al., "GQA", 2023). Head `h` reads the key and value head
 * `⌊h / (heads / kvHeads)⌋`.
 *
 * A query that sees no key (all masked, or causal with more queries than keys) gives a row of zeros. A hidden key has no
 * influence at all, whatever its key and value vectors hold.
 *
 * @returns `[batch, heads, queries, headSize]`
 * @throws RangeError when an operand does not fit the sizes, or `heads` is not a multiple of `kvHeads`
 */
export function attentionReference(args: AttentionArgs): Float64Array {
  const { batch, heads, kvHeads, queries, keys, headSize } = args
  const kvSize = batch * kvHeads * keys * headSize
  expectLength('q', args.q, batch * heads * queries * headSize)
  expectLength('k', args.k, kvSize)
  expectLength('v', args.v, kvSize)
  if (heads > 0 && !Number.isInteger(heads / kvHeads)) {
    throw new RangeError(`heads: expected a multiple of kvHeads = ${kvHeads}, got ${heads}`)
  }
  const mask = perPair('mask', args.mask, args)
  const bias = perPair('bias', args.bias, args)

  const out = new Float64Array(batch * heads * queries * headSize)
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      const kvStart = (b * kvHeads + Math.floor(h / (heads / kvHeads))) * keys * headSize
      for (let i = 0; i < queries; i++) {
        const hidden = (j: number) => outOfSight(args, i, j) || mask(b, h, i, j) === 0 || mask(b, h, i, j) === false
        attendRow(out, ((b * heads + h) * queries + i) * headSize, kvStart, args, (j) =>
          hidden(j) ? -Infinity : Number(bias(b, h, i, j) ?? 0),
        )
      }
    }
  }
  return out
}

/** Writes one row of the output. `offset(j)` is added to the score of key `j`. */
function attendRow(
  out: Float64Array,
  row: number,
  kvStart: number,
  { q, k, v, keys, headSize, scale = 1 / Math.sqrt(headSize) }: AttentionArgs,
  offset: (key: number) => number,
): void {
  const scores = new Float64Array(keys)
  let max = -Infinity
  for (let j = 0; j < keys; j++) {
    const added = offset(j)
    let dot = 0
    for (let c = 0; c < headSize; c++) dot += q[row + c]! * k[kvStart + j * headSize + c]!
    scores[j] = added === -Infinity ? -Infinity : dot * scale + added // a hidden NaN stays hidden
    max = Math.max(max, scores[j]!)
  }
  if (max === -Infinity) return
  let sum = 0
  for (let j = 0; j < keys; j++) {
    if (scores[j] === -Infinity) continue
    const weight = Math.exp(scores[j]! - max)
    sum += weight
    for (let c = 0; c < headSize; c++) out[row + c]! += weight * v[kvStart + j * headSize + c]!
  }
  for (let c = 0; c < headSize; c++) out[row + c]! /= sum
}

/** Whether causality or the window hides key `key` from query `query`. */
function outOfSight({ queries, keys, causal, window }: AttentionArgs, query: number, key: number): boolean {
  const position = query + keys - queries
  if ((causal || window !== undefined) && key > position) return true
  return window !== undefined && key <= position - window
}

/** Reads an optional array that is given once for all heads or for each of them. */
function perPair<T>(name: string, array: ArrayLike<T> | undefined, { batch, heads, queries, keys }: AttentionArgs) {
  if (array === undefined) return () => undefined
  const shared = array.length === queries * keys
  if (!shared) expectLength(name, array, batch * heads * queries * keys)
  return (b: number, h: number, i: number, j: number): T | undefined =>
    array[((shared ? 0 : b * heads + h) * queries + i) * keys + j]
}
