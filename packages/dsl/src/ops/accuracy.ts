import type { Accuracy, Bound } from './row'

/**
 * Error bounds of the WGSL specification (§"Accuracy of Concrete Floating Point Expressions" and of built-in
 * functions), and the arguments for which a constant expression is an error.
 */

type Domain = NonNullable<Bound['on']>

export const ulp = (f32: number, f16: number, on?: Domain): Accuracy =>
  on ? { f32: { ulp: f32, on }, f16: { ulp: f16, on } } : { f32: { ulp: f32 }, f16: { ulp: f16 } }

export const positive: Domain = (x) => (x ?? 0) > 0

const divisorInRange = (least: number, greatest: number): Domain => (_, y) => {
  const magnitude = Math.abs(y ?? 0)
  return magnitude >= least && magnitude <= greatest
}
export const DIV: Accuracy = {
  f32: { ulp: 2.5, on: divisorInRange(2 ** -126, 2 ** 126) },
  f16: { ulp: 2.5, on: divisorInRange(2 ** -14, 2 ** 14) },
}

/** `x - floor(x)` may round up to 1 for tiny negative x. */
export const FRACT: Accuracy = ulp(1, 1)

/** Inherited from `1 / inverseSqrt(x)`: 2 ULP, then 2.5 of the division. */
export const SQRT: Accuracy = { f32: { ulp: 4.5, on: (x = 0) => x === 0 || x >= 2 ** -126 }, f16: { ulp: 4.5, on: (x = 0) => x === 0 || x >= 2 ** -14 } }

export const EXP: Accuracy = { f32: { ulp: (x = 0) => 3 + 2 * Math.abs(x) }, f16: { ulp: (x = 0) => 1 + 2 * Math.abs(x) } }

const nearOne = (x: number): boolean => x >= 0.5 && x <= 2
/** An absolute bound next to 1, where the result is close to 0, and 3 ULP elsewhere. */
export const LOG: Accuracy = {
  f32: { abs: (x = 0) => (nearOne(x) ? 2 ** -21 : 0), ulp: (x = 0) => (nearOne(x) ? 0 : 3), on: positive },
  f16: { abs: (x = 0) => (nearOne(x) ? 2 ** -7 : 0), ulp: (x = 0) => (nearOne(x) ? 0 : 3), on: positive },
}

const withinPi: Domain = (x = 0) => Math.abs(x) <= Math.PI
export const SIN: Accuracy = { f32: { abs: 2 ** -11, on: withinPi }, f16: { abs: 2 ** -7, on: withinPi } }

const withinOne: Domain = (x = 0) => Math.abs(x) <= 1
/** The worse of an absolute 6.81e-5 and what `atan2(x, sqrt(1 - x * x))` inherits. */
const arc = (f32: number): Accuracy => ({ f32: { abs: f32, ulp: 4096, on: withinOne }, f16: { abs: 3.91e-3, ulp: 5, on: withinOne } })
export const ASIN = arc(6.81e-5)
export const ACOS = arc(6.77e-5)

const normal = (least: number, greatest: number): Domain => (y = 0, x = 0) =>
  [y, x].every((v) => Math.abs(v) >= least && Math.abs(v) <= greatest)
export const ATAN2: Accuracy = {
  f32: { ulp: 4096, on: normal(2 ** -126, 2 ** 126) },
  f16: { ulp: 5, on: normal(2 ** -14, 2 ** 14) },
}

/** Inherited from `exp2(y * log2(x))`: the error of the exponent, scaled, plus that of exp2. */
const powUlp = (epsilon: number, exp2: number) => (x = 1, y = 1): number => {
  const exponent = Math.abs(y * Math.log2(x))
  const logError = nearOne(x) ? epsilon * 2 * Math.abs(y) : 3 * epsilon * exponent
  return exp2 + 2 * exponent + (logError + exponent * epsilon) / epsilon
}
export const POW: Accuracy = { f32: { ulp: powUlp(2 ** -22, 3), on: positive }, f16: { ulp: powUlp(2 ** -9, 1), on: positive } }

/** The worse of an absolute 1e-5 and what `sinh(x) / cosh(x)` inherits. */
export const TANH: Accuracy = { f32: { abs: 1e-5, ulp: 64 }, f16: { abs: 2 ** -7, ulp: 8 } }
