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

/** The gradients of a product are the transposed products. */
function gradients(s: Product, a: readonly number[], b: readonly number[], dc: readonly number[]) {
  const { m, n, k, transposeA, transposeB } = s
  const da = transposeA
    ? { a: b, b: dc, m: k, n: m, k: n, transposeA: transposeB, transposeB: true }
    : { a: dc, b, m, n: k, k: n, transposeB: !transposeB }
  const db = transposeB
    ? { a: dc, b: a, m: n, n: k, k: m, transposeA: true, transposeB: transposeA }
    : { a, b: dc, m: k, n, k: m, transposeA: !transposeA }
  return { da: kernels.matmulReference(da), db: kernels.matmulReference(db) }
}

const nameOf = ({ transposeA, transposeB }: Product): string =>
  transposeA && transposeB
    ? 'matmul_transpose_both'
    : transposeA
      ? 'matmul_transpose_a'
      : transposeB
        ? 'matmul_transpose_b'
        : 'matmul'

export const matmul: Check = {
  reference: (golden) => {
    const s = golden.attrs<Product>()
    const [a, b, dc] = [golden.input('a'), golden.input('b'), golden.input('dc')]
    return { c: kernels.matmulReference({ a, b, ...s }), ...gradients(s, a, b, dc) }
  },
  host: async (golden, desk) => {
    const s = golden.attrs<Product>()
    if (golden.type === 'f16') return {}
    const c = desk.empty(s.m * s.n)
    await kernels.matmul(desk.runtime, { a: desk.put('a'), b: desk.put('b'), c, ...s }, desk.one(nameOf(s)))
    return { c: await desk.read(c, s.m * s.n) }
  },
  bounds: (golden) => {
    const s = golden.attrs<Product>()
    const [a, b] = [absolute(golden.input('a')), absolute(golden.input('b'))]
    return { c: kernels.matmulReference({ a, b, ...s }).map((sum) => gamma(s.k + 1) * sum) }
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
  const range = (2 * longest(golden.input('q')) * longest(golden.input('k'))) / Math.sqrt(headSize)
  const weight = expError(range) * (keys + 1) + 2 * gamma(headSize + 4) * range
  return (2 * weight + gamma(keys + 8) + 8 * U) * size(golden.input('v'))
}

export const attentionForward: Check = {
  reference: (golden) => {
    const s = golden.attrs<Attention>()
    if (s.softCap !== undefined) return {}
    const [q, k, v] = [golden.input('q'), golden.input('k'), golden.input('v')]
    const optional = {
      ...(golden.has('mask') ? { mask: golden.input('mask') } : {}),
      ...(golden.has('bias') ? { bias: golden.input('bias') } : {}),
    }
    return { out: kernels.attentionReference({ q, k, v, ...s, causal: s.causal ?? false, ...optional }) }
  },
  host: async (golden, desk) => {
    const s = golden.attrs<Attention>()
    // the kernel of the first family: f32, head size 64, causal or not
    if (golden.type === 'f16' || s.headSize !== 64) return {}
    const n = s.batch * s.heads * s.queries * s.headSize
    const out = desk.empty(n)
    await kernels.attention(
      desk.runtime,
      { q: desk.put('q'), k: desk.put('k'), v: desk.put('v'), out, ...s },
      desk.one('attention'),
    )
    return { out: await desk.read(out, n) }
  },
  bounds: (golden) => ({ out: attentionBound(golden) }),
}
