import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  f32,
  fn,
  type HostNumber,
  input,
  type KernelDecl,
  kernel,
  output,
  typeOf,
  u32,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { MAX, MIN, REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars } from '../parts/storage'
import { BOOL_FOLDS, FLOAT_FOLDS, type Fold } from './folds'
import { orderKey } from './order'

/**
 * Reductions of x: [outer, size, inner] over the middle axis, to out: [outer, inner]. Two ways:
 *
 * - `…_rows` (inner = 1): a workgroup takes a row; its invocations go over it side by side and join at the end. A long row may be cut
 *   into several: row r is the elements r · size … up to the next row or to n, whatever comes first. Rows of few elements
 *   go as columns (inner = 1).
 * - `…_columns`: a workgroup takes 32 neighbouring elements of the output; eight invocations go along the axis for each of them, every
 *   eighth element each, and join at the end. An axis may be cut into `parts`, of which each has results of its own, in [outer, parts,
 *   inner]: with few columns they are what fills the device.
 *
 * Eight elements of an invocation are in flight at a time. On an H200, of copy bandwidth: sum of 128 M f32 in rows of 65,536 0.98; sums of
 * the columns of 16,384 × 8,192 f32 0.72 with 1 part, 0.96 with 2; an invocation a column, one element at a time 0.13.
 *
 * Results are f32 also where x is f16, u32 for indices and bools. No elements: what the fold starts from.
 */

type None = Record<never, never>

interface Source<T extends 'f32' | 'u32'> {
  at(i: Expr<'u32'>): Expr<T>
}
interface Target {
  at(i: Expr<'u32'>): { set(value: unknown): void }
}

type AnyFold = Fold<'f32'> | Fold<'u32'>

const WORKGROUP = 256
const LANES = 32
const SLICES = WORKGROUP / LANES
/** Rounds of a loop whose reads are in flight together. */
const AT_ONCE = { unroll: 8 } as const

interface Shape {
  readonly name: string
  readonly doc: string
  readonly x: unknown
  readonly out: 'f32' | 'u32'
  readonly params?: Readonly<Record<string, unknown>>
}

const declared = (
  { doc, x, out, params = {} }: Shape,
  sizes: Readonly<Record<string, unknown>>,
  workgroups: (n: Readonly<Record<string, HostNumber>>) => readonly unknown[],
  variants?: typeof REDUCE_VARIANTS,
) =>
  ({
    doc,
    workgroupSize: [WORKGROUP],
    bindings: { x: input(x as ReturnType<typeof scalars>), out: output(d.arrayOf(out === 'f32' ? d.f32 : d.u32)) },
    params: { ...sizes, ...params },
    workgroups,
    ...(variants ? { variants } : {}),
  }) as unknown as KernelDecl<None, None, None>

interface Row {
  readonly k: Builder
  /** Calls its body for each element of this invocation, with its index in x. */
  readonly each: (name: string, body: (i: Expr<'u32'>) => void) => void
  /** The first element of the row. */
  readonly start: Expr<'u32'>
  readonly end: Expr<'u32'>
}

/** A workgroup for each row; `reduce` gives the value of the row, the same for every invocation. */
const rows = (shape: Shape, reduce: (row: Row, view: never) => Expr<'f32'> | Expr<'u32'>): KernelSource =>
  kernel(
    `${shape.name}_rows`,
    declared(shape, { rows: d.u32, size: d.u32, n: d.u32 }, (n) => [n.rows], REDUCE_VARIANTS),
    (view, k) => {
      const { size, n } = view as unknown as { readonly size: Expr<'u32'>; readonly n: Expr<'u32'> }
      const { start } = k.let({ start: k.workgroupIndex.mul(size) })
      const end = k.let('end', u32`min(${start} + ${size}, ${n})`)
      const each = (name: string, body: (i: Expr<'u32'>) => void): void =>
        k.range(name, start.add(k.localIndex), end, WORKGROUP, body, AT_ONCE)
      const value = reduce({ k, each, start, end }, view as never)
      const { out } = view as unknown as { readonly out: Target }
      k.if(k.localIndex.eq(0), () => out.at(k.workgroupIndex).set(value))
    },
  )

interface Column {
  readonly k: Builder
  /** Calls its body for each element of this invocation, with its index in x and its place along the axis. */
  readonly each: (name: string, body: (i: Expr<'u32'>, j: Expr<'u32'>) => void) => void
  /** What the slices have of a column, joined one after the other; the result is right in the first slice. */
  readonly join: <T extends 'f32' | 'u32', N extends string>(own: Parts<T, N>, two: Join<T, N>) => Parts<T, N>
}

/** A workgroup for 32 neighbouring elements of the output; `reduce` goes along the axis by `each`. */
const columns = (shape: Shape, reduce: (column: Column, view: never) => Expr<'f32'> | Expr<'u32'>): KernelSource =>
  kernel(
    `${shape.name}_columns`,
    declared(shape, { outer: d.u32, size: d.u32, inner: d.u32, parts: d.u32 }, (n) => [
      ceilDiv((n.outer as HostNumber).mul(n.parts as HostNumber).mul(n.inner as HostNumber), LANES),
    ]),
    (view, k) => {
      const { outer, size, inner, parts } = view as unknown as Record<'outer' | 'size' | 'inner' | 'parts', Expr<'u32'>>
      const slice = k.let('slice', k.localIndex.div(LANES))
      const at = k.let('at', u32`${k.workgroupIndex} * ${LANES} + ${k.localIndex} % ${LANES}`)
      const part = k.let('part', u32`${at} / ${inner} % ${parts}`)
      const start = k.let('start', u32`${at} / ${inner} / ${parts} * ${size} * ${inner} + ${at} % ${inner}`)
      const chunk = k.let('chunk', u32`(${size} + ${parts} - 1) / ${parts}`)
      // none where there is no such column
      const end = k.let(
        'end',
        fn.select(u32(0), u32`min((${part} + 1) * ${chunk}, ${size})`, at.lt(outer.mul(parts).mul(inner))),
      )
      const each: Column['each'] = (name, body) =>
        k.range(
          name,
          u32`${part} * ${chunk} + ${slice}`,
          end,
          SLICES,
          (j) => body(u32`${start} + ${j} * ${inner}`, j),
          AT_ONCE,
        )
      const value = reduce({ k, each, join: (own, two) => joined(k, own, two) }, view as never)
      const { out } = view as unknown as { readonly out: Target }
      k.if(at.lt(outer.mul(parts).mul(inner)).and(slice.eq(0)), () => out.at(at).set(value))
    },
  )

type Parts<T extends 'f32' | 'u32', N extends string> = Readonly<Record<N, Expr<T>>>
type Join<T extends 'f32' | 'u32', N extends string> = (a: Parts<T, N>, b: Parts<T, N>) => Parts<T, N>

function joined<T extends 'f32' | 'u32', N extends string>(k: Builder, own: Parts<T, N>, two: Join<T, N>): Parts<T, N> {
  const names = Object.keys(own) as N[]
  const shared = names.map((name) => {
    const values = k.workgroup(`${name}_slices`, typeOf(own[name]), WORKGROUP)
    values.at(k.localIndex).set(own[name])
    return values
  })
  k.workgroupBarrier()
  const lane = k.let('lane', k.localIndex.rem(LANES))
  const of = (slice: number) =>
    Object.fromEntries(names.map((name, i) => [name, shared[i]?.at(lane.add(slice * LANES))])) as unknown as Parts<T, N>
  let all = of(0)
  for (let slice = 1; slice < SLICES; slice++) all = k.let(two(all, of(slice))) as unknown as Parts<T, N>
  return all
}

/** The element as the fold sees it. */
const seen = (fold: AnyFold, value: Expr<'f32'> | Expr<'u32'>): never =>
  fold.element((fold.seen === 'f32' ? read(value as Expr<'f32'>) : value) as never) as never

const first = (fold: AnyFold): never => (fold.seen === 'f32' ? f32(fold.start) : u32(fold.start)) as never

const last = (fold: AnyFold, value: Expr<'f32'>, view: never): Expr<'f32'> =>
  fold.scaled ? value.mul((view as { readonly scale: Expr<'f32'> }).scale) : value

function folded(fold: AnyFold, name: string, x: unknown): KernelSource[] {
  const shape = { name, doc: fold.doc, x, out: fold.seen, ...(fold.scaled ? { params: { scale: d.f32 } } : {}) }
  return [
    rows(shape, ({ k, each }, view) => {
      const { x } = view as { readonly x: Source<'f32'> }
      const part = k.var('part', first(fold) as Expr<'f32'>)
      each('i', (i) => part.set(fold.join.combine(part, seen(fold, x.at(i)) as Expr<'f32'>)))
      return last(fold, workgroupReduce(k, 'row', part, fold.join), view)
    }),
    columns(shape, ({ k, each, join }, view) => {
      const { x } = view as { readonly x: Source<'f32'> }
      const part = k.var('part', first(fold) as Expr<'f32'>)
      each('j', (i) => part.set(fold.join.combine(part, seen(fold, x.at(i)) as Expr<'f32'>)))
      const { part: all } = join({ part }, (a, b) => ({ part: fold.join.combine(a.part, b.part) }))
      return last(fold, all, view)
    }),
  ]
}

/**
 * scale · Σ (x - mean)², in two passes over the axis: E[x²] − E[x]² would lose all digits where the mean is large. The mean is
 * rounded; what it is off by is the mean of the differences, whose square is taken off (Chan, Golub and LeVeque, 1983).
 * scale = 1 / n, or 1 / (n - 1) for the unbiased estimate; inverse = 1 / n.
 */
function variance(storage: Storage): KernelSource[] {
  const shape: Shape = {
    name: named('variance', storage),
    doc: 'scale · Σ (x - mean)², in two passes',
    x: scalars(storage),
    out: 'f32',
    params: { inverse: d.f32, scale: d.f32 },
  }
  type View = { readonly x: Source<'f32'>; readonly inverse: Expr<'f32'>; readonly scale: Expr<'f32'> }
  return [
    rows(shape, ({ k, each }, view) => {
      const { x, inverse, scale } = view as View
      const sum = k.var('sum', f32(0))
      each('i', (i) => sum.addAssign(read(x.at(i))))
      const mean = k.let('mean', workgroupReduce(k, 'row_sum', sum, SUM).mul(inverse))
      const { squares, rest } = k.var({ squares: f32(0), rest: f32(0) })
      each('i', (i) => {
        const off = k.let('off', read(x.at(i)).sub(mean))
        squares.addAssign(off.mul(off))
        rest.addAssign(off)
      })
      const total = k.let('total', workgroupReduce(k, 'row_squares', squares, SUM))
      const error = k.let('error', workgroupReduce(k, 'row_rest', rest, SUM))
      return total.sub(error.mul(error).mul(inverse)).mul(scale)
    }),
    columns(shape, ({ k, each, join }, view) => {
      const { x, inverse, scale } = view as View
      const sum = k.var('sum', f32(0))
      each('j', (i) => sum.addAssign(read(x.at(i))))
      const mean = k.let('mean', join({ sum }, (a, b) => ({ sum: a.sum.add(b.sum) })).sum.mul(inverse))
      const { squares, rest } = k.var({ squares: f32(0), rest: f32(0) })
      each('j', (i) => {
        const off = k.let('off', read(x.at(i)).sub(mean))
        squares.addAssign(off.mul(off))
        rest.addAssign(off)
      })
      const all = join({ squares, rest }, (a, b) => ({ squares: a.squares.add(b.squares), rest: a.rest.add(b.rest) }))
      return all.squares.sub(all.rest.mul(all.rest).mul(inverse)).mul(scale)
    }),
  ]
}

/**
 * The place of the greatest, or the least, element along the axis: the first one of equals. NaN counts as greater than
 * all numbers. By order keys, which are compared as integers; no elements give 0.
 */
function extreme(storage: Storage, least: boolean): KernelSource[] {
  const shape: Shape = {
    name: named(least ? 'argmin' : 'argmax', storage),
    doc: `the index of the ${least ? 'least' : 'greatest'} x, the first of equals; NaN is the greatest`,
    x: scalars(storage),
    out: 'u32',
  }
  const keyOf = (x: Expr<'f32'>): Expr<'u32'> => {
    const key = orderKey(read(x))
    return least ? key.bitNot() : key
  }
  type View = { readonly x: Source<'f32'> }
  return [
    rows(shape, ({ k, each, start }, view) => {
      const { x } = view as View
      const { best, place } = k.var({ best: u32(0), place: u32(0xffff_ffff) })
      each('i', (i) => {
        const key = k.let('key', keyOf(x.at(i)))
        // `place` is set by the first element, whose key may be 0
        k.if(key.gt(best).or(place.eq(0xffff_ffff)), () => {
          best.set(key)
          place.set(i)
        })
      })
      const top = k.let('top', workgroupReduce(k, 'row_best', best, MAX))
      const mine = k.when(best.eq(top), () => place.add(0), 0xffff_ffff)
      const found = k.let('found', workgroupReduce(k, 'row_place', mine, MIN))
      return k.when(found.ne(0xffff_ffff), () => found.sub(start), 0)
    }),
    columns(shape, ({ k, each, join }, view) => {
      const { x } = view as View
      const { best, place } = k.var({ best: u32(0), place: u32(0) })
      each('j', (i, j) => {
        const key = k.let('key', keyOf(x.at(i)))
        k.if(key.gt(best), () => {
          best.set(key)
          place.set(j)
        })
      })
      return join({ best, place }, (a, b) => {
        // of equals the first, which another slice may have
        const later = b.best.lt(a.best).or(b.best.eq(a.best).and(b.place.gt(a.place)))
        return { best: fn.select(b.best, a.best, later), place: fn.select(b.place, a.place, later) }
      }).place
    }),
  ]
}

const STORAGES = ['f32', 'f16'] as const

export const reductions: readonly KernelSource[] = [
  ...FLOAT_FOLDS.flatMap((fold) =>
    STORAGES.flatMap((storage) => folded(fold, named(fold.name, storage), scalars(storage))),
  ),
  ...STORAGES.flatMap(variance),
  ...STORAGES.flatMap((storage) => [...extreme(storage, false), ...extreme(storage, true)]),
  ...BOOL_FOLDS.flatMap((fold) => folded(fold, fold.name, d.arrayOf(d.u32))),
]
