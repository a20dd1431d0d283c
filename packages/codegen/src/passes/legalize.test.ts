import { d, fn, kernel, output, override, u32 } from '@weft/dsl'
import { WeftError } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { PROFILES } from '../profiles'
import { dce } from './dce'
import { runtimeConstants } from './runtime-constants'
import { bodyOf, built, text } from './testing/body'
import { fold, legalize, unroll } from './testing/passes'

test('tanh is clamped, integer powers are multiplied', () => {
  expect(
    bodyOf(
      dce(
        legalize(
          built(({ out, s }) => {
            out.at(0).set(fn.tanh(s))
            out.at(1).set(fn.pow(s, 3))
            out.at(2).set(fn.pow(s, -2))
            out.at(3).set(fn.pow(s, 0.5))
          }),
          PROFILES.any,
        ),
      ),
    ),
  ).toBe(text`
    store out[0:u32] = tanh(clamp(s, -15:f32, 15:f32))
    store out[1:u32] = (s * s) * s
    store out[2:u32] = 1:f32 / (s * s)
    store out[3:u32] = pow(s, 0.5:f32)
  `)
})

test('packed integers are unpacked where the language feature may be absent', () => {
  const kernel = built(({ u, n, m }) => u.at(0).set(fn.dot4U8Packed(n, m)))
  expect(bodyOf(dce(legalize(kernel, PROFILES.any)))).toContain('dot4U8Packed(n, m)')
  expect(bodyOf(dce(legalize(kernel, PROFILES.baseline)))).toContain(
    'dot((vec4u(n) >> vec4u(0, 8, 16, 24)) & vec4u(255, 255, 255, 255)',
  )
})

test('an override without default cannot be baked', () => {
  const source = kernel(
    'test',
    {
      workgroupSize: [64],
      bindings: { y: output(d.arrayOf(d.u32)) },
      overrides: { size: override(u32) },
      guards: 'off',
    },
    ({ y, size }, k) => {
      y.at(k.localIndex).set(size)
    },
  )
  expect(() => legalize(source.ir(), PROFILES.safari)).toThrow(WeftError)
  expect(legalize(source.ir(), PROFILES.firefox).overrides).toHaveLength(1)
})

test('constant operands that compilers refuse become ones that mean the same', () => {
  expect(
    bodyOf(
      dce(
        runtimeConstants(
          fold(
            unroll(
              built(({ out, u, n, s }, k) => {
                k.range(
                  'i',
                  0,
                  1,
                  (i) => {
                    out.at(i).set(fn.log(s.mul(0).add(1)).add(fn.sqrt(fn.min(s, 4))))
                    u.at(0).set(n.div(i))
                    u.at(1).set(n.shl(i.add(32)))
                  },
                  { unroll: true },
                )
              }),
            ),
          ),
        ),
      ),
    ),
  ).toBe(text`
    store out[0:u32] = (log((s * 0:f32) + 1:f32)) + (sqrt(min(s, 4:f32)))
    store u[0:u32] = n / 1:u32
    store u[1:u32] = n << 0:u32
  `)
})
