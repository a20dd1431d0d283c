import {
  type Builder,
  bool,
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
  tuple,
  u32,
  vec4f,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import type { FormatView, WeightFormat } from './format'

/**
 * Kernels over weights W: [n, k] in any format, which are dequantized on the way into registers or workgroup memory and never written
 * out: values are f32 from there on, sums too.
 */

type U32 = Expr<'u32'>
type None = Record<never, never>
type Host = Readonly<Record<string, HostNumber>>
const size = (sizes: Host, name: string): HostNumber => sizes[name] as HostNumber

interface Source {
  at(i: U32): Expr<'f32'>
}
interface View {
  readonly x: Source
  readonly y: { at(i: U32): { set(value: Expr<'f32'>): void } }
  readonly bias: Source
  readonly index: { at(i: U32): U32 }
  readonly m: U32
  readonly n: U32
  readonly k: U32
  readonly count: U32
  readonly with_bias: U32
}

interface Shape {
  readonly name: string
  readonly doc: string
  readonly workgroupSize: readonly number[]
  readonly bindings: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, unknown>>
  readonly workgroups: (sizes: Host) => readonly unknown[]
  readonly variants?: typeof REDUCE_VARIANTS
}

function over(
  format: WeightFormat,
  storage: Storage,
  { name, ...shape }: Shape,
  body: (k: Builder, view: View, weights: (row: U32, kk: U32) => Expr<'vec4f'>) => void,
): KernelSource {
  const decl = {
    ...shape,
    bindings: { ...format.bindings, ...shape.bindings },
    params: { ...shape.params, ...format.params },
  } as unknown as KernelDecl<None, None, None>
  return kernel(named(`${name}_${format.name}`, storage), decl, (view, k) =>
    body(k, view as unknown as View, (row, kk) => format.quad(k, view as unknown as FormatView, row, kk)),
  )
}

/** Four values of a row of x: [m, k], zeros from k on. */
const xQuad = (k: Builder, { x, k: depth }: View, row: U32, kk: U32): Expr<'vec4f'> => {
  const at = (i: number) => k.when(kk.add(i).lt(depth), () => read(x.at(u32`${row} * ${depth} + ${kk} + ${i}`)), 0)
  return vec4f(at(0), at(1), at(2), at(3))
}

const biasOf = (k: Builder, { bias, with_bias }: View, col: U32): Expr<'f32'> =>
  k.when(with_bias.ne(0), () => read(bias.at(col)), 0)

/** y[i, :] = W[i, :], or with `picked` y[i, :] = W[index[i], :] and zeros for an index that is not below n. */
export const dequantizeOf = (format: WeightFormat, storage: Storage, picked: boolean): KernelSource =>
  over(
    format,
    storage,
    {
      name: picked ? 'embedding' : 'dequantize',
      doc: picked
        ? `y[i, :] = W[index[i], :], zeros where index[i] is not below n; W: [n, k] of ${format.doc}`
        : `y = W: [n, k] of ${format.doc}`,
      workgroupSize: [256],
      bindings: { ...(picked ? { index: input(d.arrayOf(d.u32)) } : {}), y: output(scalars(storage)) },
      params: { n: d.u32, k: d.u32, ...(picked ? { count: d.u32 } : {}) },
      workgroups: (sizes) => [ceilDiv(ceilDiv(size(sizes, 'k'), 4).mul(size(sizes, picked ? 'count' : 'n')), 256)],
    },
    (k, view, weights) => {
      const { n, k: depth } = view
      const quads = k.let('quads', u32`(${depth} + 3) / 4`)
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(quads.mul(picked ? view.count : n)), () => {
        const { row, kk } = k.let({ row: i.div(quads), kk: i.rem(quads).mul(4) })
        const values = k.var('values', vec4f(0))
        if (picked) {
          const id = k.let('id', view.index.at(row))
          k.if(id.lt(n), () => values.set(weights(id, kk)))
        } else values.set(weights(row, kk))
        for (const e of each(4))
          k.if(kk.add(e).lt(depth), () =>
            view.y.at(u32`${row} * ${depth} + ${kk} + ${e}`).set(stored(storage, values.at(e))),
          )
      })
    },
  )

const LINE = 128

/**
 * y = x · Wᵀ + bias for few rows of x, `rows` (1 or 4) of them at a time: a workgroup takes one row of W; its invocations go along it by
 * quads side by side, and join their sums.
 */
export const matvecOf = (format: WeightFormat, storage: Storage, rows: 1 | 4): KernelSource =>
  over(
    format,
    storage,
    {
      name: `matvec${rows}`,
      doc: `y = x · Wᵀ + bias for few rows of x, ${rows} at a time; W: [n, k] of ${format.doc}`,
      workgroupSize: [LINE],
      bindings: { x: input(scalars(storage)), bias: input(scalars(storage)), y: output(scalars(storage)) },
      params: { m: d.u32, n: d.u32, k: d.u32, with_bias: d.u32 },
      workgroups: (sizes) => [ceilDiv(size(sizes, 'm'), rows).mul(size(sizes, 'n'))],
      variants: REDUCE_VARIANTS,
    },
    (k, view, weights) => {
      const { m, n, k: depth } = view
      const { col, first } = k.let({ col: k.workgroupIndex.rem(n), first: k.workgroupIndex.div(n).mul(rows) })
      const sums = tuple(rows, (i) => k.var(`sum${i}`, f32(0)))
      k.range('kk', k.localIndex.mul(4), depth, LINE * 4, (kk) => {
        const w = k.let('weights', weights(col, kk))
        // a row that is not there is read as the last one: its sum is not stored
        for (const i of each(rows)) {
          const row = rows === 1 ? first : u32`min(${first} + ${i}, ${m} - 1)`
          sums[i].addAssign(fn.dot(w, xQuad(k, view, row, kk)))
        }
      })
      // sums of vectors are sums of their lanes: the type of `workgroupReduce` names scalars only
      const mine = (rows === 1 ? sums[0] : vec4f(sums[0], sums[1], sums[2], sums[3])) as Expr<'f32'>
      const totals = workgroupReduce(k, 'part', mine, SUM) as unknown as Expr<'vec4f'>
      k.if(k.localIndex.eq(0), () => {
        const bias = k.let('offset', biasOf(k, view, col))
        for (const i of each(rows))
          k.if(first.add(i).lt(m), () => {
            const total = rows === 1 ? (totals as unknown as Expr<'f32'>) : totals.at(i)
            view.y.at(u32`(${first} + ${i}) * ${n} + ${col}`).set(stored(storage, total.add(bias)))
          })
      })
    },
  )

const TILE = 64
const QUADS = 4

/**
 * y = x · Wᵀ + bias: a workgroup of 16 × 16 computes a 64 × 64 tile of y. Four quads along k of 64 rows of x and of W go through workgroup
 * memory (8 KiB); an invocation has the rows y + 16 i and the columns x + 16 j, so that neighbours read neighbours, and multiplies
 * quads by `dot`: eight loads for 64 products.
 */
export const quantMatmulOf = (format: WeightFormat, storage: Storage): KernelSource =>
  over(
    format,
    storage,
    {
      name: 'matmul',
      doc: `y = x · Wᵀ + bias; W: [n, k] of ${format.doc}`,
      workgroupSize: [16, 16],
      bindings: { x: input(scalars(storage)), bias: input(scalars(storage)), y: output(scalars(storage)) },
      params: { m: d.u32, n: d.u32, k: d.u32, with_bias: d.u32 },
      workgroups: (sizes) => [ceilDiv(size(sizes, 'n'), TILE).mul(ceilDiv(size(sizes, 'm'), TILE))],
    },
    (k, view, weights) => {
      const { m, n, k: depth } = view
      const xTile = k.workgroup('x_tile', vec4f, QUADS, TILE)
      const wTile = k.workgroup('w_tile', vec4f, QUADS, TILE)
      const across = k.let('across', u32`(${n} + ${TILE - 1}) / ${TILE}`)
      const { tile_col, tile_row } = k.let({
        tile_col: k.workgroupIndex.rem(across).mul(TILE),
        tile_row: k.workgroupIndex.div(across).mul(TILE),
      })
      const { quad, line } = k.let({ quad: k.localIndex.rem(QUADS), line: k.localIndex.div(QUADS) })
      const { row, col } = k.let({ row: tile_row.add(k.localId.y), col: tile_col.add(k.localId.x) })
      const acc = tuple(4, (i) => k.var(`acc${i}`, vec4f(0)))
      k.range('k0', 0, depth, 4 * QUADS, (k0) => {
        const { kk, x_row, w_row } = k.let({
          kk: u32`${k0} + ${quad} * 4`,
          x_row: tile_row.add(line),
          w_row: tile_col.add(line),
        })
        xTile.at(quad, line).set(k.when(x_row.lt(m), () => xQuad(k, view, x_row, kk), vec4f(0)))
        wTile.at(quad, line).set(k.when(bool`${w_row} < ${n} && ${kk} < ${depth}`, () => weights(w_row, kk), vec4f(0)))
        k.workgroupBarrier()
        k.range('q', QUADS, (q) => {
          const w = tuple(4, (j) => k.let(`w${j}`, wTile.at(q, u32`${k.localId.x} + ${16 * j}`)))
          for (const i of each(4)) {
            const x = k.let(`x${i}`, xTile.at(q, u32`${k.localId.y} + ${16 * i}`))
            acc[i].addAssign(vec4f(fn.dot(x, w[0]), fn.dot(x, w[1]), fn.dot(x, w[2]), fn.dot(x, w[3])))
          }
        })
        k.workgroupBarrier()
      })
      for (const j of each(4)) {
        k.if(col.add(16 * j).lt(n), () => {
          const bias = k.let('offset', biasOf(k, view, col.add(16 * j)))
          for (const i of each(4))
            k.if(row.add(16 * i).lt(m), () =>
              view.y
                .at(u32`(${row} + ${16 * i}) * ${n} + ${col} + ${16 * j}`)
                .set(stored(storage, acc[i].at(j).add(bias))),
            )
        })
      }
    },
  )

/** All kernels over a format, in both storages. */
export const weightKernels = (format: WeightFormat): readonly KernelSource[] =>
  (['f32', 'f16'] as const).flatMap((storage) => [
    dequantizeOf(format, storage, false),
    dequantizeOf(format, storage, true),
    matvecOf(format, storage, 1),
    matvecOf(format, storage, 4),
    quantMatmulOf(format, storage),
  ])
