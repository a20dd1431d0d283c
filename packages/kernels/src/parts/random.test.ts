import { expect, test } from 'vitest'
import { dropThreshold, randomBitsOf } from './random'

const bitsOf = (seed: number, n: number, place: (i: number) => readonly [number, number, number]) =>
  Array.from({ length: n }, (_, i) => randomBitsOf(seed, place(i)))

test('every part of the key and of the place matters', () => {
  const base = randomBitsOf(1, [2, 3, 4])
  const others = [
    randomBitsOf(0, [2, 3, 4]),
    ...[
      [3, 3, 4],
      [2, 4, 4],
      [2, 3, 5],
    ].map((p) => randomBitsOf(1, p as never)),
  ]
  expect(new Set([base, ...others]).size).toBe(5)
})

test.each([
  ['columns', (i: number) => [0, 0, i] as const],
  ['rows', (i: number) => [0, i, 0] as const],
  ['streams', (i: number) => [i, 0, 0] as const],
])('along %s each bit is set half of the time, and neighbours are independent', (_, place) => {
  const n = 20_000
  const bits = bitsOf(42, n, place)
  // 5 standard deviations of a fair coin
  const far = 5 * Math.sqrt(n / 4)
  for (let bit = 0; bit < 32; bit++) {
    const set = (x: number) => (x >>> bit) & 1
    expect(Math.abs(bits.filter((x) => set(x) === 1).length - n / 2)).toBeLessThan(far)
    const equal = bits.filter((x, i) => i > 0 && set(x) === set(bits[i - 1]!)).length
    expect(Math.abs(equal - n / 2)).toBeLessThan(far)
  }
})

test('thresholds of probabilities', () => {
  expect([0, 0.5, 1 - 2 ** -40].map(dropThreshold)).toEqual([0, 2 ** 31, 2 ** 32 - 1])
})
