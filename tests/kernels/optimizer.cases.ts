import { adamw, adamwHalf, clipByNorm, clipByNormHalf, sgd, sgdHalf } from '@weft/kernels/source'
import { adamwReference, clipReference, sgdReference } from '../../packages/kernels/src/optimizer/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, ParityCase } from '../parity/case.js'
import { f16s, fromF16 } from '../parity/data.js'
import { U } from './bounds.js'
import { near, nearHalf, shipped } from './outputs.js'

/** `n` values with guard elements behind, as they lie in memory and as numbers. */
function given(seed: number, n: number, half: boolean, lo = -1, hi = 1) {
  const all = uniform(seed, n + 6 - (n % 2), lo, hi)
  if (!half) return { data: all as BufferData, numbers: [...all].slice(0, n), all: [...all] }
  const data = f16s(...all)
  return { data: data as BufferData, numbers: fromF16(data).slice(0, n), all: fromF16(data) }
}

type Given = ReturnType<typeof given>

/** What is written, then the guard elements as they were. */
const after = ({ all }: Given, half: boolean, values: ArrayLike<number>): BufferData => {
  const whole = [...Array.from(values), ...all.slice(values.length)]
  return half ? f16s(...whole) : Float32Array.from(whole)
}

function adamwCase(half: boolean, n: number, step: number): ParityCase {
  const [p, g] = [given(1, n, half), given(2, n, half)]
  const [m, v] = [given(3, n, false), given(4, n, false, 0.01, 1)]
  const options = { lr: 0.01, beta1: 0.875, beta2: 0.96875, eps: 1e-5, decay: 0.125, step, scale: 0.5 }
  const numbers = { p: p.numbers, g: g.numbers, m: m.numbers, v: v.numbers }
  const expected = adamwReference(numbers, options)
  const { lr, beta1, beta2, eps, decay, scale } = options
  const because = 'sums of at most 1, a root of 4.5 ULP, divisions of 2.5 ULP; the step is at most 0.01 · 10'
  return {
    name: `adamw${half ? '_f16' : ''}, n = ${n}, step ${step}`,
    kernel: half ? adamwHalf : adamw,
    params: {
      n,
      lr,
      beta1,
      beta2,
      rest1: 1 - beta1,
      rest2: 1 - beta2,
      eps,
      decay,
      scale,
      correction1: 1 - beta1 ** step,
      correction2: 1 - beta2 ** step,
    },
    bindings: { p: p.data, g: g.data, m: m.data, v: v.data },
    expect: { p: after(p, half, expected.p), m: after(m, false, expected.m), v: after(v, false, expected.v) },
    tolerance: half ? nearHalf(8 * U, because, 4 * U) : near(8 * U, because, 4 * U),
  }
}

function sgdCase(half: boolean, n: number, nesterov: boolean): ParityCase {
  const [p, g, b] = [given(1, n, half), given(2, n, half), given(3, n, false)]
  const options = { lr: 0.125, momentum: 0.875, decay: 0.0625, scale: 0.5, nesterov }
  const expected = sgdReference({ p: p.numbers, g: g.numbers, b: b.numbers }, options)
  const because = 'products and sums of at most 2'
  return {
    name: `sgd${half ? '_f16' : ''}, n = ${n}${nesterov ? ', Nesterov' : ''}`,
    kernel: half ? sgdHalf : sgd,
    params: { n, ...options, nesterov: Number(nesterov) },
    bindings: { p: p.data, g: g.data, b: b.data },
    expect: { p: after(p, half, expected.p), b: after(b, false, expected.b) },
    tolerance: half ? nearHalf(8 * U, because) : near(8 * U, because),
  }
}

function clipCase(half: boolean, n: number, squares: number): ParityCase {
  const g = given(1, n, half)
  return {
    name: `clip_by_norm${half ? '_f16' : ''}, n = ${n}, norm ${Math.sqrt(squares)} to 2`,
    kernel: half ? clipByNormHalf : clipByNorm,
    params: { n, most: 2 },
    bindings: { g: g.data, squares: Float32Array.of(squares) },
    expect: { g: after(g, half, clipReference(g.numbers, squares, 2)) },
    tolerance: half
      ? nearHalf(0, 'a root, a division and a product', 16 * U)
      : near(0, 'a root, a division and a product', 16 * U),
  }
}

const cases: readonly ParityCase[] = [false, true].flatMap((half) => [
  adamwCase(half, 1, 1),
  adamwCase(half, 257, 10),
  sgdCase(half, 255, false),
  sgdCase(half, 67, true),
  clipCase(half, 67, 25),
  clipCase(half, 300, 1),
])

export const optimizerCases: readonly ParityCase[] = cases.map(shipped)
