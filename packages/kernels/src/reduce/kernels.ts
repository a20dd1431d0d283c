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
import { PAIR } from '../parts/pairs'
import { MAX, MIN, REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage } from '../parts/storage'
import { AT_ONCE, type Body, eachHalf, type Source, WORKGROUP } from './each'
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
 * Eight elements of an invocation are in flight at a time, of f16 in rows eight words of two. On an H200, of copy bandwidth: sum of 128 M f32 in
 * rows of 16,384 1.02, and 0.98 with the sum of their sums, a dispatch of its own, which takes 5 µs of 130; sums of the columns of 16,384 × 8,192 f32
 * 0.72 with 1 part, 0.98 with 8; an invocation a column, one element at a time 0.13. Sums of f16 0.95 and, as 5 µs are more of 73 than of 130, 0.89;
 * one by one 0.65. Tried, f32: vec4f (0.995 with both dispatches; rows would have to begin at multiples of 4), sixteen in flight (0.985, and
 * slow for rows of less than twice that), workgroups of 512 and 1,024 (0.99, 0.975). f16: vec4h 0.91 with both, sixteen words 0.89.
 * Not done: columns of f16 by words, by hand 0.89; one by one 0.68.
 *
 * Results are f32 also where x is f16, u32 for indices and bools. No elements: what the fold starts from.
 */

type None = Record<never, never>

interface Target {
  at(i: Expr<'u32'>): { set(value: unknown): void }
}

type AnyFold = Fold<'f32'> | Fold<'u32'>

const LANES = 32
const SLICES = WORKGROUP / LANES

interface Shape {
  readonly name: string
  readonly doc: string
  /** What x holds. */
  readonly x: 'f32' | 'f16' | 'u32'
  readonly out: 'f32' | 'u32'
  readonly params?: Readonly<Record<string, unknown>>
}

const declared = (
  { doc, out, params = {} }: Shape,
  element: unknown,
  sizes: Readonly<Record<string, unknown>>,
  workgroups: (n: Readonly<Record<string, HostNumber>>) => readonly unknown[],
  variants?: typeof REDUCE_VARIANTS,
) =>
  ({
    doc,
    workgroupSize: [WORKGROUP],
    bindings: { x: input(d.arrayOf(element as typeof d.f32)), out: output(d.arrayOf(out === 'f32' ? d.f32 : d.u32)) },
    params: { ...sizes, ...params },
    workgroups,
    ...(variants ? { variants } : {}),
  }) as unknown as KernelDecl<None, None, None>

const ELEMENTS = { f32: d.f32, f16: d.f16, u32: d.u32 } as const

interface Row {
  readonly k: Builder
  /** Calls its body for each element of this invocation, with its index in x: for those of an invocation in any order. */
  readonly each: (name: string, body: Body) => void
  /** The first element of the row. */
  readonly start: Expr<'u32'>
  readonly end: Expr<'u32'>
}

/** A workgroup for each row; `reduce` gives the value of the row, the same for every invocation. */
const rows = (shape: Shape, reduce: (row: Row, view: never) => Expr<'f32'> | Expr<'u32'>): KernelSource =>
  kernel(
    `${shape.name}_rows`,
    declared(
      shape,
      shape.x === 'f16' ? PAIR : ELEMENTS[shape.x],
      { rows: d.u32, size: d.u32, n: d.u32 },
      (n) => [n.rows],
      REDUCE_VARIANTS,
    ),
    (view, k) => {
      const { size, n, x } = view as unknown as Record<'size' | 'n', Expr<'u32'>> & { readonly x: Source }
      const { start } = k.let({ start: k.workgroupIndex.mul(size) })
      const end = k.let('end', u32`min(${start} + ${size}, ${n})`)
      const each: Row['each'] = (name, body) =>
        shape.x === 'f16'
          ? eachHalf(k, { name, x, start, end }, body)
          : k.range(name, start.add(k.localIndex), end, WORKGROUP, (i) => body(i, x.at(i)), AT_ONCE)
      const value = reduce({ k, each, start, end }, view as never)
      const { out } = view as unknown as { readonly out: Target }
      k.if(k.localIndex.eq(0), () => out.at(k.workgroupIndex).set(value))
    },
  )

interface Column {
  readonly k: Builder
  /** Calls its body for each element of this invocation, with its place along the axis. */
  readonly each: (name: string, body: (j: Expr<'u32'>, x: Expr<'f32'>) => void) => void
  /** What the slices have of a column, joined one after the other; the result is right in the first slice. */
  readonly join: <T extends 'f32' | 'u32', N extends string>(own: Parts<T, N>, two: Join<T, N>) => Parts<T, N>
}

/** A workgroup for 32 neighbouring elements of the output; `reduce` goes along the axis by `each`. */
const columns = (shape: Shape, reduce: (column: Column, view: never) => Expr<'f32'> | Expr<'u32'>): KernelSource =>
  kernel(
    `${shape.name}_columns`,
    declared(shape, ELEMENTS[shape.x], { outer: d.u32, size: d.u32, inner: d.u32, parts: d.u32 }, (n) => [
      ceilDiv((n.outer as HostNumber).mul(n.parts as HostNumber).mul(n.inner as HostNumber), LANES),
    ]),
    (view, k) => {
      const { x } = view as unknown as { readonly x: Source }
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
          (j) => body(j, x.at(u32`${start} + ${j} * ${inner}`)),
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

function folded(fold: AnyFold, name: string, x: Shape['x']): KernelSource[] {
  const shape = { name, doc: fold.doc, x, out: fold.seen, ...(fold.scaled ? { params: { scale: d.f32 } } : {}) }
  return [
    rows(shape, ({ k, each }, view) => {
      const part = k.var('part', first(fold) as Expr<'f32'>)
      each('i', (_, x) => part.set(fold.join.combine(part, seen(fold, x) as Expr<'f32'>)))
      return last(fold, workgroupReduce(k, 'row', part, fold.join), view)
    }),
    columns(shape, ({ k, each, join }, view) => {
      const part = k.var('part', first(fold) as Expr<'f32'>)
      each('j', (_, x) => part.set(fold.join.combine(part, seen(fold, x) as Expr<'f32'>)))
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
    x: storage,
    out: 'f32',
    params: { inverse: d.f32, scale: d.f32 },
  }
  type View = { readonly inverse: Expr<'f32'>; readonly scale: Expr<'f32'> }
  return [
    rows(shape, ({ k, each }, view) => {
      const { inverse, scale } = view as View
      const sum = k.var('sum', f32(0))
      each('i', (_, x) => sum.addAssign(read(x)))
      const mean = k.let('mean', workgroupReduce(k, 'row_sum', sum, SUM).mul(inverse))
      const { squares, rest } = k.var({ squares: f32(0), rest: f32(0) })
      each('i', (_, x) => {
        const off = k.let('off', read(x).sub(mean))
        squares.addAssign(off.mul(off))
        rest.addAssign(off)
      })
      const total = k.let('total', workgroupReduce(k, 'row_squares', squares, SUM))
      const error = k.let('error', workgroupReduce(k, 'row_rest', rest, SUM))
      return total.sub(error.mul(error).mul(inverse)).mul(scale)
    }),
    columns(shape, ({ k, each, join }, view) => {
      const { inverse, scale } = view as View
      const sum = k.var('sum', f32(0))
      each('j', (_, x) => sum.addAssign(read(x)))
      const mean = k.let('mean', join({ sum }, (a, b) => ({ sum: a.sum.add(b.sum) })).sum.mul(inverse))
      const { squares, rest } = k.var({ squares: f32(0), rest: f32(0) })
      each('j', (_, x) => {
        const off = k.let('off', read(x).sub(mean))
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
    x: storage,
    out: 'u32',
  }
  const keyOf = (x: Expr<'f32'>): Expr<'u32'> => {
    const key = orderKey(read(x))
    return least ? key.bitNot() : key
  }
  return [
    rows(shape, ({ k, each, start }) => {
      const { best, place } = k.var({ best: u32(0), place: u32(0xffff_ffff) })
      each('i', (i, x) => {
        const key = k.let('key', keyOf(x))
        // `place` is set by the first element, whose key may be 0
        k.if(key.gt(best).or(key.eq(best).and(i.lt(place))), () => {
          best.set(key)
          place.set(i)
        })
      })
      const top = k.let('top', workgroupReduce(k, 'row_best', best, MAX))
      const mine = k.when(best.eq(top), () => place.add(0), 0xffff_ffff)
      const found = k.let('found', workgroupReduce(k, 'row_place', mine, MIN))
      return k.when(found.ne(0xffff_ffff), () => found.sub(start), 0)
    }),
    columns(shape, ({ k, each, join }) => {
      const { best, place } = k.var({ best: u32(0), place: u32(0) })
      each('j', (j, x) => {
        const key = k.let('key', keyOf(x))
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
  ...FLOAT_FOLDS.flatMap((fold) => STORAGES.flatMap((storage) => folded(fold, named(fold.name, storage), storage))),
  ...STORAGES.flatMap(variance),
  ...STORAGES.flatMap((storage) => [...extreme(storage, false), ...extreme(storage, true)]),
  ...BOOL_FOLDS.flatMap((fold) => folded(fold, fold.name, 'u32')),
]
