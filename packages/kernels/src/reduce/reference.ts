import { checkKeys, keysOf } from '../args'
import { expectLength } from '../expect-length'

/** x: [outer, size, inner] reduced along its middle axis, to [outer, inner]. */
export interface ReduceReferenceArgs {
  readonly x: ArrayLike<number>
  readonly outer: number
  readonly size: number
  readonly inner: number
}

const KEYS = keysOf<ReduceReferenceArgs>({ x: true, outer: true, size: true, inner: true })

/** `f` of the elements along the axis, for each place of the others. */
export function reduceReference(f: (values: readonly number[]) => number, args: ReduceReferenceArgs): Float64Array {
  checkKeys('reduceReference', args, KEYS)
  const { x, outer, size, inner } = args
  expectLength('x', x, outer * size * inner)
  return Float64Array.from({ length: outer * inner }, (_, at) => {
    const start = Math.floor(at / inner) * size * inner + (at % inner)
    return f(Array.from({ length: size }, (_, j) => x[start + j * inner]!))
  })
}

const sum = (values: readonly number[]): number => values.reduce((total, v) => total + v, 0)

/** Whether a stands before b in the order of argmax: NaN is the greatest, equal values are equal. */
const greater = (a: number, b: number): boolean => (Number.isNaN(a) ? !Number.isNaN(b) : a > b)

const place = (values: readonly number[], better: (a: number, b: number) => boolean): number =>
  values.reduce((best, v, i) => (better(v, values[best]!) ? i : best), 0)

/** In float64; `variance` divides by n. */
export const reduceFunctions = {
  sum,
  mean: (values) => sum(values) / values.length,
  sumSquares: (values) => sum(values.map((v) => v * v)),
  min: (values) => values.reduce((least, v) => Math.min(least, v), Infinity),
  max: (values) => values.reduce((most, v) => Math.max(most, v), -Infinity),
  variance: (values) => {
    const mean = sum(values) / values.length
    return sum(values.map((v) => (v - mean) ** 2)) / values.length
  },
  argmax: (values) => place(values, greater),
  argmin: (values) => place(values, (a, b) => greater(b, a)),
  any: (values) => Number(values.some((v) => v !== 0)),
  all: (values) => Number(values.every((v) => v !== 0)),
} satisfies Readonly<Record<string, (values: readonly number[]) => number>>
