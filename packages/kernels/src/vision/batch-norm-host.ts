import * as g from '../../generated/vision'
import { argsOf, floatType, input, maybe, notNegative, outputOver, size } from '../args'
import { type BufferLike, bytesIn, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'
import type { VisionType } from './window-host'

export interface BatchNormArgs {
  /** [items, channels, places] */
  readonly x: BufferLike
  /** [channels], f32, and so the next three */
  readonly mean: BufferLike
  readonly variance: BufferLike
  readonly weight: BufferLike
  readonly bias: BufferLike
  /** Written; may be x. */
  readonly y: BufferLike
  readonly items: number
  readonly channels: number
  readonly places: number
  readonly eps?: number
  readonly type?: VisionType
}

const BATCH_NORM_ARGS = argsOf<BatchNormArgs>({
  x: input,
  mean: input,
  variance: input,
  weight: input,
  bias: input,
  y: outputOver('x'),
  items: size,
  channels: size,
  places: size,
  eps: maybe(notNegative),
  type: floatType,
})

/** y = (x − mean[c]) / √(variance[c] + eps) · weight[c] + bias[c], with the statistics of the training. */
export async function batchNorm(runtime: Runtime, args: BatchNormArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'batchNorm', args, BATCH_NORM_ARGS, options)
  const { x, mean, variance, weight, bias, y, items, channels, places, eps = 1e-5, type = 'f32' } = args
  const n = items * channels * places
  const each = Object.entries({ mean, variance, weight, bias }).map(
    ([name, buffer]) => [name, [buffer, channels]] as const,
  )
  checkBuffers('batchNorm', { x: [x, n, bytesIn(type)], ...Object.fromEntries(each), y: [y, n, bytesIn(type)] })
  const kernel = type === 'f16' ? g.batch_norm_f16 : g.batch_norm
  if (n > 0)
    await runtime.run(chosen(kernel, options), { x, mean, variance, weight, bias, y, n, channels, places, eps })
}
