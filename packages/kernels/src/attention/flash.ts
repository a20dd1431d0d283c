import {
  type ArrayRef,
  type ArrayValue,
  type Builder,
  bool,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  fn,
  input,
  kernel,
  output,
  tuple,
  u32,
  type ValuesRef,
  type VarRef,
  vec4f,
  type WriteRef,
} from '@weft/dsl'

/**
 * out = softmax(scale · q·kᵀ) · v, f32: flash attention forward with an online softmax (Dao et al., 2022; Milakov and
 * Gimelshein, 2018), causal or not, grouped queries, one kernel per head size.
 *
 *     q, out: [batch, heads, queries, headSize]   k, v: [batch, kv_heads, keys, headSize]   row-major
 *
 * A workgroup of 64 handles 64 query rows of one head and goes over the keys in small tiles. An invocation holds four
 * query rows (`first` …) of a quarter of the head (`piece`), so that one vec4f from workgroup memory serves four fma.
 * Its partial dot products go through `part`; then invocation i does the softmax of row i, with one rescale per tile,
 * and writes the weights over the partial products that it alone has read.
 *
 * Visible keys: j < keys, and j ≤ i + keys − queries when causal: the last query sees all, the past comes first. A row
 * that sees no key gives zeros.
 */

const ROWS = 64
/** Query rows, and parts of the head, per invocation: 64 invocations are 16 groups of rows × 4 pieces. */
const ROWS_EACH = 4
const PIECES = 4
/** Rows of `part`, padded so that the four pieces of a row lie in different banks. */
const PART_ROW = ROWS + 1
/** Workgroup memory that every WebGPU device has, in bytes. */
const WORKGROUP_MEMORY = 16_384
/** Where the running maximum starts: finite, so that LOWEST − LOWEST is 0. */
const LOWEST = -3e38

/** vec4f of a head, and of a piece of it; a head that does not divide evenly is padded with zeros. */
const quadsOf = (headSize: number): number => Math.ceil(headSize / 4)
const pieceOf = (headSize: number): number => Math.ceil(quadsOf(headSize) / PIECES)

const workgroupBytes = (headSize: number, tile: number): number =>
  2 * tile * PIECES * pieceOf(headSize) * 16 + 4 * Math.ceil((tile * PIECES * PART_ROW) / 4) * 4 + ROWS * 4

/** The keys of a tile: as many of 8, 4, 2, 1 as fit. */
export const keyTile = (headSize: number): number =>
  [8, 4, 2].find((tile) => workgroupBytes(headSize, tile) <= WORKGROUP_MEMORY) ?? 1

export function flashAttention(name: string, headSize: number) {
  const quads = quadsOf(headSize)
  const piece4 = pieceOf(headSize)
  const width = PIECES * piece4
  const tile = keyTile(headSize)
  // Heads of whole vec4f are read as such; others element by element.
  const element = headSize % 4 === 0 ? d.arrayOf(d.vec4f) : (d.arrayOf(d.f32) as unknown as ReturnType<typeof vectors>)

  return kernel(
    name,
    {
      workgroupSize: [ROWS],
      bindings: { q: input(element), k: input(element), v: input(element), out: output(element) },
      params: { batch: d.u32, heads: d.u32, kv_heads: d.u32, queries: d.u32, keys: d.u32, causal: d.u32, scale: d.f32 },
      workgroups: ({ batch, heads, queries }) => [ceilDiv(queries, ROWS), batch.mul(heads)],
    },
    (view, k) => {
      const { heads, kv_heads, queries, keys, causal, scale } = view
      const memory = { headSize, quads }
      const kTile = k.workgroup('k_tile', vec4f, tile, width)
      const vTile = k.workgroup('v_tile', vec4f, tile, width)
      const part = k.workgroup('part', f32, tile, PIECES, PART_ROW)
      const rowScale = k.workgroup('row_scale', f32, ROWS)

      const i = k.localIndex
      const head = k.let('head', k.workgroupId.y)
      const kvHead = k.let(
        'kv_head',
        u32`${head} / ${heads} * ${kv_heads} + ${head} % ${heads} / (${heads} / ${kv_heads})`,
      )
      const { piece, first, tileStart } = k.let({
        piece: i.rem(PIECES),
        first: u32`${i} / ${PIECES} * ${ROWS_EACH}`,
        tileStart: k.workgroupId.x.mul(ROWS),
      })
      const row = (r: number): Expr<'u32'> => u32`${tileStart} + ${first} + ${r}`

      // A row past the end is computed from the last one, and not stored.
      const q = tuple(ROWS_EACH, (r) => {
        const start = k.let(`q_row${r}`, u32`${head} * ${queries} + min(${row(r)}, ${queries} - 1)`)
        return tuple(piece4, (g) =>
          k.let(`q${r}${g}`, loadQuad(k, view.q, start, u32`${piece} * ${piece4} + ${g}`, memory).mul(scale)),
        )
      })
      const acc = tuple(ROWS_EACH, (r) => tuple(piece4, (g) => k.var(`acc${r}${g}`, vec4f())))

      const visible = (last: Expr<'u32'>): Expr<'u32'> =>
        k.when(causal.ne(0), () => u32`min(${keys}, max(${last} + ${keys}, ${queries}) - ${queries})`, keys)
      const { sees, tileSees } = k.let({
        sees: visible(u32`${tileStart} + ${i} + 1`),
        tileSees: visible(u32`min(${tileStart} + ${ROWS}, ${queries})`),
      })
      const { top, sum } = k.var({ top: f32(LOWEST), sum: f32(0) })

      k.range('j0', 0, tileSees, tile, (j0) => {
        for (const s of each(Math.ceil((tile * width) / ROWS))) {
          const e = k.let(`e${s}`, i.add(s * ROWS))
          const copy = (): void => {
            const { key, quad } = k.let({ key: e.div(width), quad: e.rem(width) })
            // a key past the end is a copy of the last one, which lies in the same tile, and has weight 0
            const at = k.let('at', u32`${kvHead} * ${keys} + min(${j0} + ${key}, ${keys} - 1)`)
            kTile.at(key, quad).set(loadQuad(k, view.k, at, quad, memory))
            vTile.at(key, quad).set(loadQuad(k, view.v, at, quad, memory))
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

        softmaxStep(k, { part, i, j0, tile, sees, top, sum, rowScale })
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

      rowScale.at(i).set(fn.select(f32(1).div(sum), 0, sum.eq(0)))
      k.workgroupBarrier()
      for (const r of each(ROWS_EACH)) {
        k.if(row(r).lt(queries), () => {
          const factor = k.let('factor', rowScale.at(first.add(r)))
          const start = k.let('start', u32`${head} * ${queries} + ${row(r)}`)
          for (const g of each(piece4))
            storeQuad(k, view.out, start, u32`${piece} * ${piece4} + ${g}`, acc[r][g].mul(factor), memory)
        })
      }
    },
  )
}

/** Only for its type: both forms of the bindings are handled as the one of vec4f. */
const vectors = () => d.arrayOf(d.vec4f)

interface Step {
  readonly part: ArrayRef<{ readonly array: { readonly array: 'f32' } }>
  readonly i: Expr<'u32'>
  readonly j0: Expr<'u32'>
  readonly tile: number
  readonly sees: Expr<'u32'>
  readonly top: VarRef<'f32'>
  readonly sum: VarRef<'f32'>
  readonly rowScale: ValuesRef<'f32'>
}

/** The online softmax of row i over the keys of one tile: weights into `part`, the factor for what came before into `rowScale`. */
function softmaxStep(k: Builder, { part, i, j0, tile, sees, top, sum, rowScale }: Step): void {
  const seen = tuple(tile, (j) => k.let(`seen${j}`, j0.add(j).lt(sees)))
  const score = tuple(tile, (j) => {
    const [a, b, c, e] = tuple(PIECES, (p) => part.at(j, p, i))
    return k.let(`score${j}`, fn.select(LOWEST, f32`(${a} + ${b}) + (${c} + ${e})`, seen[j]))
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
  for (const j of each(tile)) part.at(j, 0, i).set(weight[j])
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

interface Memory {
  readonly headSize: number
  readonly quads: number
}

/** Four components of a row of q, k or v, zeros past the end of the head. `row` counts rows of `headSize` elements. */
function loadQuad(
  k: Builder,
  source: ArrayValue<'vec4f'>,
  row: Expr<'u32'>,
  quad: Expr<'u32'>,
  { headSize, quads }: Memory,
): Expr<'vec4f'> {
  const padded = quads !== PIECES * pieceOf(headSize)
  if (headSize % 4 === 0) {
    const load = (): Expr<'vec4f'> => source.at(u32`${row} * ${quads} + ${quad}`)
    return padded ? k.when(quad.lt(quads), load, vec4f()) : load()
  }
  const scalars = source as unknown as ArrayValue<'f32'>
  const one = (c: number): Expr<'f32'> =>
    k.when(bool`${quad} * 4 + ${c} < ${headSize}`, () => scalars.at(u32`${row} * ${headSize} + ${quad} * 4 + ${c}`), 0)
  return vec4f(one(0), one(1), one(2), one(3))
}

function storeQuad(
  k: Builder,
  out: WriteRef<{ readonly array: 'vec4f' }>,
  row: Expr<'u32'>,
  quad: Expr<'u32'>,
  value: Expr<'vec4f'>,
  { headSize, quads }: Memory,
): void {
  if (headSize % 4 === 0) {
    const store = (): void => out.at(u32`${row} * ${quads} + ${quad}`).set(value)
    if (quads === PIECES * pieceOf(headSize)) store()
    else k.if(quad.lt(quads), store)
    return
  }
  const scalars = out as unknown as WriteRef<{ readonly array: 'f32' }>
  const named = k.let('result', value)
  for (const c of each(4)) {
    k.if(bool`${quad} * 4 + ${c} < ${headSize}`, () =>
      scalars.at(u32`${row} * ${headSize} + ${quad} * 4 + ${c}`).set(named.at(c)),
    )
  }
}

/** `step(n - 1, … step(1, step(0)))`. */
function sumOver(
  n: number,
  step: (g: ReturnType<typeof each>[number], before: Expr<'vec4f'> | null) => Expr<'vec4f'>,
): Expr<'vec4f'> {
  let sum: Expr<'vec4f'> | null = null
  for (const g of each(n)) sum = step(g, sum)
  return sum as unknown as Expr<'vec4f'>
}

/** A balanced tree over the values of `of(0) … of(n - 1)`. */
function pairwise(
  n: number,
  of: (j: ReturnType<typeof each>[number]) => Expr<'f32'>,
  combine: (a: Expr<'f32'>, b: Expr<'f32'>) => Expr<'f32'>,
): Expr<'f32'> {
  const tree = (list: readonly Expr<'f32'>[]): Expr<'f32'> => {
    const [only] = list
    if (list.length === 1 && only) return only
    const half = Math.ceil(list.length / 2)
    return combine(tree(list.slice(0, half)), tree(list.slice(half)))
  }
  return tree(tuple(n, of).slice(0, n))
}

/** For head size 64, the most common one. */
export const attention = flashAttention('attention', 64)
