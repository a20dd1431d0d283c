import { type Builder, type Expr, each, f32, fn, i32, u32, type ValuesRef, type VarRef, vec4f } from '@weft/dsl'
import { LOWEST } from '../attention-flash/lowest'

/** The steps of `tiled.ts`, in the order in which they are taken, after what they share. */

type U32 = Expr<'u32'>
type Quad = Expr<'vec4f'>

/** Queries and keys of a tile, and the invocations that share it: 8 down, 16 across. */
export const ROWS = 64
export const KEYS = 64
export const DOWN = 8
export const ACROSS = 16
export const INVOCATIONS = DOWN * ACROSS
export const ROWS_EACH = ROWS / DOWN
export const KEYS_EACH = KEYS / ACROSS
/** Quads of the head that are multiplied between two barriers, of queries and of keys. */
export const DEPTH = 8
/** Keys whose values are staged at once. */
export const VALUE_KEYS = 32
/** Rows in workgroup memory are so many quads apart that neighbours lie in different banks. */
export const STAGED_ROW = DEPTH + 1
export const WEIGHT_ROW = KEYS / 4 + 2

/** Bytes of workgroup memory. */
export const BYTES = 16 * (ROWS + KEYS) * STAGED_ROW + 16 * ROWS * WEIGHT_ROW + 12 * ROWS

export interface Work {
  /** Quads of the head, and those of its columns that an invocation sums. */
  readonly quads: number
  readonly quadsEach: number
  readonly i: U32
  /** The invocation's rows are y, y + 8 …, its keys and quads of columns x, x + 16 … */
  readonly x: U32
  readonly y: U32
  /** In the softmax it has half of row `row`. */
  readonly row: U32
  readonly half: U32
  readonly staged: ValuesRef<'vec4f'>
  readonly weights: ValuesRef<'vec4f'>
  readonly tops: ValuesRef<'f32'>
  readonly factors: ValuesRef<'f32'>
  readonly top: VarRef<'f32'>
  readonly sum: VarRef<'f32'>
  /** What scores are multiplied by to be powers of two. */
  readonly slope: Expr<'f32'>
  /** Where its rows begin in workgroup memory: constants are added to these. */
  readonly at: Readonly<Record<'queries' | 'keys' | 'weights' | 'scores' | 'ownWeights', U32>>
}

/**
 * Where an invocation is. Of 32, the even ones and the odd ones lie in neighbouring rows, sixteen to a pair of rows: a load of a vec4f from
 * workgroup memory takes a turn for each eight invocations, less where pairs of neighbours, or of neighbours but one, ask for the same.
 */
export const placeOf = (i: U32): { readonly x: U32; readonly y: U32 } => ({
  x: u32`${i} / 32 % 2 * 8 + ${i} % 16 / 2`,
  y: u32`${i} / 64 * 4 + ${i} % 32 / 16 * 2 + ${i} % 2`,
})

/** Row and quad of each element of `count` rows of `width` quads that an invocation stages. */
export const piecesOf = (k: Builder, i: U32, count: number, width: number) =>
  each((count * width) / INVOCATIONS).map((t) => {
    const e = i.add(t * INVOCATIONS)
    return { line: k.let(`line_${width}_${t}`, e.div(width)), quad: k.let(`quad_${width}_${t}`, e.rem(width)) }
  })
export type Pieces = ReturnType<typeof piecesOf>

/** The products of a block of 8 × 4 scores with the quads that are staged. */
export function multiply(k: Builder, { staged, at }: Work, score: readonly (readonly VarRef<'f32'>[])[]): void {
  for (const c of each(DEPTH)) {
    const keys = each(KEYS_EACH).map((n) =>
      k.let(`k${n}`, staged.at(at.keys.add((ROWS + n * ACROSS) * STAGED_ROW + c))),
    )
    for (const r of each(ROWS_EACH)) {
      const query = k.let(`q${r}`, staged.at(at.queries.add(r * DOWN * STAGED_ROW + c)))
      for (const n of each(KEYS_EACH)) {
        const to = score[r]![n]!
        to.set(each(4).reduce<Expr<'f32'>>((sum, lane) => fn.fma(query.at(lane), keys[n]!.at(lane), sum), to))
      }
    }
  }
}

export function storeScores({ x, weights, at }: Work, score: readonly (readonly Expr<'f32'>[])[]): void {
  for (const r of each(ROWS_EACH)) {
    for (const n of each(KEYS_EACH)) {
      weights
        .at(at.scores.add(r * DOWN * WEIGHT_ROW + n * 4))
        .at(x.rem(4))
        .set(score[r]![n]!)
    }
  }
}

/** How far the scores of a row may rise above what its weights are relative to before that follows, in powers of two. */
const RISE = 8

/** The online softmax of half of row `row`: weights over the scores, the factor for what came before into `factors`. */
export function softmax(k: Builder, work: Work, j0: U32, sees: U32): void {
  const { row, half, weights, tops, factors, top, sum, slope, at } = work
  const quads = each(KEYS / 8)
  const left = k.let('left', i32`i32(${sees}) - i32(${j0} + ${half} * 4)`)
  const seen = (u: number, c: number): Expr<'bool'> => left.gt(8 * u + c)
  const score = quads.map((u) => {
    const quad = k.let(`quad${u}`, weights.at(at.ownWeights.add(2 * u)).mul(slope))
    return each(4).map((c) => k.let(`score${u}_${c}`, fn.select(f32(LOWEST), quad.at(c), seen(u, c))))
  })
  tops.at(u32`${row} * 2 + ${half}`).set(score.flat().reduce((a, b) => fn.max(a, b)))
  k.workgroupBarrier()
  const stepTop = fn.max(tops.at(row.mul(2)), tops.at(row.mul(2).add(1)))
  const newTop = k.let('new_top', fn.select(top, stepTop, stepTop.gt(top.add(RISE))))
  const factor = k.let('factor', fn.exp2(top.sub(newTop)))
  const weight = score.map((four, u) =>
    four.map((s, c) => k.let(`weight${u}_${c}`, fn.select(f32(0), fn.exp2(s.sub(newTop)), seen(u, c)))),
  )
  for (const u of quads) {
    const [a, b, c, e] = weight[u]!
    weights.at(at.ownWeights.add(2 * u)).set(vec4f(a!, b!, c!, e!))
  }
  factors.at(row).set(factor)
  sum.set(
    weight
      .flat()
      .reduce((a, b) => a.add(b))
      .add(sum.mul(factor)),
  )
  top.set(newTop)
}

/** The weighted values that are staged, those of the keys from `first` on: four keys in a round, since longer rounds take more registers. */
export function addValues(
  k: Builder,
  { quads, quadsEach, x, staged, weights, at }: Work,
  acc: readonly (readonly VarRef<'vec4f'>[])[],
  first: number,
): void {
  k.range('n', 0, VALUE_KEYS / 4, (n) => {
    const from = k.let('from', u32`${x} + ${n} * ${4 * quads}`)
    const values = each(4).map((c) =>
      each(quadsEach).map((g) => k.let(`v${c}_${g}`, staged.at(from.add(c * quads + g * ACROSS)))),
    )
    for (const r of each(ROWS_EACH)) {
      const weight = k.let(`w${r}`, weights.at(at.weights.add(n).add(r * DOWN * WEIGHT_ROW + first / 4)))
      for (const g of each(quadsEach)) {
        const to = acc[r]![g]!
        to.set(each(4).reduce<Quad>((sum, c) => fn.fma(vec4f(weight.at(c)), values[c]![g]!, sum), to))
      }
    }
  })
}

/** The sums relative to the new tops; most steps have none. */
export function rescale(k: Builder, { y, factors }: Work, acc: readonly (readonly VarRef<'vec4f'>[])[]): void {
  const own = each(ROWS_EACH).map((r) => k.let(`factor${r}`, factors.at(y.add(r * DOWN))))
  k.if(own.reduce((a, b) => fn.min(a, b)).lt(1), () => {
    for (const [r, factor] of own.entries()) for (const quad of acc[r]!) quad.mulAssign(factor)
  })
}
