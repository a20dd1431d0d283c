import * as g from '../../generated/optimizer'
import {
  type BufferLike,
  bytesIn,
  checkBuffers,
  checkCall,
  checkSizes,
  chosen,
  type HostOptions,
  keysOf,
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

const ADAMW_KEYS = keysOf<AdamwArgs>()('p g m v n type lr beta1 beta2 eps decay step scale')

/** One step of AdamW, in place. Defaults are those of PyTorch: β 0.9 and 0.999, eps 1e-8, decay 0.01. `step` counts from 1. */
export async function adamw(runtime: Runtime, args: AdamwArgs, options: HostOptions = {}): Promise<void> {
  checkCall('adamw', args, ADAMW_KEYS, options)
  const { p, g: gradient, m, v, n, type = 'f32', lr, step, scale = 1 } = args
  const { beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01 } = args
  checkSizes('adamw', { n })
  if (!Number.isSafeInteger(step) || step < 1)
    throw new RangeError(`adamw: step must be an integer from 1 on, got ${step}`)
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

const SGD_KEYS = keysOf<SgdArgs>()('p g b n type lr momentum decay scale nesterov')

/** One step of gradient descent, in place; momentum, decay and Nesterov's form as in PyTorch. */
export async function sgd(runtime: Runtime, args: SgdArgs, options: HostOptions = {}): Promise<void> {
  checkCall('sgd', args, SGD_KEYS, options)
  const { p, g: gradient, b, n, type = 'f32', lr, momentum = 0, decay = 0, scale = 1, nesterov = false } = args
  checkSizes('sgd', { n })
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

const CLIP_KEYS = keysOf<ClipArgs>()('g squares most n type')

/** Cuts a gradient to a global norm, of which the sum of squares lies on the device: nothing is read back. */
export async function clipByNorm(runtime: Runtime, args: ClipArgs, options: HostOptions = {}): Promise<void> {
  checkCall('clip_by_norm', args, CLIP_KEYS, options)
  const { g: gradient, squares, most, n, type = 'f32' } = args
  checkSizes('clip_by_norm', { n })
  if (!(most > 0)) throw new RangeError(`clip_by_norm: most must be above 0, got ${most}`)
  checkBuffers('clip_by_norm', { g: [gradient, n, bytesIn(type)], squares: [squares, 1] })
  await runtime.run(chosen(type === 'f16' ? g.clip_by_norm_f16 : g.clip_by_norm, options), {
    g: gradient,
    squares,
    n,
    most,
  })
}
