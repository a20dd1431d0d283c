import {
  type Builder,
  bitcast,
  bool,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { LEFT, RESULT, RIGHT, SIDE, SUBGROUP } from '../parts/matrices'
import { read, scalars, stored } from '../parts/storage'
import type { FormatView } from './format'
import type { LineFormat } from './lines'
import { MATRIX_TILES, type MatrixRows, type MatrixTile, manyOf, matricesName } from './matrix-tiles'
import { packedTile, plainTile, type StagedTile, WORD } from './staging'

/**
 * y = x · Wᵀ + bias for many rows of x, by subgroup matrices: W: [n, k] in a format that is read by chunks (see lines.ts), x, bias and y f16, sums
 * f32. Weights are rounded to f16 on their way into workgroup memory, once: an error of 2⁻¹¹ of each, as if W had been stored so.
 *
 * A tile of y belongs to a workgroup, a block of it to a subgroup, in matrices of sums. Tiles of x and W go through workgroup memory, see
 * staging.ts; the next one is on its way to registers while this one is multiplied. Where there are few rows of x there are few blocks: several
 * subgroups then share one, a slice of the depth each.
 *
 * What Tint proves decides the speed: arrays by an index that it knows to be in range, and constant offsets and strides, are used as they
 * are.
 *
 * On an H200, int4 in groups of 128, n = k = 4096: 211 TFLOP/s with 4096 rows (206 with rows of x as they come, see rowInTurn), where f16 weights have
 * 283; 64 rows take 44 µs, 8 rows 27.
 * 32,768 × 8192 with 8 rows take 147 µs, Q4_K 172: of W 973 and 876 GB/s. Two subgroups with a column of matrices each for two slices took 173
 * and 172; depth 256 (192 … 280), 32 or 128 rows of W (183, 188).
 * What these 147 µs are, by what was left out, in µs: in one run 172 in whole, 144 without the arithmetic of W, 143 without products, 135 with neither, 151 without
 * barriers, 160 with arithmetic in f16; in another 147 in whole, 152 with two tiles on their way, in a loop taken twice, 129 of those with
 * arithmetic in f16, 114 with neither that nor x: no part by itself, but the way through workgroup memory with two barriers for 64 bytes of a row.
 * Tried: depth 64 for many rows (170; with 512 rows 152 instead of 126), 64 × 64 tiles (123), one slice with 16 rows (54 µs), x read from its buffer
 * by the matrices themselves (4 times as long as through workgroup memory).
 */

type U32 = Expr<'u32'>
type None = Record<never, never>

/** The words of a matrix, of four f32. */
const SUM_WORDS = (SIDE * SIDE) / 4

interface View {
  readonly x: { at(i: U32): Expr<'vec4u'> }
  readonly bias: { at(i: U32): Expr<'f32'> }
  readonly y: { at(i: U32): { set(value: Expr<'f32'>): void } }
  readonly m: U32
  readonly n: U32
  readonly k: U32
  readonly with_bias: U32
}

function declared(format: LineFormat, { tile: [M, N, K], block, slices = 1 }: MatrixTile): unknown {
  const bytes = (M + N) * (K / WORD + 1) * 16
  return {
    doc: `y = x · Wᵀ + bias by subgroup matrices, ${M} rows of x at a time; W: [n, k] of ${format.doc}, rounded to f16`,
    workgroupSize: [(M / block[0]) * (N / block[1]) * slices * SUBGROUP],
    bindings: {
      ...format.bindings,
      ...{ x: input(d.arrayOf(d.vec4u)), bias: input(scalars('f16')), y: output(scalars('f16')) },
    },
    params: { m: d.u32, n: d.u32, k: d.u32, with_bias: d.u32, ...format.params },
    workgroups: ({ m, n }: Readonly<Record<'m' | 'n', HostNumber>>) => [ceilDiv(m, M).mul(ceilDiv(n, N))],
    ...(bytes > 16_384 ? { limits: { maxComputeWorkgroupStorageSize: bytes } } : {}),
  }
}

export function matrixMatmulOf(format: LineFormat, name: string, form: MatrixTile): KernelSource {
  const { tile, block, slices = 1 } = form
  const [M, N, K] = tile
  const [down, across] = [M / block[0], N / block[1]]
  const pitch = K / WORD + 1
  return kernel(name, declared(format, form) as KernelDecl<None, None, None>, (untyped, k) => {
    const view = untyped as unknown as View
    const formatView = untyped as unknown as FormatView
    // workgroups that run at the same time share rows of W: those of all rows of x are numbered first
    const rows = k.let('rows', u32`(${view.m} + ${M - 1}) / ${M}`)
    const { row, col } = k.let({ row: k.workgroupIndex.rem(rows).mul(M), col: k.workgroupIndex.div(rows).mul(N) })
    const member = k.let('member', k.subgroupId.rem(down * across * slices))
    const { slice, slab_row, slab_col } = k.let({
      slice: member.div(down * across),
      slab_row: member.rem(down * across).div(across),
      slab_col: member.rem(across),
    })
    const x = plainTile(k, { source: view.x, row, count: view.m, depth: view.k, lines: M, part: block[0], deep: K })
    const w = packedTile(k, {
      format,
      view: formatView,
      row: col,
      count: view.n,
      depth: view.k,
      lines: N,
      part: block[1],
      deep: K,
    })
    const acc = each(block[0] / SIDE).map((i) => each(block[1] / SIDE).map((j) => k.var(`sum${i}_${j}`, RESULT)))
    const own = slices === 1 ? null : k.let('own', slice.mul(K / slices / WORD))
    const offset = (line: number, kk: number) => {
      const at = line * pitch + kk * (SIDE / WORD)
      return own === null ? at : own.add(at)
    }
    const put = (first: U32) => {
      const puts = [x.load(first), w.load(first)]
      return () => {
        for (const one of puts) one()
      }
    }
    put(u32(0))()
    k.range('k0', 0, view.k, K, (k0) => {
      k.workgroupBarrier()
      const putNext = put(k.let('next', k0.add(K)))
      for (const kk of each(K / slices / SIDE)) {
        const ofX = acc.map((_, i) =>
          k.subgroupMatrixLoad(LEFT, x.tile.at(slab_row), offset(i * SIDE, kk), pitch, 'row'),
        )
        for (const j of each(block[1] / SIDE)) {
          const ofW = k.subgroupMatrixLoad(RIGHT, w.tile.at(slab_col), offset(j * SIDE, kk), pitch, 'col')
          acc.forEach((of, i) => {
            const sum = of[j] as (typeof of)[0]
            sum.set(k.subgroupMatrixMultiplyAccumulate(ofX[i] as (typeof ofX)[0], ofW, sum))
          })
        }
      }
      k.workgroupBarrier()
      putNext()
    })
    drain(k, { acc, tile: w, form, place: { slice, slab_row, slab_col } }, (r, c, sum) =>
      k.if(bool`${row} + ${r} < ${view.m} && ${col} + ${c} < ${view.n}`, () => {
        const at = k.let('col_of_y', col.add(c))
        const bias = k.when(view.with_bias.ne(0), () => read(view.bias.at(at)), 0)
        const scale = format.rowScale?.(formatView, at)
        const total = scale ? sum().mul(scale) : sum()
        view.y.at(u32`(${row} + ${r}) * ${view.n} + ${at}`).set(stored('f16', total.add(bias)))
      }),
    )
  })
}

interface Drained {
  /** [row of matrices][column] of a subgroup. */
  readonly acc: readonly (readonly unknown[])[]
  /** Whose memory is used: it is no longer needed. */
  readonly tile: StagedTile
  readonly form: MatrixTile
  readonly place: { readonly slice: U32; readonly slab_row: U32; readonly slab_col: U32 }
}

/**
 * Sums from the matrices of subgroups to whoever writes them, with those of all slices added up. Only the device knows which invocation holds which
 * element of a matrix: they go through workgroup memory, as many at a time as it has room for.
 */
function drain(k: Builder, o: Drained, write: (row: U32, col: U32, sum: () => Expr<'f32'>) => void): void {
  const { acc, tile, form, place } = o
  const { block, slices = 1 } = form
  const [down, across] = [form.tile[0] / block[0], form.tile[1] / block[1]]
  const width = [4, 2, 1].find((w) => block[1] % (w * SIDE) === 0 && slices * down * w * SUM_WORDS <= tile.words)
  if (width === undefined) throw new RangeError(`a tile has ${tile.words} words for each column of subgroups: too few`)
  const cols = across * width * SIDE
  const first = k.let('first', u32`(${place.slice} * ${down} + ${place.slab_row}) * ${width * SUM_WORDS}`)
  acc.forEach((of, i) => {
    for (const strip of each(of.length / width)) {
      k.workgroupBarrier()
      for (const j of each(width)) {
        const matrix = of[strip * width + j] as never
        k.subgroupMatrixStore(tile.tile.at(place.slab_col), first.add(j * SUM_WORDS), matrix, 4)
      }
      k.workgroupBarrier()
      k.range('e', 0, (down * SIDE * cols) / k.workgroupSize, (e) => {
        const index = k.let('index', u32`${e} * ${k.workgroupSize} + ${k.localIndex}`)
        const { r, c } = k.let({ r: index.div(cols), c: index.rem(cols) })
        const inSlab = k.let('in_slab', c.rem(width * SIDE))
        const at = u32`(${r} / ${SIDE} * ${width} + ${inSlab} / ${SIDE}) * ${SUM_WORDS} + ${r} % ${SIDE} * 4 + ${inSlab} % ${SIDE} / 4`
        const word = k.let('word', at)
        const slab = k.let('slab', c.div(width * SIDE))
        const part = (s: number) => tile.tile.at(slab, word.add(s * down * width * SUM_WORDS)).at(c.rem(4))
        write(
          u32`${r} / ${SIDE} * ${block[0]} + ${r} % ${SIDE} + ${i * SIDE}`,
          u32`${slab} * ${block[1]} + ${inSlab} + ${strip * width * SIDE}`,
          () =>
            each(slices)
              .map((s) => bitcast(f32, part(s)))
              .reduce((sum, value) => sum.add(value)),
        )
      })
    }
  })
}

/** Kernels over a format for all numbers of rows. */
export const matrixKernels = (format: LineFormat): readonly KernelSource[] =>
  (Object.keys(MATRIX_TILES) as MatrixRows[]).map((rows) => {
    const form = rows === 'many' ? manyOf(format.window ?? 32) : MATRIX_TILES[rows]
    return matrixMatmulOf(format, matricesName(format.name, rows), form)
  })
