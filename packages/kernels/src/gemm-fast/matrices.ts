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
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { drain } from './drain'
import { type Numbers, productParams, type Sums, sumParams, tilesOf, type U32 } from './numbers'
import { type Task, taskOf } from './order'
import { finishOf, wordsOf } from './result'
import { depthOf, inWord, SIDE, type Slab, slabOf } from './slab'

/**
 * c[z] = alpha · a[z] · b[z] with what may follow, by subgroup matrices: the units that multiply 16 × 16 matrices at once. f16 with sums in
 * f32 (or f16, where asked for), and bytes with sums in i32.
 *
 * A tile of c belongs to a workgroup, a block of it to a subgroup, in matrices of sums. Tiles of a and b go through workgroup memory, see
 * slab.ts; the next one is on its way to registers while this one is used. Sums leave through the same memory, see drain.ts.
 *
 * On an H200, in TFLOP/s, operands cold: 4096³ 287 (a · bᵀ 265, aᵀ · b 316), 8192³ 303, 2048³ 245; sums in f16 295. What limits it at 4096³: products and the way
 * into workgroup memory alone reach 395, loads from memory alone would allow 289 – 128 × 128 tiles of f16 ask the last-level cache for
 * 4.4 TB/s. Tried at 4096³:
 *   offsets or strides that are not constants 198, see slab.ts; a strip of its own for the sums, with 28 KiB in all: 137, for one workgroup instead
 *   of two on a multiprocessor; sums written one by one, with what may follow: 220, and 250 with the plain case apart; a test for every load 272;
 *   tiles 64 deep 262 (245 with one test), 16 deep 178, two 16 deep side by side 208; 128 × 256 and 256 × 128 with 8 subgroups 190; subgroups of
 *   64 × 32 139; the outer loop twice 283, in groups of 4 244; k begun elsewhere in every workgroup 209.
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
  /** Lines of tiles in a band, see order.ts. */
  readonly band?: number
}

/** Invocations of a subgroup. Smaller subgroups would do the same work several times, larger ones would leave some of it out. */
const LANES = 32

interface Words {
  at(i: U32): Expr<'vec4u'>
}
interface View extends Sums {
  readonly a: Words
  readonly b: Words
  readonly c: { at(i: U32): Expr<'vec4f'> & { set(value: Expr<'vec4f'>): void } }
}

/** Bytes that the two tiles take, see slab.ts. */
export function tileBytes({
  component,
  transposeA = false,
  transposeB = false,
  tile: [M, N, K],
  block: [rows, cols],
}: MatrixOptions): number {
  const wide = inWord(component)
  const bytes = (lines: number, part: number, alongK: boolean) =>
    16 * (lines / part) * (alongK ? part * (K / wide + 1) : K * (part / wide + 1))
  return bytes(M, rows, !transposeA) + bytes(N, cols, transposeB)
}

function declared(options: MatrixOptions): unknown {
  const {
    result,
    tile,
    block: [rows, cols],
  } = options
  const [M, N] = tile
  const words = () => input(d.arrayOf(d.vec4u))
  const quad = result === 'f16' ? d.vec4h : result === 'i32' ? d.vec4i : d.vec4f
  const product = { a: words(), b: words(), c: inout(d.arrayOf(quad as typeof d.vec4f)) }
  const halves = () => input(d.arrayOf(d.f16))
  return {
    workgroupSize: [(M / rows) * (N / cols) * LANES],
    workgroups: tilesOf(M, N),
    limits: { maxComputeWorkgroupStorageSize: tileBytes(options) },
    ...(result === 'f16'
      ? { bindings: { ...product, bias: halves(), residual: halves() }, params: productParams }
      : { bindings: product, params: sumParams }),
  }
}

export function matrixGemm(name: string, options: MatrixOptions): KernelSource {
  const { component, sums, result, transposeA = false, transposeB = false, tile, block, band = 8 } = options
  const [M, N, K] = tile
  const [rows, cols] = block
  const [down, across] = [M / rows, N / cols]
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
    const subgroup = k.let('subgroup', k.subgroupId.rem(down * across))
    const { a, b } = slabs(k, view, task, options)
    const type = subgroupMatrix('result', { f32, f16, i32 }[sums] as typeof f32, { rows: SIDE, cols: SIDE })
    const acc = each(rows / SIDE).map((i) => each(cols / SIDE).map((j) => k.var(`acc${i}_${j}`, type)))
    const place = k.let({ slab_row: subgroup.div(across), slab_col: subgroup.rem(across) })
    a.load(task.from)
    b.load(task.from)
    k.range('k0', task.from, task.end, K, (k0) => {
      a.put()
      b.put()
      k.workgroupBarrier()
      a.load(k0.add(K))
      b.load(k0.add(K))
      for (const kk of each(K / depthOf(component))) {
        const left = acc.map((_, i) => a.matrix(place.slab_row, i, kk))
        for (const j of each(cols / SIDE)) {
          const right = b.matrix(place.slab_col, j, kk)
          acc.forEach((row, i) => {
            const sum = row[j] as (typeof row)[0]
            sum.set(k.subgroupMatrixMultiplyAccumulate(left[i] as never, right as never, sum))
          })
        }
      }
      k.workgroupBarrier()
    })
    const words = wordsOf(k, view, task, 4)
    const numbers = result === 'f16' ? (view as unknown as Numbers) : undefined
    const held = (row: U32, col: U32) => f32(view.c.at(words.at(row, col)).at(col.rem(4)))
    const after = numbers && finishOf(k, numbers, task, held)
    drain(k, { sums, acc, down, across, subgroup, a, b, words, after, alpha: numbers?.alpha })
  })
}

/** Both operands of a workgroup. */
function slabs(k: Builder, view: View, task: Task, o: MatrixOptions): { readonly a: Slab; readonly b: Slab } {
  const { component, transposeA = false, transposeB = false, tile, block } = o
  const [M, N, depth] = tile
  const threads = (M / block[0]) * (N / block[1]) * LANES
  const common = { component, depth, threads, end: task.end }
  const a = slabOf(k, {
    ...common,
    ...{ name: 'a', role: 'left', lines: M, part: block[0], alongK: !transposeA, source: view.a },
    first: k.let('a_first', view.a_offset.add(task.item.mul(view.a_batch))),
    ...{ stride: view.a_row, line: task.row, count: view.m },
  })
  const b = slabOf(k, {
    ...common,
    ...{ name: 'b', role: 'right', lines: N, part: block[1], alongK: transposeB, source: view.b },
    first: k.let('b_first', view.b_offset.add(task.item.mul(view.b_batch))),
    ...{ stride: view.b_row, line: task.col, count: view.n },
  })
  return { a, b }
}
