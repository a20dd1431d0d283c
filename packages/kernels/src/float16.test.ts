import { f16Bits, roundF16 } from '@weft/dsl/ir'
import { describe, expect, it } from 'vitest'
import { fromFloat16, toFloat16 } from './float16'

const [NAN, INFINITE, LEAST, NORMAL, MOST] = [0x7e00, 0x7c00, 2 ** -24, 2 ** -14, 65_504]
/** The next double above a positive one. */
const above = (x: number): number => x + x * 2 ** -52 || Number.MIN_VALUE
const below = (x: number): number => x - x * 2 ** -53

describe('toFloat16', () => {
  it.each<[string, readonly number[], readonly number[]]>([
    ['zeros with their signs', [0, -0], [0, 0x8000]],
    ['infinities and NaN', [Infinity, -Infinity, Number.NaN], [INFINITE, 0x8000 | INFINITE, NAN]],
    ['the greatest numbers', [MOST, -MOST, 65_519.99], [0x7bff, 0xfbff, 0x7bff]],
    ['what is too large', [65_520, -65_520, 1e300, below(65_520)], [INFINITE, 0x8000 | INFINITE, INFINITE, 0x7bff]],
    ['subnormals', [LEAST, -3 * LEAST, NORMAL - LEAST, NORMAL], [1, 0x8003, 0x03ff, 0x0400]],
    ['a subnormal that rounds up to a normal number', [NORMAL - LEAST / 2, below(NORMAL)], [0x0400, 0x0400]],
    ['what is too small', [LEAST / 2, above(LEAST / 2), -LEAST / 2, 1e-300, Number.MIN_VALUE], [0, 1, 0x8000, 0, 0]],
    ['ties among subnormals, to even', [1.5 * LEAST, 2.5 * LEAST, -3.5 * LEAST], [2, 2, 0x8004]],
    ['ties, to even', [2049, 2051, -2049, 1 + 2 ** -11], [0x6800, 0x6802, 0xe800, 0x3c00]],
    ['a tie that carries into the exponent', [2047.5, -4095], [0x6800, 0xec00]],
    ['what is beside a tie by less than f32 can tell', [above(2049), below(2051)], [0x6801, 0x6801]],
  ])('%s', (_, values, bits) => {
    expect([...toFloat16(values)]).toEqual(bits)
  })

  it('rounds once, around every tie, as the compiler does', () => {
    for (let bits = 0; bits < 0x7bff; bits += 7) {
      const [low, high] = fromFloat16([bits, bits + 1]) as unknown as [number, number]
      const tie = (low + high) / 2
      for (const x of [below(tie), tie, above(tie)])
        for (const value of [x, -x]) expect(toFloat16([value])[0]).toBe(f16Bits(roundF16(value)))
    }
  })
})

describe('fromFloat16', () => {
  it('gives all 65,536 values, which come back', () => {
    const bits = Uint16Array.from({ length: 65_536 }, (_, i) => i)
    const holdsNaN = (b: number): boolean => (b & 0x7fff) > INFINITE
    expect(toFloat16(fromFloat16(bits))).toEqual(bits.map((b) => (holdsNaN(b) ? NAN : b)))
  })

  it('is exact', () => {
    const values = [...fromFloat16([0x8000, 1, 0x03ff, 0x0400, 0x3555, 0x7bff, 0xfc00, 0x7c01])]
    const third = (1 + 0x155 / 1024) / 4
    expect(values).toEqual([-0, LEAST, NORMAL - LEAST, NORMAL, third, MOST, -Infinity, Number.NaN])
  })
})

it('what is no list of numbers is refused', () => {
  expect(() => toFloat16(1 as never)).toThrow('bad-argument: toFloat16: values must be an array of numbers, got 1')
  expect(() => fromFloat16(null as never)).toThrow(
    'bad-argument: fromFloat16: bits must be an array of numbers, got null',
  )
  expect(toFloat16([])).toEqual(new Uint16Array(0))
  expect(() => toFloat16([1, undefined as never])).toThrow('toFloat16: values[1] must be a number, got undefined')
  expect(() => toFloat16(new BigInt64Array(1) as never)).toThrow('toFloat16: values[0] must be a number, got 0n')
  expect(() => fromFloat16(new Float32Array(1))).toThrow('fromFloat16: bits must be a Uint16Array, or an array of')
  expect(() => fromFloat16([0.5])).toThrow('fromFloat16: bits[0] must be an integer from 0 to 65535, got 0.5')
})
