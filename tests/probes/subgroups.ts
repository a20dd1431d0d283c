/** Probes of the rows of subgroup and quad operations. Invocations are in subgroups of 4, by their index. */
import type { AnyExpr, Builder } from '@weft/dsl'
import {
  EFFECTS,
  type EffectRow,
  laneCount,
  type ScalarName,
  type Slot,
  scalarOf,
  slotType,
  type ValueName,
} from '@weft/dsl/ir'
import { formatOf, isPlain } from './format.js'
import { ANY, arithmetic, type Interval, isAny, point } from './interval.js'
import type { Expected } from './judge.js'
import { WORKGROUP } from './probe.js'
import { mixed, sequence } from './values.js'

const SIZE = 4
const ROWS = Object.entries(EFFECTS).filter(
  ([, row]) => row.family === 'subgroup' || row.family === 'quad',
) as unknown as readonly (readonly [string, EffectRow])[]

type Lane = readonly number[]
/** By invocation of the subgroup, the lanes of its first argument; gives the lane `l` for invocation `i`. */
type Result = (all: readonly Lane[], i: number, l: number, scalar: ScalarName) => Interval

const wrap = (scalar: ScalarName, x: number): number => (scalar === 'i32' ? x | 0 : x >>> 0)

/** Reductions in any order. */
const fold =
  (kind: 'sum' | 'product', which: (i: number, j: number) => boolean): Result =>
  (all, i, l, scalar) => {
    const values = all.filter((_, j) => which(i, j)).map((lanes) => lanes[l] as number)
    const f = formatOf(scalar)
    if (!f)
      return point(
        values.reduce((a, b) => wrap(scalar, kind === 'sum' ? a + b : Math.imul(a, b)), kind === 'sum' ? 0 : 1),
      )
    if (!values.every((x) => isPlain(f, x))) return ANY
    const m = arithmetic(f)
    if (kind === 'sum') return values.length === 0 ? point(0) : m.sum(values.map(point))
    return products(m, values)
  }

/** The union over all orders of multiplication, which differ by roundings only: wider than any of them. */
function products(m: ReturnType<typeof arithmetic>, values: readonly number[]): Interval {
  const orders =
    values.length < 3
      ? [values]
      : values.flatMap((x, i) => [
          [x, ...values.filter((_, j) => j !== i)],
          [...values.filter((_, j) => j !== i), x],
        ])
  const all = orders.map((order) => order.map(point).reduce((a, b) => m.mul(a, b), point(1)))
  const pairs =
    values.length === 4
      ? [
          [0, 1, 2, 3],
          [0, 2, 1, 3],
          [0, 3, 1, 2],
        ].map(([a, b, c, d]) =>
          m.mul(m.mul(point(values[a!]!), point(values[b!]!)), m.mul(point(values[c!]!), point(values[d!]!))),
        )
      : []
  const every = [...all, ...pairs]
  return every.some(isAny) ? ANY : { lo: Math.min(...every.map((x) => x.lo)), hi: Math.max(...every.map((x) => x.hi)) }
}

const choose =
  (pick: (a: number, b: number) => number): Result =>
  (all, _i, l, scalar) => {
    const f = formatOf(scalar)
    const values = all.map((lanes) => lanes[l] as number)
    return f && !values.every((x) => isPlain(f, x)) ? ANY : point(values.reduce((a, b) => pick(a, b)))
  }

const from =
  (source: (i: number) => number): Result =>
  (all, i, l, scalar) => {
    const lanes = all[source(i)]
    const f = formatOf(scalar)
    return !lanes || (f && !isPlain(f, lanes[l] as number)) ? ANY : point(lanes[l] as number)
  }

const whole = (): boolean => true
const before = (i: number, j: number): boolean => j < i
const upTo = (i: number, j: number): boolean => j <= i
const bits =
  (of: (a: number, b: number) => number): Result =>
  (all, _i, l, scalar) =>
    point(
      wrap(
        scalar,
        all.map((x) => x[l] as number).reduce((a, b) => of(a, b)),
      ),
    )

const RESULTS: Readonly<Record<string, Result>> = {
  subgroupAdd: fold('sum', whole),
  subgroupExclusiveAdd: fold('sum', before),
  subgroupInclusiveAdd: fold('sum', upTo),
  subgroupMul: fold('product', whole),
  subgroupExclusiveMul: fold('product', before),
  subgroupInclusiveMul: fold('product', upTo),
  subgroupMin: choose((a, b) => Math.min(a, b)),
  subgroupMax: choose((a, b) => Math.max(a, b)),
  subgroupAnd: bits((a, b) => a & b),
  subgroupOr: bits((a, b) => a | b),
  subgroupXor: bits((a, b) => a ^ b),
  subgroupAll: (all) => point(all.every(([x]) => x) ? 1 : 0),
  subgroupAny: (all) => point(all.some(([x]) => x) ? 1 : 0),
  subgroupBallot: (all, _i, l) =>
    point(l === 0 ? all.reduce((word, [x], j) => (x ? word | (1 << j) : word), 0) >>> 0 : 0),
  subgroupBroadcast: from(() => 2),
  subgroupBroadcastFirst: from(() => 0),
  subgroupElect: (_all, i) => point(i === 0 ? 1 : 0),
  // the second argument is the invocation's own number, read backwards
  subgroupShuffle: from((i) => SIZE - 1 - i),
  subgroupShuffleDown: from((i) => i + 1),
  subgroupShuffleUp: from((i) => i - 1),
  subgroupShuffleXor: from((i) => i ^ 1),
  quadBroadcast: from(() => 2),
  quadSwapX: from((i) => i ^ 1),
  quadSwapY: from((i) => i ^ 2),
  quadSwapDiagonal: from((i) => i ^ 3),
}

/** What stands for arguments that are not in memory. */
const FIXED: Readonly<Record<string, number>> = {
  subgroupBroadcast: 2,
  quadBroadcast: 2,
  subgroupShuffleDown: 1,
  subgroupShuffleUp: 1,
  subgroupShuffleXor: 1,
}

export const subgroupProbes: readonly Expected[] = ROWS.flatMap(([op, row]) =>
  (row.over.length === 0 ? (['u32'] as const) : row.over).map((t) => {
    const slots = row.in.filter((slot) => slot !== 'const:u32' && slot !== 'uniform:u32')
    const types = slots.map((slot) => slotType(slot as Slot, t as ValueName))
    const out = slotType(row.out as Slot, t as ValueName)
    const next = sequence(op.length * 101)
    const calls = Array.from({ length: 2 * WORKGROUP }, (_, n) =>
      types.map((type, a) =>
        a === 1 ? [SIZE - 1 - (n % SIZE)] : Array.from({ length: laneCount(type) }, () => mixed(scalarOf(type), next)),
      ),
    )
    const name = row.over.length === 0 ? op : `${op} ${t}`
    const apply = (args: readonly AnyExpr[], k: Builder): AnyExpr =>
      (k as unknown as Record<string, (...a: unknown[]) => AnyExpr>)[op]!(
        ...args,
        ...(FIXED[op] === undefined ? [] : [FIXED[op]]),
      )
    const result = RESULTS[op]
    if (!result) throw new Error(`${op} has no expected result in subgroups.ts`)
    const allowed = calls.map((_, n) => {
      const start = n - (n % SIZE)
      const all = calls.slice(start, start + SIZE).map((call) => call[0] ?? [])
      return Array.from({ length: laneCount(out) }, (_x, l) => result(all, n % SIZE, l, scalarOf(types[0] ?? 'u32')))
    })
    return {
      probe: { name, types, out, calls, apply },
      when: 'run time' as const,
      allowed,
      ...(op === 'subgroupElect' ? { tintOnly: 'naga has no subgroupElect' } : {}),
    }
  }),
)

const PLAIN = EFFECTS.workgroupUniformLoad.over as readonly ValueName[]
const WRITER = 5

/** workgroupUniformLoad of every type: one invocation writes, all get its value. */
export const uniformLoads: readonly Expected[] = PLAIN.map((type) => {
  const next = sequence(laneCount(type) * 17)
  const calls = Array.from({ length: 2 * WORKGROUP }, () => [
    Array.from({ length: laneCount(type) }, () => mixed(scalarOf(type), next)),
  ])
  const apply = ([value]: readonly AnyExpr[], k: Builder): AnyExpr => {
    const shared = k.workgroup('shared', type) as unknown as { set(v: AnyExpr): void }
    k.if(k.localIndex.eq(WRITER), () => shared.set(value as AnyExpr))
    return k.workgroupUniformLoad(shared as never) as AnyExpr
  }
  const allowed = calls.map((_, n) => {
    const written = calls[n - (n % WORKGROUP) + WRITER]?.[0] ?? []
    return written.map((x) => {
      const f = formatOf(scalarOf(type))
      return f && !isPlain(f, x) ? ANY : point(x)
    })
  })
  return {
    probe: { name: `workgroupUniformLoad ${type}`, types: [type], out: type, calls, apply },
    when: 'run time' as const,
    allowed,
  }
})
