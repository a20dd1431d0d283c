import { type BufferLike, bytesIn, checkBuffers, checkSizes, chosen, type HostOptions, type Runtime } from '../host'
import { dropThreshold } from '../parts/random'
import { chooseAttentionForward } from './choose'
import { NO_WINDOW } from './window'

/** A buffer that is given for pairs of a query and a key. */
export interface PairInput {
  readonly data: BufferLike
  /** In elements, 0 where it is the same for all; [queries, keys] for all heads when left out. */
  readonly strides?: readonly [batch: number, head: number, query: number, key: number]
}

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
  /** The position of the first query; `keys − queries` when left out, so that the last query stands on the last key. */
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

/** What hides keys by batch or by pair, and drops weights. */
export interface MaskOptions {
  /** [batch], u32: keys that are there. Where `past` is left out, the last query stands on the last of them. */
  readonly lengths?: BufferLike
  /** f32, added to the scores; −3e38 and less hides a key. */
  readonly bias?: PairInput
  /** u32: 0 hides a key. */
  readonly mask?: PairInput
  /** Weights are dropped with this probability; the others are multiplied by 1 / (1 − probability). */
  readonly dropout?: { readonly probability: number; readonly seed: number }
}

export interface AttentionForwardArgs extends AttentionShape, SightOptions, MaskOptions {
  /** [batch, heads, queries, headSize] */
  readonly q: BufferLike
  /** [batch, kvHeads, capacity, headSize] */
  readonly k: BufferLike
  /** [batch, kvHeads, capacity, headSize] */
  readonly v: BufferLike
  /** [batch, heads, queries, headSize], written */
  readonly out: BufferLike
  /** [batch, heads, queries], f32, written: the logarithms of the rows' sums, which the backward needs. */
  readonly lse?: BufferLike
  /** Of q, k, v and out. */
  readonly type?: 'f32' | 'f16'
}

/**
 * out = softmax(scale · q·kᵀ + …) · v by flash attention, f32 throughout; see the args for what it can mask. A query that sees no key
 * gives zeros.
 *
 * @throws RangeError before anything is recorded: sizes that are none, heads that are no multiple of kvHeads, keys over the capacity, a
 *   head size that no kernel ships for, a buffer that is too small
 */
export async function attentionForward(
  runtime: Runtime,
  args: AttentionForwardArgs,
  options: HostOptions = {},
): Promise<void> {
  const what = 'attention_forward'
  const { q, k, v, out, batch, heads, queries, keys, headSize, type = 'f32' } = args
  const { kvHeads, capacity, sight } = checkAttention(what, args)
  const { lengths, bias, mask, dropout } = args
  const masked = [lengths, bias, mask, dropout].some((given) => given !== undefined)
  const artifact = chooseAttentionForward(headSize, masked, type)
  const kernel = options.kernel ?? (artifact && chosen(artifact, options))
  if (kernel === undefined) {
    throw new RangeError(
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
    ...(lengths ? { lengths: [lengths, batch] } : {}),
  })
  const views = { bias: pairView(what, 'bias', bias, args), mask: pairView(what, 'mask', mask, args) }
  const dropped = dropoutParams(what, dropout)
  if (rows === 0 || headSize === 0) return

  using scratch = args.lse ? null : runtime.buffer({ size: 4 * rows })
  const params = { batch, heads, kv_heads: kvHeads, queries, keys, capacity, head_size: headSize, ...sight }
  const common = { q, k, v, out, lse: args.lse ?? (scratch as BufferLike), ...params }
  if (!masked) {
    await runtime.run(kernel, common)
    return
  }
  // What is not given is one element for all: all keys, no bias, nothing masked.
  using all = lengths ? null : runtime.buffer(Uint32Array.of(keys))
  using zero = bias ? null : runtime.buffer(Float32Array.of(0))
  using one = mask ? null : runtime.buffer(Uint32Array.of(1))
  await runtime.run(kernel, {
    ...common,
    lengths: lengths ?? (all as BufferLike),
    bias: bias?.data ?? (zero as BufferLike),
    mask: mask?.data ?? (one as BufferLike),
    lengths_stride: Number(lengths !== undefined),
    from_end: Number(lengths !== undefined && args.past === undefined),
    bias_strides: views.bias,
    mask_strides: views.mask,
    ...dropped,
  })
}

/** The checks of sizes that all attention functions share, and the params of what queries see. */
export function checkAttention(what: string, args: AttentionShape & SightOptions) {
  const { batch, heads, kvHeads = heads, queries, keys, capacity = keys, headSize } = args
  const { past = keys - queries, causal = false, window, scale = headSize ** -0.5, softCap } = args
  checkSizes(what, { batch, heads, kvHeads, queries, keys, capacity, headSize })
  if (heads > 0 && !(kvHeads > 0 && heads % kvHeads === 0)) {
    throw new RangeError(`${what}: heads must be a multiple of kvHeads = ${kvHeads}, got ${heads}`)
  }
  if (keys > capacity) throw new RangeError(`${what}: keys must be at most capacity = ${capacity}, got ${keys}`)
  if (args.past !== undefined) checkSizes(what, { past })
  if (window !== undefined && !(Number.isSafeInteger(window) && window > 0)) {
    throw new RangeError(`${what}: window must be an integer from 1 on, got ${window}`)
  }
  if (softCap !== undefined && !(softCap > 0)) throw new RangeError(`${what}: softCap must be above 0, got ${softCap}`)
  const most = Math.max(keys, queries + Math.max(past, 0))
  if (most >= NO_WINDOW) throw new RangeError(`${what}: positions must be below ${NO_WINDOW}, got ${most}`)
  const sight = {
    past,
    causal: Number(causal || window !== undefined),
    window: Math.min(window ?? NO_WINDOW, NO_WINDOW),
    scale,
    cap: softCap ?? 0,
  }
  return { kvHeads, capacity, sight }
}

/** The strides of what is given for pairs, after a check that the buffer holds what they reach. */
export function pairView(
  what: string,
  name: string,
  input: PairInput | undefined,
  args: AttentionShape,
): NonNullable<PairInput['strides']> {
  const { batch, heads, queries, keys } = args
  if (input === undefined) return [0, 0, 0, 0]
  const { data, strides = [0, 0, keys, 1] } = input
  const extents = [batch, heads, queries, keys]
  checkSizes(what, Object.fromEntries(strides.map((stride, axis) => [`${name}.strides[${axis}]`, stride])))
  const empty = extents.includes(0)
  const reach = strides.reduce((sum, stride, axis) => sum + stride * (extents[axis]! - 1), 1)
  checkBuffers(what, { [name]: [data, empty ? 0 : reach] })
  return strides
}

/** Which weights a dropout drops, as params. */
export function dropoutParams(what: string, dropout: MaskOptions['dropout']) {
  const { probability, seed } = dropout ?? { probability: 0, seed: 0 }
  if (!(probability >= 0 && probability < 1)) {
    throw new RangeError(`${what}: dropout.probability must be from 0 to below 1, got ${probability}`)
  }
  if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)) {
    throw new RangeError(`${what}: dropout.seed must be a u32, got ${seed}`)
  }
  return { seed, threshold: dropThreshold(probability), keep_scale: 1 / (1 - probability) }
}
