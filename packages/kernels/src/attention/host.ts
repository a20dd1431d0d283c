import { argsOf, count, flag, floatType, input, integer, maybe, number, object, output, positive, size } from '../args'
import {
  atHand,
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import { passes, trialOf } from '../verify'
import { chooseAttention, chooseFastForward } from './choose'
import {
  checkMasks,
  DROPOUT_ARGS,
  dropoutParams,
  isMasked,
  type MaskOptions,
  maskBindings,
  PAIR_ARGS,
} from './masks-host'
import { NO_WINDOW } from './window'

const trials = () => import('./trial')

export interface AttentionShape {
  readonly batch: number
  /** Query heads: a multiple of `kvHeads`, which is all of them when left out. */
  readonly heads: number
  readonly kvHeads?: number
  readonly queries: number
  readonly keys: number
  /** Rows that k and v have for each head, as in a cache that is not full; `keys` when left out. */
  readonly capacity?: number
  readonly headSize: number
}

export interface SightOptions {
  /** The position of the first query; `keys − queries` when left out, so that the last query stands on the last key. Below 0, the first ones see nothing by `causal`. */
  readonly past?: number
  /** A query sees no key after its own position. */
  readonly causal?: boolean
  /** It sees only the last so many keys up to its own position, and none after it. */
  readonly window?: number
  /** What scores are multiplied by; 1 / √headSize when left out. */
  readonly scale?: number
  /** Scaled scores s become softCap · tanh(s / softCap). */
  readonly softCap?: number
}

export interface AttentionArgs extends AttentionShape, SightOptions, MaskOptions {
  /** [batch, heads, queries, headSize] */
  readonly q: BufferLike
  /** [batch, kvHeads, capacity, headSize] */
  readonly k: BufferLike
  /** [batch, kvHeads, capacity, headSize] */
  readonly v: BufferLike
  /** [batch, heads, queries, headSize], written */
  readonly out: BufferLike
  /**
   * [batch, heads, queries], f32, written: the logarithms of the rows' sums, which the backward needs; −3e38 for a query that sees no key, a
   * number where the logarithm of 0 is −∞, since not every device counts with that.
   */
  readonly lse?: BufferLike
  /** Of q, k, v and out. */
  readonly type?: 'f32' | 'f16'
}

const ATTENTION_ARGS = argsOf<AttentionArgs>({
  q: input,
  k: input,
  v: input,
  out: output,
  lse: maybe(output),
  type: floatType,
  batch: size,
  heads: size,
  kvHeads: maybe(size),
  queries: size,
  keys: size,
  capacity: maybe(size),
  headSize: size,
  past: maybe(integer),
  causal: maybe(flag),
  window: maybe(count),
  scale: maybe(number),
  softCap: maybe(positive),
  lengths: maybe(input),
  bias: maybe(object(PAIR_ARGS)),
  mask: maybe(object(PAIR_ARGS)),
  dropout: maybe(object(DROPOUT_ARGS)),
})

/**
 * out = softmax(scale · q·kᵀ + …) · v by flash attention, f32 throughout; see the args for what it can mask. A query that sees no key
 * gives zeros, and an lse of −3e38. With f16, weights are rounded to f16 where the device has subgroup matrices: an output is off by up to 2⁻¹¹ of the greatest value.
 *
 * @throws RangeError before anything is recorded: sizes that are none, heads that are no multiple of kvHeads, keys over the capacity, a
 *   head size that no kernel ships for, a buffer that is too small
 */
export async function attention(runtime: Runtime, args: AttentionArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'attention', args, ATTENTION_ARGS, options)
  const what = 'attention'
  const { q, k, v, out, batch, heads, queries, keys, headSize, type = 'f32' } = args
  const { kvHeads, capacity, sight } = checkAttention(what, args)
  const masked = isMasked(args) || args.dropout !== undefined
  const artifact = chooseAttention(headSize, masked, type)
  const kernel = options.kernel ?? (artifact && chosen(artifact, options))
  if (kernel === undefined) {
    throw badArgument(
      `${what}: kernels ship for head sizes that are multiples of 4 up to 256, got ${headSize}; pass { kernel: compile(attentionForwardOf(name, { headSize: ${headSize}, exact: true, … })) }, with compile from '@weft/codegen' and attentionForwardOf from '@weft/kernels/source'`,
    )
  }
  const bytes = bytesIn(type)
  const [rows, pairs] = [batch * heads * queries, batch * kvHeads * capacity]
  checkBuffers(what, {
    q: [q, rows * headSize, bytes],
    k: [k, pairs * headSize, bytes],
    v: [v, pairs * headSize, bytes],
    out: [out, rows * headSize, bytes],
    ...(args.lse ? { lse: [args.lse, rows] } : {}),
  })
  const masks = checkMasks(what, args)
  const dropped = dropoutParams(args.dropout)
  if (rows === 0 || (headSize === 0 && !args.lse)) return

  using scratch = args.lse ? null : runtime.buffer({ size: 4 * rows })
  const sizes = { batch, heads, kv_heads: kvHeads, queries, keys, capacity }
  const common = { q, k, v, out, lse: args.lse ?? (scratch as BufferLike), ...sizes }
  const plain = !masked && isPlain(sight)
  const suited = chooseFastForward({ headSize, type, plain, rows, keys }, runtime.info)
  const fast = options.kernel ? undefined : atHand(suited, runtime, options)
  const chosenFast = fast && chosen(fast, options)
  const trial = trialOf(runtime, trials, ({ attentionProblem }) => attentionProblem(headSize, type), attention)
  if (chosenFast && (await passes(runtime, chosenFast, options, trial))) {
    const { past, causal, scale } = sight
    await runtime.run(chosenFast, { ...common, past, causal, scale })
    return
  }
  const all = { ...common, head_size: headSize, ...sight }
  if (!masked) {
    await runtime.run(kernel, all)
    return
  }
  using given = maskBindings(runtime, args)
  await runtime.run(kernel, { ...all, ...given.bindings, ...masks, ...dropped })
}

/** Whether scores are only scaled, and keys hidden only from queries before them: what the fast kernels can do. */
export const isPlain = ({ window, cap, scale }: ReturnType<typeof checkAttention>['sight']): boolean =>
  window === NO_WINDOW && cap === 0 && scale > 0

/** The checks of sizes that all attention functions share, and the params of what queries see. */
export function checkAttention(what: string, args: AttentionShape & SightOptions) {
  const { heads, kvHeads = heads, queries, keys, capacity = keys, headSize } = args
  const { past = keys - queries, causal = false, window, scale = headSize === 0 ? 1 : headSize ** -0.5, softCap } = args
  if (heads > 0 && !(kvHeads > 0 && heads % kvHeads === 0)) {
    throw badArgument(`${what}: heads must be a multiple of kvHeads = ${kvHeads}, got ${heads}`)
  }
  if (keys > capacity) throw badArgument(`${what}: keys must be at most capacity = ${capacity}, got ${keys}`)
  const most = Math.max(keys, queries + Math.max(past, 0))
  if (most >= NO_WINDOW) throw badArgument(`${what}: positions must be below ${NO_WINDOW}, got ${most}`)
  if (past <= -NO_WINDOW) throw badArgument(`${what}: past must be above ${-NO_WINDOW}, got ${past}`)
  const sight = {
    past,
    causal: Number(causal || window !== undefined),
    window: Math.min(window ?? NO_WINDOW, NO_WINDOW),
    scale,
    cap: softCap ?? 0,
  }
  return { kvHeads, capacity, sight }
}
