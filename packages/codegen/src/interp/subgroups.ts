import { type EffectName, evalFor, PURE, type ScalarName } from '@weft/dsl/ir'
import { roundHalf } from './half'

/**
 * Subgroup and quad operations on kept values. A subgroup is `size` consecutive invocations by local index; the last
 * may be partial. Only active invocations take part. What the specification leaves open – the value of an invocation
 * that is inactive or outside – is the caller's own.
 */
export type Exchange = Extract<EffectName, `subgroup${string}` | `quad${string}`>

export type Kept = Uint8Array | Float32Array | Int32Array | Uint32Array

/** value, second operand, mask of those that take part (null: all), results. */
export type ExchangeFn = (a: Kept | null, b: Kept | null, mask: Uint8Array | null, ...out: Kept[]) => void

/** The active invocations of a subgroup, in order, and the first of all of them. */
interface Group {
  readonly start: number
  readonly end: number
  readonly active: readonly number[]
}

type Run = (group: Group, a: Kept, b: Kept, out: readonly Kept[], isActive: (i: number) => boolean) => void

type Combine = (x: number, y: number) => number

const ROUND: { readonly [S in ScalarName]: (x: number) => number } = {
  bool: (x) => (x ? 1 : 0),
  f16: roundHalf,
  f32: Math.fround,
  i32: (x) => x | 0,
  u32: (x) => x >>> 0,
}

const isInt = (scalar: ScalarName): boolean => scalar === 'i32' || scalar === 'u32'
const first = (out: readonly Kept[]): Kept => out[0] as Kept

/** Sums and products are made in the order of the invocations and rounded at each step. */
const reduce =
  (combine: Combine): Run =>
  (group, a, _b, out) => {
    let total = a[group.active[0] as number] as number
    for (let k = 1; k < group.active.length; k++) total = combine(total, a[group.active[k] as number] as number)
    for (const i of group.active) first(out)[i] = total
  }

const scan =
  (combine: Combine, identity: number, isInclusive: boolean): Run =>
  (group, a, _b, out) => {
    let total = identity
    let isFirst = true
    for (const i of group.active) {
      const x = a[i] as number
      const next = isFirst ? x : combine(total, x)
      first(out)[i] = isInclusive ? next : total
      total = next
      isFirst = false
    }
  }

/** Each active invocation takes the value of another one. */
const take =
  (from: (i: number, b: number, group: Group) => number): Run =>
  (group, a, b, out, isActive) => {
    for (const i of group.active) {
      const j = from(i, b[i] as number, group)
      first(out)[i] = a[j >= group.start && j < group.end && isActive(j) ? j : i] as number
    }
  }

const quad = (from: (lane: number, b: number) => number): Run =>
  take((i, b, group) => {
    const lane = i - group.start
    return group.start + (lane & ~3) + from(lane & 3, b)
  })

const ballot: Run = (group, a, _b, out) => {
  const words = [0, 0, 0, 0]
  for (const i of group.active) {
    const lane = i - group.start
    if (a[i]) words[lane >> 5] = (words[lane >> 5] as number) | (1 << (lane & 31))
  }
  for (const i of group.active) for (const [w, word] of words.entries()) (out[w] as Kept)[i] = word
}

const elect: Run = (group, _a, _b, out) => {
  for (const i of group.active) first(out)[i] = i === group.active[0] ? 1 : 0
}

function runOf(op: Exchange, scalar: ScalarName): Run {
  const round = ROUND[scalar]
  const add: Combine = (x, y) => round(x + y)
  const mul: Combine = isInt(scalar) ? (x, y) => round(Math.imul(x, y)) : (x, y) => round(x * y)
  switch (op) {
    case 'subgroupAdd':
      return reduce(add)
    case 'subgroupInclusiveAdd':
      return scan(add, 0, true)
    case 'subgroupExclusiveAdd':
      return scan(add, 0, false)
    case 'subgroupMul':
      return reduce(mul)
    case 'subgroupInclusiveMul':
      return scan(mul, 1, true)
    case 'subgroupExclusiveMul':
      return scan(mul, 1, false)
    case 'subgroupMin':
      return reduce(evalFor(PURE.min, scalar) as Combine)
    case 'subgroupMax':
      return reduce(evalFor(PURE.max, scalar) as Combine)
    case 'subgroupAnd':
      return reduce((x, y) => round(x & y))
    case 'subgroupOr':
      return reduce((x, y) => round(x | y))
    case 'subgroupXor':
      return reduce((x, y) => round(x ^ y))
    case 'subgroupAll':
      return reduce((x, y) => x & y)
    case 'subgroupAny':
      return reduce((x, y) => x | y)
    case 'subgroupBallot':
      return ballot
    case 'subgroupElect':
      return elect
    case 'subgroupBroadcastFirst':
      return take((_i, _b, group) => group.active[0] as number)
    case 'subgroupBroadcast':
    case 'subgroupShuffle':
      return take((_i, lane, group) => group.start + lane)
    case 'subgroupShuffleDown':
      return take((i, delta) => i + delta)
    case 'subgroupShuffleUp':
      return take((i, delta) => i - delta)
    case 'subgroupShuffleXor':
      return take((i, bits, group) => group.start + ((i - group.start) ^ bits))
    case 'quadBroadcast':
      return quad((_lane, id) => id)
    case 'quadSwapX':
      return quad((lane) => lane ^ 1)
    case 'quadSwapY':
      return quad((lane) => lane ^ 2)
    case 'quadSwapDiagonal':
      return quad((lane) => lane ^ 3)
    default:
      throw new RangeError(`'${op}' is no exchange of values`)
  }
}

const NOTHING = new Uint32Array(4096)

/** The operation over all subgroups of a workgroup of `count` invocations. */
export function exchange(op: Exchange, scalar: ScalarName, count: number, size: number): ExchangeFn {
  const run = runOf(op, scalar)
  const starts = Array.from({ length: Math.ceil(count / size) }, (_, i) => i * size)
  const full: readonly Group[] = starts.map((start) => {
    const end = Math.min(start + size, count)
    return { start, end, active: Array.from({ length: end - start }, (_, i) => start + i) }
  })
  return (a, b, mask, ...out) => {
    const isActive = (i: number): boolean => mask === null || mask[i] !== 0
    for (const group of full) {
      const active = mask === null ? group.active : group.active.filter(isActive)
      if (active.length > 0) run({ ...group, active }, a ?? NOTHING, b ?? NOTHING, out, isActive)
    }
  }
}
