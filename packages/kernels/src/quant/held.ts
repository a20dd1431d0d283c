import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  f32,
  type HostNumber,
  i32,
  input,
  type KernelDecl,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { type Eights, eights, loadEight, unpackEight } from '../parts/eights'
import { perLoad } from '../parts/loads'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { type Limbs, limbSum, limbsOf } from './limbs'

/**
 * y = x · Wᵀ + bias for one row of x at a time, W: [n, k] of int4 with a scale for each group, in integers: an invocation keeps 32
 * columns of x, in three bytes each (see limbs.ts), and goes down 32 rows of W with them, four at a time, 16 bytes of each.
 *
 * What limits `matvec1_int4_lines` is arithmetic: a weight takes three operations and more to become an f32 and be multiplied. Here four
 * of them are a word after one mask, and three instructions multiply and add them up; x is read and converted once for 32 rows.
 *
 * Sums of 32 products are exact integers, each then becomes f32, times its scale; those of an invocation, and of all of them, are f32.
 */

type U32 = Expr<'u32'>
type None = Record<never, never>

const INVOCATIONS = 128
/** Rows of W of a workgroup, and of them those that are read at once. */
const ROWS = 32
const AT_ONCE = 4
/** Columns of an invocation: 16 bytes of a row of W. */
const CHUNK = 32
/** The least number of invocations that a subgroup may have (WGSL specification, `subgroup_size`). */
const LEAST_SUBGROUP = 4

const VARIANTS = {
  subgroups: ['subgroups', 'subgroup-id', 'packed-dot'],
  packed: ['packed-dot'],
  portable: [],
} as const

interface View {
  readonly w: { at(i: U32): Expr<'vec4u'> }
  readonly scales: { at(i: U32): Expr<'f32'> }
  readonly zeros: { at(i: U32): U32 }
  readonly x: Eights
  readonly bias: { at(i: U32): Expr<'f32'> }
  readonly y: { at(i: U32): { set(value: Expr<'f32'>): void } }
  readonly m: U32
  readonly n: U32
  readonly k: U32
  readonly with_bias: U32
  readonly group_log2: U32
  readonly groups: U32
}

export function heldMatvecOf(withZeros: boolean, storage: Storage): KernelSource {
  const format = withZeros ? 'int4_zeros' : 'int4'
  const decl = {
    doc: `y = x · Wᵀ + bias for few rows of x, 1 at a time, in integers; W: [n, k] of int4 with a scale${withZeros ? ' and a zero point' : ''} for each group, of a power of two`,
    workgroupSize: [INVOCATIONS],
    bindings: {
      w: input(d.arrayOf(d.vec4u)),
      scales: input(d.arrayOf(d.f32)),
      ...(withZeros ? { zeros: input(d.arrayOf(d.u32)) } : {}),
      x: input(eights(storage)),
      bias: input(scalars(storage)),
      y: output(scalars(storage)),
    },
    params: { m: d.u32, n: d.u32, k: d.u32, with_bias: d.u32, words: d.u32, group_log2: d.u32, groups: d.u32 },
    workgroups: ({ m, n }: Readonly<Record<'m' | 'n', HostNumber>>) => [m.mul(ceilDiv(n, ROWS))],
    variants: VARIANTS,
  } as unknown as KernelDecl<None, None, None>
  return kernel(named(`matvec1_${format}_held`, storage), decl, (untyped, k) => {
    const view = untyped as unknown as View
    const { n, k: depth } = view
    const { chunks, blocks } = k.let({ chunks: depth.div(CHUNK), blocks: u32`(${n} + ${ROWS - 1}) / ${ROWS}` })
    const { first, line } = k.let({ first: k.workgroupIndex.rem(blocks).mul(ROWS), line: k.workgroupIndex.div(blocks) })
    const slots = k.variant === 'subgroups' ? INVOCATIONS / LEAST_SUBGROUP : INVOCATIONS
    const part = k.workgroup('part', f32, ROWS, slots)
    const own = k.variant === 'subgroups' ? k.subgroupId : k.localIndex
    /** To what this subgroup, or this invocation, has of a row: nobody else writes or reads that. */
    const add = (row: U32, sum: Expr<'f32'>, from: U32) => {
      const before = k.when(from.gt(0), () => part.at(row, own), 0)
      if (k.variant !== 'subgroups') part.at(row, own).set(before.add(sum))
      else {
        const all = k.let('of_subgroup', k.subgroupAdd(sum))
        k.if(k.subgroupInvocationId.eq(0), () => part.at(row, own).set(before.add(all)))
      }
    }
    k.range('from', 0, chunks, INVOCATIONS, (from) => {
      const mine = from.add(k.localIndex)
      // a chunk that is not there is the last one, and does not count
      const c = k.let('c', u32`min(${mine}, ${chunks} - 1)`)
      const limbs = limbsOf(k, xQuads(k, view, storage, line, c), mine.lt(chunks))
      const group = k.let('group', u32`(${c} * ${CHUNK}) >> ${view.group_log2}`)
      k.range('batch', 0, ROWS / AT_ONCE, (batch) => {
        const rows = each(AT_ONCE).map((r) => u32`${batch} * ${AT_ONCE} + ${r}`)
        const sums = rows.map((row) => {
          const there = k.let('row', u32`min(${first} + ${row}, ${n} - 1)`)
          return rowSum(k, view, withZeros, { row: there, c, chunks, group }, limbs)
        })
        for (const [r, sum] of sums.entries()) add(rows[r] as U32, sum(), from)
      })
    })
    k.workgroupBarrier()
    k.if(k.localIndex.lt(ROWS), () => {
      const row = k.let('row', first.add(k.localIndex))
      const total = k.var('total', f32(0))
      const count = k.variant === 'subgroups' ? k.numSubgroups : u32(INVOCATIONS)
      // neighbours begin at other banks of workgroup memory
      const slot = (s: U32) => (k.variant === 'subgroups' ? s : u32`(${s} + ${k.localIndex}) % ${INVOCATIONS}`)
      k.range('s', 0, count, (s) => total.addAssign(part.at(k.localIndex, slot(s))))
      k.if(row.lt(n), () => {
        const bias = k.when(view.with_bias.ne(0), () => read(view.bias.at(row)), 0)
        view.y.at(u32`${line} * ${n} + ${row}`).set(stored(storage, total.add(bias)))
      })
    })
  })
}

function xQuads(k: Builder, { x, k: depth }: View, storage: Storage, line: U32, c: U32): readonly Expr<'vec4f'>[] {
  const start = k.let('x_row', line.mul(depth.div(perLoad(storage))))
  const loads = each(CHUNK / 8).map((i) => loadEight(storage, x, start, u32`${c} * ${CHUNK / 8} + ${i}`))
  const named = loads.map((eight) => eight.map((load) => k.let('x_load', load)))
  return named.flatMap((eight) => unpackEight(storage, eight)).map((quad) => k.let('x_quad', quad))
}

interface Place {
  readonly row: U32
  readonly c: U32
  readonly chunks: U32
  readonly group: U32
}

/** Reads a chunk of a row of W, and gives what its products with x come to: the arithmetic follows later. */
function rowSum(k: Builder, view: View, withZeros: boolean, at: Place, limbs: Limbs): () => Expr<'f32'> {
  const { row, c, chunks, group } = at
  const load = k.let('w_load', view.w.at(u32`${row} * ${chunks} + ${c}`))
  const scale = k.let('scale', view.scales.at(u32`${row} * ${view.groups} + ${group}`))
  const zeros = withZeros && k.let('zeros_load', view.zeros.at(u32`${row} * ((${view.groups} + 7) / 8) + ${group} / 8`))
  return () => {
    const quarters = [load.x, load.y, load.z, load.w].flatMap((word) => [
      k.let('low', word.bitAnd(0x0f0f_0f0f)),
      k.let('high', word.shr(4).bitAnd(0x0f0f_0f0f)),
    ])
    const zero = zeros ? i32(u32`(${zeros} >> (${group} % 8 * 4)) & 15`) : i32(8)
    return k.let('sum_of_row', f32(limbSum(k, quarters, limbs, zero)).mul(scale.mul(limbs.step)))
  }
}

/** In both storages, with and without zero points. */
export const heldKernels = [false, true].flatMap((withZeros) =>
  (['f32', 'f16'] as const).map((storage) => heldMatvecOf(withZeros, storage)),
)
