import {
  type Builder,
  d,
  type Expr,
  each,
  f16,
  f32,
  i32,
  inout,
  input,
  type KernelDecl,
  kernel,
  subgroupMatrix,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { drain } from './drain'
import { type Numbers, productParams, type Sums, sumParams, tilesOf, type U32 } from './numbers'
import type { SlabOptions } from './operand'
import { type Task, taskOf } from './order'
import { finishOf, wordsOf } from './result'
import { depthOf, layoutOf, SIDE, type Slab, slabOf } from './slab'

/**
 * c[z] = alpha · a[z] · b[z] with what may follow, by subgroup matrices: the units that multiply 16 × 16 matrices at once. f16 with sums in
 * f32 (or f16, where asked for), and bytes with sums in i32.
 *
 * A tile of c belongs to a workgroup, a block of it to a subgroup, in matrices of sums. Tiles of a and b go through workgroup memory, see
 * slab.ts; the next one is on its way to registers while this one is used. Sums leave through the same memory, see drain.ts. Where there are few
 * tiles, several subgroups share a block, a slice of k each.
 *
 * On an H200, operands cold, f16 in TFLOP/s: 4096³ 298 (a · bᵀ 283, aᵀ · b 313), 2048³ 256; sums in f16 295. Bytes, a · bᵀ, in TOP/s: 4096³ 521, 8192³
 * 579, 2048³ 404. What limits it at 4096³, by what is left out of a · bᵀ (bytes in brackets): products alone, of matrices that are loaded
 * once, 555 (973); with matrices from workgroup memory 528 (931); with the way into it 408 (738); all but products 306 (572), which is the
 * limit: tiles of 128 × 128 ask the last-level cache for 4.8 TB/s, of the 5.6 that aᵀ · b gets, whose loads are whole lines of it. Tried at 4096³:
 *   into workgroup memory, see parts/matrices.ts: rows as they come 282, of bytes 489;
 *   loads: with no test at all, 230 (418), as if the compiler moved them down to where they are used; a test for every load 272; before the barrier 293; one
 *   after each word that is put 227; two tiles on their way 234 (447); a word of each sector two tiles ahead, for the first cache, 246;
 *   operands from storage with no workgroup memory: b 98 (104), both (57);
 *   offsets or strides that are not constants 198, see slab.ts; a strip of its own for the sums, with 28 KiB in all: 137, for one workgroup instead
 *   of two on a multiprocessor; sums written one by one, with what may follow: 220, and 250 with the plain case apart;
 *   tiles 64 deep 238, 16 deep 178, 16 deep with two buffers and one barrier 193 (32 deep 385); 256 × 128 with 8 subgroups 251 (469), with 16
 *   266; subgroups of 64 × 32 185 (322); bands of 4 or 16 (524); the outer loop twice 283, in groups of 4 244; k begun elsewhere in every
 *   workgroup 209; bytes that lie across k loaded as matrices (266), turned on their way into workgroup memory (429), turned by a pass of their own,
 *   which takes 11 µs (501).
 * Small ones take 6.3 µs as soon as they do nothing: 512³ in tiles of 32 × 64 with 4 slices 12.0 µs (64 × 64 16.8, in 2 parts of k 15.6, 32 × 32 12.3),
 * 256³ 10.5 (12.0), 640³ 16.9 (17.7), 768³ 23.3 (19.4); 32 × 4096² in 2 such parts 26.6 (loads after the barrier 29.0, no parts 32.4, 4 parts 29.5, 64 × 64
 * in 8 parts 35.4; 32 × 32 with 8 slices of 256 in all, which fit one workgroup and no part, 24.9). 1024³ takes 22.8 in tiles of 64 × 64, of which 13.5 are
 * the cache's 5 TB/s (32 × 64 33.7, 128 × 64 23.0, 128 × 128 36.5, 2 slices 21.9).
 */
export interface MatrixOptions {
  readonly component: 'f16' | 'i8'
  readonly sums: 'f32' | 'f16' | 'i32'
  /** Elements of c: f16, with all that may follow; sums as they are otherwise, which may be over parts of k. */
  readonly result: 'f16' | 'f32' | 'i32'
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  /** Rows, columns and depth of a tile. */
  readonly tile: readonly [m: number, n: number, k: number]
  /** Rows and columns of a subgroup. */
  readonly block: readonly [rows: number, cols: number]
  /** Into how many slices along k a tile is cut, each for subgroups of its own, whose sums are joined at the end; 1 when left out. */
  readonly slices?: number
  /** Lines of tiles in a band, see order.ts. */
  readonly band?: number
}

/** Invocations of a subgroup. Smaller subgroups would do the same work several times, larger ones would leave some of it out. */
const LANES = 32

interface View extends Sums {
  readonly a: SlabOptions['source']
  readonly b: SlabOptions['source']
  readonly c: { at(i: U32): Expr<'vec4f'> & { set(value: Expr<'vec4f'>): void } }
}

/** The tile of a and that of b. */
const shapesOf = ({ component, transposeA = false, transposeB = false, tile, block, slices = 1 }: MatrixOptions) => {
  const [M, N, depth] = tile
  return {
    a: { component, depth, slices, lines: M, part: block[0], alongK: !transposeA },
    b: { component, depth, slices, lines: N, part: block[1], alongK: transposeB },
  }
}

/** Bytes that the two tiles take, see slab.ts. */
export function tileBytes(options: MatrixOptions): number {
  const { a, b } = shapesOf(options)
  const bytes = ({ words, slabs }: ReturnType<typeof layoutOf>) => 16 * words * slabs
  return bytes(layoutOf(a)) + bytes(layoutOf(b))
}

/** Subgroups below each other, side by side, and in all. */
function subgroupsOf({ tile, block, slices = 1 }: MatrixOptions) {
  const [down, across] = [tile[0] / block[0], tile[1] / block[1]]
  return { down, across, all: down * across * slices }
}

function declared(options: MatrixOptions): unknown {
  const { result, tile } = options
  const words = () => input(d.arrayOf(d.vec4u))
  const quad = result === 'f16' ? d.vec4h : result === 'i32' ? d.vec4i : d.vec4f
  const product = { a: words(), b: words(), c: inout(d.arrayOf(quad as typeof d.vec4f)) }
  const halves = () => input(d.arrayOf(d.f16))
  return {
    workgroupSize: [subgroupsOf(options).all * LANES],
    workgroups: tilesOf(tile[0], tile[1]),
    limits: { maxComputeWorkgroupStorageSize: tileBytes(options) },
    ...(result === 'f16'
      ? { bindings: { ...product, bias: halves(), residual: halves() }, params: productParams }
      : { bindings: product, params: sumParams }),
  }
}

export function matrixMatmul(name: string, options: MatrixOptions): KernelSource {
  const { component, sums, result, transposeA = false, transposeB = false, tile, block, band = 8 } = options
  const { slices = 1 } = options
  const [M, N, K] = tile
  const [rows, cols] = block
  const formula = `${transposeA ? 'aᵀ' : 'a'} · ${transposeB ? 'bᵀ' : 'b'}`
  const doc =
    result === 'i32'
      ? `c = ${formula}, of bytes with sums in i32, by subgroup matrices`
      : `c = activation(alpha · ${formula} + bias) + residual, of f16 with sums in ${sums}, by subgroup matrices`
  type None = Record<never, never>
  const decl = { doc, ...(declared(options) as object) } as unknown as KernelDecl<None, None, None>
  return kernel(name, decl, (untyped, k) => {
    const view = untyped as unknown as View
    const task = taskOf(k, view, M, N, band)
    const { down, across, all } = subgroupsOf(options)
    const subgroup = k.let('subgroup', k.subgroupId.rem(all))
    const { a, b } = slabs(k, view, task, options)
    const type = subgroupMatrix('result', { f32, f16, i32 }[sums] as typeof f32, { rows: SIDE, cols: SIDE })
    const acc = each(rows / SIDE).map((i) => each(cols / SIDE).map((j) => k.var(`acc${i}_${j}`, type)))
    const slice = slices === 1 ? u32(0) : k.let('slice', subgroup.div(down * across))
    const { slab_row, slab_col } = k.let({
      slab_row: subgroup.rem(down * across).div(across),
      slab_col: subgroup.rem(across),
    })
    const multiply = () => {
      for (const kk of each(K / slices / depthOf(component))) {
        const left = acc.map((_, i) => a.matrix(slab_row, slice, i, kk))
        for (const j of each(cols / SIDE)) {
          const right = b.matrix(slab_col, slice, j, kk)
          acc.forEach((row, i) => {
            const sum = row[j] as (typeof row)[0]
            sum.set(k.subgroupMatrixMultiplyAccumulate(left[i] as never, right as never, sum))
          })
        }
      }
    }
    const load = (k0: U32) => {
      a.load(k0)
      b.load(k0)
    }
    load(task.from)
    k.range('k0', task.from, task.end, K, (k0) => {
      a.put()
      b.put()
      // before the barrier where a workgroup has a multiprocessor for itself, behind it where two share one: as measured, see above
      if (slices > 1) load(k0.add(K))
      k.workgroupBarrier()
      if (slices === 1) load(k0.add(K))
      multiply()
      k.workgroupBarrier()
    })
    const words = wordsOf(k, view, task, 4)
    const numbers = result === 'f16' ? (view as unknown as Numbers) : undefined
    const held = (row: U32, col: U32) => f32(view.c.at(words.at(row, col)).at(col.rem(4)))
    const after = numbers && finishOf(k, numbers, task, held)
    drain(k, { sums, acc, down, across, slices, subgroup, a, b, words, after, alpha: numbers?.alpha })
  })
}

/** Both operands of a workgroup. */
function slabs(k: Builder, view: View, task: Task, options: MatrixOptions): { readonly a: Slab; readonly b: Slab } {
  const shapes = shapesOf(options)
  const common = { threads: subgroupsOf(options).all * LANES, end: task.end }
  const a = slabOf(k, {
    ...{ ...common, ...shapes.a, name: 'a', role: 'left', source: view.a },
    first: k.let('a_first', view.a_offset.add(task.item.mul(view.a_batch))),
    ...{ stride: view.a_row, line: task.row, count: view.m },
  })
  const b = slabOf(k, {
    ...{ ...common, ...shapes.b, name: 'b', role: 'right', source: view.b },
    first: k.let('b_first', view.b_offset.add(task.item.mul(view.b_batch))),
    ...{ stride: view.b_row, line: task.col, count: view.n },
  })
  return { a, b }
}
