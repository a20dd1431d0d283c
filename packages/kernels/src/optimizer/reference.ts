import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

export interface AdamwState {
  readonly p: ArrayLike<number>
  readonly g: ArrayLike<number>
  readonly m: ArrayLike<number>
  readonly v: ArrayLike<number>
}

const ADAMW_STATE = keysOf<AdamwState>({ p: true, g: true, m: true, v: true })

export interface AdamwOptions {
  readonly lr: number
  readonly beta1?: number
  readonly beta2?: number
  readonly eps?: number
  readonly decay?: number
  /** The number of this step, from 1 on. */
  readonly step: number
  readonly scale?: number
}

const ADAMW_OPTIONS = keysOf<AdamwOptions>({
  lr: true,
  beta1: true,
  beta2: true,
  eps: true,
  decay: true,
  step: true,
  scale: true,
})

/**
 * One step of AdamW in float64: `m ← β₁ m + (1 − β₁) g`, `v ← β₂ v + (1 − β₂) g²`,
 * `p ← p − lr · (decay · p + m̂ / (√v̂ + eps))` (Loshchilov and Hutter, 2019).
 */
export function adamwReference(
  state: AdamwState,
  options: AdamwOptions,
): { readonly p: Float64Array; readonly m: Float64Array; readonly v: Float64Array } {
  checkKeys('adamwReference', state, ADAMW_STATE)
  checkKeys('options of adamwReference', options, ADAMW_OPTIONS)
  const { p, g, m, v } = state
  const { lr, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01, step, scale = 1 } = options
  for (const [name, list] of Object.entries({ g, m, v })) expectLength(name, list, p.length)
  const first = Float64Array.from(m, (x, i) => beta1 * x + (1 - beta1) * scale * g[i]!)
  const second = Float64Array.from(v, (x, i) => beta2 * x + (1 - beta2) * (scale * g[i]!) ** 2)
  const next = Float64Array.from(p, (x, i) => {
    const mean = first[i]! / (1 - beta1 ** step)
    const size = Math.sqrt(second[i]! / (1 - beta2 ** step))
    return x - lr * (decay * x + mean / (size + eps))
  })
  return { p: next, m: first, v: second }
}

export interface SgdOptions {
  readonly lr: number
  readonly momentum?: number
  readonly decay?: number
  readonly scale?: number
  readonly nesterov?: boolean
}

interface SgdState {
  readonly p: ArrayLike<number>
  readonly g: ArrayLike<number>
  readonly b: ArrayLike<number>
}

const SGD_STATE = keysOf<SgdState>({ p: true, g: true, b: true })
const SGD_OPTIONS = keysOf<SgdOptions>({ lr: true, momentum: true, decay: true, scale: true, nesterov: true })

/** One step of gradient descent with momentum in float64: `b ← momentum · b + g + decay · p`, `p ← p − lr · b`. */
export function sgdReference(
  state: SgdState,
  options: SgdOptions,
): { readonly p: Float64Array; readonly b: Float64Array } {
  checkKeys('sgdReference', state, SGD_STATE)
  checkKeys('options of sgdReference', options, SGD_OPTIONS)
  const { p, g, b } = state
  const { lr, momentum = 0, decay = 0, scale = 1, nesterov = false } = options
  for (const [name, list] of Object.entries({ g, b })) expectLength(name, list, p.length)
  const gradient = Float64Array.from(p, (x, i) => scale * g[i]! + decay * x)
  const moment = Float64Array.from(b, (x, i) => momentum * x + gradient[i]!)
  const next = Float64Array.from(p, (x, i) => x - lr * (nesterov ? gradient[i]! + momentum * moment[i]! : moment[i]!))
  return { p: next, b: moment }
}

/** `g · min(1, most / (√squares + 1e-6))` in float64. */
export const clipReference = (g: ArrayLike<number>, squares: number, most: number): Float64Array =>
  Float64Array.from(g, (x) => x * Math.min(1, most / (Math.sqrt(squares) + 1e-6)))
