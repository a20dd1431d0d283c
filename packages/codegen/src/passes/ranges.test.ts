import { type Expr, fn, i32, u32 } from '@weft/dsl'
import type { Stmt } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { Graph } from './graph'
import { rangeOf } from './ranges'
import { type Bindings, bodyOf, built, text } from './testing/body'
import { ranges, unroll } from './testing/passes'

type Index = Expr<'u32'> | Expr<'i32'>
type Make = (b: Bindings & { readonly id: Expr<'u32'> }) => Index

/** What is known of an index of a workgroup of 64. */
function known(make: Make) {
  const kernel = built((b, k) => void k.let('i', make({ ...b, id: k.localIndex })))
  const graph = new Graph(kernel, [], true, false)
  const { value } = kernel.body.at(-1) as Extract<Stmt, { kind: 'let' }>
  return rangeOf(graph.expr(value), graph.facts)
}

test.each<[string, Make, readonly [number, number] | null]>([
  ['an invocation', ({ id }) => id, [0, 63]],
  ['a constant', () => u32(7), [7, 7]],
  ['a param', ({ n }) => n, null],
  ['a sum', ({ id }) => id.add(3), [3, 66]],
  ['a product', ({ id }) => id.mul(4), [0, 252]],
  ['a difference', ({ id }) => u32(63).sub(id), [0, 63]],
  ['a difference that may wrap', ({ id }) => u32(62).sub(id), null],
  ['a sum that may wrap', ({ id }) => id.add(0xffffffff), null],
  ['a product that may wrap', ({ id }) => id.mul(0x8000000), null],
  ['a quotient', ({ id }) => id.div(16), [0, 3]],
  ['a remainder', ({ id }) => id.rem(16), [0, 15]],
  ['a remainder within one multiple', ({ id }) => id.div(16).add(32).rem(16), [0, 3]],
  ['a remainder of anything', ({ n }) => n.rem(16), [0, 15]],
  ['a remainder of any i32', ({ n }) => i32(n).rem(16), null],
  ['a shift to the left', ({ id }) => id.shl(2), [0, 252]],
  ['a shift to the right', ({ id }) => id.shr(4), [0, 3]],
  ['a shift of anything', ({ n }) => n.shr(24), null],
  ['the less of anything', ({ n }) => fn.min(n, 9), [0, 9]],
  ['the greater of anything', ({ n }) => fn.max(n, 9), [9, 0xffffffff]],
  ['a conversion', ({ id }) => i32(id).sub(1), [-1, 62]],
  ['a conversion of what may be negative', ({ id }) => u32(i32(id).sub(1)), null],
  // masks are among what Tint does not follow
  ['a mask', ({ id }) => id.bitAnd(15), null],
  ['a negative constant', () => i32(-2), [-2, -2]],
])('the span of %s', (_, make, ends) => {
  expect(known(make)).toEqual(ends && { low: ends[0], high: ends[1] })
})

/** The body after the pass, without what has become dead. */
const ranged = (body: Parameters<typeof built>[0]): string => bodyOf(dce(ranges(built(body))))

test('of a sum that does not wrap, multiples of the divisor are divided alone', () => {
  expect(
    ranged(({ u, n }, k) => {
      const id = k.localIndex
      const at = id.add(192)
      u.at(0).set(at.div(32).add(at.div(48)).add(at.rem(48)).add(at.rem(80)))
      u.at(1).set(u32(n.rem(4)).mul(96).add(id).div(24))
      u.at(2).set(u32(n.rem(4)).mul(96).add(id).rem(24))
      u.at(3).set(id.div(64))
      // what may wrap, and what is not a multiple
      u.at(4).set(n.add(192).div(48).add(n.add(192).rem(48)).add(at.div(80)))
    }),
  ).toBe(text`
    $1 = local_invocation_index + 192:u32
    store u[0:u32] = ((((local_invocation_index / 32:u32) + 6:u32) + ((local_invocation_index / 48:u32) + 4:u32)) + (local_invocation_index % 48:u32)) + $1 % 80:u32
    store u[1:u32] = (local_invocation_index / 24:u32) + ((n % 4:u32) * 4:u32)
    store u[2:u32] = local_invocation_index % 24:u32
    store u[3:u32] = 0:u32
    store u[4:u32] = (((n + 192:u32) / 48:u32) + ((n + 192:u32) % 48:u32)) + $1 / 80:u32
  `)
})

test('bounds and comparisons that say nothing are left out', () => {
  expect(
    ranged(({ u, n }, k) => {
      const id = k.localIndex
      u.at(0).set(id.rem(64).add(fn.min(id, 63)).add(fn.max(id, 0)))
      u.at(1).set(id.rem(63).add(fn.min(id, 62)).add(fn.max(id, 1)))
      u.at(2).set(n.rem(8).rem(8))
      k.if(id.add(64).lt(128), () => u.at(3).set(1))
      k.if(id.ge(64), () => u.at(4).set(1))
      k.if(id.lt(63), () => u.at(5).set(1))
    }),
  ).toBe(text`
    store u[0:u32] = (local_invocation_index + local_invocation_index) + local_invocation_index
    store u[1:u32] = ((local_invocation_index % 63:u32) + min(local_invocation_index, 62:u32)) + max(local_invocation_index, 1:u32)
    store u[2:u32] = n % 8:u32
    store u[3:u32] = 1:u32
    if local_invocation_index < 63:u32 {
      store u[5:u32] = 1:u32
    }
  `)
})

test('ranges count their rounds where these are known, and one round is none', () => {
  expect(
    ranged(({ u, n }, k) => {
      const id = k.localIndex
      k.range('fill', id, 1024, 64, (i) => u.at(i).set(1))
      k.range('some', id, 1000, 64, (i) => u.at(i).set(2))
      k.range('step', 1, 9, 4, (i) => u.at(i).set(3))
      k.range('plain', 1, 9, (i) => u.at(i).set(4))
      k.range('any', n, 1024, 64, (i) => u.at(i).set(5))
      k.range('once', id, 64, 64, (i) => u.at(i).set(6))
      k.range('down', 9, -1, -2, (i) => u.at(i).set(7))
    }),
  ).toBe(text`
    range %1 fill_round = 0:u32, 16:u32, 1:u32 {
      %2 = let fill = local_invocation_index + (%1 * 64:u32)
      store u[%2] = 1:u32
    }
    range %3 some = local_invocation_index, 1000:u32, 64:u32 {
      store u[%3] = 2:u32
    }
    range %4 step_round = 0:u32, 2:u32, 1:u32 {
      %5 = let step = 1:u32 + (%4 * 4:u32)
      store u[%5] = 3:u32
    }
    range %6 plain = 1:u32, 9:u32, 1:u32 {
      store u[%6] = 4:u32
    }
    range %7 any = n, 1024:u32, 64:u32 {
      store u[%7] = 5:u32
    }
    store u[local_invocation_index] = 6:u32
    range %8 down_round = 0:i32, 5:i32, 1:i32 {
      %9 = let down = 9:i32 + (%8 * -2:i32)
      store u[%9] = 7:u32
    }
  `)
})

test('a tile is filled without a loop where the author asks for it, though each invocation begins elsewhere', () => {
  expect(
    bodyOf(
      dce(unroll(built(({ u }, k) => k.range('i', k.localIndex, 192, 64, (i) => u.at(i).set(1), { unroll: true })))),
    ),
  ).toBe(text`
    store u[local_invocation_index] = 1:u32
    store u[local_invocation_index + 64:u32] = 1:u32
    store u[local_invocation_index + 128:u32] = 1:u32
  `)
})
