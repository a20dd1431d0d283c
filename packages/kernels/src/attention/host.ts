import { artifact } from '../../generated/attention/attention'
import { argsOf, flag, input, maybe, number, output, size } from '../args'
import { type BufferLike, badArgument, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'

/** Row-major, batch outermost. */
export interface AttentionArgs {
  /** [batch, heads, queries, headSize] */
  readonly q: BufferLike
  /** [batch, kvHeads, keys, headSize] */
  readonly k: BufferLike
  /** [batch, kvHeads, keys, headSize] */
  readonly v: BufferLike
  /** [batch, heads, queries, headSize], written */
  readonly out: BufferLike
  readonly batch: number
  /** Query heads: a multiple of `kvHeads`, which is all of them when left out. */
  readonly heads: number
  readonly kvHeads?: number
  readonly queries: number
  /** All tokens: `keys − queries` of them are the past. */
  readonly keys: number
  /** 64, unless `kernel` is one for another size. */
  readonly headSize: number
  readonly causal?: boolean
  /** What scores are multiplied by; 1 / √headSize when left out. */
  readonly scale?: number
}

/** The head size of the kernel that ships with the package. */
const SHIPPED = 64
const ATTENTION_ARGS = argsOf<AttentionArgs>({
  q: input,
  k: input,
  v: input,
  out: output,
  batch: size,
  heads: size,
  kvHeads: maybe(size),
  queries: size,
  keys: size,
  headSize: size,
  causal: maybe(flag),
  scale: maybe(number),
})

/**
 * out = softmax(scale · q·kᵀ) · v, in f32, for heads of 64, which the kernel that ships is for; a query that sees no key gives zeros.
 * `attentionForward` takes other head sizes, f16, caches, windows and masks, and has the faster kernels.
 */
export async function attention(runtime: Runtime, args: AttentionArgs, options: HostOptions = {}): Promise<void> {
  checkCall('attention', args, ATTENTION_ARGS, options)
  const {
    q,
    k,
    v,
    out,
    batch,
    heads,
    kvHeads = heads,
    queries,
    keys,
    headSize,
    causal = false,
    scale = headSize ** -0.5,
  } = args
  if (heads > 0 && !(kvHeads > 0 && heads % kvHeads === 0)) {
    throw badArgument(`attention: heads must be a multiple of kvHeads = ${kvHeads}, got ${heads}`)
  }
  const kernel = chosen(artifact, options)
  if (kernel === artifact && headSize !== SHIPPED) {
    throw badArgument(
      `attention: headSize must be ${SHIPPED}, which the kernel that ships is for, got ${headSize}`,
      `attentionForward takes other head sizes; or pass { kernel: compile(flashAttention('attention', ${headSize})) }, with compile from '@weft/codegen' and flashAttention from '@weft/kernels/source'`,
    )
  }
  const [rows, pairs] = [batch * heads * queries * headSize, batch * kvHeads * keys * headSize]
  checkBuffers('attention', { q: [q, rows], k: [k, pairs], v: [v, pairs], out: [out, rows] })
  const sizes = { batch, heads, kv_heads: kvHeads, queries, keys, causal: Number(causal), scale }
  if (queries > 0 && batch * heads > 0) await runtime.run(kernel, { q, k, v, out, ...sizes })
}
