import type { AttentionShape } from '../attention/host'
import type { MaskOptions, PairInput } from '../attention/masks-host'
import { LOWEST } from '../attention-flash/lowest'
import { where } from '../elementwise/artifacts'
import { runElementwise } from '../elementwise/host'
import type { BufferLike, HostOptions, Runtime } from '../host'

type Strides = NonNullable<PairInput['strides']>

/** A bias as the kernels take it, and what was made for it, to be freed when they are recorded. */
export interface HidingBias {
  readonly bias: BufferLike
  readonly strides: readonly number[]
  readonly made: Disposable | null
}

/**
 * The bias of the pairs, with the mask in it: −3e38 where that is 0. Without a mask it is the bias that is given, without both a 0 for all.
 * What is made has the axes that mask or bias have, and one element along the others.
 */
export async function hidingBias(
  runtime: Runtime,
  { batch, heads, queries, keys, bias, mask }: AttentionShape & Pick<MaskOptions, 'bias' | 'mask'>,
  strides: { readonly bias: Strides; readonly mask: Strides },
  { kernels }: HostOptions,
): Promise<HidingBias> {
  if (!mask && bias) return { bias: bias.data, strides: strides.bias, made: null }
  if (!mask) {
    const zero = runtime.buffer(Float32Array.of(0))
    return { bias: zero, strides: [0, 0, 0, 0], made: zero }
  }
  const shape = [batch, heads, queries, keys].map((extent, axis) =>
    strides.bias[axis] || strides.mask[axis] ? extent : 1,
  )
  const sizeFrom = (axis: number): number => shape.slice(axis).reduce((product, extent) => product * extent, 1)
  using zero = runtime.buffer(Float32Array.of(0))
  using lowest = runtime.buffer(Float32Array.of(LOWEST))
  const made = runtime.buffer({ size: 4 * Math.max(sizeFrom(0), 1) })
  const one = { shape: [1], strides: [0] }
  const inputs = [
    { data: mask.data, shape, strides: strides.mask },
    bias ? { data: bias.data, shape, strides: strides.bias } : { data: zero, ...one },
    { data: lowest, ...one },
  ]
  await runElementwise(runtime, where, { inputs, out: made, shape }, kernels ? { kernels } : {})
  return { bias: made, strides: shape.map((extent, axis) => (extent > 1 ? sizeFrom(axis + 1) : 0)), made }
}
