import { type Expr, f32 } from '@weft/dsl'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { bodyOf, built, text } from './testing/body'
import { cse, unroll } from './testing/passes'

test('each round has values and variables of its own', () => {
  expect(
    bodyOf(
      dce(
        unroll(
          built(({ out, x, n }, k) => {
            const acc = k.var('acc', f32(0))
            k.range(
              'i',
              0,
              2,
              (i) => {
                const t = k.let('t', x.at(n.add(i)) as Expr<'f32'>)
                const v = k.var('v', t)
                acc.addAssign(v)
              },
              { unroll: true },
            )
            out.at(0).set(acc)
          }),
        ),
      ),
    ),
  ).toBe(text`
    var acc: f32 = 0:f32
    %1 = load x[n + 0:u32]
    %2 = let t = %1
    var v: f32 = %2
    %3 = load acc
    %4 = load v
    store acc = %3 + %4
    %5 = load x[n + 1:u32]
    %6 = let t = %5
    var v.2: f32 = %6
    %7 = load acc
    %8 = load v.2
    store acc = %7 + %8
    %9 = load acc
    store out[0:u32] = %9
  `)
})

test('loops within loops, of which only the bounds of the inner are known by then', () => {
  expect(
    bodyOf(
      dce(
        unroll(
          built(({ out }, k) => {
            k.range(
              'i',
              1,
              3,
              (i) => {
                k.range('j', 0, i, (j) => out.at(i.mul(2).add(j)).set(1), { unroll: true })
              },
              { unroll: true },
            )
          }),
        ),
      ),
    ),
  ).toBe(text`
    store out[2:u32] = 1:f32
    store out[4:u32] = 1:f32
    store out[5:u32] = 1:f32
  `)
})

test('not where the bounds are unknown, the rounds too many, or the body jumps', () => {
  const kernel = built(({ out, n }, k) => {
    k.range('i', n, (i) => out.at(i).set(1), { unroll: true })
    k.range('i', 1000, (i) => out.at(i).set(1), { unroll: true })
    k.range('i', 3, (i) => k.if(i.eq(n), () => k.break()), { unroll: true })
  })
  expect(bodyOf(unroll(kernel))).toBe(bodyOf(kernel))
})

test('so many rounds at a time where their number is not known, and the rest one by one', () => {
  expect(
    bodyOf(
      dce(
        cse(
          unroll(
            built(({ out, x, n }, k) => {
              const sum = k.var('sum', f32(0))
              k.range('i', k.localIndex, n, 64, (i) => sum.addAssign(x.at(i) as Expr<'f32'>), { unroll: 4 })
              out.at(0).set(sum)
            }),
          ),
        ),
      ),
    ),
  ).toBe(text`
    var sum: f32 = 0:f32
    $1 = max(n, local_invocation_index) - local_invocation_index
    %1 = let i_groups = $1 / 64:u32 + min($1 % 64:u32, 1:u32) / 4:u32
    range %2 i_group = 0:u32, %1, 1:u32 {
      range %3 i_round = 0:u32, 4:u32, 1:u32 {
        %4 = let i = local_invocation_index + (((%2 * 4:u32) + %3) * 64:u32)
        %5 = load x[%4]
        %6 = load sum
        store sum = %6 + %5
      }
    }
    range %7 i = local_invocation_index + ((%1 * 4:u32) * 64:u32), n, 64:u32 {
      %8 = load x[%7]
      %9 = load sum
      store sum = %9 + %8
    }
    %10 = load sum
    store out[0:u32] = %10
  `)
})

test('not so many at a time where the body breaks, and not in groups where the number of rounds is known', () => {
  const kernel = built(({ out, n }, k) => {
    k.range('i', 0, n, (i) => k.if(i.eq(9), () => k.break()), { unroll: 4 })
    k.range('i', 0, 64, (i) => out.at(i).set(1), { unroll: 4 })
  })
  expect(bodyOf(unroll(kernel))).toBe(bodyOf(kernel))
  const few = built(({ out }, k) => k.range('i', 0, 2, (i) => out.at(i).set(1), { unroll: 4 }))
  expect(bodyOf(dce(unroll(few)))).toBe(text`
    store out[0:u32] = 1:f32
    store out[1:u32] = 1:f32
  `)
})
