import {
  type ArrayRef,
  type ArrayValue,
  type Builder,
  bool,
  ceilDiv,
  d,
  type Expr,
  each,
  fn,
  input,
  kernel,
  output,
  tuple,
  u32,
  vec4f,
} from '@weft/dsl'

/**
 * c[m, n] = a · b (+ bias[n]), f32, any sizes; c, a and b row-major, a: m × k, or k × m when transposed; b: k × n, or
 * n × k when transposed.
 *
 * A workgroup of 16 × 16 computes a 64 × 64 tile of c, an invocation a 4 × 4 block of it: four vec4f accumulators, one
 * per row. Tiles of 16 along k go through workgroup memory as vec4f, so that a step of the inner loop is two loads
 * for sixteen fma: `a_tile[kk, y]` holds the rows 4y … 4y+3 of a at one k, `b_tile[kk, x]` the columns 4x … 4x+3 of b.
 */
export interface TiledOptions {
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  readonly bias?: boolean
  /** What every element of c starts from; 0 when left out. */
  readonly initial?: number
}

const TILE = 64
const DEPTH = 16
const QUADS = TILE / 4

export function tiledMatmul(
  name: string,
  { transposeA = false, transposeB = false, bias: withBias = false, initial = 0 }: TiledOptions = {},
) {
  const matrices = { a: input(d.arrayOf(d.f32)), b: input(d.arrayOf(d.f32)) }
  const result = { c: output(d.arrayOf(d.f32)) }
  const bindings = withBias ? { ...matrices, bias: input(d.arrayOf(d.f32)), ...result } : { ...matrices, ...result }
  return kernel(
    name,
    {
      workgroupSize: [QUADS, QUADS],
      bindings: bindings as typeof matrices & typeof result,
      params: { m: d.u32, n: d.u32, k: d.u32 },
      workgroups: ({ m, n }) => [ceilDiv(n, TILE), ceilDiv(m, TILE)],
    },
    (view, k) => {
      const { a, b, c, m, n, k: depth } = view
      const aTile = k.workgroup('a_tile', vec4f, DEPTH, QUADS)
      const bTile = k.workgroup('b_tile', vec4f, DEPTH, QUADS)
      const tileRow = k.workgroupId.y.mul(TILE)
      const tileCol = k.workgroupId.x.mul(TILE)
      const { row, col } = k.let({
        row: u32`${tileRow} + ${k.localId.y} * 4`,
        col: u32`${tileCol} + ${k.localId.x} * 4`,
      })
      const acc = tuple(4, (i) => k.var(`acc${i}`, vec4f(initial)))

      k.range('k0', 0, depth, DEPTH, (k0) => {
        stage(k, aTile, a, {
          name: 'ka',
          line: transposeA ? u32`${tileRow} + ${k.localId.x} * 4` : row,
          count: m,
          k0,
          depth,
          alongK: !transposeA,
        })
        stage(k, bTile, b, {
          name: 'kb',
          line: transposeB ? u32`${tileCol} + ${k.localId.y} * 4` : col,
          count: n,
          k0,
          depth,
          alongK: transposeB,
        })
        k.workgroupBarrier()
        k.range('kk', 0, DEPTH, (kk) => {
          const { av, bv } = k.let({ av: aTile.at(kk, k.localId.y), bv: bTile.at(kk, k.localId.x) })
          for (const i of each(4)) acc[i].set(fn.fma(vec4f(av.at(i)), bv, acc[i]))
        })
        k.workgroupBarrier()
      })

      const bias = withBias ? (view as unknown as { readonly bias: ArrayValue<'f32'> }).bias : null
      for (const j of each(4)) {
        k.if(col.add(j).lt(n), () => {
          const offset = bias && k.let('offset', bias.at(col.add(j)))
          for (const i of each(4)) {
            const value = acc[i].at(j)
            k.if(row.add(i).lt(m), () =>
              c.at(u32`(${row} + ${i}) * ${n} + ${col} + ${j}`).set(offset ? value.add(offset) : value),
            )
          }
        })
      }
    },
  )
}

interface Operand {
  /** What its position along k is called. */
  readonly name: string
  /** The first of the four rows (of a) or columns (of b) that this invocation loads, and how many the matrix has. */
  readonly line: Expr<'u32'>
  readonly count: Expr<'u32'>
  readonly k0: Expr<'u32'>
  readonly depth: Expr<'u32'>
  /** Whether neighbours in memory are neighbours along k: invocations that are neighbours in x read those. */
  readonly alongK: boolean
}

/** Four values of an operand into the tile: the same k, four neighbouring rows or columns; zeros outside. */
function stage(
  k: Builder,
  tile: ArrayRef<{ readonly array: 'vec4f' }>,
  source: ArrayValue<'f32'>,
  { name, line, count, k0, depth, alongK }: Operand,
): void {
  const [along, across] = alongK ? [k.localId.x, k.localId.y] : [k.localId.y, k.localId.x]
  const kk = k.let(name, k0.add(along))
  const at = (i: number): Expr<'f32'> =>
    k.when(
      bool`${kk} < ${depth} && ${line} + ${i} < ${count}`,
      () => source.at(alongK ? u32`(${line} + ${i}) * ${depth} + ${kk}` : u32`${kk} * ${count} + ${line} + ${i}`),
      0,
    )
  tile.at(along, across).set(vec4f(at(0), at(1), at(2), at(3)))
}

export const matmul = tiledMatmul('matmul')
export const matmulTransposeA = tiledMatmul('matmul_transpose_a', { transposeA: true })
export const matmulTransposeB = tiledMatmul('matmul_transpose_b', { transposeB: true })
export const matmulTransposeBoth = tiledMatmul('matmul_transpose_both', { transposeA: true, transposeB: true })
export const matmulBias = tiledMatmul('matmul_bias', { bias: true })
export const matmulBiasTransposeA = tiledMatmul('matmul_bias_transpose_a', { bias: true, transposeA: true })
export const matmulBiasTransposeB = tiledMatmul('matmul_bias_transpose_b', { bias: true, transposeB: true })
export const matmulBiasTransposeBoth = tiledMatmul('matmul_bias_transpose_both', {
  bias: true,
  transposeA: true,
  transposeB: true,
})
