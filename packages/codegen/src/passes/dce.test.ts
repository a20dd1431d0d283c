import { bool, f32, func, u32 } from '@weft/dsl'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { bodyOf, built, text } from './testing/body'

test('values that nobody uses and variables that nobody reads', () => {
  expect(
    bodyOf(
      dce(
        built(({ out, x }, k) => {
          const dead = k.var('dead', f32(1))
          dead.set(x.at(3))
          k.let('unused', x.at(0))
          out.at(0).set(1)
        }),
      ),
    ),
  ).toBe('store out[0:u32] = 1:f32')
})

test('branches of constant tests, empty branches and loops that never run', () => {
  expect(
    bodyOf(
      dce(
        built(({ out, n }, k) => {
          k.if(
            bool(true),
            () => out.at(0).set(1),
            () => out.at(0).set(2),
          )
          k.if(bool(false), () => out.at(5).set(f32(1)))
          k.if(n.lt(2), () => {})
          k.range('i', 5, 5, (i) => out.at(i).set(1))
          k.switch(u32(2), (c) => {
            c.case(2, () => out.at(1).set(2))
            c.default(() => out.at(1).set(3))
          })
        }),
      ),
    ),
  ).toBe(text`
    store out[0:u32] = 1:f32
    store out[1:u32] = 2:f32
  `)
})

test('a switch of a constant, unless a break that is left would leave something else', () => {
  const chosen = (leaves: boolean | null): string =>
    bodyOf(
      dce(
        built(({ out, n }, k) => {
          k.switch(u32(7), (c) => {
            c.case(2, () => out.at(1).set(2))
            c.default(() => {
              k.if(leaves === null ? n.lt(2) : bool(leaves), () => k.break())
              out.at(1).set(3)
            })
          })
        }),
      ),
    )
  expect(chosen(false)).toBe('store out[1:u32] = 3:f32')
  expect(chosen(null)).toContain('switch 7:u32')
})

test('what stands after a jump, or after branches that both leave', () => {
  expect(
    bodyOf(
      dce(
        built(({ out, n }, k) => {
          k.if(
            n.lt(3),
            () => k.return(),
            () => {
              out.at(9).set(1)
              k.return()
            },
          )
          out.at(1).set(7)
        }),
      ),
    ),
  ).toBe(text`
    if n < 3:u32 {
      return
    } else {
      store out[9:u32] = 1:f32
      return
    }
  `)
})

test('functions that nobody calls any more', () => {
  const square = func('square(x)', [f32], (x) => x.mul(x))
  const kernel = built(({ out, s }, k) => {
    k.if(bool(false), () => out.at(1).set(square(s)))
    out.at(0).set(1)
  })
  expect(kernel.functions).toHaveLength(1)
  expect(dce(kernel).functions).toHaveLength(0)
})

test('barriers and atomics stay', () => {
  const kernel = built(({ out }, k) => {
    k.workgroupBarrier()
    out.at(0).set(1)
  })
  expect(bodyOf(dce(kernel))).toContain('workgroupBarrier')
})
