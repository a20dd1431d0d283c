import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/attention-backward'
import { argsOf, count, flag, floatType, input, integer, maybe, number, object, output, positive, size } from '../args'
import { type AttentionShape, checkAttention, isPlain, type SightOptions } from '../attention/host'
import { checkMasks, DROPOUT_ARGS, dropoutParams, isMasked, type MaskOptions, PAIR_ARGS } from '../attention/masks-host'
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
import { passes, proven, trialOf } from '../verify'
import { type BackwardForm, chooseFastBackward, type FastBackward } from './choose'
import { biasParts, checkDbias } from './dbias-host'
import { hidingBias } from './hiding-bias'

const trials = () => import('./trial')

export interface AttentionBackwardArgs extends Omit<AttentionShape, 'capacity'>, SightOptions, MaskOptions {
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
  /**
   * Written: the gradient of the bias, f32, which lies as `bias.data` does; summed along the axes where the stride of that is 0. Along the others
   * no two pairs may share an element.
   */
  readonly dbias?: BufferLike
  /** Of all but lse, bias and dbias. */
  readonly type?: 'f32' | 'f16'
}

/** Without lengths, bias and mask, and with; dq and dkv by whether the head size is a multiple of 4. */
const KERNELS = {
  f32: [
    {
      rows: g.attention_backward_rows,
      dq: [g.attention_backward_dq_any, g.attention_backward_dq],
      dkv: [g.attention_backward_dkv_any, g.attention_backward_dkv],
    },
    {
      rows: g.attention_backward_masked_rows,
      dq: [g.attention_backward_masked_dq_any, g.attention_backward_masked_dq],
      dkv: [g.attention_backward_masked_dkv_any, g.attention_backward_masked_dkv],
    },
  ],
  f16: [
    {
      rows: g.attention_backward_rows_f16,
      dq: [g.attention_backward_dq_any_f16, g.attention_backward_dq_f16],
      dkv: [g.attention_backward_dkv_any_f16, g.attention_backward_dkv_f16],
    },
    {
      rows: g.attention_backward_masked_rows_f16,
      dq: [g.attention_backward_masked_dq_any_f16, g.attention_backward_masked_dq_f16],
      dkv: [g.attention_backward_masked_dkv_any_f16, g.attention_backward_masked_dkv_f16],
    },
  ],
} as const
const DBIAS = {
  f32: [g.attention_backward_dbias_any, g.attention_backward_dbias],
  f16: [g.attention_backward_dbias_any_f16, g.attention_backward_dbias_f16],
} as const
const ATTENTION_BACKWARD_ARGS = argsOf<AttentionBackwardArgs>({
  q: input,
  k: input,
  v: input,
  out: input,
  lse: input,
  dout: input,
  dq: output,
  dk: output,
  dv: output,
  dbias: maybe(output),
  type: floatType,
  batch: size,
  heads: size,
  kvHeads: maybe(size),
  queries: size,
  keys: size,
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
 * The gradients of `attention` by q, k and v, and where it is asked for by the bias: three dispatches or four, f32 throughout, the same
 * bits from run to run. Takes what the forward took, and its `out` and `lse`. A mask is made a bias first: one more dispatch, and memory for it
 * (with a bias, for all axes of both). With f16, weights and their gradients are rounded to f16 where the device has subgroup matrices, the
 * latter to 2⁻²⁸ of the greatest |dout|.
 *
 * @throws RangeError before anything is recorded: sizes that are none, heads that are no multiple of kvHeads, a head size above 256, a buffer
 *   that is too small
 */
export async function attentionBackward(
  runtime: Runtime,
  args: AttentionBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'attentionBackward', args, ATTENTION_BACKWARD_ARGS, options)
  const what = 'attentionBackward'
  const { q, k, v, out, lse, dout, dq, dk, dv, batch, heads, queries, keys, headSize, type = 'f32' } = args
  const { kvHeads, sight } = checkAttention(what, args)
  if (headSize > 256) throw badArgument(`${what}: headSize must be at most 256, got ${headSize}`)
  const dropped = dropoutParams(args.dropout)
  const bytes = bytesIn(type)
  const rows = batch * heads * queries
  const [fromQueries, fromKeys] = [rows * headSize, batch * kvHeads * keys * headSize]
  checkBuffers(what, {
    ...{ q: [q, fromQueries, bytes], k: [k, fromKeys, bytes], v: [v, fromKeys, bytes] },
    ...{ out: [out, fromQueries, bytes], lse: [lse, rows], dout: [dout, fromQueries, bytes] },
    ...{ dq: [dq, fromQueries, bytes], dk: [dk, fromKeys, bytes], dv: [dv, fromKeys, bytes] },
  })
  const { lengths_stride, from_end, bias_strides, mask_strides } = checkMasks(what, args)
  if (args.dbias) checkDbias(what, args, args.dbias, bias_strides)
  if (fromQueries === 0 && fromKeys === 0 && !args.dbias) return

  const masked = isMasked(args)
  const plain = !masked && args.dropout === undefined && isPlain(sight)
  const fast = await fastKernels(runtime, { headSize, type, plain, queries, keys }, options)
  const sizes = { batch, heads, kv_heads: kvHeads, queries, keys }
  if (fast) {
    await runFast(runtime, args, fast, { ...sizes, ...sight, rows })
    return
  }
  const params = { ...sizes, head_size: headSize, ...sight, ...dropped }
  const masks = masked ? { lengths_stride, from_end, bias_strides, mask_strides } : null
  await runPortable(runtime, args, { ...params, rows }, masks, options)
}

/** The kernels on what the device has more than others, where there are some for the problem; with `verify`, those that are right. */
async function fastKernels(
  runtime: Runtime,
  form: BackwardForm,
  options: HostOptions,
): Promise<FastBackward | undefined> {
  const suited = chooseFastBackward(form, runtime.info)
  if (!suited) return undefined
  const { headSize, type } = form
  const all = [suited.dq, suited.dkv, suited.rows]
  if (!all.every((kernel) => atHand(kernel, runtime, options))) return undefined
  const [dq, dkv, rows] = all.map((kernel) => chosen(kernel, options)) as [
    CompiledKernel,
    CompiledKernel,
    CompiledKernel,
  ]
  // each by what it writes; the rows last, by all
  for (const [kernel, judged] of [
    [dq, ['dq']],
    [dkv, ['dk', 'dv']],
    [rows, ['dq', 'dk', 'dv']],
  ] as const) {
    const trial = trialOf(
      runtime,
      trials,
      ({ backwardProblem }) => backwardProblem(headSize, type, { large: true, judged }),
      attentionBackward,
    )
    if (!(await passes(runtime, kernel, options, trial, { beside: all }))) return undefined
  }
  return { rows, dq, dkv }
}

type Params = Readonly<
  Record<'batch' | 'heads' | 'kv_heads' | 'queries' | 'keys' | 'past' | 'causal' | 'scale' | 'rows', number>
>

async function runFast(
  runtime: Runtime,
  { q, k, v, out, lse, dout, dq, dk, dv }: AttentionBackwardArgs,
  fast: FastBackward,
  { batch, heads, kv_heads, queries, keys, past, causal, scale, rows }: Params,
): Promise<void> {
  using stats = runtime.buffer({ size: 8 * rows })
  using largest = runtime.buffer(Uint32Array.of(0))
  const common = {
    ...{ q, k, v, dout, stats, largest },
    ...{ batch, heads, kv_heads, queries, keys, past, causal, scale },
  }
  await runtime.run(fast.rows, { out, dout, lse, stats, largest, rows })
  await runtime.run(fast.dq, { ...common, dq })
  await runtime.run(fast.dkv, { ...common, dk, dv })
}

type Masks = ReturnType<typeof checkMasks>

async function runPortable(
  runtime: Runtime,
  args: AttentionBackwardArgs,
  { rows, ...params }: Params & { readonly head_size: number },
  masks: Masks | null,
  options: HostOptions,
): Promise<void> {
  const { q, k, v, out, lse, dout, dq, dk, dv, dbias, type = 'f32' } = args
  const { heads, queries, keys, past, head_size } = params
  const kernels = KERNELS[type][masks ? 1 : 0]
  const form = head_size % 4 === 0 ? 1 : 0
  const trial = trialOf(
    runtime,
    trials,
    ({ backwardProblem }) => backwardProblem(head_size, type, { masked: masks !== null }),
    attentionBackward,
  )
  const ofRows = await proven(runtime, chosen(kernels.rows, options), options, trial)
  using stats = runtime.buffer({ size: (masks ? 16 : 8) * Math.max(rows, 1) })
  const perRow = { out, dout, lse, stats, rows, head_size }
  const perPair = { q, k, v, dout, stats, ...params }
  if (!masks) {
    await runtime.run(ofRows, perRow)
    await runtime.run(chosen(kernels.dq[form], options), { ...perPair, dq })
    await runtime.run(chosen(kernels.dkv[form], options), { ...perPair, dk, dv })
    return
  }
  const { lengths_stride, from_end, bias_strides, mask_strides } = masks
  using all = args.lengths ? null : runtime.buffer(Uint32Array.of(keys))
  await runtime.run(ofRows, {
    ...{ ...perRow, heads, queries, keys, past, lengths_stride, from_end },
    lengths: args.lengths ?? (all as BufferLike),
  })
  const hiding = await hidingBias(runtime, args, { bias: bias_strides, mask: mask_strides }, options)
  using _ = hiding.made
  const biased = { ...perPair, bias: hiding.bias, bias_strides: hiding.strides }
  await runtime.run(chosen(kernels.dq[form], options), { ...biased, dq })
  await runtime.run(chosen(kernels.dkv[form], options), { ...biased, dk, dv })
  if (dbias) {
    const own = { dbias, dbias_strides: bias_strides, ...biasParts(args, bias_strides) }
    await runtime.run(chosen(DBIAS[type][form], options), { ...biased, ...own })
  }
}
