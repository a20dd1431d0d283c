/**
 * Error bounds of the WGSL specification (§"Accuracy of Concrete Floating Point Expressions" and of built-in functions).
 * `ulp`: within so many units in the last place of the exact result. `abs`: absolute error. `on` restricts it to the
 * domain for which the specification states it.
 */
export interface Bound {
  readonly ulp?: number | ((...lanes: number[]) => number)
  readonly abs?: number | ((...lanes: number[]) => number)
  readonly on?: (...lanes: number[]) => boolean
}
interface Bounds { readonly f32: Bound; readonly f16: Bound }
type Domain = NonNullable<Bound['on']>

const ulp = (f32: number, f16: number, on?: Domain): Bounds =>
  on ? { f32: { ulp: f32, on }, f16: { ulp: f16, on } } : { f32: { ulp: f32 }, f16: { ulp: f16 } }

const positive: Domain = (x) => (x ?? 0) > 0

const divisorInRange = (least: number, greatest: number): Domain => (_, y) => {
  const magnitude = Math.abs(y ?? 0)
  return magnitude >= least && magnitude <= greatest
}
const DIV = {
  f32: { ulp: 2.5, on: divisorInRange(2 ** -126, 2 ** 126) },
  f16: { ulp: 2.5, on: divisorInRange(2 ** -14, 2 ** 14) },
}

/** `x - floor(x)` may round up to 1 for tiny negative x. */
const FRACT = ulp(1, 1)

/** Inherited from `1 / inverseSqrt(x)`: 2 ULP, then 2.5 of the division. */
const SQRT = { f32: { ulp: 4.5, on: (x = 0) => x === 0 || x >= 2 ** -126 }, f16: { ulp: 4.5, on: (x = 0) => x === 0 || x >= 2 ** -14 } }

const EXP = { f32: { ulp: (x = 0) => 3 + 2 * Math.abs(x) }, f16: { ulp: (x = 0) => 1 + 2 * Math.abs(x) } }

const nearOne = (x: number): boolean => x >= 0.5 && x <= 2
/** An absolute bound next to 1, where the result is close to 0, and 3 ULP elsewhere. */
const LOG = {
  f32: { abs: (x = 0) => (nearOne(x) ? 2 ** -21 : 0), ulp: (x = 0) => (nearOne(x) ? 0 : 3), on: positive },
  f16: { abs: (x = 0) => (nearOne(x) ? 2 ** -7 : 0), ulp: (x = 0) => (nearOne(x) ? 0 : 3), on: positive },
}

const withinPi: Domain = (x = 0) => Math.abs(x) <= Math.PI
const SIN = { f32: { abs: 2 ** -11, on: withinPi }, f16: { abs: 2 ** -7, on: withinPi } }

const withinOne: Domain = (x = 0) => Math.abs(x) <= 1
/** The worse of an absolute 6.81e-5 and what `atan2(x, sqrt(1 - x * x))` inherits. */
const arc = (f32: number): Bounds => ({ f32: { abs: f32, ulp: 4096, on: withinOne }, f16: { abs: 3.91e-3, ulp: 5, on: withinOne } })
const ASIN = arc(6.81e-5)
const ACOS = arc(6.77e-5)

const normal = (least: number, greatest: number): Domain => (y = 0, x = 0) =>
  [y, x].every((v) => Math.abs(v) >= least && Math.abs(v) <= greatest)
const ATAN2 = {
  f32: { ulp: 4096, on: normal(2 ** -126, 2 ** 126) },
  f16: { ulp: 5, on: normal(2 ** -14, 2 ** 14) },
}

/** The worse of an absolute 1e-5 and what `sinh(x) / cosh(x)` inherits. */
const TANH = { f32: { abs: 1e-5, ulp: 64 }, f16: { abs: 2 ** -7, ulp: 8 } }

/** By the names that rows give. */
export const BOUNDS = {
  acos: ACOS, asin: ASIN, atan: ulp(4096, 5), atan2: ATAN2, div: DIV, exp: EXP, fract: FRACT, inverseSqrt: ulp(2, 2, positive),
  log: LOG, sin: SIN, sqrt: SQRT, tanh: TANH, unpacked: ulp(3, 3),
}
export type BoundsName = keyof typeof BOUNDS
