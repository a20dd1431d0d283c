import {
  type ArrayRef,
  type Builder,
  bool,
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
  tuple,
  u32,
  vec4f,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { read, type Storage, scalars, stored } from '../parts/storage'
import { biasAt, type Epilogue, epilogueParams, finish } from './epilogue'
import { type MatmulForm, matmulName } from './options'

/**
 * c[z] = alpha · a[z] · b[z] for z in a batch, any sizes, with strides; f32 accumulation.
 *
 *     a[z]: m × k rows of a_row elements, or k × m when transposed, from a_offset + z · a_batch on
 *     b[z]: k × n rows of b_row elements, or n × k when transposed, from b_offset + z · b_batch on
 *     c[z]: m × n rows of c_row elements, from c_offset + z · c_batch on
 *
 * A batch stride of 0 uses one matrix for all. Forms: `plain`; `epilogue`, see epilogue.ts; `split`, where c is f32 sums over
 * parts of k: [splits, batch, m, n], each over `span` values of k, to be joined by `matmul_reduce`.
 *
 * The scheme is that of `matmul`: a workgroup of 16 × 16 computes a 64 × 64 tile of c, an invocation a 4 × 4 block of it in
 * four vec4f; tiles of 16 along k go through workgroup memory as vec4f, 8 KiB for both. f16 becomes f32 on the way there.
 * Workgroups are numbered in one row, columns of tiles first, then rows, then the batch, so that none of them has a limit.
 */
export interface MatmulKernelOptions {
  readonly storage?: Storage
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  readonly form?: MatmulForm
}

const TILE = 64
const DEPTH = 16
const QUADS = TILE / 4

type U32 = Expr<'u32'>
interface Source {
  at(i: U32): Expr<'f32'>
}
type Sums = Expr<'vec4f'>
interface Target {
  at(i: U32): { set(value: Expr<'f32'>): void }
}

const SIZES = ['m', 'n', 'k', 'batch', 'splits', 'span'] as const
const PLACES = ['a_offset', 'a_row', 'a_batch', 'b_offset', 'b_row', 'b_batch', 'c_offset', 'c_row', 'c_batch'] as const
const RESIDUAL = ['residual_offset', 'residual_row', 'residual_batch', 'bias_offset'] as const
type Numbers = Readonly<Record<(typeof SIZES)[number] | (typeof PLACES)[number] | (typeof RESIDUAL)[number], U32>>
interface View extends Numbers, Epilogue {
  readonly a: Source
  readonly b: Source
  readonly c: Target
}

const numbers = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, d.u32]))

function declared(doc: string, storage: Storage, form: MatmulForm): unknown {
  const matrix = () => input(scalars(storage))
  const extra = form === 'epilogue' ? { bias: matrix(), residual: matrix() } : {}
  const places = form === 'split' ? PLACES.slice(0, 7) : PLACES
  return {
    doc,
    workgroupSize: [QUADS, QUADS],
    bindings: { a: matrix(), b: matrix(), ...extra, c: output(form === 'split' ? d.arrayOf(d.f32) : scalars(storage)) },
    params: {
      ...numbers(form === 'split' ? SIZES : SIZES.slice(0, 4)),
      ...numbers(places),
      ...(form === 'split' ? {} : { alpha: d.f32 }),
      ...(form === 'epilogue' ? { ...epilogueParams, ...numbers(RESIDUAL) } : {}),
    },
    workgroups: (host: Readonly<Record<string, HostNumber>>) => {
      const { m, n, batch } = host
      const tiles = ceilDiv(n as HostNumber, TILE)
        .mul(ceilDiv(m as HostNumber, TILE))
        .mul(batch as HostNumber)
      // a rule may name only what is declared
      return [form === 'split' ? tiles.mul(host.splits as HostNumber) : tiles]
    },
    ...(form === 'epilogue' ? { aliases: [['residual', 'c']] } : {}),
  }
}

export function matmulOf({
  storage = 'f32',
  transposeA = false,
  transposeB = false,
  form = 'plain',
}: MatmulKernelOptions): KernelSource {
  const formula = `${transposeA ? 'aᵀ' : 'a'} · ${transposeB ? 'bᵀ' : 'b'}`
  const doc = {
    plain: `c = alpha · ${formula}, in batches with strides`,
    epilogue: `c = activation(alpha · ${formula} + bias) + residual, in batches with strides`,
    split: `sums of ${formula} over parts of k, for matmul_reduce to join`,
  }[form]
  type None = Record<never, never>
  const decl = declared(doc, storage, form) as KernelDecl<None, None, None>
  return kernel(matmulName(transposeA, transposeB, form, storage), decl, (untyped, k) => {
    const view = untyped as unknown as View
    const { a, b, m, n, k: depth, batch } = view
    const tiles = k.let({ across: u32`(${n} + ${TILE - 1}) / ${TILE}`, down: u32`(${m} + ${TILE - 1}) / ${TILE}` })
    const { line, tile_col } = k.let({
      line: k.workgroupIndex.div(tiles.across),
      tile_col: k.workgroupIndex.rem(tiles.across).mul(TILE),
    })
    const { z, tile_row } = k.let({ z: line.div(tiles.down), tile_row: line.rem(tiles.down).mul(TILE) })
    const item = form === 'split' ? k.let('item', z.rem(batch)) : z
    const { row, col } = k.let({
      row: u32`${tile_row} + ${k.localId.y} * 4`,
      col: u32`${tile_col} + ${k.localId.x} * 4`,
    })
    const from = form === 'split' ? k.let('from', z.div(batch).mul(view.span)) : u32(0)
    const end = form === 'split' ? k.let('end', u32`min(${from} + ${view.span}, ${depth})`) : depth

    const acc = products(k, from, end, {
      a: {
        name: 'ka',
        source: a,
        first: k.let('a_first', u32`${view.a_offset} + ${item} * ${view.a_batch}`),
        stride: view.a_row,
        line: transposeA ? u32`${tile_row} + ${k.localId.x} * 4` : row,
        count: m,
        alongK: !transposeA,
      },
      b: {
        name: 'kb',
        source: b,
        first: k.let('b_first', u32`${view.b_offset} + ${item} * ${view.b_batch}`),
        stride: view.b_row,
        line: transposeB ? u32`${tile_col} + ${k.localId.y} * 4` : col,
        count: n,
        alongK: transposeB,
      },
    })

    store(k, view, { form, storage, z, row, col }, acc)
  })
}

interface Block {
  readonly form: MatmulForm
  readonly storage: Storage
  /** Which matrix of c, and the first row and column of this invocation. */
  readonly z: U32
  readonly row: U32
  readonly col: U32
}

/** The 4 × 4 sums of an invocation to where they belong, with what follows the product. */
function store(
  k: Builder,
  view: View,
  { form, storage, z, row, col }: Block,
  acc: readonly [Sums, Sums, Sums, Sums, ...unknown[]],
): void {
  const { c, m, n } = view
  const split = form === 'split'
  const first = k.let(
    'c_first',
    split ? u32`${view.c_offset} + ${z} * ${m} * ${n}` : u32`${view.c_offset} + ${z} * ${view.c_batch}`,
  )
  const stride = split ? n : view.c_row
  const residual = (i: number, j: number) => () =>
    u32`${view.residual_offset} + ${z} * ${view.residual_batch} + (${row} + ${i}) * ${view.residual_row} + ${col} + ${j}`
  for (const j of each(4)) {
    k.if(col.add(j).lt(n), () => {
      const bias = form === 'epilogue' ? biasAt(k, view, () => u32`${view.bias_offset} + ${col} + ${j}`) : null
      for (const i of each(4)) {
        k.if(row.add(i).lt(m), () => {
          const sum = (acc[i] as Sums).at(j)
          const place = c.at(u32`${first} + (${row} + ${i}) * ${stride} + ${col} + ${j}`)
          if (split) place.set(sum)
          else if (bias) place.set(stored(storage, finish(k, view, sum, bias, residual(i, j))))
          else place.set(stored(storage, view.alpha.mul(sum)))
        })
      }
    })
  }
}

interface Operand {
  /** What its position along k is called. */
  readonly name: string
  readonly source: Source
  /** Its first element, and the elements from a row to the next, as they lie in memory. */
  readonly first: U32
  readonly stride: U32
  /** The first of the four rows (of a) or columns (of b) that this invocation loads, and how many the matrix has. */
  readonly line: U32
  readonly count: U32
  /** Whether neighbours in memory are neighbours along k: invocations that are neighbours in x read those. */
  readonly alongK: boolean
}

/** The 4 × 4 sums of an invocation over k in from … end - 1, a vec4f for each row. */
function products(k: Builder, from: U32, end: U32, operands: { readonly a: Operand; readonly b: Operand }) {
  const aTile = k.workgroup('a_tile', vec4f, DEPTH, QUADS)
  const bTile = k.workgroup('b_tile', vec4f, DEPTH, QUADS)
  const acc = tuple(4, (i) => k.var(`acc${i}`, vec4f(0)))
  k.range('k0', from, end, DEPTH, (k0) => {
    stage(k, aTile, k0, end, operands.a)
    stage(k, bTile, k0, end, operands.b)
    k.workgroupBarrier()
    k.range('kk', 0, DEPTH, (kk) => {
      const { av, bv } = k.let({ av: aTile.at(kk, k.localId.y), bv: bTile.at(kk, k.localId.x) })
      for (const i of each(4)) acc[i].set(fn.fma(vec4f(av.at(i)), bv, acc[i]))
    })
    k.workgroupBarrier()
  })
  return acc
}

/** Four values of an operand into the tile: the same k, four neighbouring rows or columns; zeros outside. */
function stage(
  k: Builder,
  tile: ArrayRef<{ readonly array: 'vec4f' }>,
  k0: U32,
  end: U32,
  { name, source, first, stride, line, count, alongK }: Operand,
): void {
  const [along, across] = alongK ? [k.localId.x, k.localId.y] : [k.localId.y, k.localId.x]
  const kk = k.let(name, k0.add(along))
  const at = (i: number): Expr<'f32'> =>
    k.when(
      bool`${kk} < ${end} && ${line} + ${i} < ${count}`,
      () =>
        read(
          source.at(
            alongK
              ? u32`${first} + (${line} + ${i}) * ${stride} + ${kk}`
              : u32`${first} + ${kk} * ${stride} + ${line} + ${i}`,
          ),
        ),
      0,
    )
  tile.at(along, across).set(vec4f(at(0), at(1), at(2), at(3)))
}

const both = [false, true] as const
const storages = ['f32', 'f16'] as const

/** Every pair of transposes, in every form and storage. */
export const matmuls: readonly KernelSource[] = storages.flatMap((storage) =>
  (['plain', 'epilogue', 'split'] as const).flatMap((form) =>
    both.flatMap((transposeA) => both.map((transposeB) => matmulOf({ storage, form, transposeA, transposeB }))),
  ),
)
