/** Probes of what is no row: conversions, bitcasts, constructors, swizzles, indices, products of matrices. */
import { type AnyExpr, type Builder, bitcast } from '@weft/dsl'
import {
  bitcast as bitsOf,
  canBitcast,
  convertLane,
  factsOf,
  isMatrix,
  isVector,
  laneCount,
  productType,
  SCALARS,
  type ScalarName,
  scalarOf,
  VALUE_NAMES,
  type ValueName,
  vectorName,
} from '@weft/dsl/ir'
import { type Format, formatOf, isPlain } from './format.js'
import { productOf } from './inherited.js'
import { ANY, arithmetic, type Interval, point } from './interval.js'
import type { Expected } from './judge.js'
import { type Probe, tokenOf } from './probe.js'
import { mixed, sequence, VALUES } from './values.js'

type Loose = AnyExpr & {
  at(i: AnyExpr | number): AnyExpr
  swizzle(pattern: string): AnyExpr
  mul(other: AnyExpr): AnyExpr
}
type Call = readonly (readonly number[])[]

const LENGTHS = [1, 2, 3, 4] as const
const probe = (
  name: string,
  types: readonly ValueName[],
  out: ValueName,
  calls: readonly Call[],
  apply: (args: readonly Loose[], k: Builder) => AnyExpr,
  allowed: (call: Call) => readonly Interval[],
): Expected => ({
  probe: { name, types, out, calls, apply: apply as Probe['apply'] },
  when: 'run time',
  allowed: calls.map(allowed),
})

/** All values of a scalar, side by side in vectors. */
function rows(scalar: ScalarName, lanes: number): Call[] {
  const list = VALUES[scalar]
  return list.map((_, i) => [Array.from({ length: lanes }, (_x, l) => list[(i + l) % list.length] as number)])
}

const plain = (scalar: ScalarName, x: number): boolean => {
  const f = formatOf(scalar)
  return f === null || isPlain(f, x)
}

/** A copy: what is no plain float may change its bits or become zero. */
const copied = (scalar: ScalarName, x: number): Interval => (plain(scalar, x) ? point(x) : ANY)

function convertible(to: ScalarName, from: ScalarName, x: number): Interval {
  if (!plain(from, x)) return ANY
  const value = convertLane(to, from, x)
  const f = formatOf(to)
  return f === null || isPlain(f, value) ? point(value) : ANY
}

export const conversions: readonly Expected[] = SCALARS.flatMap((from) =>
  SCALARS.filter((to) => to !== from).flatMap((to) =>
    LENGTHS.map((n) => {
      const [source, target] = [vectorName(from, n), vectorName(to, n)]
      return probe(
        `convert ${source} to ${target}`,
        [source],
        target,
        rows(from, n),
        ([x]) => tokenOf(target)(x),
        ([x = []]) => x.map((v) => convertible(to, from, v)),
      )
    }),
  ),
)

export const bitcasts: readonly Expected[] = VALUE_NAMES.flatMap((from) =>
  VALUE_NAMES.filter((to) => to !== from && canBitcast(to, from)).map((to) =>
    probe(
      `bitcast ${from} to ${to}`,
      [from],
      to,
      rows(scalarOf(from), laneCount(from)),
      ([x]) => bitcast(tokenOf(to) as never, x as AnyExpr),
      ([x = []]) => {
        const bits = bitsOf(to, { type: from, lanes: x })
        const all = x.every((v) => plain(scalarOf(from), v))
        return bits.map((b) => (all ? copied(scalarOf(to), b) : ANY))
      },
    ),
  ),
)

/** The parts of a vector of n lanes, by their lengths. */
const SPLITS: Readonly<Record<number, readonly (readonly number[])[]>> = {
  2: [[1, 1]],
  3: [
    [1, 1, 1],
    [2, 1],
    [1, 2],
  ],
  4: [
    [1, 1, 1, 1],
    [2, 2],
    [1, 3],
    [3, 1],
    [2, 1, 1],
    [1, 1, 2],
    [1, 2, 1],
  ],
}

export const constructors: readonly Expected[] = [
  ...VALUE_NAMES.filter(isVector).flatMap((type) => {
    const scalar = scalarOf(type)
    const n = laneCount(type)
    const split = (SPLITS[n] ?? []).map((lengths) =>
      construct(
        type,
        lengths.map((l) => vectorName(scalar, l)),
      ),
    )
    const splat = probe(
      `${type} of one ${scalar}`,
      [scalar],
      type,
      rows(scalar, 1),
      ([x]) => tokenOf(type)(x),
      ([[x = 0] = []]) => Array.from({ length: n }, () => copied(scalar, x)),
    )
    return [...split, splat]
  }),
  ...VALUE_NAMES.filter(isMatrix).map((type) =>
    construct(
      type,
      Array.from({ length: factsOf(type).cols }, () => vectorName(scalarOf(type), factsOf(type).rows)),
    ),
  ),
]

function construct(type: ValueName, parts: readonly ValueName[]): Expected {
  const scalar = scalarOf(type)
  const calls = rows(scalar, laneCount(type)).map(([all = []]) => {
    let at = 0
    return parts.map((p) => all.slice(at, (at += laneCount(p))))
  })
  return probe(
    `${type}(${parts.join(', ')})`,
    parts,
    type,
    calls,
    (args) => tokenOf(type)(...args),
    (call) => call.flat().map((x) => copied(scalar, x)),
  )
}

const PATTERNS = ['x', 'y', 'z', 'w', 'xx', 'yx', 'zw', 'xz', 'zyx', 'yyx', 'wzyx', 'xyxy', 'rgba', 'ba', 'wwww']
const laneOf = (c: string): number => ('xyzw'.includes(c) ? 'xyzw' : 'rgba').indexOf(c)

export const swizzles: readonly Expected[] = VALUE_NAMES.filter(isVector).flatMap((type) => {
  const n = laneCount(type)
  return PATTERNS.filter((p) => [...p].every((c) => laneOf(c) < n)).map((pattern) =>
    probe(
      `${type}.${pattern}`,
      [type],
      vectorName(scalarOf(type), pattern.length),
      rows(scalarOf(type), n),
      ([x]) => x!.swizzle(pattern),
      ([x = []]) => [...pattern].map((c) => copied(scalarOf(type), x[laneOf(c)] as number)),
    ),
  )
})

/** Lanes and columns by an index that no compiler knows. */
export const elements: readonly Expected[] = VALUE_NAMES.filter((t) => isVector(t) || isMatrix(t)).map((type) => {
  const { rows: height, cols, scalar } = factsOf(type)
  const [count, out] = cols > 1 ? [cols, vectorName(scalar, height)] : [height, scalar]
  const size = laneCount(out)
  const calls = rows(scalar, laneCount(type)).map(([x = []], i): Call => [x, [i % count]])
  return probe(
    `element of ${type}`,
    [type, 'u32'],
    out,
    calls,
    ([x, i]) => x!.at(i as AnyExpr),
    ([x = [], [i = 0] = []]) => x.slice(i * size, (i + 1) * size).map((v) => copied(scalar, v)),
  )
})

const PRODUCT_CALLS = 128

/** Every product that involves a matrix. */
export const products: readonly Expected[] = VALUE_NAMES.flatMap((a) =>
  VALUE_NAMES.flatMap((b) => {
    const out = productType(a, b)
    if (out === null) return []
    const f = formatOf(scalarOf(a)) as Format
    const next = sequence(laneCount(a) * 31 + laneCount(b))
    const random = (type: ValueName): number[] =>
      Array.from({ length: laneCount(type) }, () => mixed(scalarOf(type), next))
    const calls = Array.from({ length: PRODUCT_CALLS }, (): Call => [random(a), random(b)])
    return [
      probe(
        `${a} · ${b}`,
        [a, b],
        out,
        calls,
        ([x, y]) => x!.mul(y as AnyExpr),
        ([x = [], y = []]) => productIntervals(f, a, x, b, y, out),
      ),
    ]
  }),
)

function productIntervals(
  f: Format,
  a: ValueName,
  x: readonly number[],
  b: ValueName,
  y: readonly number[],
  out: ValueName,
): readonly Interval[] {
  const open = Array.from({ length: laneCount(out) }, () => ANY)
  if (![...x, ...y].every((v) => isPlain(f, v))) return open
  const m = arithmetic(f)
  const [p, q] = [x.map(point), y.map(point)]
  if (laneCount(a) === 1) return q.map((v) => m.mul(p[0] as Interval, v))
  if (laneCount(b) === 1) return p.map((v) => m.mul(v, q[0] as Interval))
  // a vector on the left is a matrix of one row
  const height = isMatrix(a) ? factsOf(a).rows : 1
  return productOf(m, p, q, height, x.length / height)
}
