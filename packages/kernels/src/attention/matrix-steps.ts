import {
  type ArrayValue,
  type Builder,
  bitcast,
  type Expr,
  each,
  f32,
  fn,
  i32,
  u32,
  type ValuesRef,
  type VarRef,
  vec4f,
  vec4u,
} from '@weft/dsl'
import { LOWEST } from '../attention-flash/lowest'
import { components, LEFT, type Left, packed, RESULT, RIGHT, SIDE, type Sums } from '../parts/matrices'
import type { MatrixPlan } from './matrix-plan'

/** The steps of `matrix.ts`, in the order in which they are taken, after what they share. */

type U32 = Expr<'u32'>
type Memory = ValuesRef<'vec4u'>
/** Blocks of 16 rows that a pair of subgroups shares. */
export const PAIR = 2

/** What a subgroup works on. */
export interface Work {
  readonly plan: MatrixPlan
  readonly i: U32
  /** The subgroup, its pair, which of the two it is, and the invocation's row and half of a block of 16 rows. */
  readonly subgroup: U32
  readonly pair: U32
  readonly member: U32
  readonly row: U32
  readonly half: U32
  /** Of keys and values, as they lie in memory: the first row of the head, and the last one that is there. */
  readonly firstRow: U32
  readonly lastKey: U32
  readonly keyTile: (slab: U32) => Memory
  readonly valueTile: (slab: U32) => Memory
  readonly scores: (piece: U32) => Memory
  readonly factors: ValuesRef<'f32'>
  /** The rows of a pair, for both blocks: queries, and what is summed of a half of the columns. */
  readonly q: readonly (readonly Left[])[]
  readonly sums: readonly (readonly Sums[])[]
  /** The softmax of row `row` of the subgroup's own block: the reference of its weights, and the sum of this half. */
  readonly top: VarRef<'f32'>
  readonly sum: VarRef<'f32'>
  /** What scores are multiplied by to be powers of two. */
  readonly slope: Expr<'f32'>
}

/** The scores, later the weights, of row block r of the pair and a member's keys. */
export const pieceOf = ({ pair, scores }: Work, r: number, member: U32 | number): Memory =>
  scores(u32`(${pair} * ${PAIR} + ${r}) * 2 + ${member}`)

/** The vec4u of a step's rows that an invocation stages: row and unit of each; a step that does not divide evenly is tested. */
function staged(
  k: Builder,
  { plan: { step, units, invocations, copies }, i }: Work,
  store: (t: number, line: U32, unit: U32) => void,
): void {
  for (const t of each(copies)) {
    const e = i.add(t * invocations)
    const run = (): void => store(t, e.div(units), e.rem(units))
    if ((t + 1) * invocations <= step * units) run()
    else k.if(e.lt(step * units), run)
  }
}

/** Asks for the rows of a step from j0 on; those behind the last key are copies of it, which have weight 0. */
export function readRows(
  k: Builder,
  work: Work,
  name: string,
  source: ArrayValue<'vec4u'>,
  j0: U32,
): readonly Expr<'vec4u'>[] {
  const { plan, i, firstRow, lastKey } = work
  const { units, invocations, copies } = plan
  return each(copies).map((t) => {
    const e = i.add(t * invocations)
    const at = u32`(${firstRow} + min(${j0} + ${e.div(units)}, ${lastKey})) * ${units} + ${e.rem(units)}`
    return k.let(`${name}${t}`, source.at(at))
  })
}

/** Keys lie in two slabs, one for each member of a pair: offsets in it are constants. */
export function putKeys(k: Builder, work: Work, rows: readonly Expr<'vec4u'>[]): void {
  const { ownKeys, keyRow } = work.plan
  staged(k, work, (t, line, unit) =>
    work.keyTile(line.div(ownKeys).rem(2)).at(u32`${line} % ${ownKeys} * ${keyRow} + ${unit}`).set(rows[t]!),
  )
}

/** Values lie in two slabs, one for each half of the columns. */
export function putValues(k: Builder, work: Work, rows: readonly Expr<'vec4u'>[]): void {
  const { step, units, valueRow } = work.plan
  staged(k, work, (t, line, unit) =>
    work
      .valueTile(unit.div(units / 2).rem(2))
      .at(u32`${line} % ${step} * ${valueRow} + ${unit} % ${units / 2}`)
      .set(rows[t]!),
  )
}

/** The products of a pair's rows with the member's keys. */
export function multiplyKeys(k: Builder, { plan, member, keyTile, q }: Work): readonly (readonly Sums[])[] {
  const { dims, ownBlocks, keyRow } = plan
  const products = each(PAIR).map((r) => each(ownBlocks).map((n) => k.var(`product${r}_${n}`, RESULT)))
  for (const c of each(dims)) {
    for (const n of each(ownBlocks)) {
      const keys = k.subgroupMatrixLoad(RIGHT, keyTile(member), n * SIDE * keyRow + 2 * c, keyRow, 'col')
      for (const r of each(PAIR)) {
        const product = products[r]![n]!
        product.set(k.subgroupMatrixMultiplyAccumulate(q[r]![c]!, keys, product))
      }
    }
  }
  return products
}

export function storeScores(k: Builder, work: Work, products: readonly (readonly Sums[])[]): void {
  for (const [r, blocks] of products.entries()) {
    const piece = pieceOf(work, r, work.member)
    for (const [n, block] of blocks.entries()) k.subgroupMatrixStore(piece, n * 4, block, work.plan.scoreRow)
  }
}

/** How much the scores of a row may rise above the reference of its weights before that follows, in powers of two. */
const RISE = 8
/** Weights are so many powers of two above what they are to the reference: most of the range of f16 lies below 1. */
export const HEADROOM = 7

export interface Seen {
  /** Behind the last key that the row sees, and that every row of the workgroup sees. */
  readonly row: U32
  readonly all: U32
}

/**
 * The softmax of row `row` of the subgroup's own block, half of the keys of a step: weights over the scores. Weights are 2^(score − reference
 * + HEADROOM), where the reference stays as it is until a score is RISE above it, so that what was summed has to be multiplied but seldom;
 * that it has to is told in `grown`, by what `factors` has of each row then.
 */
export function softmax(k: Builder, work: Work, j0: U32, seen: Seen, tell: () => void): void {
  const { plan, subgroup, row, half, scores, factors, top, sum, slope } = work
  const { step, own, scoreRow } = plan
  const piece = scores(u32`${subgroup} * 2 + ${half}`)
  const at = (u: number): U32 => u32`${row} * ${scoreRow} + ${u}`
  const score = each(own).map((u) => k.var(`score${u}`, bitcast(vec4f, piece.at(at(u))).mul(slope)))
  k.if(j0.add(step).gt(seen.all), () => {
    const left = k.let('left', i32`i32(${seen.row}) - i32(${j0} + ${half} * ${own * 4})`)
    score.forEach((quad, u) => {
      const [a, b, c, e] = components(quad).map((x, n) => fn.select(f32(LOWEST), x, left.gt(4 * u + n)))
      quad.set(vec4f(a!, b!, c!, e!))
    })
  })
  const most = k.let(
    'most',
    across(k, score, (a, b) => fn.max(a, b)),
  )
  const stepTop = k.let('step_top', fn.max(most, k.subgroupShuffleXor(most, 1)))
  const newTop = k.let('new_top', fn.select(top, stepTop, stepTop.gt(top.add(RISE))))
  const factor = k.let('factor', fn.exp2(top.sub(newTop)))
  k.if(newTop.gt(top).and(sum.gt(0)), tell)
  k.if(half.eq(0), () => factors.at(u32`${subgroup} * ${SIDE} + ${row}`).set(factor))
  top.set(newTop)
  // above LOWEST, so that hidden keys weigh nothing where no key was seen yet
  const shift = k.let('shift', vec4f(fn.max(newTop, LOWEST / 2).sub(HEADROOM)))
  const weight = score.map((quad, u) => k.let(`weight${u}`, fn.exp2(quad.sub(shift))))
  sum.set(across(k, weight, (a, b) => a.add(b)).add(sum.mul(factor)))
  for (let u = 0; u < own; u += 2) piece.at(at(u / 2)).set(packed(components(weight[u]!), components(weight[u + 1]!)))
}

/** All components of some vectors in one: vectors first, then the components. */
function across(
  k: Builder,
  quads: readonly Expr<'vec4f'>[],
  combine: <T extends 'f32' | 'vec4f'>(a: Expr<T>, b: Expr<T>) => Expr<T>,
): Expr<'f32'> {
  const [a, b, c, e] = components(k.let('quad', quads.reduce(combine)))
  return combine(combine(a, b), combine(c, e))
}

/** The weights of both row blocks, by blocks of 16 keys. */
export const loadWeights = (k: Builder, work: Work): readonly (readonly Left[])[] =>
  each(2 * work.plan.ownBlocks).map((n) =>
    each(PAIR).map((r) => {
      const piece = pieceOf(work, r, Math.floor(n / work.plan.ownBlocks))
      return k.subgroupMatrixLoad(LEFT, piece, (n % work.plan.ownBlocks) * 2, work.plan.scoreRow, 'row')
    }),
  )

/** The weighted values of the member's half of the columns. */
export function addValues(
  k: Builder,
  { plan, member, valueTile, sums }: Work,
  weights: readonly (readonly Left[])[],
): void {
  const { ownDims, valueRow } = plan
  weights.forEach((left, n) => {
    for (const c of each(ownDims)) {
      const values = k.subgroupMatrixLoad(RIGHT, valueTile(member), n * SIDE * valueRow + 2 * c, valueRow, 'row')
      for (const r of each(PAIR)) {
        const to = sums[r]![c]!
        to.set(k.subgroupMatrixMultiplyAccumulate(left[r]!, values, to))
      }
    }
  })
}

/** What was summed, through the memory of the scores: as many blocks of columns at a time as a piece holds. */
export function throughMemory(
  k: Builder,
  work: Work,
  use: (blocks: { readonly first: number; readonly count: number }) => void,
): void {
  const { ownDims, ownBlocks } = work.plan
  for (let first = 0; first < ownDims; first += ownBlocks) {
    const count = Math.min(ownBlocks, ownDims - first)
    k.workgroupBarrier()
    storeScores(
      k,
      work,
      work.sums.map((row) => row.slice(first, first + count)),
    )
    k.workgroupBarrier()
    use({ first, count })
  }
}

/** The quads of row `row` in the member's piece that this invocation has, of so many blocks of columns. */
export const quadsAt = ({ row, half, plan }: Work, count: number): readonly U32[] =>
  each(2 * count).map((u) => u32`${row} * ${plan.scoreRow} + ${half} * ${2 * count} + ${u}`)

/** Multiplies what was summed by `factors`. */
export function rescale(k: Builder, work: Work): void {
  const { plan, member, sums } = work
  throughMemory(k, work, ({ first, count }) => {
    for (const r of each(PAIR)) {
      const piece = pieceOf(work, r, member)
      const factor = k.let(`factor${r}`, factorOf(work, r))
      for (const at of quadsAt(work, count)) piece.at(at).set(bitcast(vec4u, bitcast(vec4f, piece.at(at)).mul(factor)))
    }
    k.workgroupBarrier()
    for (const r of each(PAIR)) {
      for (const n of each(count)) {
        const scaled = k.subgroupMatrixLoad(RESULT, pieceOf(work, r, member), n * 4, plan.scoreRow, 'row')
        sums[r]![first + n]!.set(scaled)
      }
    }
  })
}

export const factorOf = ({ pair, row, factors }: Work, r: number): Expr<'f32'> =>
  factors.at(u32`(${pair} * ${PAIR} + ${r}) * ${SIDE} + ${row}`)
