import {
  type Builder,
  d,
  type Expr,
  each,
  fn,
  inout,
  input,
  type KernelDecl,
  kernel,
  u32,
  type VarRef,
  vec4f,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { type Sums, sumParams, tilesOf, type U32 } from './numbers'
import { type Task, taskOf } from './order'
import { wordsOf } from './result'
import { joinSlices } from './slices'
import { type Stage, stageBytes, stageOf } from './stage'

/**
 * c[z] = alpha · a[z] · b[z] in blocks of registers, f32, where rows of a, b and c are whole quads; either operand may be transposed, which is
 * a param: only the way into workgroup memory differs. Sums over parts of k: see numbers.ts.
 *
 * A workgroup computes a tile of c, an invocation a block of it, in quads that lie apart: quads x, x + X, … of rows that lie four by four, so
 * that neighbours read neighbouring quads of workgroup memory. Tiles of a and b go through it, see stage.ts; the next one is on its way to registers
 * while this one is used. The inner loop is written out over all of a tile's depth: 8 × 16 blocks need 6 loads for 128 multiply-adds.
 *
 * What limits it on an H200, at 4096³ and 46 TFLOP/s (0.72 of what multiply-adds alone reach, cuBLAS 51): without loads from memory it reaches 47, so it is
 * the inner loop itself, of which a driver issues 0.75 of the multiply-adds in time. Tried, in TFLOP/s at 4096³:
 *   16 × 8 blocks 37; 8 × 8 with twice the invocations 38; tiles of 128 × 256 and 256 × 128 38;
 *   tiles 32 deep, or two 16 deep side by side, 23: 32 KiB of workgroup memory leave one workgroup on a multiprocessor, which has some 48;
 *   two tiles 8 deep side by side 41; the inner loop not written out, 4 or 8 values of k at a time, 25; the outer one twice 44, in groups of 4 41;
 *   loads of the next k of the tile before the sums of this one 43; sums by columns of the block first 42;
 *   quads exchanged by k instead of the spare quad 44; k begun elsewhere in every workgroup, so that not all wait for the same memory 43;
 *   what follows a product in the same kernel 37, although it is not run: it takes registers from the loop.
 */
export interface BlockOptions {
  /** Rows, columns and depth of a tile. */
  readonly tile: readonly [m: number, n: number, k: number]
  /** Rows and columns of an invocation. */
  readonly block: readonly [rows: number, cols: number]
  /** Lines of tiles in a band, see order.ts. */
  readonly band?: number
  /** Which operands are transposed; where that is not known, a param says it. */
  readonly transposed?: readonly [a: boolean, b: boolean]
  /** Whether m and n are multiples of the sides of a tile, and k and its parts of the depth: no load is tested then, nor anything else in the loop. */
  readonly isWhole?: boolean
  /** How many invocations share a block, each with its part of the depth of a tile: see slices.ts. 4 of them: 256³ in 11.9 µs, not 14.3; 512³ in 20.2, not 21.7. */
  readonly slices?: number
}

interface Quads {
  at(i: U32): Expr<'vec4f'>
}
interface View extends Sums {
  readonly a: Quads
  readonly b: Quads
  readonly c: { at(i: U32): { set(value: Expr<'vec4f'>): void } }
  readonly alpha: Expr<'f32'>
  /** Bit 0: a is transposed; bit 1: b is. */
  readonly transposed: U32
}

function declared({ tile: [M, N, K], block: [rows, cols], transposed, isWhole, slices = 1 }: BlockOptions): object {
  const quads = d.arrayOf(d.vec4f)
  return {
    doc: `c = alpha · ${formulaOf(transposed)} in ${isWhole ? 'whole ' : ''}tiles of ${M} × ${N}, ${transposed ? '' : 'of operands that may be transposed, '}in batches with strides`,
    workgroupSize: [(M / rows) * (N / cols) * slices],
    bindings: { a: input(quads), b: input(quads), c: inout(quads) },
    params: { ...sumParams, alpha: d.f32, ...(transposed ? {} : { transposed: d.u32 }) },
    workgroups: tilesOf(M, N),
    limits: { maxComputeWorkgroupStorageSize: stageBytes(M, K) + stageBytes(N, K) },
  }
}

const formulaOf = ([a, b]: readonly [boolean, boolean] = [false, false]): string =>
  `${a ? 'aᵀ' : 'a'} · ${b ? 'bᵀ' : 'b'}`

export function blockGemm(name: string, options: BlockOptions): KernelSource {
  const { tile, block, band = 8, isWhole = false, slices = 1 } = options
  const [M, N, K] = tile
  const [rows, cols] = block
  const [X, Y] = [N / cols, M / rows]
  type None = Record<never, never>
  const decl = declared(options) as unknown as KernelDecl<None, None, None>
  return kernel(name, decl, (untyped, k) => {
    const view = untyped as unknown as View
    const task = taskOf(k, view, M, N, band)
    const line = k.localIndex.div(X)
    const { x, y } = k.let({ x: k.localIndex.rem(X), y: slices === 1 ? line : line.rem(Y) })
    const slice = slices === 1 ? undefined : k.let('slice', k.localIndex.div(X * Y))
    const { a, b } = stages(k, view, task, options, slice?.mul(K / 4 / slices))
    const acc = each(rows).map((i) => each(cols / 4).map((j) => k.var(`acc${i}_${j}`, vec4f(0))))
    a.load(task.from)
    b.load(task.from)
    k.range('k0', task.from, task.end, K, (k0) => {
      a.put()
      b.put()
      k.workgroupBarrier()
      // behind the last tile there is none: it is loaded again
      const next = isWhole ? k.let('next', u32`min(${k0} + ${K}, ${task.end} - ${K})`) : k0.add(K)
      a.load(next)
      b.load(next)
      for (const kk of each(K / slices)) {
        const left = each(rows / 4).map((r) => k.let(`a${r}`, a.at(kk, y.add(r * Y))))
        const right = each(cols / 4).map((r) => k.let(`b${r}`, b.at(kk, x.add(r * X))))
        addProducts(acc, left, right)
      }
      k.workgroupBarrier()
    })
    const words = wordsOf(k, view, task, 4)
    const put = () =>
      acc.forEach((row, i) => {
        const line = u32`(${y} + ${Math.floor(i / 4) * Y}) * 4 + ${i % 4}`
        row.forEach((sum, j) => {
          words.put(line, x.add(j * X).mul(4), () => sum.mul(view.alpha))
        })
      })
    if (!slice) return put()
    joinSlices(k, { slices, slice, block: k.let('within', k.localIndex.rem(X * Y)), sums: acc.flat(), stage: a })
    k.if(slice.eq(0), put)
  })
}

type Quad = Expr<'vec4f'>

/** Adds the products of the rows of `left` with the columns of `right`. */
function addProducts(
  acc: readonly (readonly VarRef<'vec4f'>[])[],
  left: readonly Quad[],
  right: readonly Quad[],
): void {
  acc.forEach((row, i) => {
    const value = vec4f((left[Math.floor(i / 4)] as Quad).at(i % 4))
    row.forEach((sum, j) => {
      sum.set(fn.fma(value, right[j] as Quad, sum))
    })
  })
}

/** Both operands of a workgroup. */
function stages(
  k: Builder,
  view: View,
  task: Task,
  o: BlockOptions,
  before: U32 | undefined,
): { readonly a: Stage; readonly b: Stage } {
  const [M, N, depth] = o.tile
  const common = {
    ...{ depth, threads: (M / o.block[0]) * (N / o.block[1]) * (o.slices ?? 1) },
    ...{ end: task.end, isWhole: o.isWhole ?? false, before },
  }
  const a = stageOf(k, {
    ...common,
    ...{
      name: 'a',
      lines: M,
      alongK: o.transposed ? !o.transposed[0] : k.let('a_along', view.transposed.rem(2).eq(0)),
      source: view.a,
    },
    first: view.a_offset.add(task.item.mul(view.a_batch)),
    ...{ stride: view.a_row, line: task.row, count: view.m },
  })
  const b = stageOf(k, {
    ...common,
    ...{
      name: 'b',
      lines: N,
      alongK: o.transposed ? o.transposed[1] : k.let('b_along', view.transposed.ge(2)),
      source: view.b,
    },
    first: view.b_offset.add(task.item.mul(view.b_batch)),
    ...{ stride: view.b_row, line: task.col, count: view.n },
  })
  return { a, b }
}
