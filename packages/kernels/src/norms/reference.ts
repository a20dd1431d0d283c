import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

/**
 * Layernorm, rmsnorm and groupnorm with their gradients, in float64. x: [items, channels, places], normalized over each group of
 * channels with all their places. Layernorm and rmsnorm over the last axis of [rows, cols] are items = rows, channels = cols,
 * places = 1, groups = 1.
 */
export interface NormShape {
  readonly items: number
  readonly channels: number
  readonly places: number
  readonly groups: number
  readonly eps: number
  /** rmsnorm: no mean is taken away. */
  readonly centered: boolean
}

export interface NormReferenceArgs extends NormShape {
  readonly x: ArrayLike<number>
  /** [channels] */
  readonly weight: ArrayLike<number>
  /** [channels]; zeros when left out */
  readonly bias?: ArrayLike<number>
}

type NormBackwardReferenceArgs = NormReferenceArgs & { readonly dy: ArrayLike<number> }

const KEYS = keysOf<NormReferenceArgs>({
  x: true,
  weight: true,
  bias: true,
  items: true,
  channels: true,
  places: true,
  groups: true,
  eps: true,
  centered: true,
})
const BACKWARD_KEYS = [...KEYS, 'dy']

interface Group {
  readonly start: number
  readonly size: number
  readonly firstChannel: number
  readonly mean: number
  readonly rstd: number
}

function groupsOf({ x, items, channels, places, groups, eps, centered }: NormReferenceArgs): Group[] {
  expectLength('x', x, items * channels * places)
  const size = (channels / groups) * places
  return Array.from({ length: items * groups }, (_, row) => {
    const start = row * size
    let sum = 0
    for (let i = 0; i < size; i++) sum += x[start + i]!
    const mean = centered ? sum / size : 0
    let squares = 0
    for (let i = 0; i < size; i++) squares += (x[start + i]! - mean) ** 2
    return {
      start,
      size,
      firstChannel: ((row % groups) * channels) / groups,
      mean,
      rstd: 1 / Math.sqrt(squares / size + eps),
    }
  })
}

/** `y = (x − mean) / √(variance + eps) · weight + bias` over each group. */
export function normReference(args: NormReferenceArgs): Float64Array {
  checkKeys('normReference', args, KEYS)
  const { x, weight, bias, channels, places } = args
  expectLength('weight', weight, channels)
  const y = new Float64Array(x.length)
  for (const { start, size, firstChannel, mean, rstd } of groupsOf(args)) {
    for (let i = 0; i < size; i++) {
      const c = firstChannel + Math.floor(i / places)
      y[start + i] = (x[start + i]! - mean) * rstd * weight[c]! + (bias?.[c] ?? 0)
    }
  }
  return y
}

/** The gradients of {@link normReference} by x, weight and bias, of `dy`; and the mean and 1 / √(variance + eps) of each group. */
export function normBackwardReference(args: NormBackwardReferenceArgs): {
  readonly dx: Float64Array
  readonly dweight: Float64Array
  readonly dbias: Float64Array
  readonly stats: Float64Array
} {
  checkKeys('normBackwardReference', args, BACKWARD_KEYS)
  const { x, dy, weight, channels, places, centered } = args
  expectLength('dy', dy, x.length)
  const dx = new Float64Array(x.length)
  const [dweight, dbias] = [new Float64Array(channels), new Float64Array(channels)]
  const groups = groupsOf(args)
  for (const { start, size, firstChannel, mean, rstd } of groups) {
    let [sum, products] = [0, 0]
    const each = (body: (at: number, c: number, n: number, g: number) => void): void => {
      for (let i = 0; i < size; i++) {
        const c = firstChannel + Math.floor(i / places)
        body(start + i, c, (x[start + i]! - mean) * rstd, dy[start + i]! * weight[c]!)
      }
    }
    each((at, c, n, g) => {
      sum += g
      products += g * n
      dweight[c]! += dy[at]! * n
      dbias[c]! += dy[at]!
    })
    each((at, _, n, g) => {
      dx[at] = rstd * (g - (centered ? sum / size : 0) - (n * products) / size)
    })
  }
  return { dx, dweight, dbias, stats: Float64Array.from(groups.flatMap(({ mean, rstd }) => [mean, rstd])) }
}
