import { checkKeys, keysOf } from '../args'
import { LOWEST } from '../attention-flash/lowest'
import { badArgument } from '../errors'
import { expectLength } from '../expect-length'

/** Something that is given for pairs of a query and a key. */
export interface PairView<T> {
  readonly data: ArrayLike<T>
  /** in elements, 0 where it is the same for all; `[queries, keys]` for all heads when left out */
  readonly strides?: readonly [batch: number, head: number, query: number, key: number]
}

/** Which keys a query sees, and what becomes of their scores. */
export interface AttentionSight {
  /** keys that are there, for each batch; `keys` when left out */
  readonly lengths?: ArrayLike<number>
  /** the position of the first query; that at which the last query stands on the last key when left out */
  readonly past?: number
  /** query i, at position i + past, sees the keys j ≤ i + past */
  readonly causal?: boolean
  /** only the last so many keys up to its own position, and none after it */
  readonly window?: number
  /** what the scores are multiplied by; 1 / √headSize when left out */
  readonly scale?: number
  /** scaled scores s become softCap · tanh(s / softCap), before `bias` is added */
  readonly softCap?: number
  /** added to the scores; −3e38 and below hides a key */
  readonly bias?: PairView<number>
  /** 0 hides a key */
  readonly mask?: PairView<number>
  /** which weights stay, of head h = b · heads + head; those that do are multiplied by `keepScale` */
  readonly keep?: (h: number, query: number, key: number) => boolean
  readonly keepScale?: number
}

export interface AttentionSizes {
  readonly batch: number
  /** query heads: a multiple of `kvHeads`, which is all of them when left out */
  readonly heads: number
  readonly kvHeads?: number
  readonly queries: number
  readonly keys: number
  /** rows that k and v have for each head; `keys` when left out */
  readonly capacity?: number
  readonly headSize: number
}

export interface AttentionReferenceArgs extends AttentionSizes, AttentionSight {
  /** `[batch, heads, queries, headSize]` */
  readonly q: ArrayLike<number>
  /** `[batch, kvHeads, capacity, headSize]` */
  readonly k: ArrayLike<number>
  /** `[batch, kvHeads, capacity, headSize]` */
  readonly v: ArrayLike<number>
}

const KEYS = keysOf<AttentionReferenceArgs>({
  q: true,
  k: true,
  v: true,
  batch: true,
  heads: true,
  kvHeads: true,
  queries: true,
  keys: true,
  capacity: true,
  headSize: true,
  lengths: true,
  past: true,
  causal: true,
  window: true,
  scale: true,
  softCap: true,
  bias: true,
  mask: true,
  keep: true,
  keepScale: true,
})
const PAIR_KEYS = keysOf<PairView<number>>({ data: true, strides: true })

/** Refuses keys that no reference of attention reads. */
export function checkAttentionKeys(what: string, args: AttentionReferenceArgs, more: readonly string[] = []): void {
  checkKeys(what, args, [...KEYS, ...more])
  if (args.bias) checkKeys(`${what}: bias`, args.bias, PAIR_KEYS)
  if (args.mask) checkKeys(`${what}: mask`, args.mask, PAIR_KEYS)
}

/** A row of the softmax: of query i of head h = b · heads + head. */
export interface AttentionRow {
  readonly h: number
  /** the head of k and v, over the batch */
  readonly kvHead: number
  readonly i: number
  /** for each key: the weight after the softmax, 0 where it is hidden */
  readonly weights: Float64Array
  /** what dropout multiplies the weight by: 0, or `keepScale` */
  readonly kept: Float64Array
  /** d score / d (scaled product): below 1 where a soft cap bends it */
  readonly slope: Float64Array
  /** the logarithm of the sum of the exponentials of the scores; −3e38 where no key is seen */
  readonly lse: number
}

/**
 * Scaled dot-product attention in float64 with everything that its kernels can do (Vaswani et al., "Attention is all you need", 2017; grouped
 * queries: Ainslie et al., "GQA", 2023): head `h` reads the head `⌊h / (heads / kvHeads)⌋` of keys and values. A query that sees no key (all
 * hidden, or causal with more queries than keys) gives zeros; a hidden key has no influence, whatever its key and value vectors hold.
 *
 * @returns out: `[batch, heads, queries, headSize]`, lse: `[batch, heads, queries]`
 * @throws RangeError when an operand does not fit the sizes, or `heads` is not a multiple of `kvHeads`
 */
export function attentionReference(args: AttentionReferenceArgs): {
  readonly out: Float64Array
  readonly lse: Float64Array
} {
  checkAttentionKeys('attentionReference', args)
  const { batch, heads, queries, headSize, capacity = args.keys, v } = args
  const out = new Float64Array(batch * heads * queries * headSize)
  const lse = new Float64Array(batch * heads * queries)
  for (const row of attentionRows(args)) {
    const at = row.h * queries + row.i
    lse[at] = row.lse
    row.weights.forEach((weight, j) => {
      if (weight * row.kept[j]! === 0) return
      for (let c = 0; c < headSize; c++) {
        out[at * headSize + c]! += weight * row.kept[j]! * v[(row.kvHead * capacity + j) * headSize + c]!
      }
    })
  }
  return { out, lse }
}

/** The rows of the softmax, one after the other. */
export function* attentionRows(args: AttentionReferenceArgs): Generator<AttentionRow> {
  const { batch, heads, kvHeads = heads, queries, keys, capacity = keys, headSize } = args
  expectLength('q', args.q, batch * heads * queries * headSize)
  expectLength('k', args.k, batch * kvHeads * capacity * headSize)
  expectLength('v', args.v, batch * kvHeads * capacity * headSize)
  if (heads > 0 && !Number.isInteger(heads / kvHeads)) {
    throw badArgument(`heads: expected a multiple of kvHeads = ${kvHeads}, got ${heads}`)
  }
  for (let h = 0; h < batch * heads; h++) {
    const kvHead = Math.floor(h / heads) * kvHeads + Math.floor((h % heads) / (heads / kvHeads))
    for (let i = 0; i < queries; i++) yield rowOf(args, h, kvHead, i)
  }
}

function rowOf(args: AttentionReferenceArgs, h: number, kvHead: number, i: number): AttentionRow {
  const { keys, headSize, capacity = keys, q, k, queries, scale = headSize ** -0.5, softCap } = args
  const { keep, keepScale = 1 } = args
  const [scores, slope, kept] = [new Float64Array(keys), new Float64Array(keys), new Float64Array(keys)]
  const bias = sightOf(args, h, i)
  for (let j = 0; j < keys; j++) {
    const added = bias(j)
    scores[j] = -Infinity
    if (added === undefined) continue
    let dot = 0
    for (let c = 0; c < headSize; c++) {
      dot += q[(h * queries + i) * headSize + c]! * k[(kvHead * capacity + j) * headSize + c]!
    }
    const bent = softCap ? Math.tanh((dot * scale) / softCap) : 0
    scores[j] = (softCap ? softCap * bent : dot * scale) + added
    slope[j] = 1 - bent ** 2
    kept[j] = (keep?.(h, i, j) ?? true) ? keepScale : 0
  }
  const top = scores.reduce((a, b) => Math.max(a, b), -Infinity)
  if (top === -Infinity) return { h, kvHead, i, weights: new Float64Array(keys), kept, slope, lse: LOWEST }
  const powers = scores.map((score) => Math.exp(score - top))
  const sum = powers.reduce((a, b) => a + b, 0)
  return { h, kvHead, i, weights: powers.map((x) => x / sum), kept, slope, lse: top + Math.log(sum) }
}

/** What is added to the score of a key; undefined where it is hidden. */
function sightOf(args: AttentionReferenceArgs, h: number, i: number): (j: number) => number | undefined {
  const { heads, queries, keys, lengths, causal = false, window, bias, mask } = args
  const b = Math.floor(h / heads)
  const length = Math.min(lengths?.[b] ?? keys, keys)
  const position = i + (args.past ?? length - queries)
  const at = <T>({ data, strides = [0, 0, keys, 1] }: PairView<T>, j: number): T =>
    data[b * strides[0] + (h % heads) * strides[1] + i * strides[2] + j * strides[3]]!
  return (j) => {
    if (j >= length || ((causal || window !== undefined) && j > position)) return undefined
    if ((window !== undefined && j <= position - window) || (mask && at(mask, j) === 0)) return undefined
    const added = bias ? at(bias, j) : 0
    return added > LOWEST ? added : undefined
  }
}
