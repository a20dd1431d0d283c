import { type Expr, f32 } from '@weft/dsl'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { bodyOf, built, text } from './testing/body'
import { unroll } from './testing/passes'

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
