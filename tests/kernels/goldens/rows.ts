import * as kernels from '@weft/kernels'
import { expError, gamma, rowSteps, U } from '../bounds.js'
import { absolute, type Bound, type Check, type Desk, product, type Results, size } from './check.js'
import type { Golden } from './read.js'

interface Groups {
  readonly items: number
  readonly channels: number
  readonly places: number
  readonly groups: number
  readonly eps: number
}

interface Rows {
  readonly rows: number
  readonly cols: number
  readonly eps: number
}

const shapeOf = (golden: Golden): kernels.NormShape => {
  const centered = golden.op !== 'rmsnorm'
  if (golden.op === 'groupnorm') return { ...golden.attrs<Groups>(), centered }
  const { rows, cols, eps } = golden.attrs<Rows>()
  return { items: rows, channels: cols, places: 1, groups: 1, eps, centered }
}

const inputs = (golden: Golden) => ({
  x: golden.input('x'),
  weight: golden.input('weight'),
  ...(golden.has('bias') ? { bias: golden.input('bias') } : {}),
})

function normBounds(golden: Golden): Record<string, Bound> {
  const shape = shapeOf(golden)
  const [{ x, weight }, dy] = [inputs(golden), golden.input('dy')]
  const { stats, dbias } = kernels.normBackwardReference({ x, weight, dy: absolute(dy), ...shape })
  const cols = (shape.channels / shape.groups) * shape.places
  // sums over a row, an inverse root of 2 ULP and products; the mean is off by its own rounding, which rstd enlarges
  const relative = 4 * gamma(rowSteps(cols) + 8) + 16 * U
  const scale = size(stats.filter((_, i) => i % 2 === 1))
  const mean = shape.centered ? scale * size(x) * gamma(rowSteps(cols) + 2) : 0
  const normal = Math.min(Math.sqrt(cols), 2 * scale * size(x))
  const [w, g] = [size(weight), size(dy) * size(weight)]
  const perChannel = (shape.items * shape.channels * shape.places) / shape.channels
  const sum = gamma(perChannel + 16) + relative
  return {
    y: relative * (normal * w + (golden.has('bias') ? size(golden.input('bias')) : 0)) + mean * w,
    dx: scale * g * ((2 + normal ** 2) * relative + 4 * (1 + normal) * mean),
    dweight: dbias.map((total) => total * (sum * normal + mean)),
    dbias: dbias.map((total) => sum * total),
  }
}

type Buffer = ReturnType<Desk['put']>

async function normHost(golden: Golden, desk: Desk): Promise<Results> {
  const shape = shapeOf(golden)
  const n = shape.items * shape.channels * shape.places
  const [y, dx] = [desk.empty(n), desk.empty(n)]
  const [dweight, dbias] = [desk.empty(shape.channels, 'f32'), desk.empty(shape.channels, 'f32')]
  const common = { x: desk.put('x'), weight: desk.put('weight'), type: golden.type }
  const back = { ...common, dy: desk.put('dy'), dx, dweight }
  const bias = golden.has('bias') ? desk.put('bias') : (dbias as Buffer)
  const { runtime, options } = desk
  const rows = golden.attrs<Rows>()
  if (golden.op === 'groupnorm') {
    const { centered: _, ...sizes } = shape
    await kernels.groupnorm(runtime, { ...common, bias, y, ...sizes }, options)
    await kernels.groupnormBackward(runtime, { ...back, dbias, ...sizes }, options)
  } else if (golden.op === 'layernorm') {
    await kernels.layernorm(runtime, { ...common, bias, y, ...rows }, options)
    await kernels.layernormBackward(runtime, { ...back, dbias, ...rows }, options)
  } else {
    const { type, ...plain } = { ...common, y, ...rows }
    if (type === 'f32') await kernels.rmsnorm(runtime, plain, desk.one('rmsnorm'))
    await kernels.rmsnormBackward(runtime, { ...back, ...rows }, options)
  }
  const whole = golden.op !== 'rmsnorm'
  return {
    ...(whole || golden.type === 'f32' ? { y: await desk.read(y, n) } : {}),
    dx: await desk.read(dx, n),
    dweight: await desk.read(dweight, shape.channels, 'f32'),
    ...(whole ? { dbias: await desk.read(dbias, shape.channels, 'f32') } : {}),
  }
}

export const norm: Check = {
  reference: (golden) => {
    const [args, shape] = [inputs(golden), shapeOf(golden)]
    const { dx, dweight, dbias } = kernels.normBackwardReference({ ...args, dy: golden.input('dy'), ...shape })
    const y = kernels.normReference({ ...args, ...shape })
    return { y, dx, dweight, ...(golden.op === 'rmsnorm' ? {} : { dbias }) }
  },
  host: normHost,
  bounds: normBounds,
  always: ['dweight', 'dbias'],
}

/** A sum of exponentials of differences within the span of x, over the row. */
function sumError(golden: Golden, cols: number): number {
  return expError(2 * size(golden.input('x'))) + gamma(rowSteps(cols)) + 8 * U
}

const softmaxOf = (golden: Golden, log: boolean): Check => ({
  reference: () => {
    const s = golden.attrs<Rows>()
    const y = (log ? kernels.logSoftmaxReference : kernels.softmaxReference)({ x: golden.input('x'), ...s })
    const backward = log ? kernels.logSoftmaxBackwardReference : kernels.softmaxBackwardReference
    return { y, dx: backward({ y, dy: golden.input('dy'), ...s }) }
  },
  host: async (_, desk) => {
    const s = golden.attrs<Rows>()
    const { runtime, options } = desk
    const n = s.rows * s.cols
    const [y, dx] = [desk.empty(n), desk.empty(n)]
    const plain = !log && golden.type === 'f16' // the forward of softmax is f32 only
    if (log) await kernels.logSoftmax(runtime, { x: desk.put('x'), y, ...s, type: golden.type }, options)
    else if (!plain) await kernels.softmax(runtime, { x: desk.put('x'), y, ...s }, desk.one('softmax'))
    const from = plain ? desk.of(golden.result('y')) : y
    const backward = log ? kernels.logSoftmaxBackward : kernels.softmaxBackward
    await backward(runtime, { y: from, dy: desk.put('dy'), dx, ...s, type: golden.type }, options)
    return { ...(plain ? {} : { y: await desk.read(y, n) }), dx: await desk.read(dx, n) }
  },
  bounds: () => {
    const { cols } = golden.attrs<Rows>()
    const [y, dy] = [golden.result('y'), size(golden.input('dy'))]
    const error = sumError(golden, cols)
    // what the backward reads is y as the forward stored it
    const half = golden.type === 'f16' ? 2 ** -11 : 0
    const sum = gamma(rowSteps(cols) + cols) * cols * dy
    if (log) {
      const stored = error + 2 ** -21 + 32 * U + half * size(y)
      return {
        y: error + 2 ** -21 + 32 * U,
        dx: y.map((v) => 4 * U * dy + Math.exp(v) * (sum + cols * dy * (2 * stored + expError(Math.abs(v))))),
      }
    }
    const relative = 2 * error + 2 * half
    // a y below the least normal f16 is off by half of the least subnormal one
    const tiny = golden.type === 'f16' ? 2 ** -25 * 2 * dy : 1e-37
    return {
      y: y.map((v) => v * 2 * error + 1e-37),
      dx: y.map((v) => v * (2 * dy * (relative + half + 8 * U) + dy * relative + 2 * gamma(cols + 8) * dy) + tiny),
    }
  },
})

const perGolden = (of: (golden: Golden) => Check): Check => ({
  reference: (golden) => (of(golden).reference as NonNullable<Check['reference']>)(golden),
  host: (golden, desk) => (of(golden).host as NonNullable<Check['host']>)(golden, desk),
  bounds: (golden) => (of(golden).bounds as NonNullable<Check['bounds']>)(golden),
})

export const softmax = perGolden((golden) => softmaxOf(golden, false))
export const logSoftmax = perGolden((golden) => softmaxOf(golden, true))

type Loss = Rows & { readonly scale: number }

export const crossEntropy: Check = {
  reference: (golden) => {
    const { rows, cols, scale } = golden.attrs<Loss>()
    const args = { x: golden.input('x'), target: golden.input('target'), rows, cols }
    return { ...kernels.crossEntropyReference(args), dx: kernels.crossEntropyBackwardReference({ ...args, scale }) }
  },
  host: async (golden, desk) => {
    const { scale, ...s } = golden.attrs<Loss>()
    const { runtime, options } = desk
    const [loss, lse] = [desk.empty(s.rows, 'f32'), desk.empty(s.rows, 'f32')]
    const dx = desk.empty(s.rows * s.cols)
    const args = { x: desk.put('x'), target: desk.words(golden.input('target')), lse, type: golden.type, ...s }
    await kernels.crossEntropy(runtime, { ...args, loss }, options)
    await kernels.crossEntropyBackward(runtime, { ...args, dx, scale }, options)
    return {
      loss: await desk.read(loss, s.rows, 'f32'),
      lse: await desk.read(lse, s.rows, 'f32'),
      dx: await desk.read(dx, s.rows * s.cols),
    }
  },
  bounds: (golden) => {
    const { cols, scale } = golden.attrs<Loss>()
    // a logarithm of a sum with an error, and two differences of values of at most twice the span
    const log = sumError(golden, cols) + 2 ** -21 + 8 * U * size(golden.input('x'))
    const dx = golden.result('dx').map(() => scale * (log + expError(2 * size(golden.input('x'))) + 8 * U))
    return { loss: log, lse: log, dx }
  },
  always: ['loss', 'lse'],
}

export const meanSquaredError: Check = {
  reference: (golden) => ({ out: [kernels.meanSquaredErrorReference(golden.input('x'), golden.input('y'))] }),
  host: async (golden, desk) => {
    const out = desk.empty(1, 'f32')
    const args = { x: desk.put('x'), y: desk.put('y'), out, ...golden.attrs<{ n: number }>(), type: golden.type }
    await kernels.meanSquaredError(desk.runtime, args, desk.options)
    return { out: await desk.read(out, 1, 'f32') }
  },
  bounds: (golden) => ({
    out: (gamma(rowSteps(golden.attrs<{ n: number }>().n) + 8) + 4 * U) * size(golden.result('out')),
  }),
  always: ['out'],
}

interface Reduce {
  readonly reduction: kernels.ReduceOp
  readonly shape: readonly number[]
  readonly axes: readonly number[]
}

function extents({ shape, axes }: Reduce) {
  const [from, to] = [axes[0] as number, (axes[0] as number) + axes.length]
  return { outer: product(shape.slice(0, from)), size: product(shape.slice(from, to)), inner: product(shape.slice(to)) }
}

export const reduce: Check = {
  reference: (golden) => {
    const s = golden.attrs<Reduce>()
    const of = kernels.reduceFunctions[s.reduction]
    return { out: kernels.reduceReference(of, { x: golden.input('x'), ...extents(s) }) }
  },
  host: async (golden, desk) => {
    const s = golden.attrs<Reduce>()
    const n = golden.result('out').length
    const index = s.reduction === 'argmax' || s.reduction === 'argmin'
    const out = index ? desk.words(new Array<number>(n).fill(777)) : desk.empty(n, 'f32')
    const args = { x: desk.put('x'), shape: s.shape, axes: s.axes, out, type: golden.type }
    await kernels.reduce(desk.runtime, s.reduction, args, desk.options)
    return { out: [...(await (index ? out.read(Uint32Array) : out.read(Float32Array)))] }
  },
  bounds: (golden) => {
    const s = golden.attrs<Reduce>()
    if (['min', 'max', 'argmax', 'argmin'].includes(s.reduction)) return { out: 0 }
    const { size: n } = extents(s)
    const largest = size(golden.input('x')) ** (s.reduction === 'sum' || s.reduction === 'mean' ? 1 : 2)
    const count = s.reduction === 'sum' || s.reduction === 'sumSquares' ? n : 1
    return { out: gamma(2 * n + rowSteps(n) + 4) * 4 * count * largest + 4 * U * largest }
  },
  always: ['out'],
}
