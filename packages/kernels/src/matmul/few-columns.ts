import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  fn,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
  type VarRef,
  vec4f,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { eights, unpackLoad } from '../parts/eights'
import { perLoad } from '../parts/loads'
import { read, type Storage, scalars, stored } from '../parts/storage'
import { biasAt, type Epilogue, epilogueParams, finish } from './epilogue'
import { COLUMN_ROWS, type ColumnRows, gemvColumnsName, STRETCH } from './options'

/**
 * The products of few.ts with b not transposed, by 16 bytes: rows of b lie along n and begin at multiples of them, and so does n. An invocation takes
 * the four columns (f16: eight) of a load; some of them side by side a stretch of columns, and what is left of a workgroup goes down k, a
 * slice of rows each, several rows on their way at once.
 *
 * A matrix with few columns has too few stretches to fill a device; the rows are then cut into parts, whose sums `matmul_reduce` joins.
 *
 * On an H200 (32,768 × 8,192, in parts of a copy's 4,270 GB/s): f32 1.04, f16 0.98. Tried: 32 loads side by side (f32 1.0, f16 0.73) and 64
 * (0.76, 0.43), which leave too few rows on their way.
 */

type U32 = Expr<'u32'>
const NUMBERS = [
  ...[
    'm',
    'n',
    'k',
    'batch',

    'a_offset',
    'a_row',
    'a_col',
    'a_batch',
    'b_offset',
    'b_row',
    'b_batch',
  ],
  ...['c_offset', 'c_row', 'c_col', 'c_batch'],
] as const
const PARTS = ['span', 'splits'] as const
const AFTER = [
  ...['bias_offset', 'bias_row', 'bias_col'],
  ...['residual_offset', 'residual_row', 'residual_col', 'residual_batch'],
] as const
type Place<M extends string> = `${M}_${'offset' | 'row' | 'col' | 'batch'}`
type Name =
  | 'm'
  | 'n'
  | 'k'
  | 'batch'
  | 'span'
  | 'splits'
  | Place<'a' | 'b' | 'c' | 'residual'>
  | `bias_${'offset' | 'row' | 'col'}`
interface View extends Readonly<Record<Name, U32>>, Epilogue {
  readonly a: { at(i: U32): Expr<'f32'> }
  readonly b: { at(i: U32): Expr<'vec4f'> }
  readonly c: { at(i: U32): { set(value: Expr<'f32'>): void } }
}

const INVOCATIONS = 256
/** Rows of b that an invocation has on their way. */
const AHEAD = 8
const stretchOf = (storage: Storage): number => STRETCH / perLoad(storage)

const numbers = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, d.u32]))

function declared(storage: Storage, group: ColumnRows, split: boolean): unknown {
  const matrix = () => input(scalars(storage))
  const rows = `for few rows of a, ${group} at a time, columns of b read by 16 bytes`
  return {
    doc: split ? `sums of a · b over parts of k, ${rows}` : `c = activation(alpha · a · b + bias) + residual ${rows}`,
    workgroupSize: [INVOCATIONS],
    bindings: {
      ...{ a: matrix(), b: input(eights(storage)) },
      ...(split
        ? { c: output(d.arrayOf(d.f32)) }
        : { bias: matrix(), residual: matrix(), c: output(scalars(storage)) }),
    },
    params: {
      ...numbers(NUMBERS),
      ...(split ? numbers(PARTS) : { ...numbers(AFTER), alpha: d.f32, ...epilogueParams }),
    },
    workgroups: (host: Readonly<Record<'m' | 'n' | 'batch' | 'splits', HostNumber>>) => {
      const whole = ceilDiv(host.m, group).mul(ceilDiv(host.n, STRETCH)).mul(host.batch)
      // a rule may name only what is declared
      return [split ? whole.mul(host.splits) : whole]
    },
    ...(split ? {} : { aliases: [['residual', 'c']] }),
  }
}

/** Sums of an invocation: [row of a][quad of columns]. */
type Sums = readonly (readonly VarRef<'vec4f'>[])[]

function body(k: Builder, view: View, storage: Storage, rows: ColumnRows, split: boolean): void {
  const [wide, stretch] = [perLoad(storage), stretchOf(storage)]
  const slices = INVOCATIONS / stretch
  const { across, groups } = k.let({
    across: u32`(${view.n} + ${STRETCH - 1}) / ${STRETCH}`,
    groups: u32`(${view.m} + ${rows - 1}) / ${rows}`,
  })
  // workgroups with other rows of a and the same columns run at the same time: one of them reads those from memory
  const { first, place } = k.let({ first: k.workgroupIndex.rem(groups).mul(rows), place: k.workgroupIndex.div(groups) })
  const { block, part } = k.let({ block: place.rem(across), part: place.div(across) })
  const z = split ? k.let('z', part.rem(view.batch)) : part
  const from = split ? k.let('from', part.div(view.batch).mul(view.span)) : u32(0)
  const end = split ? k.let('end', u32`min(${from} + ${view.span}, ${view.k})`) : view.k
  const { lane, slice } = k.let({ lane: k.localIndex.rem(stretch), slice: k.localIndex.div(stretch) })
  // columns that are not there are read as the last ones, and rows of a as well
  const col = k.let('col', u32`min(${block} * ${STRETCH} + ${lane} * ${wide}, ${view.n} - ${wide})`)
  const bFirst = k.let('b_first', u32`(${view.b_offset} + ${z} * ${view.b_batch} + ${col}) / ${wide}`)
  const bStep = k.let('b_step', view.b_row.div(wide))
  const aFirst = each(rows).map((i) =>
    k.let(
      `a${i}`,
      u32`${view.a_offset} + ${z} * ${view.a_batch} + min(${first} + ${i}, ${view.m} - 1) * ${view.a_row}`,
    ),
  )
  const sums: Sums = each(rows).map((i) => each(wide / 4).map((q) => k.var(`sum${i}_${q}`, vec4f(0))))
  k.range('kk', from.add(slice), end, slices * AHEAD, (kk) => {
    // rows of b behind the end are read as the last one, and count as zero
    const places = each(AHEAD).map((u) => k.let('row', u32`min(${kk} + ${u * slices}, ${end} - 1)`))
    const loads = places.map((row) => k.let('b_load', view.b.at(u32`${bFirst} + ${row} * ${bStep}`)))
    loads.forEach((load, u) => {
      const values = unpackLoad(storage, load).map((quad) => k.let('b_quad', quad))
      const inside = u === 0 ? null : k.let('inside', u32`${kk} + ${u * slices}`.lt(end))
      sums.forEach((own, i) => {
        const value = read(view.a.at(u32`${aFirst[i] as U32} + ${places[u] as U32} * ${view.a_col}`))
        const factor = k.let('a_value', inside ? fn.select(0, value, inside) : value)
        for (const [q, sum] of own.entries()) sum.set(fn.fma(vec4f(factor), values[q] as Expr<'vec4f'>, sum))
      })
    })
  })
  const tile = k.workgroup('part_sums', vec4f, slices, stretch)
  const { quad, lane4 } = k.let({ quad: k.localIndex.div(4).rem(stretch), lane4: k.localIndex.rem(4) })
  sums.forEach((own, i) => {
    own.forEach((sum, q) => {
      tile.at(slice, lane).set(sum)
      k.workgroupBarrier()
      const j = k.let('j', u32`${block} * ${STRETCH} + ${quad} * ${wide} + ${4 * q} + ${lane4}`)
      const row = k.let('row_of_a', first.add(i))
      k.if(
        k.localIndex
          .lt(4 * stretch)
          .and(j.lt(view.n))
          .and(row.lt(view.m)),
        () => {
          const total = k.var('total', tile.at(0, quad).at(lane4))
          k.range('s', 1, slices, (s) => total.addAssign(tile.at(s, quad).at(lane4)))
          store(k, view, storage, split, { z, part, row, col: j }, total)
        },
      )
      k.workgroupBarrier()
    })
  })
}

interface At {
  readonly z: U32
  readonly part: U32
  readonly row: U32
  readonly col: U32
}

function store(k: Builder, view: View, storage: Storage, split: boolean, at: At, sum: Expr<'f32'>): void {
  const { z, part, row, col } = at
  const place = (item: U32) =>
    u32`${view.c_offset} + ${item} * ${view.c_batch} + ${row} * ${view.c_row} + ${col} * ${view.c_col}`
  if (split) {
    view.c.at(place(part)).set(sum)
    return
  }
  const bias = biasAt(k, view, () => u32`${view.bias_offset} + ${row} * ${view.bias_row} + ${col} * ${view.bias_col}`)
  const residual = () =>
    u32`${view.residual_offset} + ${z} * ${view.residual_batch} + ${row} * ${view.residual_row} + ${col} * ${view.residual_col}`
  view.c.at(place(z)).set(stored(storage, finish(k, view, sum, bias, residual)))
}

const gemvColumnsOf = (storage: Storage, rows: ColumnRows, split: boolean): KernelSource => {
  type None = Record<never, never>
  const decl = declared(storage, rows, split) as KernelDecl<None, None, None>
  return kernel(gemvColumnsName(rows, split, storage), decl, (view, k) =>
    body(k, view as unknown as View, storage, rows, split),
  )
}

/** Few-row kernels that read columns by 16 bytes, whole and in parts of k, in both storages. */
export const gemvColumns: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((storage) =>
  [false, true].flatMap((split) => COLUMN_ROWS.map((rows) => gemvColumnsOf(storage, rows, split))),
)
