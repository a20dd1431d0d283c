import { type Builder, d, type Expr } from '@weft/dsl'
import { type Lanes, lanesOf } from './lanes'
import { type Also, namesOf, type Place, place, type Reads, type Row, type Values, valuesOf } from './row'
import { HELD } from './span'

type U32 = Expr<'u32'>
type F32 = Expr<'f32'>

/** Elements that are read or written without tests where all of them lie in the row. */
const BLOCK = 8

const arrayFor = (k: Builder, name: string, count: number) => k.var(name, d.arrayOf(d.f32, count))

/** What is done with an element: the j-th of its block, with a place of its own in what is held. */
type Element = (j: U32, slot: () => U32, at: Place) => void
type Over = (element: Element) => void

/** Calls its body once for a block within the row and once for one at its end, with what goes over the elements of the block. */
const blocksOf =
  (k: Builder, start: U32, cols: U32) =>
  (body: (over: Over) => void): void =>
    k.range('block', 0, HELD / BLOCK, (block) => {
      const size = k.workgroupSize
      const c0 = k.let('c0', k.localIndex.add(block.mul(BLOCK * size)))
      const over =
        (tested: boolean): Over =>
        (element) =>
          k.range('j', 0, BLOCK, (j) => {
            const c = k.let('c', c0.add(j.mul(size)))
            if (tested) k.if(c.ge(cols), () => k.break())
            element(j, () => block.mul(BLOCK).add(j), place(start, c))
          })
      k.if(
        c0.add((BLOCK - 1) * size).lt(cols),
        () => body(over(false)),
        () => body(over(true)),
      )
    })

/** A row of at most `HELD` elements for each invocation, read into arrays, one by one. */
export function heldRow<N extends string>(
  k: Builder,
  start: U32,
  cols: U32,
  reads: Reads<N>,
  lanes: Lanes = lanesOf('f32', 1),
): Row<N> {
  const names = namesOf(reads)
  const held = Object.fromEntries(names.map((name) => [name, arrayFor(k, `${name}_held`, HELD)]))
  const blocks = blocksOf(k, start, cols)
  blocks((over) =>
    over((_, slot, { i }) => {
      for (const name of names) held[name]?.at(slot()).set(reads[name](i))
    }),
  )
  const all: Row<N>['each'] = <M extends string = never>(
    body: (values: Values<N | M>, at: Place) => void,
    also?: Also<M>,
  ) =>
    blocks((over) => {
      const more = Object.entries<Also<M>[M]>(also ?? {}).map(
        ([name, read]) => [name, read, arrayFor(k, `${name}_now`, BLOCK)] as const,
      )
      if (more.length > 0)
        over((j, _, at) => {
          for (const [, read, now] of more) now.at(j).set(read(at))
        })
      over((j, slot, at) => {
        const now = new Map<string, F32>(more.map(([name, , now]) => [name, now.at(j)]))
        const value = (name: string): F32 => now.get(name) ?? (held[name]?.at(slot()) as F32)
        body(valuesOf([...names, ...now.keys()] as (N | M)[], value), at)
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
