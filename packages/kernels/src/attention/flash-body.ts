import {
  type Arg,
  type ArrayRef,
  type ArrayValue,
  type Builder,
  type Expr,
  each,
  f32,
  fn,
  tuple,
  u32,
  type ValuesRef,
  type VarRef,
  vec4f,
  type WriteRef,
} from '@weft/dsl'
import { pairwise, sumOver } from './fold'
import { LOWEST } from './lowest'
import { loadQuad, type Rows, storeQuad } from './quads'

/**
 * The body of the flash attention kernels. A workgroup of 64 handles 64 query rows of one head and goes over the keys in small
 * tiles. An invocation holds four query rows (`first` …) of a quarter of the head (`piece`), so that one vec4f from workgroup
 * memory serves four fma. Its partial dot products go through `part`; then invocation i does the softmax of row i, with one
 * rescale per tile, and writes the weights over the partial products that it alone has read.
 */

/** Query rows, and invocations, of a workgroup. */
export const ROWS = 64
/** Query rows, and parts of the head, per invocation: 64 invocations are 16 groups of rows × 4 pieces. */
const ROWS_EACH = 4
const PIECES = 4
/** Rows of `part`, padded so that the four pieces of a row lie in different banks. */
const PART_ROW = ROWS + 1
/** Workgroup memory that every WebGPU device has, in bytes. */
const WORKGROUP_MEMORY = 16_384

/** vec4f of a head, and of a piece of it; a head that does not divide evenly is padded with zeros. */
export const quadsOf = (headSize: number): number => Math.ceil(headSize / 4)
const pieceOf = (headSize: number): number => Math.ceil(quadsOf(headSize) / PIECES)

/** Whether the pieces hold more than the head. */
export const isPadded = (headSize: number): boolean => quadsOf(headSize) !== PIECES * pieceOf(headSize)

const workgroupBytes = (headSize: number, tile: number): number =>
  2 * tile * PIECES * pieceOf(headSize) * 16 + 4 * Math.ceil((tile * PIECES * PART_ROW) / 4) * 4 + ROWS * 4

/** The keys of a tile: as many of 8, 4, 2, 1 as fit. */
export const keyTile = (headSize: number): number =>
  [8, 4, 2].find((tile) => workgroupBytes(headSize, tile) <= WORKGROUP_MEMORY) ?? 1

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

export function flashBody(k: Builder, flash: Flash): void {
  const { heads, kv_heads, queries, scale, rows, headSize } = flash
  const piece4 = pieceOf(headSize)
  const width = PIECES * piece4
  const tile = keyTile(headSize)
  const kTile = k.workgroup('k_tile', vec4f, tile, width)
  const vTile = k.workgroup('v_tile', vec4f, tile, width)
  const part = k.workgroup('part', f32, tile, PIECES, PART_ROW)
  const rowScale = k.workgroup('row_scale', f32, ROWS)

  const i = k.localIndex
  const { head, tile: queryTile } = flash.place()
  const kvHead = k.let('kv_head', u32`${head} / ${heads} * ${kv_heads} + ${head} % ${heads} / (${heads} / ${kv_heads})`)
  const { piece, first, tileStart } = k.let({
    piece: i.rem(PIECES),
    first: u32`${i} / ${PIECES} * ${ROWS_EACH}`,
    tileStart: queryTile.mul(ROWS),
  })
  const row = (r: number): Expr<'u32'> => u32`${tileStart} + ${first} + ${r}`

  // A row past the end is computed from the last one, and not stored.
  const q = tuple(ROWS_EACH, (r) => {
    const start = k.let(`q_row${r}`, u32`${head} * ${queries} + min(${row(r)}, ${queries} - 1)`)
    return tuple(piece4, (g) =>
      k.let(`q${r}${g}`, loadQuad(k, flash.q, start, u32`${piece} * ${piece4} + ${g}`, rows).mul(scale)),
    )
  })
  const acc = tuple(ROWS_EACH, (r) => tuple(piece4, (g) => k.var(`acc${r}${g}`, vec4f())))

  const sight = flash.sight({ head, tileStart, i })
  const { top, sum } = k.var({ top: f32(LOWEST), sum: f32(0) })

  k.range('j0', sight.from, sight.to, tile, (j0) => {
    for (const s of each(Math.ceil((tile * width) / ROWS))) {
      const e = k.let(`e${s}`, i.add(s * ROWS))
      const copy = (): void => {
        const { key, quad } = k.let({ key: e.div(width), quad: e.rem(width) })
        // a key past the end is a copy of the last one, which lies in the same tile, and has weight 0
        const at = k.let('at', u32`${kvHead} * ${flash.capacity} + min(${j0} + ${key}, ${sight.keys} - 1)`)
        kTile.at(key, quad).set(loadQuad(k, flash.k, at, quad, rows))
        vTile.at(key, quad).set(loadQuad(k, flash.v, at, quad, rows))
      }
      if ((s + 1) * ROWS <= tile * width) copy()
      else k.if(e.lt(tile * width), copy)
    }
    k.workgroupBarrier()

    k.range('j', 0, tile, (j) => {
      const key = tuple(piece4, (g) => k.let(`k${g}`, kTile.at(j, u32`${piece} * ${piece4} + ${g}`)))
      for (const r of each(ROWS_EACH)) {
        const products = k.let(
          `dot${r}`,
          sumOver(piece4, (g, before) => (before ? fn.fma(q[r][g], key[g], before) : q[r][g].mul(key[g]))),
        )
        part.at(j, piece, first.add(r)).set(f32`(${products}.x + ${products}.y) + (${products}.z + ${products}.w)`)
      }
    })
    k.workgroupBarrier()

    softmaxStep(k, { part, i, j0, tile, sight, top, sum, rowScale })
    k.workgroupBarrier()

    for (const r of each(ROWS_EACH)) {
      const rescale = k.let(`rescale${r}`, rowScale.at(first.add(r)))
      for (const g of each(piece4)) acc[r][g].mulAssign(rescale)
    }
    k.range('j', 0, tile, (j) => {
      const value = tuple(piece4, (g) => k.let(`v${g}`, vTile.at(j, u32`${piece} * ${piece4} + ${g}`)))
      for (const r of each(ROWS_EACH)) {
        const weight = k.let(`w${r}`, vec4f(part.at(j, 0, first.add(r))))
        for (const g of each(piece4)) acc[r][g].set(fn.fma(weight, value[g], acc[r][g]))
      }
    })
    k.workgroupBarrier()
  })

  rowScale.at(i).set(fn.select((flash.total ?? f32(1)).div(sum), 0, sum.eq(0)))
  flash.finish?.({ head, index: tileStart.add(i), top, sum })
  k.workgroupBarrier()
  for (const r of each(ROWS_EACH)) {
    k.if(row(r).lt(queries), () => {
      const factor = k.let('factor', rowScale.at(first.add(r)))
      const start = k.let('start', u32`${head} * ${queries} + ${row(r)}`)
      for (const g of each(piece4))
        storeQuad(k, flash.out, start, u32`${piece} * ${piece4} + ${g}`, acc[r][g].mul(factor), rows)
    })
  }
}

interface Step {
  readonly part: ArrayRef<{ readonly array: { readonly array: 'f32' } }>
  readonly i: Expr<'u32'>
  readonly j0: Expr<'u32'>
  readonly tile: number
  readonly sight: Sight
  readonly top: VarRef<'f32'>
  readonly sum: VarRef<'f32'>
  readonly rowScale: ValuesRef<'f32'>
}

/** The online softmax of row i over the keys of one tile: weights into `part`, the factor for what came before into `rowScale`. */
function softmaxStep(k: Builder, { part, i, j0, tile, sight, top, sum, rowScale }: Step): void {
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
