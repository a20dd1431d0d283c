import type { Expr } from '@weft/dsl'
import type { Lanes } from './lanes'

/** A row of a row-major array, as kernels see it: row-of.ts says how a workgroup goes over one. */

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>

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
export const place = (start: U32, c: U32, step = 0): Place => ({
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

export const namesOf = <N extends string>(reads: Readonly<Record<N, unknown>>): readonly N[] =>
  Object.keys(reads) as N[]

/** Made when it is asked for, as an expression that nobody uses is an error. */
export const valuesOf = <N extends string>(names: readonly N[], value: (name: N) => F32): Values<N> =>
  Object.defineProperties(
    {} as Values<N>,
    Object.fromEntries(names.map((name) => [name, { get: () => value(name), enumerable: true }])),
  )
