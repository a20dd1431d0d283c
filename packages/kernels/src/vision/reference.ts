import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

/** Images and windows in float64; a pair is of rows and columns. */

type Pair = readonly [number, number]

export interface ConvReferenceArgs {
  /** [items, channels, height, width] */
  readonly x: ArrayLike<number>
  /** [outs, channels / groups, filter]; transposed [channels, outs / groups, filter] */
  readonly weight: ArrayLike<number>
  /** [outs] */
  readonly bias?: ArrayLike<number> | undefined
  readonly items: number
  readonly channels: number
  readonly size: Pair
  readonly outs: number
  readonly filter: Pair
  readonly stride?: Pair
  readonly pad?: Pair
  readonly dilation?: Pair
  readonly groups?: number
  /** Of conv_transpose2d: added to the size of the result. */
  readonly outPad?: Pair
}

const CONV_KEYS = keysOf<ConvReferenceArgs>({
  x: true,
  weight: true,
  bias: true,
  items: true,
  channels: true,
  size: true,
  outs: true,
  filter: true,
  stride: true,
  pad: true,
  dilation: true,
  groups: true,
  outPad: true,
})

export interface Window {
  readonly filter: Pair
  readonly stride?: Pair | undefined
  readonly pad?: Pair | undefined
  readonly dilation?: Pair | undefined
}

const both = (f: (axis: 0 | 1) => number): Pair => [f(0), f(1)]

/** The size of the result of a convolution or a pooling. */
export const windowedSize = (size: Pair, { filter, stride = [1, 1], pad = [0, 0], dilation = [1, 1] }: Window): Pair =>
  both((a) => Math.floor((size[a] + 2 * pad[a] - dilation[a] * (filter[a] - 1) - 1) / stride[a]) + 1)

/** The size of the result of a transposed convolution. */
export const transposedSize = (
  size: Pair,
  { filter, stride = [1, 1], pad = [0, 0], dilation = [1, 1] }: Window,
  outPad: Pair = [0, 0],
): Pair => both((a) => (size[a] - 1) * stride[a] - 2 * pad[a] + dilation[a] * (filter[a] - 1) + outPad[a] + 1)

/** `y[n, o, p, q] = bias[o] + Σ weight[o, c, a, b] · x[n, c, p · stride − pad + a · dilation, …]`. */
export function conv2dReference(args: ConvReferenceArgs): Float64Array {
  checkKeys('conv2dReference', args, CONV_KEYS)
  const { x, weight, bias, items, channels, size, outs, filter, groups = 1 } = args
  const { stride = [1, 1], pad = [0, 0], dilation = [1, 1] } = args
  const each = channels / groups
  expectLength('x', x, items * channels * size[0] * size[1])
  expectLength('weight', weight, outs * each * filter[0] * filter[1])
  const [rows, columns] = windowedSize(size, args)
  return Float64Array.from({ length: items * outs * rows * columns }, (_, i) => {
    const [q, p] = [i % columns, Math.floor(i / columns) % rows]
    const plane = Math.floor(i / (rows * columns))
    const [o, n] = [plane % outs, Math.floor(plane / outs)]
    const first = Math.floor(o / (outs / groups)) * each
    let sum = bias?.[o] ?? 0
    for (let c = 0; c < each; c++) {
      for (let a = 0; a < filter[0]; a++) {
        for (let b = 0; b < filter[1]; b++) {
          const h = p * stride[0] - pad[0] + a * dilation[0]
          const w = q * stride[1] - pad[1] + b * dilation[1]
          if (h < 0 || w < 0 || h >= size[0] || w >= size[1]) continue
          const at = ((n * channels + first + c) * size[0] + h) * size[1] + w
          sum += x[at]! * weight[((o * each + c) * filter[0] + a) * filter[1] + b]!
        }
      }
    }
    return sum
  })
}

/** Scatters each element of x over the places that it reaches: the adjoint of {@link conv2dReference} by its input. */
export function convTranspose2dReference(args: ConvReferenceArgs): Float64Array {
  checkKeys('convTranspose2dReference', args, CONV_KEYS)
  const { x, weight, bias, items, channels, size, outs, filter, groups = 1, outPad } = args
  const { stride = [1, 1], pad = [0, 0], dilation = [1, 1] } = args
  const [each, outsEach] = [channels / groups, outs / groups]
  expectLength('x', x, items * channels * size[0] * size[1])
  expectLength('weight', weight, channels * outsEach * filter[0] * filter[1])
  const [rows, columns] = transposedSize(size, args, outPad)
  const y = Float64Array.from({ length: items * outs * rows * columns }, (_, i) => {
    return bias?.[Math.floor(i / (rows * columns)) % outs] ?? 0
  })
  for (let i = 0; i < items * channels * size[0] * size[1]; i++) {
    const [w, h] = [i % size[1], Math.floor(i / size[1]) % size[0]]
    const plane = Math.floor(i / (size[0] * size[1]))
    const [c, n] = [plane % channels, Math.floor(plane / channels)]
    for (let o = 0; o < outsEach; o++) {
      for (let a = 0; a < filter[0]; a++) {
        for (let b = 0; b < filter[1]; b++) {
          const p = h * stride[0] - pad[0] + a * dilation[0]
          const q = w * stride[1] - pad[1] + b * dilation[1]
          if (p < 0 || q < 0 || p >= rows || q >= columns) continue
          const out = Math.floor(c / each) * outsEach + o
          y[((n * outs + out) * rows + p) * columns + q]! +=
            x[i]! * weight[((c * outsEach + o) * filter[0] + a) * filter[1] + b]!
        }
      }
    }
  }
  return y
}

export interface PoolReferenceArgs extends Window {
  /** [planes, height, width] */
  readonly x: ArrayLike<number>
  readonly planes: number
  readonly size: Pair
}

const POOL_KEYS = keysOf<PoolReferenceArgs>({
  x: true,
  planes: true,
  size: true,
  filter: true,
  stride: true,
  pad: true,
  dilation: true,
})

/** Calls `body` with the places of x in the window of each element of the result. */
function windows(args: PoolReferenceArgs, body: (i: number, plane: number, places: readonly number[]) => void): number {
  const { x, planes, size, filter, stride = filter, pad = [0, 0], dilation = [1, 1] } = args
  expectLength('x', x, planes * size[0] * size[1])
  const [rows, columns] = windowedSize(size, { ...args, stride })
  const n = planes * rows * columns
  for (let i = 0; i < n; i++) {
    const [q, p] = [i % columns, Math.floor(i / columns) % rows]
    const places: number[] = []
    for (let a = 0; a < filter[0]; a++) {
      for (let b = 0; b < filter[1]; b++) {
        const h = p * stride[0] - pad[0] + a * dilation[0]
        const w = q * stride[1] - pad[1] + b * dilation[1]
        if (h >= 0 && w >= 0 && h < size[0] && w < size[1]) places.push(h * size[1] + w)
      }
    }
    body(i, Math.floor(i / (rows * columns)), places)
  }
  return n
}

/** The greatest element of each window, and its place in the plane, the first of equals. */
export function maxPool2dReference(args: PoolReferenceArgs): { readonly y: number[]; readonly index: number[] } {
  checkKeys('maxPool2dReference', args, POOL_KEYS)
  const [y, index]: [number[], number[]] = [[], []]
  const plane = args.size[0] * args.size[1]
  windows(args, (i, p, places) => {
    const value = (at: number): number => args.x[p * plane + at]!
    const best = places.reduce((a, b) => (value(b) > value(a) ? b : a))
    y[i] = value(best)
    index[i] = best
  })
  return { y, index }
}

/** The mean of each window: of its places in the image, or `withPad` of all of them. */
export function avgPool2dReference(args: PoolReferenceArgs & { readonly withPad?: boolean }): number[] {
  checkKeys('avgPool2dReference', args, [...POOL_KEYS, 'withPad'])
  const y: number[] = []
  const plane = args.size[0] * args.size[1]
  windows(args, (i, p, places) => {
    const sum = places.reduce((total, at) => total + args.x[p * plane + at]!, 0)
    y[i] = sum / (args.withPad ? args.filter[0] * args.filter[1] : Math.max(1, places.length))
  })
  return y
}

interface PlaneArgs {
  readonly x: ArrayLike<number>
  readonly planes: number
  readonly size: Pair
  readonly out: Pair
}

const PLANE_KEYS = keysOf<PlaneArgs>({ x: true, planes: true, size: true, out: true })

const perPlace = (
  { x, planes, size, out }: PlaneArgs,
  of: (start: number, p: number, q: number) => number,
): Float64Array => {
  expectLength('x', x, planes * size[0] * size[1])
  return Float64Array.from({ length: planes * out[0] * out[1] }, (_, i) =>
    of(Math.floor(i / (out[0] * out[1])) * size[0] * size[1], Math.floor(i / out[1]) % out[0], i % out[1]),
  )
}

/** The mean of rows ⌊p · height / out⌋ … ⌈(p + 1) · height / out⌉, and so the columns. */
export function adaptiveAvgPool2dReference(args: PlaneArgs): Float64Array {
  checkKeys('adaptiveAvgPool2dReference', args, PLANE_KEYS)
  return perPlace(args, (start, p, q) => {
    const { x, size, out } = args
    const from = both((a) => Math.floor(((a === 0 ? p : q) * size[a]) / out[a]))
    const to = both((a) => Math.ceil((((a === 0 ? p : q) + 1) * size[a]) / out[a]))
    let sum = 0
    for (let h = from[0]; h < to[0]; h++) for (let w = from[1]; w < to[1]; w++) sum += x[start + h * size[1] + w]!
    return sum / ((to[0] - from[0]) * (to[1] - from[1]))
  })
}

/** The element at ⌊place · size / out⌋. */
export function upsampleNearestReference(args: PlaneArgs): Float64Array {
  checkKeys('upsampleNearestReference', args, PLANE_KEYS)
  return perPlace(args, (start, p, q) => {
    const { x, size, out } = args
    return x[start + Math.floor((p * size[0]) / out[0]) * size[1] + Math.floor((q * size[1]) / out[1])]!
  })
}

/** Between four elements, with the corners aligned or the edges. */
export function upsampleBilinearReference(args: PlaneArgs & { readonly corners: boolean }): Float64Array {
  checkKeys('upsampleBilinearReference', args, [...PLANE_KEYS, 'corners'])
  return perPlace(args, (start, p, q) => {
    const { x, size, out, corners } = args
    const place = (at: number, a: 0 | 1): number =>
      corners
        ? out[a] === 1
          ? 0
          : (at * (size[a] - 1)) / (out[a] - 1)
        : Math.max(0, ((at + 0.5) * size[a]) / out[a] - 0.5)
    const [v, u] = [place(p, 0), place(q, 1)]
    const [top, left] = [Math.min(Math.floor(v), size[0] - 1), Math.min(Math.floor(u), size[1] - 1)]
    const [bottom, right] = [Math.min(top + 1, size[0] - 1), Math.min(left + 1, size[1] - 1)]
    const at = (h: number, w: number): number => x[start + h * size[1] + w]!
    const row = (h: number): number => at(h, left) + (at(h, right) - at(h, left)) * (u - left)
    return row(top) + (row(bottom) - row(top)) * (v - top)
  })
}

export interface GridSampleReferenceArgs {
  /** [items, channels, height, width] */
  readonly x: ArrayLike<number>
  /** [items, out height, out width, 2]: horizontal, vertical, from −1 to 1 */
  readonly grid: ArrayLike<number>
  readonly items: number
  readonly channels: number
  readonly size: Pair
  readonly out: Pair
  readonly nearest: boolean
  readonly corners: boolean
}

const GRID_KEYS = keysOf<GridSampleReferenceArgs>({
  x: true,
  grid: true,
  items: true,
  channels: true,
  size: true,
  out: true,
  nearest: true,
  corners: true,
})

const roundEven = (x: number): number => {
  const low = Math.floor(x)
  return x - low < 0.5 ? low : x - low > 0.5 ? low + 1 : low % 2 === 0 ? low : low + 1
}

export function gridSampleReference(args: GridSampleReferenceArgs): Float64Array {
  checkKeys('gridSampleReference', args, GRID_KEYS)
  const { x, grid, items, channels, size, out, nearest, corners } = args
  expectLength('grid', grid, items * out[0] * out[1] * 2)
  return perPlace({ x, planes: items * channels, size, out }, (start, p, q) => {
    const n = Math.floor(start / (channels * size[0] * size[1]))
    const at = ((n * out[0] + p) * out[1] + q) * 2
    const place = (wanted: number, extent: number): number =>
      corners ? ((wanted + 1) / 2) * (extent - 1) : ((wanted + 1) * extent - 1) / 2
    const [u, v] = [place(grid[at]!, size[1]), place(grid[at + 1]!, size[0])]
    const of = (h: number, w: number): number =>
      h < 0 || w < 0 || h >= size[0] || w >= size[1] ? 0 : x[start + h * size[1] + w]!
    if (nearest) return of(roundEven(v), roundEven(u))
    const [top, left] = [Math.floor(v), Math.floor(u)]
    const row = (h: number): number => of(h, left) + (of(h, left + 1) - of(h, left)) * (u - left)
    return row(top) + (row(top + 1) - row(top)) * (v - top)
  })
}

export interface BatchNormReferenceArgs {
  /** [items, channels, places] */
  readonly x: ArrayLike<number>
  readonly mean: ArrayLike<number>
  readonly variance: ArrayLike<number>
  readonly weight: ArrayLike<number>
  readonly bias: ArrayLike<number>
  readonly places: number
  readonly eps: number
}

const NORM_KEYS = keysOf<BatchNormReferenceArgs>({
  x: true,
  mean: true,
  variance: true,
  weight: true,
  bias: true,
  places: true,
  eps: true,
})

/** `(x − mean[c]) / √(variance[c] + eps) · weight[c] + bias[c]`. */
export function batchNormReference(args: BatchNormReferenceArgs): Float64Array {
  checkKeys('batchNormReference', args, NORM_KEYS)
  const { x, mean, variance, weight, bias, places, eps } = args
  return Float64Array.from(x, (value, i) => {
    const c = Math.floor(i / places) % mean.length
    return ((value - mean[c]!) / Math.sqrt(variance[c]! + eps)) * weight[c]! + bias[c]!
  })
}
