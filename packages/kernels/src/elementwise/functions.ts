import { type Expr, f32, fn } from '@weft/dsl'

/**
 * Functions of one value that are right for every finite input: where a formula would overflow on the way, its argument
 * is clamped to where the result no longer changes.
 */

type F = Expr<'f32'>

const { abs, clamp, exp, fma, log, max, min, select } = fn

/** tanh, 1 to the last bit from 9.02 on; engines give NaN for large arguments. */
export const tanh = (x: F): F => fn.tanh(clamp(x, -15, 15))

/** 1 / (1 + e⁻ˣ): e⁸⁸ is below the greatest f32, and 1 / e⁸⁸ above the least. */
export const sigmoid = (x: F): F => f32(1).div(exp(clamp(x, -88, 88).neg()).add(1))

export const silu = (x: F): F => x.mul(sigmoid(x))

/** silu′ = σ + x σ (1 - σ) */
export function siluDerivative(x: F): F {
  const s = sigmoid(x)
  return s.mul(fma(x, f32(1).sub(s), f32(1)))
}

/** ln(1 + eˣ) = max(x, 0) + ln(1 + e^-|x|), where nothing overflows; the logarithm near 1 by its series. */
export function softplus(x: F): F {
  const e = exp(abs(x).neg())
  return max(x, 0).add(select(log(e.add(1)), e.mul(fma(e, f32(-0.5), f32(1))), e.lt(1e-3)))
}

export const hardsigmoid = (x: F): F => clamp(x.add(3), 0, 6).div(6)

/** alpha · (eˣ - 1) below 0, by the series of expm1 near 0, where the difference would lose its digits. */
export function elu(x: F, alpha: F): F {
  const below = min(x, 0)
  const series = below.mul(fma(below, fma(below, f32(1 / 6), f32(0.5)), f32(1)))
  const curve = select(exp(below).sub(1), series, below.gt(-0.01))
  return select(alpha.mul(curve), x, x.gt(0))
}

const SQRT_2_OVER_PI = Math.sqrt(2 / Math.PI)
const CUBIC = 0.044715

/** √(2/π) (x + 0.044715 x³), the argument of tanh in {@link gelu}; below 44 in size, so that nothing overflows. */
const inner = (x: F): F => {
  const bounded = clamp(x, -10, 10)
  return bounded.mul(fma(bounded.mul(bounded), f32(SQRT_2_OVER_PI * CUBIC), f32(SQRT_2_OVER_PI)))
}

/** e^-2u with u the {@link inner} of x: (1 + tanh u) / 2 is 1 / (1 + e^-2u), one exponential, and exact where 1 + tanh u cancels. */
const decay = (x: F): F => exp(inner(x).mul(-2))

/** x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))). */
export const gelu = (x: F): F => x.div(decay(x).add(1))

/** σ + x σ (1 - σ) 2u′ with σ = 1 / (1 + e^-2u). */
export function geluDerivative(x: F): F {
  const bounded = clamp(x, -10, 10)
  const s = f32(1).div(decay(x).add(1))
  const slope = fma(bounded.mul(bounded), f32(6 * SQRT_2_OVER_PI * CUBIC), f32(2 * SQRT_2_OVER_PI))
  return fma(bounded.mul(s).mul(f32(1).sub(s)), slope, s)
}

const ERF = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429] as const

/** 1 - erf(|x|) by Abramowitz and Stegun, 7.1.26: a polynomial of 1 / (1 + p |x|) times e^-x², within 1.5e-7. */
function complement(x: F): F {
  const size = min(abs(x), 10)
  const t = f32(1).div(fma(size, f32(0.3275911), f32(1)))
  const series = ERF.reduceRight<F>((sum, c) => fma(sum, t, f32(c)), f32(0)).mul(t)
  return series.mul(exp(size.mul(size).neg()))
}

export const erf = (x: F): F => fn.sign(x).mul(f32(1).sub(complement(x)))

/** Φ(x) = (1 + erf(x / √2)) / 2: below 0 it is half the complement itself, whose digits a sum with 1 would lose. */
function normalCdf(x: F): F {
  const half = complement(x.mul(Math.SQRT1_2)).mul(0.5)
  return select(f32(1).sub(half), half, x.lt(0))
}

export const geluErf = (x: F): F => x.mul(normalCdf(x))

/** Φ(x) + x φ(x), with the density φ(x) = e^(-x²/2) / √(2π). */
export function geluErfDerivative(x: F): F {
  const bounded = clamp(x, -20, 20)
  const density = exp(bounded.mul(bounded).mul(-0.5)).mul(1 / Math.sqrt(2 * Math.PI))
  return fma(bounded, density, normalCdf(x))
}

/**
 * xʸ as IEEE 754 has it for finite arguments, where WGSL's `pow` knows x ≥ 0 only: x⁰ is 1; below 0 an integer y gives
 * the sign by its parity, any other NaN.
 */
export function power(x: F, y: F): F {
  const size = fn.pow(abs(x), y)
  const odd = fn.abs(y).rem(2).eq(1)
  const signed = select(size, size.neg(), odd)
  const below = select(f32(Number.NaN), signed, fn.floor(y).eq(y))
  return select(select(size, below, x.lt(0)), f32(1), y.eq(0))
}

/**
 * ⌊x / y⌋. Division is within 2.5 ULP only, so that 6 / 3 may be just below 2: the remainder of the candidate says whether the next
 * integer is the right one.
 */
export function floorDiv(x: F, y: F): F {
  const candidate = fn.floor(x.div(y))
  const rest = fma(candidate.neg(), y, x)
  const under = abs(rest).ge(abs(y))
  const over = rest.ne(0).and(rest.lt(0).ne(y.lt(0)))
  return candidate.add(select(select(f32(0), f32(-1), over), f32(1), under))
}
