import { f32, fn, i32, u32, vec4u } from '@weft/dsl'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { bodyOf, built, text } from './testing/body'
import { fold } from './testing/passes'

test('constants are computed, wrapped and rounded as a GPU does', () => {
  expect(
    bodyOf(
      dce(
        fold(
          built(({ out, u, n }) => {
            out.at(0).set(
              f32(2)
                .mul(3)
                .add(fn.sqrt(f32(16))),
            )
            out.at(1).set(fn.exp(f32(1)))
            u.at(0).set(u32(i32(7).sub(9)).add(n))
            u.at(1).set(vec4u(1, 2, 3, 4).add(1).w)
          }),
        ),
      ),
    ),
  ).toBe(text`
    store out[0:u32] = 10:f32
    store out[1:u32] = 2.7182817459106445:f32
    store u[0:u32] = 4294967294:u32 + n
    store u[1:u32] = 5:u32
  `)
})

test('what is not finite is left to run time', () => {
  const body = bodyOf(dce(fold(built(({ out, s }) => out.at(0).set(f32(Infinity).sub(f32(Infinity)).add(s))))))
  expect(body).toMatch(/store out\[0:u32\] = \(.*- .*\) \+ s/)
})

test('a kernel without constant expressions stays the same', () => {
  const kernel = built(({ out, s }) => out.at(0).set(s))
  expect(bodyOf(fold(kernel))).toBe(bodyOf(kernel))
})
