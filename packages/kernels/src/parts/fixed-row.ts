import { type Builder, type d, type Expr, each, override, vec4f } from '@weft/dsl'
import type { Lanes } from './lanes'
import { type Also, namesOf, type Place, type Reads, type Row, type Values, valuesOf } from './row'
import { HELD, ROW_INVOCATIONS, type Span } from './span'

/**
 * A row by fours whose width is a constant of the pipeline, an override: each invocation holds up to `slots` quads of it in variables of
 * their own, and everything that is done with them is written out. What lies beyond the row is then known when the pipeline is made, and
 * goes, with its registers; of the tests the one remains that is of the last quads, where they are not as many as there are invocations.
 *
 * On an H200, in GB/s (a copy has 4,180 in f32 and 4,130 in f16), with the width as a param and a loop over an array, and so:
 *
 *     rows of            8,192            4,096            1,000
 *     softmax f32        3,865   3,966    3,939   3,978    4,035
 *     rmsnorm f32        3,880   3,985    3,914   3,979    4,058
 *     layernorm f32      3,944   3,957    3,369   3,987    3,852   4,057
 *     softmax f16        3,640   3,861    2,061   3,683    2,802   3,983
 *     rmsnorm f16        3,837   3,889    2,485   3,939    2,843   3,962
 *     layernorm f16      3,238   3,843    1,716   3,253    2,087   3,868
 *
 * Layernorm of f16 is limited by instructions, some 28 for an element, and its registers: a test for each element 3,340; names for columns
 * that all passes share 3,630, and a sum of the row's start and the column for each element 3,600; 512 invocations 2,281. f16 kept as it is
 * stored is no faster. The gradients of layernorm are limited by registers alone: arrays whose indices are constants, which drivers make
 * registers too, cost 7 %, and columns that have no names 8 %.
 */

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>
type Quad = F32 & { set(value: F32): void; addAssign(value: F32): void }

export interface FixedRow<N extends string> extends Row<N> {
  readonly each: <M extends string = never>(
    body: (values: Values<N | M>, at: Place, slot: number) => void,
    also?: Also<M>,
  ) => void
  /** Another value from now on. */
  readonly keep: (name: N, slot: number, value: F32) => void
  /** Reads the element of a column into the variables, e.g. while the row that they held is gone through for the last time. */
  readonly fill: (slot: number, column: U32 | null) => void
  /** The same variables for a row that begins elsewhere. */
  readonly at: (start: U32) => FixedRow<N>
}

/** A variable for each quad that an invocation holds, zero at first. TypeScript sees f32, as of `Lanes`. */
export const quadsOf = (k: Builder, name: string, slots: number): readonly Quad[] =>
  each(slots).map((slot) => k.var(`${name}${slot}`, vec4f(0)) as unknown as Quad)

/** How many quads of such a row an invocation has. */
export const countOf = (k: Builder, quads: U32): U32 =>
  quads
    .add(k.workgroupSize - 1)
    .sub(k.localIndex)
    .div(k.workgroupSize)

/**
 * A row of so many quads, at most `slots` for an invocation. Where there are `more` rows than one, columns have names, since they are the
 * same in all rows. A single row has them computed where they are used: names are registers from one pass to the next.
 */
export function fixedRow<N extends string>(
  k: Builder,
  start: U32,
  quads: U32,
  slots: number,
  reads: Reads<N>,
  lanes: Lanes,
  { more = false } = {},
): FixedRow<N> {
  const names = namesOf(reads)
  const held = Object.fromEntries(names.map((name) => [name, quadsOf(k, `${name}_held`, slots)]))
  const variable = (name: N, slot: number): Quad => held[name]?.[slot] as Quad
  const size = k.workgroupSize
  /** Calls its body for each slot that lies in the row, with the name of its column, where it has one. */
  const eachSlot = (body: (slot: number, column: U32 | null) => void): void => {
    for (const slot of each(slots)) {
      const step = slot * size
      const column = more ? k.let(`c${slot}`, k.localIndex.add(step)) : null
      const mine = column ? column.lt(quads) : k.localIndex.lt(quads.sub(step))
      k.if(quads.gt(step).and(quads.ge(step + size).or(mine)), () => body(slot, column))
    }
  }
  const at = (start: U32): FixedRow<N> => {
    const own = more ? start : k.let('own', start.add(k.localIndex))
    const index = (slot: number, column: U32 | null): U32 => (column ? start.add(column) : own.add(slot * size))
    const fill = (slot: number, column: U32 | null): void => {
      for (const name of names) variable(name, slot).set(reads[name](index(slot, column)))
    }
    const all: FixedRow<N>['each'] = <M extends string = never>(
      body: (values: Values<N | M>, at: Place, slot: number) => void,
      also?: Also<M>,
    ) =>
      eachSlot((slot, column) => {
        // made when it is asked for: what nobody uses is not computed
        const where: Place = {
          get i() {
            return index(slot, column)
          },
          get c() {
            return column ?? k.localIndex.add(slot * size)
          },
        }
        const value = (name: N | M): F32 => also?.[name as M]?.(where) ?? variable(name as N, slot)
        body(valuesOf([...names, ...namesOf((also ?? {}) as Also<M>)], value), where, slot)
      })
    return {
      ...{ held: true, lanes, cols: quads, start, each: all, fill, at },
      keep: (name, slot, value) => variable(name, slot).set(value),
      batches: (body) => all((values) => body([values])),
      store: (name, write) => all((values, { i }) => write(i, values[name])),
    }
  }
  const row = at(start)
  eachSlot(row.fill)
  return row
}

/**
 * The params of a kernel over rows; of rows of a fixed width `cols` is an override instead, by default the widest row, which the body sees
 * under the same name. That stores stay within the row is then told by constants, too, which the search for guards does not follow.
 */
export function widthIn<P extends { readonly cols: typeof d.u32 }>(span: Span, params: P): { readonly params: P } {
  if (span !== 'fixed' && span !== 'fixed_short') return { params }
  const { cols, ...others } = params
  return {
    params: others as unknown as P,
    ...{ overrides: { cols: override(cols, HELD * ROW_INVOCATIONS[span]) }, guards: 'off' },
  }
}
