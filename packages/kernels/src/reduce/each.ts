import { type Builder, type Expr, fn, u32 } from '@weft/dsl'
import { halvesOf } from '../parts/pairs'

/** How the invocations of a workgroup go over a row. */

export const WORKGROUP = 256

/** Rounds of a loop whose reads are in flight together. */
export const AT_ONCE = { unroll: 8 } as const

export interface Source {
  at(i: Expr<'u32'>): Expr<'f32'>
}

/** What is done with an element: its index in x, and the element as it is stored. */
export type Body = (i: Expr<'u32'>, x: Expr<'f32'>) => void

interface Halves {
  readonly name: string
  readonly x: Source
  readonly start: Expr<'u32'>
  readonly end: Expr<'u32'>
}

/** The f16 of a row, by pairs; what is left of pairs that the row has but half of, before and behind, two invocations take. */
export function eachHalf(k: Builder, { name, x, start, end }: Halves, body: Body): void {
  const first = u32`(${start} + 1) / 2 + ${k.localIndex}`
  k.range(
    name,
    first,
    end.div(2),
    WORKGROUP,
    (p) => {
      const pair = halvesOf(k.let('pair', x.at(p)))
      pair.forEach((value, at) => {
        body(k.let('i', u32`2 * ${p} + ${at}`), value)
      })
    },
    AT_ONCE,
  )
  const before = k.let('before', k.localIndex.eq(0))
  const odd = fn.select(end, start, before).rem(2).eq(1)
  k.if(k.localIndex.lt(2).and(start.lt(end)).and(odd), () => {
    const i = k.let('i', fn.select(end.sub(1), start, before))
    const [low, high] = halvesOf(k.let('pair', x.at(i.div(2))))
    body(i, fn.select(low, high, before))
  })
}
