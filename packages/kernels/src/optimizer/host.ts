import * as g from '../../generated/optimizer'
import {
  argsOf,
  belowOne,
  count,
  flag,
  floatType,
  input,
  maybe,
  notNegative,
  number,
  positive,
  size,
  updated,
} from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import type { AdamwOptions, SgdOptions } from './reference'

export type OptimizerType = 'f32' | 'f16'

export interface AdamwArgs extends AdamwOptions {
  /** [n], in place */
  readonly p: BufferLike
  /** [n] */
  readonly g: BufferLike
  /** [n], f32, in place; zeros before the first step */
  readonly m: BufferLike
  /** [n], f32, in place; zeros before the first step */
  readonly v: BufferLike
  readonly n: number
  /** Of p and g. */
  readonly type?: OptimizerType
}

const ADAMW_ARGS = argsOf<AdamwArgs>({
  p: updated,
  g: input,
  m: updated,
  v: updated,
  n: size,
  type: floatType,
  lr: number,
  beta1: maybe(belowOne),
  beta2: maybe(belowOne),
  eps: maybe(notNegative),
  decay: maybe(notNegative),
  step: count,
  scale: maybe(number),
})

/** One step of AdamW, in place. Defaults are those of PyTorch: β 0.9 and 0.999, eps 1e-8, decay 0.01. `step` counts from 1. */
export async function adamw(runtime: Runtime, args: AdamwArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'adamw', args, ADAMW_ARGS, options)
  const { p, g: gradient, m, v, n, type = 'f32', lr, step, scale = 1 } = args
  const { beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01 } = args
  checkBuffers('adamw', { p: [p, n, bytesIn(type)], g: [gradient, n, bytesIn(type)], m: [m, n], v: [v, n] })
  const [correction1, correction2] = [1 - beta1 ** step, 1 - beta2 ** step]
  const [rest1, rest2] = [1 - beta1, 1 - beta2]
  const params = { n, lr, beta1, beta2, rest1, rest2, eps, decay, correction1, correction2, scale }
  await runtime.run(chosen(type === 'f16' ? g.adamw_f16 : g.adamw, options), { p, g: gradient, m, v, ...params })
}

export interface SgdArgs extends SgdOptions {
  /** [n], in place */
  readonly p: BufferLike
  /** [n] */
  readonly g: BufferLike
  /** [n], f32, in place; zeros before the first step */
  readonly b: BufferLike
  readonly n: number
  readonly type?: OptimizerType
}

const SGD_ARGS = argsOf<SgdArgs>({
  p: updated,
  g: input,
  b: updated,
  n: size,
  type: floatType,
  lr: number,
  momentum: maybe(notNegative),
  decay: maybe(notNegative),
  scale: maybe(number),
  nesterov: maybe(flag),
})

/** One step of gradient descent, in place; momentum, decay and Nesterov's form as in PyTorch. */
export async function sgd(runtime: Runtime, args: SgdArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'sgd', args, SGD_ARGS, options)
  const { p, g: gradient, b, n, type = 'f32', lr, momentum = 0, decay = 0, scale = 1, nesterov = false } = args
  if (nesterov && momentum === 0)
    throw badArgument(
      `sgd: nesterov needs momentum above 0, got ${momentum}`,
      'without momentum it changes nothing: leave it out',
    )
  checkBuffers('sgd', { p: [p, n, bytesIn(type)], g: [gradient, n, bytesIn(type)], b: [b, n] })
  const params = { n, lr, momentum, decay, scale, nesterov: Number(nesterov) }
  await runtime.run(chosen(type === 'f16' ? g.sgd_f16 : g.sgd, options), { p, g: gradient, b, ...params })
}

export interface ClipArgs {
  /** [n], in place */
  readonly g: BufferLike
  /** [1], f32: the sum of the squares of all gradients */
  readonly squares: BufferLike
  /** The greatest norm. */
  readonly most: number
  readonly n: number
  readonly type?: OptimizerType
}

const CLIP_ARGS = argsOf<ClipArgs>({ g: updated, squares: input, most: positive, n: size, type: floatType })

/** Cuts a gradient to a global norm, of which the sum of squares lies on the device: nothing is read back. */
export async function clipByNorm(runtime: Runtime, args: ClipArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'clipByNorm', args, CLIP_ARGS, options)
  const { g: gradient, squares, most, n, type = 'f32' } = args
  checkBuffers('clipByNorm', { g: [gradient, n, bytesIn(type)], squares: [squares, 1] })
  await runtime.run(chosen(type === 'f16' ? g.clip_by_norm_f16 : g.clip_by_norm, options), {
    g: gradient,
    squares,
    n,
    most,
  })
}
