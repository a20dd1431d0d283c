/** What the specification fixes of a result: an interval for each lane, or nothing. */
import {
  BOUNDS,
  type Bound,
  evalFor,
  evaluate,
  type LaneFn,
  laneCount,
  type PureName,
  type Row,
  type ScalarName,
  scalarOf,
  type ValueName,
} from '@weft/dsl/ir'
import { F16, type Format, formatOf, isPlain, ulp } from './format.js'
import { INHERITED } from './inherited.js'
import { ANY, arithmetic, type Interval, isAny, point } from './interval.js'

type Call = readonly (readonly number[])[]

/** Arguments of integers and bools for which the specification leaves the result open. */
const OPEN: Readonly<Record<string, (...lanes: number[]) => boolean>> = {
  clamp: (_, low = 0, high = 0) => low > high,
  smoothstep: (low = 0, high = 0) => low >= high,
  // a power of two that is no normal float may be taken for zero
  ldexp: (_, e = 0) => e <= -127 || e > 128,
  // a product or a quotient is needed to know where a zero comes from
  pow: (x = 0) => x === 0,
}
const OPEN_F16: typeof OPEN = { ldexp: (_, e = 0) => e <= -15 || e > 16 }

/** Whole calls that leave the result open: a float beyond f16, and one that is a subnormal half. */
const OPEN_CALL: Readonly<Record<string, (x: number) => boolean>> = {
  pack2x16float: (x) => Math.abs(x) > F16.greatest || (x !== 0 && Math.abs(x) < F16.leastNormal),
}

const at = (lanes: readonly number[], i: number): number => (lanes.length === 1 ? lanes[0] : lanes[i]) as number

/** The intervals of the result lanes of one call. */
export function acceptable(
  op: PureName,
  row: Row,
  types: readonly ValueName[],
  out: ValueName,
  call: Call,
): readonly Interval[] {
  const formats = types.map((t) => formatOf(scalarOf(t)))
  const fixed = call.every((lanes, n) => formats[n] === null || lanes.every((x) => isPlain(formats[n] as Format, x)))
  if (call.some((lanes) => lanes.some((x) => OPEN_CALL[op]?.(x)))) return open(out)
  if (row.whole || row.accuracy === 'inherited') return fixed ? wholeCall(op, row, types, out, call) : open(out)
  const t = scalarOf(types[row.in.indexOf('T')] ?? 'u32')
  const lane = evalFor(row, t) as LaneFn
  return Array.from({ length: laneCount(out) }, (_, i) => {
    const args = call.map((lanes) => at(lanes, i))
    const plain = args.every((x, n) => formats[n] === null || isPlain(formats[n] as Format, x))
    if (!plain || isOpen(op, t, args)) return ANY
    return oneLane(row, t, scalarOf(out), lane, args)
  })
}

const open = (out: ValueName): Interval[] => new Array<Interval>(laneCount(out)).fill(ANY)

const isOpen = (op: string, scalar: ScalarName, args: readonly number[]): boolean =>
  (OPEN[op]?.(...args) ?? false) || (scalar === 'f16' && (OPEN_F16[op]?.(...args) ?? false))

function oneLane(row: Row, t: ScalarName, out: ScalarName, lane: LaneFn, args: readonly number[]): Interval {
  const format = formatOf(out)
  const exact = lane(...args)
  if (format === null) return point(wrap(out, exact))
  const bound = boundOf(row, t)
  if (bound?.on && !bound.on(...args)) return ANY
  return around(format, exact, bound, args)
}

const boundOf = (row: Row, scalar: ScalarName): Bound | null =>
  row.accuracy === 'exact' || row.accuracy === 'inherited'
    ? null
    : BOUNDS[row.accuracy][scalar === 'f16' ? 'f16' : 'f32']

/** The exact value with its error: the greater of the absolute one and that in ULP. */
function around(f: Format, exact: number, bound: Bound | null, args: readonly number[]): Interval {
  if (Number.isNaN(exact)) return ANY
  const value = bound ? exact : f.round(exact)
  const of = (b: number | ((...lanes: number[]) => number) | undefined): number =>
    typeof b === 'function' ? b(...args) : (b ?? 0)
  const error = bound ? Math.max(of(bound.abs), of(bound.ulp) * ulp(f, exact)) : 0
  const [lo, hi] = [value - error, value + error]
  if (!(lo >= -f.greatest && hi <= f.greatest)) return ANY
  return { lo: lo > 0 && lo < f.leastNormal ? 0 : lo, hi: hi < 0 && hi > -f.leastNormal ? 0 : hi }
}

const wrap = (scalar: ScalarName, x: number): number =>
  scalar === 'i32' ? x | 0 : scalar === 'u32' ? x >>> 0 : x ? 1 : 0

/** Operations that mix lanes, and those that inherit their accuracy. */
function wholeCall(
  op: PureName,
  row: Row,
  types: readonly ValueName[],
  out: ValueName,
  call: Call,
): readonly Interval[] {
  const t = scalarOf(types[Math.max(0, row.in.indexOf('T'))] as ValueName)
  const format = formatOf(t)
  if (format !== null && row.accuracy === 'inherited') {
    if (
      OPEN[op] &&
      call[0]?.some((_, i) =>
        isOpen(
          op,
          t,
          call.map((lanes) => at(lanes, i)),
        ),
      )
    )
      return open(out)
    const defining = INHERITED[op]
    if (!defining) throw new Error(`${op} inherits its accuracy from an expression that is not in inherited.ts`)
    return defining(
      arithmetic(format),
      call.map((lanes) => lanes.map(point)),
    )
  }
  if (row.accuracy === 'inherited' && format === null && !row.whole) {
    const lane = evalFor(row, t) as LaneFn
    return Array.from({ length: laneCount(out) }, (_, i) =>
      point(wrap(scalarOf(out), lane(...call.map((lanes) => at(lanes, i))))),
    )
  }
  const lanes = row.whole
    ? exactWhole(row, types, call, out)
    : evaluate(
        op,
        out,
        call.map((l, i) => ({ type: types[i] as ValueName, lanes: l })),
      )
  const target = formatOf(scalarOf(out))
  return lanes.map((x) => (target ? around(target, x, boundOf(row, scalarOf(out)), []) : point(wrap(scalarOf(out), x))))
}

/** Without rounding, except for integers. */
function exactWhole(row: Row, types: readonly ValueName[], call: Call, out: ValueName): number[] {
  const t = scalarOf(types[Math.max(0, row.in.indexOf('T'))] as ValueName)
  const round = t === 'i32' ? (x: number) => x | 0 : t === 'u32' ? (x: number) => x >>> 0 : (x: number) => x
  const rows = types.map((type) => Number(/^mat\dx(\d)/.exec(type)?.[1] ?? laneCount(type)))
  return (row.whole as NonNullable<Row['whole']>)(formatOf(scalarOf(out)) ? (x) => x : round, call, rows)
}

/** Whether a lane is what the interval allows; zeros have no sign, as in the specification. */
export const accepts = (allowed: Interval, got: number): boolean =>
  isAny(allowed) || (got >= allowed.lo && got <= allowed.hi)
