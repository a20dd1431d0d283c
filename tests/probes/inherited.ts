/** The defining expressions of functions whose accuracy is inherited, from the specification's table of functions. */
import { ANY, type Arithmetic, type Interval, isAny, point } from './interval.js'

/** Arguments as lists of lanes, results too. */
export type Defining = (m: Arithmetic, args: readonly (readonly Interval[])[]) => Interval[]

const ONE = point(1)
const TWO = point(2)
const HALF = point(0.5)
const negative = (x: Interval): Interval => ({ lo: -x.hi, hi: -x.lo })
const union = (a: Interval, b: Interval): Interval => ({ lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi) })

/** Lane by lane; an argument of one lane is for all. */
const lanes =
  (of: (m: Arithmetic, ...x: Interval[]) => Interval): Defining =>
  (m, args) =>
    (args[0] as Interval[]).map((_, i) => of(m, ...args.map((a) => (a.length === 1 ? a[0] : a[i]) as Interval)))

const dotOf = (m: Arithmetic, a: readonly Interval[], b: readonly Interval[]): Interval =>
  m.sum(a.map((x, i) => m.mul(x, b[i] as Interval)))
const lengthOf = (m: Arithmetic, a: readonly Interval[]): Interval => m.sqrt(dotOf(m, a, a))

const clamp01 = (x: Interval): Interval =>
  isAny(x) ? ANY : { lo: Math.min(Math.max(x.lo, 0), 1), hi: Math.min(Math.max(x.hi, 0), 1) }

const refract: Defining = (m, [x = [], n = [], [eta = ANY] = []]) => {
  const cosine = dotOf(m, n, x)
  const k = m.sub(ONE, m.mul(m.mul(eta, eta), m.sub(ONE, m.mul(cosine, cosine))))
  if (isAny(k) || (k.lo < 0 && k.hi >= 0)) return x.map(() => ANY)
  if (k.hi < 0) return x.map(() => point(0))
  const along = m.add(m.mul(eta, cosine), m.sqrt(k))
  return x.map((v, i) => m.sub(m.mul(eta, v), m.mul(along, n[i] as Interval)))
}

/**
 * The specification bounds no determinant. Each term is a product of n elements, and every expansion by minors adds up
 * the n! of them in some order: what it may give is a sum of rounded products. A minor may overflow where the whole does
 * not; with elements taken for 1 at least, the terms bound those of every minor.
 */
const determinant: Defining = (m, [a = []]) => {
  const n = Math.sqrt(a.length)
  const sizes = a.map((x) => point(Math.max(1, Math.abs(x.lo), Math.abs(x.hi))))
  if (
    isAny(
      m.sum(
        permutations(n).map(({ order }) =>
          order.map((row, col) => sizes[col * n + row] as Interval).reduce((p, x) => m.mul(p, x)),
        ),
      ),
    )
  )
    return [ANY]
  const terms = permutations(n).map(({ order, sign }) => {
    const product = order.map((row, col) => a[col * n + row] as Interval).reduce((p, x) => m.mul(p, x))
    return sign < 0 ? negative(product) : product
  })
  return [m.sum(terms)]
}

function permutations(n: number): { readonly order: readonly number[]; readonly sign: number }[] {
  if (n === 0) return [{ order: [], sign: 1 }]
  return permutations(n - 1).flatMap(({ order, sign }) =>
    Array.from({ length: n }, (_, at) => ({
      order: [...order.slice(0, at), n - 1, ...order.slice(at)],
      sign: (n - 1 - at) % 2 ? -sign : sign,
    })),
  )
}

export const INHERITED: Readonly<Record<string, Defining>> = {
  rem: lanes((m, x, y) => {
    const q = m.div(x, y)
    return isAny(q) ? ANY : m.sub(x, m.mul(y, { lo: Math.trunc(q.lo), hi: Math.trunc(q.hi) }))
  }),
  fma: lanes((m, x, y, z) => m.add(m.mul(x, y), z)),
  pow: lanes((m, x, y) => (isAny(x) || x.lo <= 0 ? ANY : m.exp2(m.mul(y, m.log2(x))))),
  tan: lanes((m, x) => m.div(m.sin(x), m.cos(x))),
  sinh: lanes((m, x) => m.mul(m.sub(m.exp(x), m.exp(negative(x))), HALF)),
  cosh: lanes((m, x) => m.mul(m.add(m.exp(x), m.exp(negative(x))), HALF)),
  asinh: lanes((m, x) => m.log(m.add(x, m.sqrt(m.add(m.mul(x, x), ONE))))),
  acosh: lanes((m, x) => m.log(m.add(x, m.sqrt(m.sub(m.mul(x, x), ONE))))),
  atanh: lanes((m, x) => m.mul(m.log(m.div(m.add(ONE, x), m.sub(ONE, x))), HALF)),
  degrees: lanes((m, x) => m.mul(x, m.constant(180 / Math.PI))),
  radians: lanes((m, x) => m.mul(x, m.constant(Math.PI / 180))),
  mix: lanes((m, x, y, t) => m.add(m.mul(x, m.sub(ONE, t)), m.mul(y, t))),
  smoothstep: lanes((m, low, high, x) => {
    const t = clamp01(m.div(m.sub(x, low), m.sub(high, low)))
    return m.mul(m.mul(t, t), m.sub(point(3), m.mul(TWO, t)))
  }),
  dot: (m, [a = [], b = []]) => [dotOf(m, a, b)],
  cross: (m, [a = [], b = []]) =>
    [0, 1, 2].map((i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3] as const
      return m.sub(m.mul(a[j] as Interval, b[k] as Interval), m.mul(a[k] as Interval, b[j] as Interval))
    }),
  length: (m, [a = []]) => [lengthOf(m, a)],
  distance: (m, [a = [], b = []]) => [
    lengthOf(
      m,
      a.map((x, i) => m.sub(x, b[i] as Interval)),
    ),
  ],
  normalize: (m, [a = []]) => {
    const size = lengthOf(m, a)
    return a.map((x) => m.div(x, size))
  },
  faceForward: (m, [x = [], y = [], z = []]) => {
    const d = dotOf(m, y, z)
    if (isAny(d)) return x.map(() => ANY)
    return x.map((v) => (d.hi < 0 ? v : d.lo >= 0 ? negative(v) : union(v, negative(v))))
  },
  reflect: (m, [x = [], n = []]) => {
    const twice = m.mul(TWO, dotOf(m, n, x))
    return x.map((v, i) => m.sub(v, m.mul(twice, n[i] as Interval)))
  },
  refract,
  determinant,
}

/** A matrix times a matrix, a vector or a scalar: every lane is a dot product. `rows` of the left, `inner` of both. */
export const productOf = (
  m: Arithmetic,
  a: readonly Interval[],
  b: readonly Interval[],
  rows: number,
  inner: number,
): Interval[] =>
  Array.from({ length: (b.length / inner) * rows }, (_, i) => {
    const [r, c] = [i % rows, Math.floor(i / rows)]
    return m.sum(
      Array.from({ length: inner }, (_x, k) => m.mul(a[k * rows + r] as Interval, b[c * inner + k] as Interval)),
    )
  })
