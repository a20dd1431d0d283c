import * as kernels from '@weft/kernels'
import { expError, gamma, U } from '../bounds.js'
import { absolute, type Bound, type Check, size } from './check.js'
import type { Golden } from './read.js'

interface Product {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly transposeA: boolean
  readonly transposeB: boolean
}

interface Batched extends Omit<Product, 'transposeA' | 'transposeB'> {
  readonly batch: number
  readonly alpha: number
  readonly activation: kernels.Activation
}

export const matmul: Check = {
  reference: (golden) => {
    const s = golden.attrs<Product>()
    const [a, b, dc] = [golden.input('a'), golden.input('b'), golden.input('dc')]
    return { c: kernels.matmulReference({ a, b, ...s }), ...kernels.matmulBackwardReference({ a, b, dc, ...s }) }
  },
  host: async (golden, desk) => {
    const s = { ...golden.attrs<Product>(), type: golden.type }
    const { m, n, k } = s
    const [a, b, dc] = [desk.put('a'), desk.put('b'), desk.put('dc')]
    const [c, da, db] = [desk.empty(m * n), desk.empty(m * k), desk.empty(k * n)]
    await kernels.matmul(desk.runtime, { a, b, c, ...s }, desk.options)
    await kernels.matmulBackward(desk.runtime, { a, b, dc, da, db, ...s }, desk.options)
    return { c: await desk.read(c, m * n), da: await desk.read(da, m * k), db: await desk.read(db, k * n) }
  },
  bounds: (golden) => {
    const s = golden.attrs<Product>()
    const [a, b, dc] = [absolute(golden.input('a')), absolute(golden.input('b')), absolute(golden.input('dc'))]
    const { da, db } = kernels.matmulBackwardReference({ a, b, dc, ...s })
    return {
      c: kernels.matmulReference({ a, b, ...s }).map((sum) => gamma(s.k + 1) * sum),
      da: da.map((sum) => gamma(s.n + 1) * sum),
      db: db.map((sum) => gamma(s.m + 1) * sum),
    }
  },
}

/** A product in batches, with all that may follow. */
export const matmulEpilogue: Check = {
  reference: (golden) => {
    const [a, b, bias, residual] = ['a', 'b', 'bias', 'residual'].map((name) => golden.input(name))
    return { c: kernels.matmulReference({ a: a!, b: b!, bias, residual, ...golden.attrs<Batched>() }) }
  },
}

interface Attention {
  readonly batch: number
  readonly heads: number
  readonly kvHeads: number
  readonly queries: number
  readonly keys: number
  readonly headSize: number
  readonly causal?: boolean
  readonly window?: number
  readonly softCap?: number
}

/** Softmax of products with errors: exponentials of differences within `range`, rescaled for each tile of keys. */
export function attentionBound(golden: Golden): Bound {
  const { headSize, keys } = golden.attrs<Attention>()
  const longest = (values: readonly number[]): number => {
    let most = 0
    for (let row = 0; row < values.length; row += headSize)
      most = Math.max(most, Math.hypot(...values.slice(row, row + headSize)))
    return most
  }
  // |q · k| ≤ |q| |k|, and so is the sum of the products' magnitudes
  const dots = (2 * longest(golden.input('q')) * longest(golden.input('k'))) / Math.sqrt(headSize)
  const range = dots + (golden.has('bias') ? 2 * size(golden.input('bias')) : 0)
  const weight = expError(range) * (keys + 1) + 2 * gamma(headSize + 4) * range
  return (2 * weight + gamma(keys + 8) + 8 * U) * size(golden.input('v'))
}

export const attention: Check = {
  reference: (golden) => {
    const s = golden.attrs<Attention>()
    const [q, k, v] = [golden.input('q'), golden.input('k'), golden.input('v')]
    const strides = [s.heads * s.queries * s.keys, s.queries * s.keys, s.keys, 1] as const
    const hiding = (['mask', 'bias'] as const).filter((name) => golden.has(name))
    const views = Object.fromEntries(hiding.map((name) => [name, { data: golden.input(name), strides }]))
    return { ...kernels.attentionReference({ q, k, v, ...s, ...views }) }
  },
  host: async (golden, desk) => {
    const s = golden.attrs<Attention>()
    // the tanh of a soft cap has no bound here
    if (s.softCap !== undefined) return {}
    const n = s.batch * s.heads * s.queries * s.headSize
    const out = desk.empty(n)
    const strides = [s.heads * s.queries * s.keys, s.queries * s.keys, s.keys, 1] as const
    const masks = {
      ...(golden.has('mask') ? { mask: { data: desk.words(golden.input('mask')), strides } } : {}),
      ...(golden.has('bias') ? { bias: { data: desk.put('bias', 'f32'), strides } } : {}),
    }
    const [q, k, v] = [desk.put('q'), desk.put('k'), desk.put('v')]
    await kernels.attention(desk.runtime, { q, k, v, out, ...s, ...masks, type: golden.type }, desk.options)
    return { out: await desk.read(out, n) }
  },
  bounds: (golden) => ({ out: attentionBound(golden) }),
}
