import {
  type ArrayValue,
  type Builder,
  bitcast,
  type Expr,
  each,
  f32,
  fn,
  u32,
  type ValuesRef,
  vec2f,
  vec4f,
} from '@weft/dsl'
import { components, LEFT, type Left, packed, RESULT, RIGHT, SIDE, SUBGROUP, type Sums } from '../parts/matrices'

/** What the gradients on subgroup matrices have in common (`matrix.ts`): their steps, in the order in which they are taken. */

type U32 = Expr<'u32'>
type Memory = ValuesRef<'vec4u'>
/** Blocks of 16 rows that a pair of subgroups shares. */
export const PAIR = 2
/** Queries, or keys, of a step. */
export const STEP = 32
const BLOCKS = STEP / SIDE
/** Rows of products are an odd number of 16 bytes apart: eight of them lie in different banks. */
const PRODUCT_ROW = STEP / 4 + 1
const PIECE = SIDE * PRODUCT_ROW
/** Quads of a row of products that an invocation has: half of it. */
export const OWN = STEP / 8

export interface BackwardMatrixOptions {
  /** A multiple of 32. */
  readonly headSize: number
  /** Pairs of subgroups in a workgroup. */
  readonly pairs?: number
}

export function planOf({ headSize, pairs = 3 }: BackwardMatrixOptions) {
  const subgroups = 2 * pairs
  const invocations = SUBGROUP * subgroups
  /** Elements of a vec4u are eight f16. */
  const units = headSize / 8
  return {
    ...{ headSize, pairs, subgroups, invocations, units, pitch: units + 1, dims: headSize / SIDE },
    rows: SIDE * subgroups,
    /** vec4u that an invocation stages of each tile. */
    copies: Math.ceil((STEP * units) / invocations),
    bytes: 16 * (2 * STEP * (units + 1) + 2 * subgroups * PIECE) + 8 * STEP,
  }
}
export type BackwardPlan = ReturnType<typeof planOf>

/** What a subgroup works on. */
export interface Work {
  readonly plan: BackwardPlan
  readonly i: U32
  readonly pair: U32
  readonly member: U32
  /** The invocation's row, and half of it, in the block of 16 rows of its subgroup. */
  readonly row: U32
  readonly half: U32
  /** Two tiles of STEP rows. */
  readonly tile: (n: number | U32) => Memory
  readonly products: (piece: U32) => Memory
  readonly slope: Expr<'f32'>
}

export const memoryOf = (
  k: Builder,
  { pitch, subgroups }: BackwardPlan,
  vec4u: Parameters<Builder['workgroup']>[1],
) => {
  const tiles = k.workgroup('tiles', vec4u, 2, STEP * pitch) as unknown as { at(n: number | U32): Memory }
  const pieces = k.workgroup('products', vec4u, 2 * subgroups, PIECE) as unknown as { at(n: U32): Memory }
  return { tile: (n: number | U32) => tiles.at(n), products: (piece: U32) => pieces.at(piece) }
}

/** The products of row block r of the pair that a member made. */
export const productsOf = ({ pair, products }: Work, r: number | U32, member: number | U32): Memory =>
  products(u32`(${pair} * ${PAIR} + ${r}) * 2 + ${member}`)

/** Rows of a head in memory: where they begin, and how many there are. */
export interface Rows {
  readonly source: ArrayValue<'vec4u'>
  readonly first: U32
  readonly count: U32
}

/** Asks for STEP rows from `from` on; those past the end are copies of the last one. */
export function readRows(k: Builder, { plan, i }: Work, name: string, { source, first, count }: Rows, from: U32) {
  const { units, invocations, copies } = plan
  return each(copies).map((t) => {
    const e = i.add(t * invocations)
    const line = u32`${first} + min(${from} + ${e.div(units)}, ${count} - 1)`
    return k.let(`${name}${t}`, source.at(u32`${line} * ${units} + ${e.rem(units)}`))
  })
}

export function putRows(k: Builder, { plan, i, tile }: Work, n: number, rows: readonly Expr<'vec4u'>[]): void {
  const { units, invocations, pitch } = plan
  for (const [t, value] of rows.entries()) {
    const e = i.add(t * invocations)
    const store = (): void =>
      tile(n)
        .at(u32`${e.div(units)} % ${STEP} * ${pitch} + ${e.rem(units)}`)
        .set(value)
    if ((t + 1) * invocations <= STEP * units) store()
    else k.if(e.lt(STEP * units), store)
  }
}

/** The pair's own rows as matrices: of the first operand for its first member, of the second for the other; by way of the tiles. */
export function ownRows(k: Builder, work: Work, operands: readonly [Rows, Rows], first: U32) {
  const { plan, pair, member, tile } = work
  const left = each(PAIR).map((r) => each(plan.dims).map((c) => k.var(`left${r}_${c}`, LEFT)))
  const all = each(plan.pairs).map((p) =>
    operands.map((rows, n) => readRows(k, work, `own${p}_${n}_`, rows, first.add(p * STEP))),
  )
  for (const [p, two] of all.entries()) {
    if (p > 0) k.workgroupBarrier()
    for (const [n, rows] of two.entries()) putRows(k, work, n, rows)
    k.workgroupBarrier()
    k.if(pair.eq(p), () => {
      for (const r of each(PAIR)) {
        for (const c of each(plan.dims))
          left[r]![c]!.set(k.subgroupMatrixLoad(LEFT, tile(member), r * SIDE * plan.pitch + 2 * c, plan.pitch, 'row'))
      }
    })
  }
  return left as unknown as readonly (readonly Left[])[]
}

/** The pair's rows times the rows of the member's tile: scores from its first member, gradients of weights from the other. */
export function firstProducts(k: Builder, work: Work, left: readonly (readonly Left[])[]): void {
  const { plan, member, tile } = work
  const sums = each(PAIR).map((r) => each(BLOCKS).map((n) => k.var(`sum${r}_${n}`, RESULT)))
  for (const c of each(plan.dims)) {
    for (const n of each(BLOCKS)) {
      const right = k.subgroupMatrixLoad(RIGHT, tile(member), n * SIDE * plan.pitch + 2 * c, plan.pitch, 'col')
      for (const r of each(PAIR)) {
        const to = sums[r]![n]!
        to.set(k.subgroupMatrixMultiplyAccumulate(left[r]![c]!, right, to))
      }
    }
  }
  for (const r of each(PAIR)) {
    for (const n of each(BLOCKS)) k.subgroupMatrixStore(productsOf(work, r, member), n * 4, sums[r]![n]!, PRODUCT_ROW)
  }
}

/** Of each element of quad u: what its exponent is lowered by, and δ; and whether the pair is seen. */
export interface Columns {
  readonly stats: (u: number) => readonly Expr<'vec2f'>[]
  readonly seen: (column: number) => Expr<'bool'>
}

/**
 * The weights 2^(score − stats.x) over the first products, their gradients w (g − δ) · factor over the second ones, as f16: of row `row` of
 * row block `member`, half of the columns. `weights`: whether the weights themselves are needed.
 */
export function gradients(
  k: Builder,
  work: Work,
  { stats, seen }: Columns,
  factor: Expr<'f32'>,
  weights: boolean,
): void {
  const { row, half, member, slope } = work
  const at = (u: number): U32 => u32`${row} * ${PRODUCT_ROW} + ${half} * ${OWN} + ${u}`
  const [scores, slopes] = [productsOf(work, member, 0), productsOf(work, member, 1)]
  const made = each(OWN).map((u) => {
    const score = components(k.let(`score${u}`, bitcast(vec4f, scores.at(at(u))).mul(slope)))
    const gradient = components(k.let(`gradient${u}`, bitcast(vec4f, slopes.at(at(u)))))
    const given = stats(u)
    const weight = score.map((x, c) =>
      k.let(`weight${u}_${c}`, fn.select(f32(0), fn.exp2(x.sub(given[c]!.x)), seen(4 * u + c))),
    )
    const ds = gradient.map((g, c) => k.let(`ds${u}_${c}`, weight[c]!.mul(factor).mul(g.sub(given[c]!.y))))
    return { weight, ds } as unknown as Record<'weight' | 'ds', ReturnType<typeof components>>
  })
  for (let u = 0; u < OWN; u += 2) {
    const [a, b] = [made[u]!, made[u + 1]!]
    if (weights) scores.at(at(u / 2)).set(packed(a.weight, b.weight))
    slopes.at(at(u / 2)).set(packed(a.ds, b.ds))
  }
}

/** Some of the products, packed, times the rows of a tile from column `from` (in vec4u) on. */
export function secondProducts(
  k: Builder,
  work: Work,
  sums: readonly (readonly Sums[])[],
  { of, tile, from }: { readonly of: number | U32; readonly tile: U32 | number; readonly from: U32 },
): void {
  const { pitch } = work.plan
  for (const n of each(BLOCKS)) {
    const left = each(PAIR).map((r) => k.subgroupMatrixLoad(LEFT, productsOf(work, r, of), n * OWN, PRODUCT_ROW, 'row'))
    for (const c of each(sums[0]!.length)) {
      const right = k.subgroupMatrixLoad(RIGHT, work.tile(tile), from.add(n * SIDE * pitch + 2 * c), pitch, 'row')
      for (const r of each(PAIR)) {
        const to = sums[r]![c]!
        to.set(k.subgroupMatrixMultiplyAccumulate(left[r]!, right, to))
      }
    }
  }
}

/** Sums, times a factor, to `store`: row r · 16 + `row` of the pair, from column `unit` (in vec4u) on, eight f16. */
export function storeSums(
  k: Builder,
  work: Work,
  sums: readonly (readonly Sums[])[],
  factor: Expr<'f32'>,
  store: (r: number, unit: U32, value: Expr<'vec4u'>) => void,
): void {
  const { member, row, half } = work
  const columns = sums[0]!.length
  for (let c0 = 0; c0 < columns; c0 += BLOCKS) {
    k.workgroupBarrier()
    for (const r of each(PAIR)) {
      for (const n of each(BLOCKS))
        k.subgroupMatrixStore(productsOf(work, r, member), n * 4, sums[r]![c0 + n]!, PRODUCT_ROW)
    }
    k.workgroupBarrier()
    for (const r of each(PAIR)) {
      const quad = (u: number) =>
        components(
          k.let(
            `quad${r}_${u}`,
            bitcast(vec4f, productsOf(work, r, member).at(u32`${row} * ${PRODUCT_ROW} + ${half} * ${OWN} + ${u}`)).mul(
              factor,
            ),
          ),
        )
      for (let u = 0; u < OWN; u += 2)
        store(r, u32`${half} * ${BLOCKS} + ${2 * c0 + u / 2}`, k.let(`value${r}_${u}`, packed(quad(u), quad(u + 1))))
    }
  }
}

/** Weights are so many powers of two above what they are: most of the range of f16 is below 1. */
export const HEADROOM = 10

/**
 * A power of two that brings the greatest |dout| to 16 … 32, from the bits of that: gradients of weights are f16, and what an optimizer scales
 * them to is not known here.
 */
export function normalOf(k: Builder, bits: Expr<'u32'>) {
  const exponent = k.let('exponent', fn.max(bits.shr(23), 100))
  return k.let({
    normal: bitcast(f32, u32`(258 - ${exponent}) << 23u`),
    back: bitcast(f32, u32`(${exponent} - 4) << 23u`),
  })
}

export const pairOf = (lse: Expr<'f32'>, delta: Expr<'f32'>): Expr<'vec2f'> =>
  vec2f(lse.mul(Math.LOG2E).sub(HEADROOM), delta)
