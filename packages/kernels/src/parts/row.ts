import { type Builder, d, type Expr, each } from '@weft/dsl'
import { type Lanes, lanesOf } from './lanes'
import { HELD, ROW_INVOCATIONS } from './span'

/**
 * A workgroup goes over a row of a row-major array, whatever its width and alignment, in the way that memory likes best:
 *
 * - A row that fits is *held*: each invocation reads up to 32 elements into an array, all of them in flight at once, and every later
 *   pass over the row costs arithmetic alone. That is one read for softmax and the norms, and their speed is that of a copy.
 * - A wider row is *streamed*: every pass reads it again, eight elements in flight at a time.
 *
 * Neighbours take neighbours (element c belongs to invocation c mod 256), so scalar accesses fill whole cache lines at any
 * offset. Loops over a held row have constant bounds, which drivers unroll, so that the array becomes registers; blocks of eight
 * that lie within the row have no tests.
 *
 * On an H200, rows of 8,192 f32, as a share of copy bandwidth:
 *
 *     softmax    0.92   the same unrolled by hand 0.93, as `vec4f` 0.95, 512 invocations 0.89, 1,024 invocations 0.38
 *     layernorm  0.91   a test for each element 0.89, loops over the whole row without blocks 0.71
 *     rmsnorm    0.93   a test for each element 0.90, 64 elements held instead of 32 0.92
 *     softmax, streamed: two reads, one of them online 0.69; three reads one after the other 0.5
 *
 * Tests that are shared by all passes cost registers: 0.73. A tree and subgroups are equally fast.
 */

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>

/** Elements that are read at once where rows are streamed. */
const IN_FLIGHT = 8

/** An element by what the row has of it. */
export type Values<N extends string> = Readonly<Record<N, F32>>

/** What reads an element, by its index in the arrays. */
export type Reads<N extends string> = Readonly<Record<N, (i: U32) => F32>>

/** Where an element is: its index in the arrays, and its column. */
export interface Place {
  readonly i: U32
  readonly c: U32
}

/** Made when it is asked for: what nobody uses is not computed. */
const place = (start: U32, c: U32, step = 0): Place => ({
  get i() {
    return step ? start.add(c).add(step) : start.add(c)
  },
  get c() {
    return step ? c.add(step) : c
  },
})

/** What else a pass reads of an element, e.g. `{ weight: ({ c }) => read(weight.at(c)) }`. */
export type Also<M extends string> = Readonly<Record<M, (at: Place) => F32>>

export interface Row<N extends string> {
  readonly lanes: Lanes
  /** Whether its elements are in variables, so that another pass reads nothing. */
  readonly held: boolean
  readonly cols: U32
  /** The index of its first element. */
  readonly start: U32
  /** Calls its body with each element of this invocation; what else it reads is read before, for several at once. */
  readonly each: <M extends string = never>(body: (values: Values<N | M>, at: Place) => void, also?: Also<M>) => void
  /** The same with several elements at once, as many as are in flight. */
  readonly batches: (body: (values: readonly Values<N>[]) => void) => void
  /** Stores one of the values: a row that is streamed reads it from there from now on. */
  readonly store: (name: N, write: (i: U32, value: F32) => void, read: (i: U32) => F32) => void
}

/** `body` for the row of this workgroup, once as it is where rows are held, and once where they are streamed: short rows never. */
export function rowOf<N extends string>(
  k: Builder,
  cols: U32,
  reads: Reads<N>,
  body: (row: Row<N>) => void,
  lanes: Lanes = SINGLE,
): void {
  const count = lanes.width === 1 ? cols : k.let('quads', cols.div(lanes.width))
  const start = k.let('start', k.workgroupIndex.mul(count))
  const form: Form = { held: HELD / lanes.width, block: lanes.block, schema: lanes.schema }
  const held = (): void => body(heldRow(k, start, count, reads, form, lanes))
  if (k.workgroupSize === ROW_INVOCATIONS.short) held()
  else
    k.if(count.le((HELD / lanes.width) * k.workgroupSize), held, () => body(streamedRow(k, start, count, reads, lanes)))
}

const namesOf = <N extends string>(reads: Reads<N>): readonly N[] => Object.keys(reads) as N[]

/** Made when it is asked for, as an expression that nobody uses is an error. */
const valuesOf = <N extends string>(names: readonly N[], value: (name: N) => F32): Values<N> =>
  Object.defineProperties(
    {} as Values<N>,
    Object.fromEntries(names.map((name) => [name, { get: () => value(name), enumerable: true }])),
  )

/** What an invocation holds of a row: so many elements, in blocks of some. */
export interface Form {
  readonly held: number
  /** Elements that are read or written without tests where all of them lie in the row. */
  readonly block: number
  readonly schema: typeof d.f32
  /** The row is known to be as wide as can be: there are no tests. */
  readonly whole?: boolean
}

const SINGLE = lanesOf('f32', 1)
const SCALARS: Form = { held: HELD, block: SINGLE.block, schema: d.f32 }
/** Elements that are vec4f, of which TypeScript sees f32: where several arrays have to be registers at once. */
export const QUADS: Form = { held: HELD / 4, block: 4, schema: d.vec4f as unknown as typeof d.f32 }

const arrayFor = (k: Builder, name: string, { schema }: Form, count: number) => k.var(name, d.arrayOf(schema, count))

/** What is done with an element: the j-th of its block, with a place of its own in what is held. */
type Element = (j: U32, slot: () => U32, at: Place) => void
type Over = (element: Element) => void

/** Calls its body once for a block within the row and once for one at its end, with what goes over the elements of the block. */
const blocksOf =
  (k: Builder, start: U32, cols: U32, { held, block: count, whole = false }: Form) =>
  (body: (over: Over) => void): void =>
    k.range('block', 0, held / count, (block) => {
      const size = k.workgroupSize
      const c0 = k.let('c0', k.localIndex.add(block.mul(count * size)))
      const over =
        (tested: boolean): Over =>
        (element) =>
          k.range('j', 0, count, (j) => {
            const c = k.let('c', c0.add(j.mul(size)))
            if (tested) k.if(c.ge(cols), () => k.break())
            element(j, () => block.mul(count).add(j), place(start, c))
          })
      if (whole) body(over(false))
      else
        k.if(
          c0.add((count - 1) * size).lt(cols),
          () => body(over(false)),
          () => body(over(true)),
        )
    })

/** An array with a value for each element that an invocation holds, zero at first, and what goes over them and their places. */
export function slotsOf(k: Builder, name: string, cols: U32, form: Form) {
  const values = arrayFor(k, name, form, form.held)
  return {
    at: (slot: () => U32) => values.at(slot()),
    each: (start: U32, body: (value: F32, at: Place) => void): void =>
      blocksOf(k, start, cols, form)((over) => over((_, slot, at) => body(values.at(slot()), at))),
  }
}

export interface HeldRow<N extends string> extends Row<N> {
  readonly each: <M extends string = never>(
    body: (values: Values<N | M>, at: Place, slot: () => U32) => void,
    also?: Also<M>,
  ) => void
  /** Another value from now on. */
  readonly keep: (name: N, slot: () => U32, value: F32) => void
  /** The element at an index instead: of another row, while this one is gone through for the last time. */
  readonly refill: (slot: () => U32, i: U32) => void
  /** The same variables for a row that begins elsewhere. */
  readonly at: (start: U32) => HeldRow<N>
}

/** A row of at most `form.held` · workgroup size elements, read into arrays. */
export function heldRow<N extends string>(
  k: Builder,
  start: U32,
  cols: U32,
  reads: Reads<N>,
  form: Form = SCALARS,
  lanes: Lanes = SINGLE,
): HeldRow<N> {
  const names = namesOf(reads)
  const held = Object.fromEntries(names.map((name) => [name, arrayFor(k, `${name}_held`, form, form.held)]))
  const refill = (slot: () => U32, i: U32): void => {
    for (const name of names) held[name]?.at(slot()).set(lanes.pack(reads[name](i)))
  }
  blocksOf(k, start, cols, form)((over) => over((_, slot, { i }) => refill(slot, i)))
  const keep: HeldRow<N>['keep'] = (name, slot, value) => held[name]?.at(slot()).set(lanes.pack(value))
  const at = (start: U32): HeldRow<N> => ({ ...overHeld(k, start, cols, held, form, lanes), keep, refill, at })
  return at(start)
}

/** What goes over a row that is held. */
function overHeld<N extends string>(
  k: Builder,
  start: U32,
  cols: U32,
  held: Readonly<Record<string, ReturnType<typeof arrayFor>>>,
  form: Form,
  lanes: Lanes,
): Row<N> & Pick<HeldRow<N>, 'each'> {
  const names = Object.keys(held) as N[]
  const blocks = blocksOf(k, start, cols, form)
  const all: HeldRow<N>['each'] = <M extends string = never>(
    body: (values: Values<N | M>, at: Place, slot: () => U32) => void,
    also?: Also<M>,
  ) =>
    blocks((over) => {
      const more = Object.entries<Also<M>[M]>(also ?? {}).map(
        ([name, read]) => [name, read, arrayFor(k, `${name}_now`, form, form.block)] as const,
      )
      if (more.length > 0)
        over((j, _, at) => {
          for (const [, read, now] of more) now.at(j).set(lanes.pack(read(at)))
        })
      over((j, slot, at) => {
        const now = new Map<string, F32>(more.map(([name, , now]) => [name, now.at(j)]))
        const value = (name: string): F32 => lanes.unpack(now.get(name) ?? (held[name]?.at(slot()) as F32))
        body(valuesOf([...names, ...now.keys()] as (N | M)[], value), at, slot)
      })
    })
  return {
    held: true,
    ...{ lanes, cols, start },
    each: all,
    batches: (body) => all((values) => body([values])),
    store: (name, write) => all((values, { i }) => write(i, values[name])),
  }
}

/** A row of any width, read again by each pass. */
export function streamedRow<N extends string>(
  k: Builder,
  start: U32,
  cols: U32,
  reads: Reads<N>,
  lanes: Lanes = SINGLE,
): Row<N> {
  const names = namesOf(reads)
  const now: { [K in N]: (i: U32) => F32 } = { ...reads }
  const size = k.workgroupSize
  const stride = IN_FLIGHT * size
  const whole = k.let('whole', cols.div(stride).mul(stride))
  const load = (at: Place, suffix: string, also: Also<string>) =>
    Object.fromEntries([
      ...names.map((name) => [name, k.let(`${name}${suffix}`, now[name](at.i))]),
      ...Object.entries(also).map(([name, read]) => [name, k.let(`${name}${suffix}`, read(at))]),
    ]) as Values<N>
  const go = (
    body: (values: readonly Values<N>[], places: readonly Place[]) => void,
    also: Also<string> = {},
  ): void => {
    k.range('c', k.localIndex, whole, stride, (c) => {
      const places = each(IN_FLIGHT).map((j) => place(start, c, j * size))
      body(
        places.map((at, j) => load(at, `${j}`, also)),
        places,
      )
    })
    k.range('c', whole.add(k.localIndex), cols, size, (c) => {
      const at = place(start, c)
      body([load(at, '', also)], [at])
    })
  }
  const all: Row<N>['each'] = <M extends string = never>(
    body: (values: Values<N | M>, at: Place) => void,
    also?: Also<M>,
  ) =>
    go((values, places) => {
      for (const [j, one] of values.entries()) body(one as Values<N | M>, places[j] as Place)
    }, also)
  return {
    held: false,
    ...{ lanes, cols, start },
    each: all,
    batches: (body) => go((values) => body(values)),
    store: (name, write, read) => {
      all((values, { i }) => write(i, values[name]))
      now[name] = read
    },
  }
}
