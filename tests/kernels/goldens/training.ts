import * as kernels from '@weft/kernels'
import { U } from '../bounds.js'
import { type Check, type Desk, size } from './check.js'
import type { Golden } from './read.js'

interface Steps {
  readonly n: number
  readonly steps: number
  readonly lr: number
}

interface Adamw extends Steps {
  readonly beta1: number
  readonly beta2: number
  readonly eps: number
  readonly decay: number
}

const gradientOf = (golden: Golden, step: number): number[] => {
  const { n } = golden.attrs<Steps>()
  return golden.input('g').slice(step * n, (step + 1) * n)
}

/** Parameters that are stored as f16 are rounded at each step. */
const storage = (golden: Golden): number => (golden.type === 'f16' ? 2 ** -11 : U)

export const adamw: Check = {
  reference: (golden) => {
    const { steps, n, ...options } = golden.attrs<Adamw>()
    const zeros = new Float64Array(n)
    let state: { p: ArrayLike<number>; m: ArrayLike<number>; v: ArrayLike<number> } = {
      p: golden.input('p'),
      m: zeros,
      v: zeros,
    }
    const p: number[] = []
    for (let step = 0; step < steps; step++) {
      state = kernels.adamwReference({ ...state, g: gradientOf(golden, step) }, { ...options, step: step + 1 })
      p.push(...Array.from(state.p))
    }
    return { p, m: state.m, v: state.v }
  },
  host: async (golden, desk) => {
    const { steps, n, ...options } = golden.attrs<Adamw>()
    const [p, m, v] = [desk.put('p'), desk.of(new Array(n).fill(0), 'f32'), desk.of(new Array(n).fill(0), 'f32')]
    const trail: number[] = []
    for (let step = 0; step < steps; step++) {
      const args = { p, g: desk.of(gradientOf(golden, step)), m, v, n, ...options, step: step + 1, type: golden.type }
      await kernels.adamw(desk.runtime, args, desk.options)
      trail.push(...(await desk.read(p, n)))
    }
    return { p: trail, m: await desk.read(m, n, 'f32'), v: await desk.read(v, n, 'f32') }
  },
  bounds: (golden) => {
    const { steps, n, lr, beta2, decay } = golden.attrs<Adamw>()
    const [g, p] = [size(golden.input('g')), size(golden.result('p'))]
    // beta and 1 - beta, each rounded to f32, and the sums and products of each step
    const [first, second] = [8 * steps * U, 8 * steps * U]
    // m̂² ≤ Σ w g² for the weights w ≤ 1 of m̂ (Jensen), and v̂ = Σ u g² with weights u of at least β₂^steps / steps
    const longest = Math.sqrt(steps / beta2 ** steps)
    const each = lr * (longest * (first + second + 16 * U) + 4 * decay * U * p) + 4 * storage(golden) * p
    const trail = Array.from({ length: steps * n }, (_, i) => (Math.floor(i / n) + 1) * each)
    return { p: trail, m: first * g, v: second * g * g }
  },
  always: ['m', 'v'],
}

interface Sgd extends Steps {
  readonly momentum: number
  readonly decay: number
  readonly nesterov: boolean
}

export const sgd: Check = {
  reference: (golden) => {
    const { steps, n, ...options } = golden.attrs<Sgd>()
    let state: { p: ArrayLike<number>; b: ArrayLike<number> } = { p: golden.input('p'), b: new Float64Array(n) }
    const p: number[] = []
    for (let step = 0; step < steps; step++) {
      state = kernels.sgdReference({ ...state, g: gradientOf(golden, step) }, options)
      p.push(...Array.from(state.p))
    }
    return { p }
  },
  host: async (golden, desk) => {
    const { steps, n, ...options } = golden.attrs<Sgd>()
    const [p, b] = [desk.put('p'), desk.of(new Array(n).fill(0), 'f32')]
    const trail: number[] = []
    for (let step = 0; step < steps; step++) {
      const args = { p, g: desk.of(gradientOf(golden, step)), b, n, ...options, type: golden.type }
      await kernels.sgd(desk.runtime, args, desk.options)
      trail.push(...(await desk.read(p, n)))
    }
    return { p: trail }
  },
  bounds: (golden) => {
    const { steps, n, lr, decay } = golden.attrs<Sgd>()
    const [g, p] = [size(golden.input('g')), size(golden.result('p'))]
    // the moment is a sum of at most `steps` gradients, with a rounding for each product and sum; so is each step
    const moment = steps * (g + decay * p)
    const each = 2 * lr * moment * (4 * steps + 8) * U + 4 * storage(golden) * p
    // what p is off by comes back by the decay
    const grown = each * (1 + lr * decay * steps)
    return { p: Array.from({ length: steps * n }, (_, i) => (Math.floor(i / n) + 1) * grown) }
  },
}

export const clipByNorm: Check = {
  reference: (golden) => {
    const g = golden.input('g')
    const squares = g.reduce((sum, x) => sum + x * x, 0)
    return { g: kernels.clipReference(g, squares, golden.attrs<{ most: number }>().most), squares: [squares] }
  },
  host: async (golden, desk: Desk) => {
    const args = golden.attrs<{ n: number; most: number }>()
    const g = desk.put('g')
    const squares = desk.of(golden.result('squares'), 'f32')
    await kernels.clipByNorm(desk.runtime, { g, squares, ...args, type: golden.type }, desk.options)
    return { g: await desk.read(g, args.n) }
  },
  // a root of 4.5 ULP, a sum, a division of 2.5 ULP and a product
  bounds: (golden) => ({ g: golden.result('g').map((v) => 24 * U * Math.abs(v)) }),
}
