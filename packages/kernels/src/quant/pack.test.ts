import { f16Bits, f16FromBits, roundF16 } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { fromHalf, roundEven, toHalf } from '../parts/half'
import { integers, uniform } from '../testing'
import * as pack from './pack'

const FORMATS: readonly pack.WordFormat[] = ['int8', 'uint8', 'int4', 'int4_zeros']

describe('f16 on the host', () => {
  test('all 65,536 values come back, and are those of the DSL', () => {
    for (let bits = 0; bits < 65_536; bits++) {
      const value = fromHalf(bits)
      expect(value).toEqual(f16FromBits(bits))
      if (!Number.isNaN(value)) expect(toHalf(value)).toBe(bits)
    }
  })

  test('rounds like the DSL: halves to even, up to the next power, to subnormals and to infinity', () => {
    const values = [...uniform(1, 500, -70_000, 70_000), ...uniform(2, 500, -1e-4, 1e-4), 2049, 2051, 65_519, 65_520]
    for (const x of [...values, 2 ** -25, 1.5 * 2 ** -25, 2047.5, 0, -0]) expect(toHalf(x)).toBe(f16Bits(roundF16(x)))
  })

  test('[case-N36] halves go to the even integer', () => {
    expect([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4].map(roundEven)).toEqual([0, 2, 2, -0, -2, -2, 2])
  })
})

describe('packing', () => {
  test.each([1, 3, 4, 7, 8, 9, 31, 33])('rows of %i come back, and begin at a word', (k) => {
    const n = 3
    const q = integers(1, n * k, 256)
    const words = pack.packBytes(q, n, k)
    expect(words).toHaveLength(n * Math.ceil(k / 4))
    expect([...pack.unpackBytes(words, n, k)]).toEqual([...q])
    const nibbles = integers(2, n * k, 16)
    expect([...pack.unpackNibbles(pack.packNibbles(nibbles, n, k), n, k)]).toEqual([...nibbles])
    expect([...pack.unpackZeros(pack.packZeros(nibbles, n, k), n, k)]).toEqual([...nibbles])
  })

  test('where the nibbles of a word are', () => {
    expect(pack.packNibbles([1, 2, 3, 4, 5, 6, 7, 8], 1, 8)[0]).toBe(0x84736251)
    expect(pack.packZeros([1, 2, 3, 4, 5, 6, 7, 8, 9], 1, 9)).toEqual(Uint32Array.of(0x87654321, 9))
  })

  test('[case-S06] zero points of an odd number of groups begin a row at a word', () => {
    const [n, k] = [2, 96]
    const zeros = pack.packZeros([1, 2, 3, 4, 5, 6], n, 3)
    const w = pack.packNibbles(new Uint8Array(n * k).fill(8), n, k)
    const weights = { format: 'int4_zeros', n, k, group: 32, w, scales: new Float32Array(6).fill(1), zeros } as const
    const values = pack.dequantizeWeights(weights)
    const sums = [0, 1].map((row) => values.subarray(row * k, (row + 1) * k).reduce((sum, v) => sum + v, 0))
    expect(sums).toEqual([576, 288])
  })

  test('[case-S07] values below the zero point are negative', () => {
    const q = Array.from({ length: 16 }, (_, i) => 120 + i)
    const w = pack.packBytes(q, 1, 16)
    const weights = { format: 'uint8', n: 1, k: 16, group: 16, w, scales: Float32Array.of(0.5) } as const
    const values = pack.dequantizeWeights({ ...weights, zeros: Int32Array.of(128) })
    expect([...values]).toEqual(q.map((x) => (x - 128) * 0.5))
  })
})

describe.each(FORMATS)('%s', (format) => {
  test.each([1, 7, 32, 33, 65, 130])('rows of %i, there and back within half a step', (k) => {
    const n = 3
    const x = uniform(1, n * k, -2, 1)
    for (const group of [32, 64, 128]) {
      const weights = pack.quantizeWeights(format, x, { n, k, ...(format.startsWith('int4') && { group }) })
      const back = pack.dequantizeWeights(weights)
      const groups = Math.ceil(k / weights.group)
      expect(weights.scales).toHaveLength(n * groups)
      back.forEach((value, i) => {
        const scale = weights.scales[Math.floor(i / k) * groups + Math.floor((i % k) / weights.group)]!
        // a zero point is rounded too, so that an end of the range may be another half of a step away
        const steps = format === 'uint8' || format === 'int4_zeros' ? 1 : 0.5
        expect(Math.abs(value - x[i]!)).toBeLessThanOrEqual(steps * scale * (1 + 2 ** -20))
      })
    }
  })

  test('zeros stay zeros, and no rows and no columns are fine', () => {
    expect([...pack.dequantizeWeights(pack.quantizeWeights(format, [0, 0, 0], { n: 1, k: 3 }))]).toEqual([0, 0, 0])
    expect(pack.dequantizeWeights(pack.quantizeWeights(format, [], { n: 0, k: 3 }))).toHaveLength(0)
    expect(pack.dequantizeWeights(pack.quantizeWeights(format, [], { n: 2, k: 0 }))).toHaveLength(0)
  })
})

test('refuses a group that would cut words', () => {
  expect(() => pack.quantizeWeights('int8', [1], { n: 1, k: 1, group: 32 })).toThrow(
    'quantizeWeights: group is of int4 and int4_zeros, and int8 has one scale for a row, got 32',
  )
  expect(() => pack.quantizeWeights('int4', [1], { n: 1, k: 1, group: 12 })).toThrow('group must be a multiple of 8')
})

test.each([
  [pack.packBytes, [1, 300], 'values[1] must be an integer from -128 to 255, got 300'],
  [pack.packBytes, [-129, 0], 'values[0] must be an integer from -128 to 255, got -129'],
  [pack.packBytes, [0, 1.5], 'values[1] must be an integer from -128 to 255, got 1.5'],
  [pack.packBytes, [0, Number.NaN], 'values[1] must be an integer from -128 to 255, got NaN'],
  [pack.packNibbles, [0, 16], 'values[1] must be an integer from 0 to 15, got 16'],
  [pack.packNibbles, [-1, 0], 'values[0] must be an integer from 0 to 15, got -1'],
  [pack.packZeros, [0, 2.5], 'values[1] must be an integer from 0 to 15, got 2.5'],
] as const)('%o refuses %j, which would be wrapped', (run, values, message) => {
  expect(() => run(values, 1, 2)).toThrow(`bad-argument: ${run.name}: ${message}`)
})
