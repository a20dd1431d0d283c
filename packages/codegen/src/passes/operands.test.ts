import { fn, u32, vec2u } from '@weft/dsl'
import { expect, test } from 'vitest'
import { dce } from './dce'
import { runtimeConstants } from './runtime-constants'
import { bodyOf, built, text } from './testing/body'

test('shifts and divisions by the name of a constant get an operand that means the same', () => {
  const kernel = built(({ u, n }, k) => {
    const { zero, many } = k.let({ zero: u32(0), many: u32(40) })
    u.at(0).set(n.div(zero))
    u.at(1).set(n.rem(zero))
    u.at(2).set(n.shl(many))
    u.at(3).set(vec2u(n).shr(vec2u(many, 3)).x)
    u.at(4).set(vec2u(n).div(vec2u(zero, 2)).y)
    u.at(5).set(u32(7).div(zero))
  })
  expect(bodyOf(dce(runtimeConstants(kernel)))).toBe(text`
    store u[0:u32] = n / 1:u32
    store u[1:u32] = n % 1:u32
    store u[2:u32] = n << 8:u32
    store u[3:u32] = (vec2u(n) >> vec2u(8, 3)).x
    store u[4:u32] = (vec2u(n) / vec2u(1, 2)).y
    store u[5:u32] = 7:u32
  `)
})

test('what is no constant stays, and so do the other constants', () => {
  const kernel = built(({ u, n }, k) => {
    const d = k.let('d', u32(3))
    u.at(0).set(n.div(d).add(fn.max(n, 0)).shl(n))
  })
  expect(bodyOf(runtimeConstants(kernel))).toBe(bodyOf(kernel))
})
