import {
  type Arg,
  type ArrayRef,
  type ArrayValue,
  type Builder,
  type Expr,
  each,
  f32,
  fn,
  type Tuple,
  tuple,
  u32,
  type ValuesRef,
  type VarRef,
  vec4f,
  type WriteRef,
} from '@weft/dsl'
import { PIECES, ROWS, ROWS_EACH } from './flash-plan'
import { pairwise, sumOver } from './fold'
import { LOWEST } from './lowest'
import { loadQuad, type Rows, storeQuad } from './quads'

/** The steps of `flash-body.ts`, in the order in which they are taken, after what they share. */

/** What a workgroup works on, in the order in which it is asked for. */
export interface Flash {
  readonly q: ArrayValue<'vec4f'>
  readonly k: ArrayValue<'vec4f'>
  readonly v: ArrayValue<'vec4f'>
  readonly out: WriteRef<{ readonly array: 'vec4f' }>
  readonly heads: Expr<'u32'>
  readonly kv_heads: Expr<'u32'>
  readonly queries: Expr<'u32'>
  readonly scale: Expr<'f32'>
  /** Rows that k and v have for each head. */
  readonly capacity: Expr<'u32'>
  readonly rows: Rows
  /** The head size that registers and workgroup memory are made for. */
  readonly headSize: number
  /** The head, over the batch, and the tile of its queries. */
  readonly place: () => { readonly head: Expr<'u32'>; readonly tile: Expr<'u32'> }
  readonly sight: (of: {
    readonly head: Expr<'u32'>
    readonly tileStart: Expr<'u32'>
    readonly i: Expr<'u32'>
  }) => Sight
  /** After the last key, for row i of the tile. */
  readonly finish?: (row: {
    readonly head: Expr<'u32'>
    readonly index: Expr<'u32'>
    readonly top: Expr<'f32'>
    readonly sum: Expr<'f32'>
  }) => void
  /** The numerator of the last division, 1 when left out. */
  readonly total?: Expr<'f32'>
}

/** What row i of the tile sees, and what that does to its scores. */
export interface Sight {
  /** The first key of the first tile: a multiple of the tile. */
  readonly from: Arg<'u32'>
  /** Behind the last key that any row sees. */
  readonly to: Expr<'u32'>
  /** The keys that are there: none is read from `keys` on. */
  readonly keys: Expr<'u32'>
  readonly seen: (key: Expr<'u32'>) => Expr<'bool'>
  readonly score?: (score: Expr<'f32'>, key: () => Expr<'u32'>, seen: Expr<'bool'>) => Expr<'f32'>
  /** Of the output only: the sum of the softmax is over all weights. */
  readonly weight?: (weight: Expr<'f32'>, key: () => Expr<'u32'>) => Expr<'f32'>
}

/** Quads of four query rows, r and then g. */
export type Block<T> = Tuple<Tuple<T>>

/** What the steps share: the memory of the workgroup, and what this invocation does of it. */
export interface Work {
  readonly flash: Flash
  readonly i: Expr<'u32'>
  /** Quads of a piece, and of all of them. */
  readonly piece4: number
  readonly width: number
  /** Keys of a tile. */
  readonly tile: number
  readonly kTile: Memory2
  readonly vTile: Memory2
  readonly part: Memory3
  readonly rowScale: ValuesRef<'f32'>
  /** The quad of this invocation's piece, of the whole head. */
  readonly quad: (g: number) => Expr<'u32'>
  /** The first of its rows within the tile, and row r of them over all queries. */
  readonly first: Expr<'u32'>
  readonly row: (r: number) => Expr<'u32'>
}

type Memory2 = ArrayRef<{ readonly array: 'vec4f' }>
type Memory3 = ArrayRef<{ readonly array: { readonly array: 'f32' } }>

/** The rows of this invocation, scaled. A row past the end is computed from the last one, and not stored. */
export const loadQueries = (k: Builder, { flash, piece4, quad, row }: Work, head: Expr<'u32'>): Block<Expr<'vec4f'>> =>
  tuple(ROWS_EACH, (r) => {
    const start = k.let(`q_row${r}`, u32`${head} * ${flash.queries} + min(${row(r)}, ${flash.queries} - 1)`)
    return tuple(piece4, (g) => k.let(`q${r}${g}`, loadQuad(k, flash.q, start, quad(g), flash.rows).mul(flash.scale)))
  })

/** The keys and values of a tile into workgroup memory, neighbours side by side. */
export function stageKeys(
  k: Builder,
  { flash, i, width, tile, kTile, vTile }: Work,
  { kvHead, j0, keys }: Readonly<Record<'kvHead' | 'j0' | 'keys', Expr<'u32'>>>,
): void {
  for (const s of each(Math.ceil((tile * width) / ROWS))) {
    const e = k.let(`e${s}`, i.add(s * ROWS))
    const copy = (): void => {
      const { key, quad } = k.let({ key: e.div(width), quad: e.rem(width) })
      // a key past the end is a copy of the last one, which lies in the same tile, and has weight 0
      const at = k.let('at', u32`${kvHead} * ${flash.capacity} + min(${j0} + ${key}, ${keys} - 1)`)
      kTile.at(key, quad).set(loadQuad(k, flash.k, at, quad, flash.rows))
      vTile.at(key, quad).set(loadQuad(k, flash.v, at, quad, flash.rows))
    }
    if ((s + 1) * ROWS <= tile * width) copy()
    else k.if(e.lt(tile * width), copy)
  }
}

/** The products of four rows with each key of the tile, over a piece of the head. */
export function multiplyKeys(
  k: Builder,
  { piece4, tile, kTile, part, quad, first }: Work,
  piece: Expr<'u32'>,
  q: Block<Expr<'vec4f'>>,
): void {
  k.range('j', 0, tile, (j) => {
    const key = tuple(piece4, (g) => k.let(`k${g}`, kTile.at(j, quad(g))))
    for (const r of each(ROWS_EACH)) {
      const products = k.let(
        `dot${r}`,
        sumOver(piece4, (g, before) => (before ? fn.fma(q[r][g], key[g], before) : q[r][g].mul(key[g]))),
      )
      part.at(j, piece, first.add(r)).set(f32`(${products}.x + ${products}.y) + (${products}.z + ${products}.w)`)
    }
  })
}

/** What the rows had before, rescaled, and the weighted values of the tile. */
export function addValues(
  k: Builder,
  { piece4, tile, vTile, part, rowScale, quad, first }: Work,
  acc: Block<VarRef<'vec4f'>>,
): void {
  for (const r of each(ROWS_EACH)) {
    const rescale = k.let(`rescale${r}`, rowScale.at(first.add(r)))
    for (const g of each(piece4)) acc[r][g].mulAssign(rescale)
  }
  k.range('j', 0, tile, (j) => {
    const value = tuple(piece4, (g) => k.let(`v${g}`, vTile.at(j, quad(g))))
    for (const r of each(ROWS_EACH)) {
      const weight = k.let(`w${r}`, vec4f(part.at(j, 0, first.add(r))))
      for (const g of each(piece4)) acc[r][g].set(fn.fma(weight, value[g], acc[r][g]))
    }
  })
}

export function storeRows(
  k: Builder,
  { flash, piece4, rowScale, quad, first, row }: Work,
  head: Expr<'u32'>,
  acc: Block<VarRef<'vec4f'>>,
): void {
  const { out, queries, rows } = flash
  for (const r of each(ROWS_EACH)) {
    k.if(row(r).lt(queries), () => {
      const factor = k.let('factor', rowScale.at(first.add(r)))
      const start = k.let('start', u32`${head} * ${queries} + ${row(r)}`)
      for (const g of each(piece4)) storeQuad(k, out, start, quad(g), acc[r][g].mul(factor), rows)
    })
  }
}

interface Step {
  readonly j0: Expr<'u32'>
  readonly sight: Sight
  readonly top: VarRef<'f32'>
  readonly sum: VarRef<'f32'>
}

/** The online softmax of row i over the keys of one tile: weights into `part`, the factor for what came before into `rowScale`. */
export function softmaxStep(k: Builder, { part, i, tile, rowScale }: Work, { j0, sight, top, sum }: Step): void {
  const seen = tuple(tile, (j) => k.let(`seen${j}`, sight.seen(j0.add(j))))
  const score = tuple(tile, (j) => {
    const [a, b, c, e] = tuple(PIECES, (p) => part.at(j, p, i))
    const product = f32`(${a} + ${b}) + (${c} + ${e})`
    return k.let(`score${j}`, fn.select(LOWEST, sight.score?.(product, () => j0.add(j), seen[j]) ?? product, seen[j]))
  })
  const newTop = k.let(
    'new_top',
    fn.max(
      top,
      pairwise(
        tile,
        (j) => score[j],
        (a, b) => fn.max(a, b),
      ),
    ),
  )
  const rescale = k.let('rescale', fn.exp(top.sub(newTop)))
  const weight = tuple(tile, (j) => k.let(`p${j}`, fn.select(f32(0), fn.exp(score[j].sub(newTop)), seen[j])))
  for (const j of each(tile)) part.at(j, 0, i).set(sight.weight?.(weight[j], () => j0.add(j)) ?? weight[j])
  rowScale.at(i).set(rescale)
  sum.set(
    fn.fma(
      sum,
      rescale,
      pairwise(
        tile,
        (j) => weight[j],
        (a, b) => a.add(b),
      ),
    ),
  )
  top.set(newTop)
}
