import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/decode'
import { argsOf, count, floatType, input, maybe, number, output, positive, size } from '../args'
import { checkAttention, type SightOptions } from '../attention/host'
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
import { passes, proven, type TrialOf, trialOf } from '../verify'
import { chooseDecodeSplits, chooseDecodeStream, STREAM_HEADS } from './choose'

const trials = () => import('./trial')

export interface AttentionDecodeArgs extends Pick<SightOptions, 'window' | 'scale' | 'softCap'> {
  /** [batch, heads, headSize] */
  readonly q: BufferLike
  /** [batch, kvHeads, capacity, headSize] */
  readonly k: BufferLike
  /** [batch, kvHeads, capacity, headSize] */
  readonly v: BufferLike
  /** [batch, heads, headSize], written */
  readonly out: BufferLike
  readonly batch: number
  /** Query heads: a multiple of `kvHeads`, which is all of them when left out. */
  readonly heads: number
  readonly kvHeads?: number
  /** Keys in the cache, that of the query among them; with `lengths` at most so many. */
  readonly keys: number
  /** [batch], u32: the keys of each batch. */
  readonly lengths?: BufferLike
  readonly capacity?: number
  /** A multiple of 4, at most 256. */
  readonly headSize: number
  /** Into how many parts the keys go; chosen by the sizes when left out. */
  readonly splits?: number
  /** Of q and out. */
  readonly type?: 'f32' | 'f16'
  /** Of k and v; that of q when left out. f32 goes with both, f16 with f16 only. */
  readonly cacheType?: 'f32' | 'f16'
}

const SPLITS = {
  f32: {
    f32: [g.decode_split, g.decode_split_lengths],
    f16: [g.decode_split_f16_cache, g.decode_split_lengths_f16_cache],
  },
  f16: { f32: null, f16: [g.decode_split_f16, g.decode_split_lengths_f16] },
} as const
const ATTENTION_DECODE_ARGS = argsOf<AttentionDecodeArgs>({
  q: input,
  k: input,
  v: input,
  out: output,
  batch: size,
  heads: size,
  kvHeads: maybe(size),
  keys: size,
  lengths: maybe(input),
  capacity: maybe(size),
  headSize: size,
  splits: maybe(count),
  type: floatType,
  cacheType: floatType,
  window: maybe(count),
  scale: maybe(number),
  softCap: maybe(positive),
})

/**
 * Attention of one query for each head over a cache, the step of a decode loop: the query stands behind all keys and sees them, or
 * the last `window` of them. Two dispatches; a row without keys gives zeros.
 *
 * @throws RangeError before anything is recorded: sizes that are none, heads that are no multiple of kvHeads, keys over the capacity, a
 *   head size that is no multiple of 4 or above 256, a buffer that is too small
 */
export async function attentionDecode(
  runtime: Runtime,
  args: AttentionDecodeArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'attentionDecode', args, ATTENTION_DECODE_ARGS, options)
  const what = 'attentionDecode'
  const { q, k, v, out, batch, heads, keys, lengths, headSize, type = 'f32', cacheType = type } = args
  const { kvHeads, capacity, sight } = checkAttention(what, { ...args, queries: 1 })
  if (headSize % 4 !== 0 || headSize > 256) {
    throw badArgument(
      `${what}: headSize must be a multiple of 4 up to 256, got ${headSize}; attentionUnfused with queries: 1 takes others`,
    )
  }
  const kernels = SPLITS[type][cacheType]
  if (!kernels) throw badArgument(`${what}: cacheType must be f16 where type is f16, got ${cacheType}`)
  const rows = batch * heads
  const capped = sight.cap !== 0
  const [bytes, cacheBytes] = [type, cacheType].map(bytesIn) as [number, number]
  checkBuffers(what, {
    q: [q, rows * headSize, bytes],
    k: [k, batch * kvHeads * capacity * headSize, cacheBytes],
    v: [v, batch * kvHeads * capacity * headSize, cacheBytes],
    out: [out, rows * headSize, bytes],
    ...(lengths ? { lengths: [lengths, batch] } : {}),
  })
  if (rows === 0 || headSize === 0) return

  const suited = chooseDecodeStream({ headSize, type, cacheType, capped }, runtime.info)
  const trial = trialOf(
    runtime,
    trials,
    ({ decodeProblem }) => decodeProblem(headSize, type, cacheType, { lengths: lengths !== undefined, capped }),
    attentionDecode,
  )
  const stream = await streamOf(runtime, suited, options, trial)
  const blocks = stream && batch * kvHeads * Math.ceil(heads / Math.max(kvHeads, 1) / STREAM_HEADS)
  const { splits = chooseDecodeSplits(blocks ?? rows, keys) } = args
  using partial = runtime.buffer({ size: 4 * rows * splits * headSize })
  using stats = runtime.buffer({ size: 8 * rows * splits })
  const { window, scale, cap } = sight
  const shape = { batch, heads, kv_heads: kvHeads, keys, capacity, splits, window, scale }
  if (stream) {
    // one number of keys for all where there is none for each batch
    using all = lengths ? null : runtime.buffer(Uint32Array.of(keys))
    const counts = { lengths: lengths ?? (all as BufferLike), lengths_stride: Number(lengths !== undefined) }
    await runtime.run(stream, { q, k, v, partial, stats, ...counts, ...shape })
  } else {
    await runtime.run(await proven(runtime, chosen(kernels[lengths ? 1 : 0], options), options, trial), {
      ...{ q, k, v, partial, stats, ...(lengths ? { lengths } : {}) },
      ...{ ...shape, head_size: headSize, cap },
    })
  }
  const combine = chosen(type === 'f16' ? g.decode_combine_f16 : g.decode_combine, options)
  await runtime.run(await proven(runtime, combine, options, trial), {
    partial,
    stats,
    out,
    rows,
    splits,
    head_size: headSize,
  })
}

/** The kernel for several heads at once, where there is one; with `verify`, one that is right. */
async function streamOf(
  runtime: Runtime,
  suited: CompiledKernel | undefined,
  options: HostOptions,
  trial: TrialOf,
): Promise<CompiledKernel | undefined> {
  const own = atHand(suited, runtime, options)
  const kernel = own && chosen(own, options)
  return kernel && (await passes(runtime, kernel, options, trial)) ? kernel : undefined
}
