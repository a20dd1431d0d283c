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
import { joinSums, type Line, lineSums } from '../parts/lines'
import { perLoad } from '../parts/loads'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import type { FormatView } from './format'

/**
 * y = x · Wᵀ + bias for few rows of x at the speed of reading W: see parts/lines.ts. W: [n, k] in a format whose rows, and those of x,
 * begin where they can be read by 16 bytes; `matvec1` and `matvec4` have none of these demands.
 *
 * On an H200, one row of x in f16, 32,768 × 8,192, in GB/s of weights with their scales (a copy has 4,250), each run a pass of its own:
 * int8 3,470; int4 in groups of 32 2,510, of 128 2,210 (131,072 rows: 2,670); Q8_0 2,440, Q4_0 2,050, Q4_K 1,910, Q6_K 2,120, Q5_0 1,990.
 * A pass by itself takes 5 µs of these 65.
 *
 * What limits int4 is the arithmetic of unpacking. By hand, many runs in a pass, groups of 128: 2,440 in this form, 2,800 with zero
 * points subtracted from every weight instead of the sum (in this form that did not show: 2,190 for 2,200, each run a pass); of these 3,470
 * without unpacking, 2,880 without reading x, 2,890 without scales. Tried: 4 or 8 bytes at a time (0.75, 0.8 of 16 bytes), two or eight
 * rows of W (0.93, 0.99), 32 and 256 invocations (0.77, 0.8), a subgroup for each row (0.9), reading ahead (0.93), integers converted
 * (0.77) or as fractions of f32 (0.8), and for blocks staging in workgroup memory (0.91). One row in bytes, with packed dot products:
 * held.ts.
 */

type U32 = Expr<'u32'>
type None = Record<never, never>

/** How an invocation reads a chunk of a row of W. */
export interface LineFormat {
  readonly name: string
  readonly doc: string
  readonly bindings: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, unknown>>
  /** Values of a chunk, a multiple of 8. */
  readonly chunk: number
  /** Rows of W that a workgroup takes at once, and its invocations, for so many rows of x. */
  readonly blocking: (vectors: number) => readonly [rows: number, invocations: number]
  /** Values of a row, from a multiple of it on, that whole chunks make up; those of a chunk or 32 when left out. */
  readonly window?: number
  /** Where in a row the eights of chunk c are, counted in eights. */
  readonly places: (c: U32) => readonly U32[]
  readonly line: (k: Builder, view: FormatView, row: U32) => Line
  /** One scale for all of a row. */
  readonly rowScale?: (view: FormatView, row: U32) => Expr<'f32'>
}

interface View {
  readonly x: Eights
  readonly bias: { at(i: U32): Expr<'f32'> }
  readonly y: { at(i: U32): { set(value: Expr<'f32'>): void } }
  readonly m: U32
  readonly n: U32
  readonly k: U32
  readonly with_bias: U32
}

export function lineMatvecOf(format: LineFormat, storage: Storage, vectors: 1 | 4): KernelSource {
  const [rows, invocations] = format.blocking(vectors)
  const decl = {
    doc: `y = x · Wᵀ + bias for few rows of x, ${vectors} at a time; W: [n, k] of ${format.doc}, read by chunks of ${format.chunk}`,
    workgroupSize: [invocations],
    bindings: {
      ...format.bindings,
      x: input(eights(storage)),
      bias: input(scalars(storage)),
      y: output(scalars(storage)),
    },
    params: { m: d.u32, n: d.u32, k: d.u32, with_bias: d.u32, ...format.params },
    workgroups: ({ m, n }: Readonly<Record<'m' | 'n', HostNumber>>) => [ceilDiv(m, vectors).mul(ceilDiv(n, rows))],
    variants: REDUCE_VARIANTS,
  } as unknown as KernelDecl<None, None, None>
  return kernel(named(`matvec${vectors}_${format.name}_lines`, storage), decl, (untyped, k) => {
    const view = untyped as unknown as View
    const { m, n, k: depth } = view
    const blocks = k.let('blocks', u32`(${n} + ${rows - 1}) / ${rows}`)
    const { col, first } = k.let({
      col: k.workgroupIndex.rem(blocks).mul(rows),
      first: k.workgroupIndex.div(blocks).mul(vectors),
    })
    // rows that are not there are read as the last one: their sums are not stored
    const lines = each(rows).map((r) =>
      format.line(k, untyped as unknown as FormatView, k.let(`row${r}`, u32`min(${col} + ${r}, ${n} - 1)`)),
    )
    const loadsOfRow = k.let('row_loads', depth.div(perLoad(storage)))
    const vectorsOf = each(vectors).map((v) => {
      const start = k.let(`x${v}`, u32`min(${first} + ${v}, ${m} - 1) * ${loadsOfRow}`)
      return (place: U32) => {
        const loads = loadEight(storage, view.x, start, place).map((load) => k.let('x_load', load))
        return () => unpackEight(storage, loads)
      }
    })
    const chunks = k.let('chunks', depth.div(format.chunk))
    const sums = lineSums(k, { lines, vectors: vectorsOf, places: format.places, chunks })
    joinSums(k, sums.flat(), (i, total) => {
      const { row, line } = k.let({ row: u32`${col} + ${i} / ${vectors}`, line: u32`${first} + ${i} % ${vectors}` })
      k.if(row.lt(n).and(line.lt(m)), () => {
        const scaled = format.rowScale ? total.mul(format.rowScale(untyped as unknown as FormatView, row)) : total
        const bias = k.when(view.with_bias.ne(0), () => read(view.bias.at(row)), 0)
        view.y.at(u32`${line} * ${n} + ${row}`).set(stored(storage, scaled.add(bias)))
      })
    })
  })
}

/** Kernels over the lines of a format, in both storages. */
export const lineKernels = (format: LineFormat): readonly KernelSource[] =>
  (['f32', 'f16'] as const).flatMap((storage) =>
    ([1, 4] as const).map((vectors) => lineMatvecOf(format, storage, vectors)),
  )
