import {
  type ArrayValue,
  type Builder,
  ceilDiv,
  d,
  type Expr,
  f32,
  fn,
  input,
  kernel,
  output,
  u32,
  vec2f,
} from '@weft/dsl'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { FINE } from './table'

type U32s<N extends string> = Readonly<Record<N, Expr<'u32'>>>

/** The rotation of pair c at a position: the product of two from the table, turned back where `direction` is −1. */
export function rotation(
  k: Builder,
  table: Pick<ArrayValue<'vec2f'>, 'at'>,
  { position, pairs, c }: U32s<'position' | 'pairs' | 'c'>,
  direction?: Expr<'f32'>,
): { readonly re: Expr<'f32'>; readonly im: Expr<'f32'> } {
  const fine = k.let('fine', table.at(u32`${position} % ${FINE} * ${pairs} + ${c}`))
  const coarse = k.let('coarse', table.at(u32`(${FINE} + ${position} / ${FINE}) * ${pairs} + ${c}`))
  const sine = f32`${coarse}.x * ${fine}.y + ${coarse}.y * ${fine}.x`
  return k.let({
    re: f32`${coarse}.x * ${fine}.x - ${coarse}.y * ${fine}.y`,
    im: direction ? direction.mul(sine) : sine,
  })
}

/** The elements of pair c of the head that starts at `start`. */
export const pairAt = (
  k: Builder,
  start: Expr<'u32'>,
  { c, pairs, interleaved }: U32s<'c' | 'pairs' | 'interleaved'>,
): U32s<'first' | 'second'> => {
  const first = k.let('first', start.add(fn.select(c, c.mul(2), interleaved.ne(0))))
  return { first, second: k.let('second', first.add(fn.select(pairs, u32(1), interleaved.ne(0)))) }
}

/**
 * Rotary position embedding (Su et al., "RoFormer", 2021): in a token at position p, pair i of the first 2 · pairs
 * dimensions is turned by the angle p · θᵢ, the other dimensions are copied.
 *
 *     x, out: [outer, tokens, inner, head_size], in place or not    p = past + token
 *     pair i: dimensions (i, i + pairs), or (2i, 2i + 1) with `interleaved`
 *     table:  [256 + …, pairs] of (cos, sin), from `ropeTable`
 *
 * The axes before the tokens are joined to `outer`, those after them to `inner`, so that both [batch, heads, tokens, …] and
 * [batch, tokens, heads, …] are served. `direction` is 1, or −1 for the gradient: a rotation's transpose turns back.
 *
 * Numerics: p · θ in f32 would be off by p · 2⁻²⁴, 8e-3 at position 131,071, and WGSL's cos says nothing outside of [−π, π]. So
 * p = 256 a + b is turned by 256 a · θ and by b · θ, both from a table made in float64: the product of two unit numbers is
 * within 4 roundings of f32, at any position.
 *
 * An invocation turns one pair, or copies one element: it reads just what it writes.
 */
const ropeOf = (storage: Storage) =>
  kernel(
    named('rope', storage),
    {
      doc: 'turns the pairs of each head by position · θ, with rotations combined from a table; direction -1 is the gradient',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), table: input(d.arrayOf(d.vec2f)), out: output(scalars(storage)) },
      params: {
        outer: d.u32,
        tokens: d.u32,
        inner: d.u32,
        head_size: d.u32,
        pairs: d.u32,
        past: d.u32,
        interleaved: d.u32,
        direction: d.f32,
      },
      workgroups: ({ outer, tokens, inner, head_size, pairs }) => [
        ceilDiv(outer.mul(tokens).mul(inner).mul(head_size.sub(pairs)), 256),
      ],
      aliases: [['x', 'out']],
    },
    ({ x, table, out, outer, tokens, inner, head_size, pairs, past, interleaved, direction }, k) => {
      const i = k.let('i', k.globalIndex)
      const perRow = k.let('per_row', head_size.sub(pairs))
      k.if(i.lt(u32`${outer} * ${tokens} * ${inner} * ${perRow}`), () => {
        const { c, row } = k.let({ c: i.rem(perRow), row: i.div(perRow) })
        const start = k.let('start', row.mul(head_size))
        k.if(c.lt(pairs), () => {
          const position = k.let('position', u32`${past} + ${row} / ${inner} % ${tokens}`)
          const { re, im } = rotation(k, table, { position, pairs, c }, direction)
          const { first, second } = pairAt(k, start, { c, pairs, interleaved })
          const pair = k.let('pair', vec2f(read(x.at(first)), read(x.at(second))))
          out.at(first).set(stored(storage, f32`${pair}.x * ${re} - ${pair}.y * ${im}`))
          out.at(second).set(stored(storage, f32`${pair}.x * ${im} + ${pair}.y * ${re}`))
        }).else(() => {
          const at = k.let('at', u32`${start} + ${pairs} + ${c}`)
          out.at(at).set(x.at(at))
        })
      })
    },
  )

export const rope = ropeOf('f32')
export const ropeHalf = ropeOf('f16')
