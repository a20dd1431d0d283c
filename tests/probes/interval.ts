/**
 * What a composed expression may give: the specification bounds the error of each operation and says that a function
 * "inherits" its error from a defining expression. So the defining expression is evaluated on intervals, each operation
 * of which is as wide as that operation's own bound (§"Accuracy of Concrete Floating Point Expressions"):
 *
 *   x + y, x − y, x · y    correctly rounded: either neighbour of the exact value
 *   x / y                  2.5 ULP, for |y| in [2⁻¹²⁶, 2¹²⁶] (f16: [2⁻¹⁴, 2¹⁴])
 *   inverseSqrt            2 ULP;  sqrt: 1 / inverseSqrt(x)
 *   exp, exp2              3 + 2·|x| ULP (f16: 1 + 2·|x|)
 *   log, log2              2⁻²¹ (f16: 2⁻⁷) absolute in [0.5, 2], 3 ULP elsewhere
 *   sin, cos               2⁻¹¹ (f16: 2⁻⁷) absolute in [−π, π]
 *
 * An operand or a result that may be subnormal may be zero; a bound beyond the greatest float, an argument outside of
 * an operation's domain: nothing is fixed. A fused operation rounds less often than the separate ones, so its result
 * lies in the interval too.
 */
import { down, type Format, ulp, up } from './format.js'

/** `ANY` where nothing is fixed. */
export interface Interval {
  readonly lo: number
  readonly hi: number
}

export const ANY: Interval = { lo: -Infinity, hi: Infinity }
export const point = (x: number): Interval => ({ lo: x, hi: x })
export const isAny = (x: Interval): boolean => !(Number.isFinite(x.lo) && Number.isFinite(x.hi))

/** The arithmetic of one format. */
export interface Arithmetic {
  add(a: Interval, b: Interval): Interval
  sub(a: Interval, b: Interval): Interval
  mul(a: Interval, b: Interval): Interval
  div(a: Interval, b: Interval): Interval
  sqrt(a: Interval): Interval
  exp(a: Interval): Interval
  exp2(a: Interval): Interval
  log(a: Interval): Interval
  log2(a: Interval): Interval
  sin(a: Interval): Interval
  cos(a: Interval): Interval
  /** Σ of terms in any order and grouping. */
  sum(terms: readonly Interval[]): Interval
  constant(x: number): Interval
}

const finite = (f: Format, x: Interval): Interval =>
  x.lo < -f.greatest || x.hi > f.greatest || Number.isNaN(x.lo + x.hi) ? ANY : x

/** A result that may be subnormal may be zero. */
function flushed(f: Format, { lo, hi }: Interval): Interval {
  return { lo: lo > 0 && lo < f.leastNormal ? 0 : lo, hi: hi < 0 && hi > -f.leastNormal ? 0 : hi }
}

function rounded(f: Format, lo: number, hi: number): Interval {
  const exact = finite(f, { lo, hi })
  return isAny(exact) ? ANY : flushed(f, { lo: down(f, lo), hi: up(f, hi) })
}

/** A monotonic function with an error, by its values at both ends. */
function monotonic(
  f: Format,
  a: Interval,
  of: (x: number) => number,
  error: (x: number, value: number) => number,
): Interval {
  if (isAny(a)) return ANY
  const [p, q] = [of(a.lo), of(a.hi)]
  const [lo, hi] = [p - error(a.lo, p), q + error(a.hi, q)]
  return flushed(f, finite(f, { lo, hi }))
}

export function arithmetic(f: Format): Arithmetic {
  const half = f.scalar === 'f16'
  const add = (a: Interval, b: Interval): Interval => rounded(f, a.lo + b.lo, a.hi + b.hi)
  const divisor = 2 ** (half ? 14 : 126)
  const wave =
    (of: (x: number) => number) =>
    (a: Interval): Interval => {
      if (a.lo !== a.hi || Math.abs(a.lo) > Math.PI) return ANY
      const error = half ? 2 ** -7 : 2 ** -11
      return { lo: of(a.lo) - error, hi: of(a.hi) + error }
    }
  const power = (of: (x: number) => number) => (a: Interval) =>
    monotonic(f, a, of, (x, v) => ((half ? 1 : 3) + 2 * Math.abs(x)) * ulp(f, v))
  const logarithm = (of: (x: number) => number) => (a: Interval) =>
    a.lo > 0 ? monotonic(f, a, of, (x, v) => (x >= 0.5 && x <= 2 ? (half ? 2 ** -7 : 2 ** -21) : 3 * ulp(f, v))) : ANY
  return {
    add,
    sub: (a, b) => add(a, { lo: -b.hi, hi: -b.lo }),
    mul: (a, b) => {
      if (isAny(a) || isAny(b)) return ANY
      const all = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]
      return rounded(f, Math.min(...all), Math.max(...all))
    },
    div: (a, b) => {
      if (isAny(a) || isAny(b) || (b.lo <= 0 && b.hi >= 0)) return ANY
      const sizes = [Math.abs(b.lo), Math.abs(b.hi)]
      if (Math.min(...sizes) < 1 / divisor || Math.max(...sizes) > divisor) return ANY
      const all = [a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi]
      const [lo, hi] = [Math.min(...all), Math.max(...all)]
      return flushed(f, finite(f, { lo: lo - 2.5 * ulp(f, lo), hi: hi + 2.5 * ulp(f, hi) }))
    },
    // 2 ULP of the root and 2.5 of the division by it
    sqrt: (a) => (a.lo < 0 ? ANY : monotonic(f, a, Math.sqrt, (x, v) => (x === 0 ? 0 : 4.5 * ulp(f, v)))),
    exp: power(Math.exp),
    exp2: power((x) => 2 ** x),
    log: logarithm(Math.log),
    log2: logarithm(Math.log2),
    sin: wave(Math.sin),
    cos: wave(Math.cos),
    sum: (terms) => {
      if (terms.some(isAny)) return ANY
      const [lo, hi] = [terms.reduce((s, t) => s + t.lo, 0), terms.reduce((s, t) => s + t.hi, 0)]
      if (terms.length === 1) return { lo, hi }
      if (terms.length === 2) return rounded(f, lo, hi)
      // no partial sum is greater than the sum of the sizes, and each of the n − 1 additions is off by less than its ULP
      const most = terms.reduce((s, t) => s + Math.max(Math.abs(t.lo), Math.abs(t.hi)), 0)
      const error = most === 0 ? 0 : (terms.length - 1) * ulp(f, 2 * most)
      return flushed(f, finite(f, { lo: lo - error, hi: hi + error }))
    },
    constant: (x) => ({ lo: down(f, x), hi: up(f, x) }),
  }
}
