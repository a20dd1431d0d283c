import { f16Bits, f16FromBits, roundF16 } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import { HALVES, halfBits, roundHalf } from './half'

const same = (a: number, b: number): boolean => Object.is(a, b)

test('all 65,536 f16 values decode, encode and round to themselves', () => {
  let wrong = 0
  for (let bits = 0; bits < 65536; bits++) {
    const x = f16FromBits(bits)
    if (!same(HALVES[bits] as number, x) || halfBits(x) !== f16Bits(x) || !same(roundHalf(x), x)) wrong++
  }
  expect(wrong).toBe(0)
})

test('values between two neighbours round to the nearer, ties to the even one', () => {
  let wrong = 0
  for (let bits = 0; bits < 0x7bff; bits++) {
    const low = f16FromBits(bits)
    const high = f16FromBits(bits + 1)
    for (const t of [0.25, 0.5, 0.75, 0.5 - 2 ** -30, 0.5 + 2 ** -30]) {
      const x = low + (high - low) * t
      if (!same(roundHalf(x), roundF16(x)) || !same(roundHalf(-x), roundF16(-x))) wrong++
    }
  }
  expect(wrong).toBe(0)
})

test('random floats of all magnitudes round as the plain function rounds them', () => {
  const bits = new Uint32Array(1)
  const float = new Float32Array(bits.buffer)
  let state = 1
  let wrong = 0
  for (let i = 0; i < 300_000; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bits[0] = state
    const x = float[0] as number
    if (!same(roundHalf(x), roundF16(x))) wrong++
  }
  for (const x of [65519, 65519.99, 65520, -65520, 1e300, -1e300, 1e-300, -1e-300, 2 ** -25, 2 ** -24, 3 * 2 ** -25]) {
    if (!same(roundHalf(x), roundF16(x))) wrong++
  }
  expect(wrong).toBe(0)
})
