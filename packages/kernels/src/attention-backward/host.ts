import * as g from '../../generated/attention-backward'
import { type AttentionShape, checkAttention, dropoutParams, type SightOptions } from '../attention-forward/host'
import { type BufferLike, bytesIn, checkBuffers, chosen, type HostOptions, type Runtime } from '../host'

export interface AttentionBackwardArgs extends Omit<AttentionShape, 'capacity'>, SightOptions {
  /** [batch, heads, queries, headSize] */
  readonly q: BufferLike
  /** [batch, kvHeads, keys, headSize] */
  readonly k: BufferLike
  /** [batch, kvHeads, keys, headSize] */
  readonly v: BufferLike
  /** [batch, heads, queries, headSize]: what the forward gave */
  readonly out: BufferLike
  /** [batch, heads, queries], f32: likewise */
  readonly lse: BufferLike
  /** [batch, heads, queries, headSize]: the gradient of out */
  readonly dout: BufferLike
  /** Like q, written. */
  readonly dq: BufferLike
  /** Like k, written. */
  readonly dk: BufferLike
  /** Like v, written. */
  readonly dv: BufferLike
  /** As in the forward: the same weights are dropped again. */
  readonly dropout?: { readonly probability: number; readonly seed: number }
  /** Of all but lse. */
  readonly type?: 'f32' | 'f16'
}

/** By whether the head size is a multiple of 4. */
const KERNELS = {
  f32: {
    rows: g.attention_backward_rows,
    dq: [g.attention_backward_dq_any, g.attention_backward_dq],
    dkv: [g.attention_backward_dkv_any, g.attention_backward_dkv],
  },
  f16: {
    rows: g.attention_backward_rows_f16,
    dq: [g.attention_backward_dq_any_f16, g.attention_backward_dq_f16],
    dkv: [g.attention_backward_dkv_any_f16, g.attention_backward_dkv_f16],
  },
} as const

/**
 * The gradients of `attentionForward` without lengths, bias and mask, by q, k and v: three dispatches, f32 throughout, the same bits from run
 * to run. Takes what the forward took, and its `out` and `lse`.
 *
 * @throws RangeError before anything is recorded: sizes that are none, heads that are no multiple of kvHeads, a head size above 256, a buffer
 *   that is too small
 */
export async function attentionBackward(
  runtime: Runtime,
  args: AttentionBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  const what = 'attention_backward'
  const { q, k, v, out, lse, dout, dq, dk, dv, batch, heads, queries, keys, headSize, type = 'f32' } = args
  const { kvHeads, sight } = checkAttention(what, args)
  if (headSize > 256) throw new RangeError(`${what}: headSize must be at most 256, got ${headSize}`)
  const dropped = dropoutParams(what, args.dropout)
  const bytes = bytesIn(type)
  const rows = batch * heads * queries
  const [fromQueries, fromKeys] = [rows * headSize, batch * kvHeads * keys * headSize]
  checkBuffers(what, {
    ...{ q: [q, fromQueries, bytes], k: [k, fromKeys, bytes], v: [v, fromKeys, bytes] },
    ...{ out: [out, fromQueries, bytes], lse: [lse, rows], dout: [dout, fromQueries, bytes] },
    ...{ dq: [dq, fromQueries, bytes], dk: [dk, fromKeys, bytes], dv: [dv, fromKeys, bytes] },
  })
  if (fromQueries === 0 && fromKeys === 0) return

  const kernels = KERNELS[type]
  const form = Number(headSize % 4 === 0) as 0 | 1
  using stats = runtime.buffer({ size: 8 * Math.max(rows, 1) })
  await runtime.run(chosen(kernels.rows, options), { out, dout, lse, stats, rows, head_size: headSize })
  const params = { batch, heads, kv_heads: kvHeads, queries, keys, head_size: headSize, ...sight, ...dropped }
  await runtime.run(chosen(kernels.dq[form], options), { q, k, v, dout, stats, dq, ...params })
  await runtime.run(chosen(kernels.dkv[form], options), { q, k, v, dout, stats, dk, dv, ...params })
}
