import {
  f16Bits, f16FromBits, factsOf, isMatrix, isScalar, laneCount, roundF16, scalarBytes, scalarOf,
  type ScalarName, type ValueName,
} from '../types'
import { PURE, type PureName } from './pure'
import { MAX_F16, MAX_F32 } from './refuse'
import { evalFor, type LaneFn, type Refuse, type Round, type Row } from './row'

/**
 * The values of expressions on constants: the one place where the evaluation of a row meets lanes, rounding and
 * wrapping. It gives what a GPU gives at run time (`x / 0` is `x` for integers); whether WGSL would refuse the same
 * as a constant expression is the question that `refusal` answers.
 */

/** A value: exact lanes, bools as 0 and 1, column-major for matrices. */
export interface Value {
  readonly type: ValueName
  readonly lanes: readonly number[]
}

/** Brings an exact result into a scalar type: floats are rounded to nearest even, integers wrap. */
export const ROUND: { readonly [S in ScalarName]: Round } = {
  bool: (x) => (x ? 1 : 0),
  f16: roundF16,
  f32: Math.fround,
  i32: (x) => x | 0,
  u32: (x) => x >>> 0,
}

const TABLE: Readonly<Record<string, Row>> = PURE

/** The type that `T` of a row stands for, given the types of the arguments; u32 for rows without `T`. */
const typeOfT = (row: Row, args: readonly { readonly type: ValueName }[]): ValueName => args[row.in.indexOf('T')]?.type ?? 'u32'

const at = (lanes: readonly number[], i: number): number => (lanes.length === 1 ? lanes[0] : lanes[i]) ?? 0

/** The lanes of `op` on constant arguments, in its result type. */
export function evaluate(op: PureName | 'product', type: ValueName, args: readonly Value[]): number[] {
  return apply(op, type, args, ROUND[scalarOf(type)], (s) => ROUND[s])
}

function apply(op: PureName | 'product', type: ValueName, args: readonly Value[], round: Round, rounding: (s: ScalarName) => Round): number[] {
  if (op === 'product') return product(args[0] as Value, args[1] as Value, round)
  const row = TABLE[op] as Row
  const scalar = scalarOf(typeOfT(row, args))
  if (row.whole) {
    const lanes = row.whole(rounding(scalar), args.map((a) => a.lanes), args.map((a) => factsOf(a.type).rows))
    return lanes.map(round)
  }
  const fn = evalFor(row, scalar)
  if (!fn) throw new RangeError(`'${op}' has no evaluation for ${scalar}`)
  return eachLane(fn, type, args, round)
}

function eachLane(fn: LaneFn, type: ValueName, args: readonly Value[], round: Round): number[] {
  const out: number[] = []
  const count = laneCount(type)
  for (let i = 0; i < count; i++) out.push(round(fn(...args.map((a) => at(a.lanes, i)))))
  return out
}

/** A multiplication that involves a matrix: matrices, column vectors right of them, row vectors left, scalars. */
function product(a: Value, b: Value, round: Round): number[] {
  if (isScalar(a.type) || isScalar(b.type)) {
    const count = Math.max(a.lanes.length, b.lanes.length)
    return Array.from({ length: count }, (_, i) => round(at(a.lanes, i) * at(b.lanes, i)))
  }
  // A vector on the left is a matrix of one row.
  const rows = isMatrix(a.type) ? factsOf(a.type).rows : 1
  const inner = a.lanes.length / rows
  const cols = b.lanes.length / inner
  const out: number[] = []
  for (let c = 0; c < cols; c++) {
    for (let r = 0; r < rows; r++) {
      let sum = 0
      for (let k = 0; k < inner; k++) {
        const term = round((a.lanes[k * rows + r] ?? 0) * (b.lanes[c * inner + k] ?? 0))
        sum = k === 0 ? term : round(sum + term)
      }
      out.push(sum)
    }
  }
  return out
}

/** The greatest value to which a float converts: the greatest float that the integer type can hold. */
const GREATEST = { i32: 2147483520, u32: 4294967040 } as const
const LEAST = { i32: -2147483648, u32: 0 } as const

function toInt(scalar: 'i32' | 'u32', x: number): number {
  if (Number.isNaN(x)) return 0
  return Math.trunc(Math.min(Math.max(x, LEAST[scalar]), GREATEST[scalar])) + 0
}

/** One lane converted: floats to integers saturate and drop the fraction, integers keep their bits. */
export function convertLane(to: ScalarName, from: ScalarName, x: number): number {
  if (to === 'bool') return x === 0 ? 0 : 1
  if ((to === 'i32' || to === 'u32') && (from === 'f32' || from === 'f16')) return toInt(to, x)
  return ROUND[to](x)
}

export const convert = (to: ValueName, value: Value): number[] => {
  const scalar = scalarOf(to)
  const from = scalarOf(value.type)
  return value.lanes.map((x) => convertLane(scalar, from, x))
}

const memory = new DataView(new ArrayBuffer(16))
/** As what a scalar is put into memory and taken from it. */
const STORED = { bool: 'Uint32', f16: 'Uint16', f32: 'Float32', i32: 'Int32', u32: 'Uint32' } as const

/** The same bits as another type; the first lane of an f16 vector is the low half of a word. */
export function bitcast(to: ValueName, value: Value): number[] {
  const from = scalarOf(value.type)
  const target = scalarOf(to)
  value.lanes.forEach((x, i) => {
    memory[`set${STORED[from]}`](i * scalarBytes(from), from === 'f16' ? f16Bits(x) : x, true)
  })
  return Array.from({ length: laneCount(to) }, (_, i) => {
    const x = memory[`get${STORED[target]}`](i * scalarBytes(target), true)
    return target === 'f16' ? f16FromBits(x) : x
  })
}

/** A vector or matrix from its parts: none gives zeros, one scalar a splat. */
export function construct(type: ValueName, args: readonly Value[]): number[] {
  const count = laneCount(type)
  const [only] = args
  if (!only) return new Array<number>(count).fill(0)
  if (args.length === 1 && isScalar(only.type)) return new Array<number>(count).fill(only.lanes[0] ?? 0)
  return args.flatMap((a) => a.lanes)
}

export const swizzle = (value: Value, lanes: readonly number[]): number[] => lanes.map((i) => value.lanes[i] ?? 0)

/** A lane of a vector or a column of a matrix; null where the index is out of range. */
export function element(value: Value, index: number): number[] | null {
  const { rows, cols } = factsOf(value.type)
  if (!Number.isInteger(index) || index < 0 || index >= (cols > 1 ? cols : rows)) return null
  return cols > 1 ? value.lanes.slice(index * rows, (index + 1) * rows) : [value.lanes[index] ?? 0]
}

const MAX_FLOAT: { readonly [S in ScalarName]?: number } = { f16: MAX_F16, f32: MAX_F32 }
const finite = (value: Value): boolean => value.lanes.every(Number.isFinite)

/**
 * Why WGSL refuses `op` on these arguments as a constant expression, or null. An argument that is not constant is
 * null. Shifts that lose bits are not refused here: their value is what they give at run time, and folding
 * replaces them by it.
 */
export function refusal(op: PureName | 'product', type: ValueName, args: readonly (Value | null)[], types: readonly ValueName[]): string | null {
  const row = op === 'product' ? null : (TABLE[op] as Row)
  const any = row?.refuseAny
  if (row && any) {
    const t = types[row.in.indexOf('T')] ?? 'u32'
    const scalar = scalarOf(t)
    const check = typeof any === 'function' ? any : scalar === 'bool' ? undefined : any[scalar]
    const found = check ? refuseLanes(check, args, laneCount(t)) : null
    if (found) return found
  }
  // NaN and ∞ are no constants of WGSL: they reach it as values made at run time.
  if (!args.every((a): a is Value => a !== null && finite(a))) return null
  const count = args.reduce((most, a) => Math.max(most, a.lanes.length), 1)
  return (row?.refuse && refuseLanes(row.refuse, args, count)) || overflow(op, type, args)
}

function refuseLanes(check: Refuse, args: readonly (Value | null)[], count: number): string | null {
  for (let i = 0; i < count; i++) {
    const found = check(...args.map((a) => (a ? at(a.lanes, i) : Number.NaN)))
    if (found) return found
  }
  return null
}

/** Every rounding on the way to the result is watched: WGSL refuses an overflow in the middle, too. */
function overflow(op: PureName | 'product', type: ValueName, args: readonly Value[]): string | null {
  let fault: string | null = null
  const watch = (s: ScalarName): Round => {
    const most = MAX_FLOAT[s]
    if (most === undefined) return ROUND[s]
    return (x) => {
      if (Number.isNaN(x)) fault ??= 'the result is not a number'
      else if (Math.abs(Math.fround(x)) > most) fault ??= `the result exceeds the range of ${s}`
      return ROUND[s](x)
    }
  }
  apply(op, type, args, watch(scalarOf(type)), watch)
  return fault
}

/** Why WGSL refuses a conversion of a constant, or null. */
export function convertRefusal(to: ValueName, value: Value): string | null {
  const most = MAX_FLOAT[scalarOf(to)]
  if (most === undefined || !finite(value)) return null
  return value.lanes.some((x) => Math.abs(x) > most) ? `the value exceeds the range of ${scalarOf(to)}` : null
}

/** Why WGSL refuses a bitcast of a constant, or null. */
export function bitcastRefusal(to: ValueName, value: Value): string | null {
  return finite(value) && bitcast(to, value).some((x) => !Number.isFinite(x)) ? 'the bits are those of NaN or ∞' : null
}
