import { factsOf, isScalar, matrixName, scalarOf, withScalar, type ValueName } from '../types'
import type { Row, Slot } from './row'

/** The type that a slot stands for when `T` is `t`. */
export function slotType(slot: Slot, t: ValueName): ValueName {
  switch (slot) {
    case 'T': case 'TS': return t
    case 'S': return scalarOf(t)
    case 'B': case 'BS': return withScalar(t, 'bool')
    case 'U': return withScalar(t, 'u32')
    case 'I': return withScalar(t, 'i32')
    case 'R': return matrixName(scalarOf(t), factsOf(t).rows, factsOf(t).cols)
    default: return slot
  }
}

const accepts = (slot: Slot, t: ValueName, given: ValueName): boolean =>
  slotType(slot, t) === given || (slot === 'TS' && given === scalarOf(t)) || (slot === 'BS' && given === 'bool')

/** Whether the first argument fixes `T`: the first slot that is exactly `T`. */
const typeSlot = (row: Pick<Row, 'in'>): number => row.in.indexOf('T')

/** The result type of `row` on arguments of the given types, or null where the signature does not allow them. */
export function resolve(row: Pick<Row, 'over' | 'in' | 'out'>, args: readonly ValueName[]): ValueName | null {
  if (args.length !== row.in.length) return null
  const at = typeSlot(row)
  const t = at < 0 ? 'u32' : args[at]
  if (t === undefined || (at >= 0 && !row.over.includes(t))) return null
  return row.in.every((slot, i) => accepts(slot, t, args[i] as ValueName)) ? slotType(row.out, t) : null
}

/** The product `a * b` that involves a matrix or a scalar and a matrix; null where there is none. */
export function productType(a: ValueName, b: ValueName): ValueName | null {
  const x = factsOf(a)
  const y = factsOf(b)
  if (x.scalar !== y.scalar || (x.scalar !== 'f32' && x.scalar !== 'f16') || (x.cols === 1 && y.cols === 1)) return null
  if (isScalar(a)) return b
  if (isScalar(b)) return a
  if (x.cols === 1) return x.rows === y.rows ? vec(x.scalar, y.cols) : null
  if (y.cols === 1) return x.cols === y.rows ? vec(x.scalar, x.rows) : null
  return x.cols === y.rows ? matrixName(x.scalar, y.cols, x.rows) : null
}

const vec = (scalar: 'f32' | 'f16', lanes: number): ValueName => `vec${lanes}${scalar === 'f32' ? 'f' : 'h'}` as ValueName

const BITS: Record<string, number> = { f16: 16, f32: 32, i32: 32, u32: 32 }
/** Whether `bitcast` between the two types exists: same number of bits, no bool, no matrix. */
export function canBitcast(to: ValueName, from: ValueName): boolean {
  const bits = (name: ValueName): number => {
    const { scalar, rows, cols } = factsOf(name)
    return cols > 1 ? 0 : (BITS[scalar] ?? 0) * rows
  }
  return bits(to) > 0 && bits(to) === bits(from)
}
