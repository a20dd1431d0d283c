import * as g from '../../generated/attention-unfused'
import { argsOf, count, flag, floatType, input, integer, maybe, number, object, output, positive, size } from '../args'
import { type AttentionShape, checkAttention, type SightOptions } from '../attention/host'
import { checkMasks, isMasked, type MaskOptions, maskBindings, PAIR_ARGS } from '../attention/masks-host'
import { type BufferLike, bytesIn, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'
import { matmul } from '../matmul'
import { proven, trialOf } from '../verify'

const trials = () => import('./trial')

export interface AttentionUnfusedArgs extends AttentionShape, SightOptions, Omit<MaskOptions, 'dropout'> {
  /** [batch, heads, queries, headSize] */
  readonly q: BufferLike
  /** [batch, kvHeads, capacity, headSize] */
  readonly k: BufferLike
  /** [batch, kvHeads, capacity, headSize]; rows behind `keys` are not read */
  readonly v: BufferLike
  /** [batch, heads, queries, headSize], written */
  readonly out: BufferLike
  /** [batch, heads, queries, keys], written: 0 where a key is hidden */
  readonly weights: BufferLike
  /** Of all of them: with f16, scores and weights are rounded to it. */
  readonly type?: 'f32' | 'f16'
}

/** Without lengths, bias and mask, and with. */
const WEIGHTS = {
  f32: [g.attention_weights, g.attention_weights_masked],
  f16: [g.attention_weights_f16, g.attention_weights_masked_f16],
} as const
const ATTENTION_UNFUSED_ARGS = argsOf<AttentionUnfusedArgs>({
  q: input,
  k: input,
  v: input,
  out: output,
  weights: output,
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
})

/**
 * Attention by two products with the softmax between them, of any head size, for those who want the weights; `attention` does the same
 * without the memory for them. The heads that share keys lie side by side, so that each group is one product.
 * What `lengths` or a mask hide must be finite, since its weight of 0 is multiplied with it.
 *
 * @throws RangeError before anything is recorded, as `attention` does
 */
export async function attentionUnfused(
  runtime: Runtime,
  args: AttentionUnfusedArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'attentionUnfused', args, ATTENTION_UNFUSED_ARGS, options)
  const what = 'attentionUnfused'
  const { q, k, v, out, weights, batch, heads, queries, keys, headSize, type = 'f32' } = args
  const { kvHeads, capacity, sight } = checkAttention(what, args)
  const bytes = bytesIn(type)
  const rows = batch * heads * queries
  const pairs = batch * kvHeads * capacity * headSize
  checkBuffers(what, {
    ...{ q: [q, rows * headSize, bytes], k: [k, pairs, bytes], v: [v, pairs, bytes] },
    ...{ out: [out, rows * headSize, bytes], weights: [weights, rows * keys, bytes] },
  })
  const masks = checkMasks(what, args)
  if (rows === 0) return
  const group = { batch: batch * kvHeads, m: (heads / kvHeads) * queries, type }
  const cache = (data: BufferLike) => ({ data, batch: capacity * headSize })
  const { scale, ...seen } = sight
  const scores = { ...group, a: q, b: cache(k), c: weights, n: keys, k: headSize, transposeB: true, alpha: scale }
  await matmul(runtime, scores, options)
  if (keys > 0) {
    const { past, causal, window, cap } = seen
    const common = { scores: weights, weights, rows, queries, keys, past, causal, window, cap }
    const masked = isMasked(args)
    const trial = trialOf(runtime, trials, ({ unfusedProblem }) => unfusedProblem(type, masked), attentionUnfused)
    const kernel = await proven(runtime, chosen(WEIGHTS[type][masked ? 1 : 0], options), options, trial)
    if (masked) {
      using given = maskBindings(runtime, args)
      await runtime.run(kernel, { ...common, heads, ...given.bindings, ...masks })
    } else await runtime.run(kernel, common)
  }
  await matmul(runtime, { ...group, a: weights, b: cache(v), c: out, n: headSize, k: keys }, options)
}
