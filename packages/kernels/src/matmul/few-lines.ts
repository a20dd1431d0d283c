import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { type Eights, eights, loadEight, unpackEight } from '../parts/eights'
import { joinSums, lineSums } from '../parts/lines'
import { perLoad } from '../parts/loads'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { type Storage, scalars, stored } from '../parts/storage'
import { biasAt, type Epilogue, epilogueParams, finish } from './epilogue'
import { FEW, type Few, gemvLinesName } from './options'

/**
 * The products of few.ts with b transposed, by eights (see parts/lines.ts): rows of a and b lie along k and begin at multiples of 16
 * bytes, and k is a multiple of 8. A workgroup takes one or two rows of b.
 *
 * On an H200 (f32 and f16, 32,768 × 8,192, in parts of a copy's 4,270 GB/s): 1.04 and 1.02 with one row of a; what is left is the memory's.
 * Tried: four or eight rows of b (0.98, 0.97), 64 or 256 invocations (0.95 … 1.0), a subgroup for each row (0.99).
 */

type U32 = Expr<'u32'>
const NUMBERS = [
  ...['m', 'n', 'k', 'batch', 'a_offset', 'a_row', 'a_batch', 'b_offset', 'b_row', 'b_batch', 'c_offset', 'c_row'],
  ...['c_col', 'c_batch', 'bias_offset', 'bias_row', 'bias_col'],
  ...['residual_offset', 'residual_row', 'residual_col', 'residual_batch'],
] as const
type Name = 'm' | 'n' | 'k' | 'batch' | `${'a' | 'b' | 'c' | 'residual'}_${'offset' | 'row' | 'batch'}`
type Further = `${'c' | 'residual' | 'bias'}_col` | 'bias_offset' | 'bias_row'
interface View extends Readonly<Record<Name | Further, U32>>, Epilogue {
  readonly a: Eights
  readonly b: Eights
  readonly c: { at(i: U32): { set(value: Expr<'f32'>): void } }
}

const INVOCATIONS = 128
/** Rows of b at once: with f32 one has as many bytes as two with f16. */
const rowsOf = (storage: Storage, few: Few): number => (storage === 'f32' && few === 1 ? 1 : 2)

function declared(storage: Storage, few: Few): unknown {
  const matrix = () => input(eights(storage))
  const added = () => input(scalars(storage))
  return {
    doc: `c = activation(alpha · a · bᵀ + bias) + residual for up to ${few} row${few > 1 ? 's' : ''} of a, read by eights`,
    workgroupSize: [INVOCATIONS],
    bindings: { a: matrix(), b: matrix(), bias: added(), residual: added(), c: output(scalars(storage)) },
    params: { ...Object.fromEntries(NUMBERS.map((name) => [name, d.u32])), alpha: d.f32, ...epilogueParams },
    workgroups: ({ n, batch }: Readonly<Record<'n' | 'batch', HostNumber>>) => [
      ceilDiv(n, rowsOf(storage, few)).mul(batch),
    ],
    aliases: [['residual', 'c']],
    variants: REDUCE_VARIANTS,
  }
}

function body(k: Builder, view: View, storage: Storage, few: Few): void {
  const rows = rowsOf(storage, few)
  const { n, m } = view
  const blocks = k.let('blocks', u32`(${n} + ${rows - 1}) / ${rows}`)
  const { col, z } = k.let({ col: k.workgroupIndex.rem(blocks).mul(rows), z: k.workgroupIndex.div(blocks) })
  const reader = (source: Eights, name: string, first: U32) => {
    const start = k.let(name, first.div(perLoad(storage)))
    return (place: U32) => {
      const loads = loadEight(storage, source, start, place).map((load) => k.let(`${name}_load`, load))
      return () => unpackEight(storage, loads)
    }
  }
  // rows that are not there are read as the last one: their sums are not stored
  const bRow = (r: number) => (rows === 1 ? col : u32`min(${col} + ${r}, ${n} - 1)`)
  const ofB = each(rows).map((r) =>
    reader(view.b, `b${r}`, u32`${view.b_offset} + ${z} * ${view.b_batch} + ${bRow(r)} * ${view.b_row}`),
  )
  const ofA = each(few).map((i) =>
    reader(view.a, `a${i}`, u32`${view.a_offset} + ${z} * ${view.a_batch} + min(${i}, ${m} - 1) * ${view.a_row}`),
  )
  const lines = ofB.map((read) => (c: U32) => {
    const eight = read(c)
    return () => [{ quads: eight() }]
  })
  const sums = lineSums(k, { lines, vectors: ofA, places: (c) => [c], chunks: k.let('chunks', view.k.div(8)) })
  joinSums(k, sums.flat(), (at, sum) => {
    const { j, i } = k.let({ j: u32`${col} + ${at} / ${few}`, i: at.rem(few) })
    k.if(j.lt(n).and(i.lt(m)), () => {
      const bias = biasAt(k, view, () => u32`${view.bias_offset} + ${i} * ${view.bias_row} + ${j} * ${view.bias_col}`)
      const residual = () =>
        u32`${view.residual_offset} + ${z} * ${view.residual_batch} + ${i} * ${view.residual_row} + ${j} * ${view.residual_col}`
      view.c
        .at(u32`${view.c_offset} + ${z} * ${view.c_batch} + ${i} * ${view.c_row} + ${j} * ${view.c_col}`)
        .set(stored(storage, finish(k, view, sum, bias, residual)))
    })
  })
}

const gemvLinesOf = (storage: Storage, few: Few): KernelSource => {
  type None = Record<never, never>
  const decl = declared(storage, few) as KernelDecl<None, None, None>
  return kernel(gemvLinesName(few, storage), decl, (view, k) => body(k, view as unknown as View, storage, few))
}

/** Few-row kernels that read by eights, in both storages. */
export const gemvLines: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((storage) =>
  FEW.map((few) => gemvLinesOf(storage, few)),
)
