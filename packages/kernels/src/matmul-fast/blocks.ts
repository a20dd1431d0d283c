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
 * What limits it on an H200, in TFLOP/s at 4096³: in whole tiles a · b reaches 49.2, a · bᵀ 47.9 and aᵀ · b 49.8; in any 46.9, 46.4 and 46.9
 * (multiply-adds alone 64.3, cuBLAS 50.9). One stage after another left out of a · b: loads from memory 51.3, the way into workgroup memory 53.3, the
 * barriers 54.5, the loads of the inner loop 58.2. So multiply-adds in this order, some of which wait for registers of one bank, lose a tenth, the
 * loads between them six hundredths, and nothing outside of the inner loop could bring it to more than 0.85 of 64.3. The rest is waiting, for
 * memory and at barriers, in two workgroups of four subgroups: blocks of 128 sums leave no registers for a third. One barrier for a tile takes
 * two tiles side by side, and the workgroups of a multiprocessor share 48 KiB: one that asks for 24 reaches 48.7, and for 25 it is 31.
 *
 * Tried, at 4096³, in whole tiles:
 *   two tiles 16 deep and one barrier 32, as one workgroup has the multiprocessor; of 256 × 128, where one has it anyway, 47; two 8 deep 48;
 *   one tile of 256 × 128 or 128 × 256 47; 64 × 256 46; 128 × 64 by 64 invocations 45; 64 × 64 by 32, which need not wait for each other, 44;
 *   b straight from memory, so that no barrier is for it, and one address of a for a subgroup: 45, and 52 without its loads;
 *   scalar multiply-adds 48; rows of the block there and back 48, two at a time 47; columns first 45; rounds counted instead of k 47;
 *   loads of the next tile after the first, the middle or the last k of this one, and sizes that are constants: no faster;
 *   what lies along k turned by fours, see stage.ts, in a · b 46.5, or by ones in a · bᵀ 46.3, and in banks of one spare quad a row 48.4 and 45;
 *   sums stored without a factor 47, for then their registers are those of the stores;
 *   16 × 8 blocks 44; 8 × 8 with twice the invocations 46; two slices of k 38; a by rows in workgroup memory 42; tiles 32 deep 24;
 *   the outer loop twice 45; loads of the next k of the tile before the sums of this one 46;
 *   eight tiles for each of 132 multiprocessors (4096 × 4224), and 16 of them, not 7.76: no faster, so it is no last wave that is missing.
 * And in any tiles: the inner loop not written out, 4 or 8 values of k at a time, 25; what follows a product in the same kernel 37, although it is not
 * run, as it takes registers from the loop. Tiles of 64, if whole ones had kernels of their own: 1024³ in 65 µs, not 69; a · bᵀ in 70, not 70.
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
  /** Whether what lies along k is turned by ones, not by fours: see stage.ts. */
  readonly byOnes?: boolean
  /** How many invocations share a block, each with its part of the depth of a tile: see slices.ts. */
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

export function blockedMatmul(name: string, options: BlockOptions): KernelSource {
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
    ...{ end: task.end, isWhole: o.isWhole ?? false, byFours: !o.byOnes, before },
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
