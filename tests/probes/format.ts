/** The float formats, as far as error bounds need them. */
import { roundF16, type ScalarName } from '@weft/dsl/ir'

export interface Format {
  readonly scalar: 'f32' | 'f16'
  /** Bits of the significand after the point. */
  readonly fraction: number
  readonly greatest: number
  readonly leastNormal: number
  readonly round: (x: number) => number
}

export const F32: Format = {
  scalar: 'f32',
  fraction: 23,
  greatest: 3.4028234663852886e38,
  leastNormal: 2 ** -126,
  round: Math.fround,
}
export const F16: Format = { scalar: 'f16', fraction: 10, greatest: 65504, leastNormal: 2 ** -14, round: roundF16 }

export const formatOf = (scalar: ScalarName): Format | null => (scalar === 'f32' ? F32 : scalar === 'f16' ? F16 : null)

/** Finite, and no subnormal: engines may take those for zero. */
export const isPlain = (f: Format, x: number): boolean =>
  Number.isFinite(x) && Math.abs(x) <= f.greatest && (x === 0 || Math.abs(x) >= f.leastNormal)

/** The distance of the two neighbouring floats that enclose x: the specification's ULP, the lesser one at a power of 2. */
export function ulp(f: Format, x: number): number {
  const size = Math.max(Math.abs(x), f.leastNormal)
  let exponent = Math.floor(Math.log2(size))
  if (2 ** exponent > size) exponent--
  if (2 ** (exponent + 1) <= size) exponent++
  const below = size === 2 ** exponent && size > f.leastNormal ? 1 : 0
  return 2 ** (exponent - f.fraction - below)
}

/** The greatest float that is at most x. */
export function down(f: Format, x: number): number {
  const near = f.round(x)
  return near <= x ? near : near - stepDown(f, near)
}

/** The least float that is at least x. */
export const up = (f: Format, x: number): number => -down(f, -x)

/** From a float to the one below. */
function stepDown(f: Format, x: number): number {
  if (Math.abs(x) < f.leastNormal) return f.leastNormal * 2 ** -f.fraction
  const exponent = Math.floor(Math.log2(Math.abs(x)))
  const unit = 2 ** (exponent - f.fraction)
  return x > 0 && x === 2 ** exponent && x > f.leastNormal ? unit / 2 : unit
}
