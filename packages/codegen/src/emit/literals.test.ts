import { f16FromBits, f32FromBits } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { literal, specialOf } from './literals'

describe('literals', () => {
  test.each([
    ['bool', 1, 'true'],
    ['u32', 4294967295, '4294967295u'],
    ['i32', -5, '-5i'],
    ['i32', -2147483648, 'i32(-2147483648)'],
    ['f32', 0, '0.0f'],
    ['f32', -0, '-0.0f'],
    ['f32', 5, '5.0f'],
    ['f32', Math.fround(0.1), '0.1f'],
    ['f32', Math.fround(0.044715), '0.044715f'],
    ['f32', 3.4028234663852886e38, '3.4028234663852886e38f'],
    ['f32', 1e21, '1e21f'],
    ['f32', 16777216, '16777216.0f'],
    ['f32', Math.fround(1e-7), '1e-7f'],
    ['f32', 2 ** -149, '1e-45f'],
    ['f16', 65504, '65504.0h'],
    ['f16', f16FromBits(0x2e66), '0.1h'],
  ] as const)('%s %d is %s', (scalar, x, text) => {
    expect(literal(scalar, x)).toBe(text)
  })

  test('every float is read back with the same bits, also through a double', () => {
    let bits = 1
    for (let i = 0; i < 20000; i++) {
      bits = (Math.imul(bits, 1664525) + 1013904223) >>> 0
      const x = f32FromBits(bits)
      if (specialOf(x)) continue
      const text = literal('f32', x)
      expect(text).toMatch(/^-?\d+(\.\d+)?(e-?\d+)?f$/)
      expect(Object.is(Math.fround(Number(text.slice(0, -1))), x), text).toBe(true)
    }
  })

  test('powers of ten and of two', () => {
    for (let e = -44; e <= 38; e++)
      expect(Math.fround(Number(literal('f32', Math.fround(10 ** e)).slice(0, -1)))).toBe(Math.fround(10 ** e))
    for (let e = -149; e < 128; e++) expect(Math.fround(Number(literal('f32', 2 ** e).slice(0, -1)))).toBe(2 ** e)
  })

  test('what no literal can be', () => {
    expect([Infinity, -Infinity, Number.NaN, 1].map(specialOf)).toEqual(['inf', 'negInf', 'nan', null])
  })
})
