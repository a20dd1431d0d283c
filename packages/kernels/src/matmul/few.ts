import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  fn,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
  vec4f,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { SUM, workgroupReduce } from '../parts/reduce'
import { read, type Storage, scalars, stored } from '../parts/storage'
import { biasAt, type Epilogue, epilogueParams, finish } from './epilogue'
import { FEW, type Few, gemvName } from './options'

/**
 * c[z] = activation(alpha · a[z] · b[z] + bias) + residual for few rows of a (m ≤ 1, 4 or 8), where every weight in b is used only m
 * times, so that reading b is all the time there is. Two ways to read it in the order of memory:
 *
 * - b transposed (n × k): a workgroup takes one row of b; its invocations go along k side by side and join their sums.
 * - b not transposed (k × n): a workgroup takes 64 columns; four slices of invocations go down k, every fourth row each.
 *
 * The m sums of an invocation are a scalar, a vec4f or two. All operands have strides: a[i, kk] at a_offset + z · a_batch + i · a_row +
 * kk · a_col, c[i, j] at c_offset + z · c_batch + i · c_row + j · c_col, bias at bias_offset + i · bias_row + j · bias_col; so a product with few
 * columns is one with few rows, transposed. These kernels are for any strides: those of few-lines.ts and few-columns.ts are fast.
 */

const NUMBERS = [
  ...['m', 'n', 'k', 'batch', 'a_offset', 'a_row', 'a_col', 'a_batch', 'b_offset', 'b_row', 'b_batch', 'c_offset'],
  ...['c_row', 'c_col', 'c_batch', 'bias_offset', 'bias_row', 'bias_col'],
  ...['residual_offset', 'residual_row', 'residual_col', 'residual_batch'],
] as const
type U32 = Expr<'u32'>
type Name =
  | 'm'
  | 'n'
  | 'k'
  | 'batch'
  | 'bias_offset'
  | 'bias_row'
  | 'bias_col'
  | 'b_offset'
  | 'b_row'
  | 'b_batch'
  | `${'a' | 'c' | 'residual'}_${'offset' | 'row' | 'col' | 'batch'}`
interface View extends Readonly<Record<Name, U32>>, Epilogue {
  readonly a: { at(i: U32): Expr<'f32'> }
  readonly b: { at(i: U32): Expr<'f32'> }
  readonly c: { at(i: U32): { set(value: Expr<'f32'>): void } }
}

const COLUMNS = 64
const SLICES = 4

function declared(storage: Storage, transposeB: boolean, rows: Few): unknown {
  const matrix = () => input(scalars(storage))
  return {
    doc: `c = activation(alpha · a · ${transposeB ? 'bᵀ' : 'b'} + bias) + residual for up to ${rows} row${rows > 1 ? 's' : ''} of a`,
    workgroupSize: transposeB ? [128] : [COLUMNS, SLICES],
    bindings: { a: matrix(), b: matrix(), bias: matrix(), residual: matrix(), c: output(scalars(storage)) },
    params: { ...Object.fromEntries(NUMBERS.map((name) => [name, d.u32])), alpha: d.f32, ...epilogueParams },
    workgroups: ({ n, batch }: Readonly<Record<'n' | 'batch', HostNumber>>) => [
      (transposeB ? n : ceilDiv(n, COLUMNS)).mul(batch),
    ],
    aliases: [['residual', 'c']],
  }
}

/** The sums of an invocation, four in a vector: with one row a scalar. */
type Sums = Expr<'f32'> | Expr<'vec4f'>
const sumOf = (sums: readonly Sums[], i: number, rows: Few): Expr<'f32'> =>
  rows === 1 ? (sums[0] as Expr<'f32'>) : (sums[Math.floor(i / 4)] as Expr<'vec4f'>).at(i % 4)

/** Goes along k from `from` in steps of `step`; returns the sums, as many vectors as `rows` take. */
function accumulate(k: Builder, view: View, rows: Few, z: U32, from: U32, step: number, b: (kk: U32) => U32): Sums[] {
  const aFirst = k.let('a_first', u32`${view.a_offset} + ${z} * ${view.a_batch}`)
  // a row that is not there is read as the last one: its sum is not stored
  const starts = each(rows).map((i) =>
    k.let(`a${i}`, i === 0 ? aFirst : u32`${aFirst} + min(${i}, ${view.m} - 1) * ${view.a_row}`),
  )
  const aAt = (i: number, kk: U32): Expr<'f32'> => read(view.a.at(u32`${starts[i] as U32} + ${kk} * ${view.a_col}`))
  if (rows === 1) {
    const sum = k.var('sum', f32(0))
    k.range('kk', from, view.k, step, (kk) => sum.set(fn.fma(aAt(0, kk), read(view.b.at(b(kk))), sum)))
    return [sum]
  }
  const sums = each(rows / 4).map((q) => k.var(`sum${q}`, vec4f(0)))
  k.range('kk', from, view.k, step, (kk) => {
    const weight = k.let('weight', read(view.b.at(b(kk))))
    sums.forEach((sum, q) => {
      const values = vec4f(aAt(4 * q, kk), aAt(4 * q + 1, kk), aAt(4 * q + 2, kk), aAt(4 * q + 3, kk))
      sum.set(fn.fma(values, vec4f(weight), sum))
    })
  })
  return sums
}

function store(k: Builder, view: View, storage: Storage, rows: Few, z: U32, col: U32, sums: readonly Sums[]): void {
  const cFirst = k.let('c_first', u32`${view.c_offset} + ${z} * ${view.c_batch} + ${col} * ${view.c_col}`)
  for (const i of each(rows)) {
    k.if(view.m.gt(i), () => {
      const bias = biasAt(k, view, () => u32`${view.bias_offset} + ${i} * ${view.bias_row} + ${col} * ${view.bias_col}`)
      const value = finish(
        k,
        view,
        sumOf(sums, i, rows),
        bias,
        () =>
          u32`${view.residual_offset} + ${z} * ${view.residual_batch} + ${i} * ${view.residual_row} + ${col} * ${view.residual_col}`,
      )
      view.c.at(u32`${cFirst} + ${i} * ${view.c_row}`).set(stored(storage, value))
    })
  }
}

/** A row of bᵀ for each workgroup. */
function byRows(k: Builder, view: View, storage: Storage, rows: Few): void {
  const { col, z } = k.let({ col: k.workgroupIndex.rem(view.n), z: k.workgroupIndex.div(view.n) })
  const bFirst = k.let('b_first', u32`${view.b_offset} + ${z} * ${view.b_batch} + ${col} * ${view.b_row}`)
  const sums = accumulate(k, view, rows, z, k.localIndex, 128, (kk) => bFirst.add(kk))
  // sums of vectors are sums of their lanes: the type of `workgroupReduce` names scalars only
  const totals = sums.map((sum, q) => workgroupReduce(k, `part${q}`, sum as Expr<'f32'>, SUM) as Sums)
  k.if(k.localIndex.eq(0), () => store(k, view, storage, rows, z, col, totals))
}

/** 64 columns of b for each workgroup. */
function byColumns(k: Builder, view: View, storage: Storage, rows: Few): void {
  const across = k.let('across', u32`(${view.n} + ${COLUMNS - 1}) / ${COLUMNS}`)
  const z = k.let('z', k.workgroupIndex.div(across))
  const col = k.let('col', u32`${k.workgroupIndex} % ${across} * ${COLUMNS} + ${k.localId.x}`)
  // a column that is not there is read as the last one
  const bFirst = k.let('b_first', u32`${view.b_offset} + ${z} * ${view.b_batch} + min(${col}, ${view.n} - 1)`)
  const sums = accumulate(k, view, rows, z, k.localId.y, SLICES, (kk) => u32`${bFirst} + ${kk} * ${view.b_row}`)
  const totals = sums.map((sum, q) => {
    const part = k.workgroup(`part${q}`, rows === 1 ? (f32 as unknown as typeof vec4f) : vec4f, SLICES, COLUMNS)
    part.at(k.localId.y, k.localId.x).set(sum as Expr<'vec4f'>)
    return part
  })
  k.workgroupBarrier()
  k.if(k.localId.y.eq(0).and(col.lt(view.n)), () => {
    const joined = totals.map((part, q) => {
      const total = each(SLICES).map((s) => part.at(s, k.localId.x) as Expr<'vec4f'>)
      return k.let(
        `total${q}`,
        total.reduce((sum, value) => sum.add(value)),
      )
    })
    store(k, view, storage, rows, z, col, joined)
  })
}

const gemvOf = (storage: Storage, transposeB: boolean, rows: Few): KernelSource => {
  type None = Record<never, never>
  const decl = declared(storage, transposeB, rows) as KernelDecl<None, None, None>
  return kernel(gemvName(transposeB, rows, storage), decl, (untyped, k) => {
    const view = untyped as unknown as View
    if (transposeB) byRows(k, view, storage, rows)
    else byColumns(k, view, storage, rows)
  })
}

/** Few-row kernels for both orders of b and any strides, in every storage. */
export const anyGemvs: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((storage) =>
  [false, true].flatMap((transposeB) => FEW.map((rows) => gemvOf(storage, transposeB, rows))),
)
