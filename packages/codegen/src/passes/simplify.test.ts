import { fn, i32, u32, vec2u, vec4u } from '@weft/dsl'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { bodyOf, built, text } from './testing/body'
import { simplify } from './testing/passes'

// The laws themselves are tested in laws.test.ts.

test('laws are applied until none is left, and not where a float would change', () => {
  expect(
    bodyOf(
      dce(
        simplify(
          built(({ out, u, n, s }, k) => {
            u.at(n.add(0)).set(n.add(1).add(2).mul(1).sub(n.sub(n)))
            out.at(0).set(s.add(0).mul(0).sub(0))
            k.if(n.lt(3).and(true).not().not(), () => u.at(2).set(fn.select(n, 9, n.lt(0))))
          }),
        ),
      ),
    ),
  ).toBe(text`
    store u[n] = n + 3:u32
    store out[0:u32] = (s + 0:f32) * 0:f32
    if n < 3:u32 {
      store u[2:u32] = n
    }
  `)
})

test('conversions and swizzles that cancel out', () => {
  expect(
    bodyOf(
      dce(
        simplify(
          built(({ u, n, m }) => {
            const v = vec4u(n, m, 2, 3)
            u.at(0).set(v.x.add(u32(i32(n))))
            u.at(1).set(v.swizzle('yx').x)
            u.at(2).set(vec4u(m).z)
          }),
        ),
      ),
    ),
  ).toBe(text`
    store u[0:u32] = n + n
    store u[1:u32] = m
    store u[2:u32] = m
  `)
})

test('what becomes constant by a law is folded, in operands of others, too', () => {
  expect(
    bodyOf(
      dce(
        simplify(
          built(({ u, n }) => {
            u.at(0).set(vec2u(1, 2).shl(vec2u(40, 3).bitXor(vec2u(n.sub(n)))).x)
          }),
        ),
      ),
    ),
  ).toBe('store u[0:u32] = 256:u32')
})
