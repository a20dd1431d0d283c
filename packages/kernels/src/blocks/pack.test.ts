import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { normal } from '../testing'
import { BLOCKS, type BlockName } from './layout'
import { packBlocks, unpackBlocks } from './pack'

interface Golden {
  readonly blocks: string
  readonly values: string
  readonly from?: string
  readonly made?: string
}
const path = new URL('../../../../tests/kernels/goldens/blocks.json', import.meta.url)
const goldens = JSON.parse(readFileSync(path, 'utf8')) as Record<BlockName, Golden>
const names = Object.keys(BLOCKS) as BlockName[]
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const floats = (text: string) => new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)

describe.each(names)('%s', (name) => {
  const { size } = BLOCKS[name]
  const golden = goldens[name]

  test('values are those of the package gguf', () => {
    const values = unpackBlocks(name, bytes(golden.blocks), 2 * size)
    const expected = floats(golden.values)
    expect(expected).toHaveLength(2 * size)
    // there a product and a difference are rounded to f32
    expected.forEach((value, i) => {
      expect(Math.abs(values[i]! - value), `value ${i}`).toBeLessThanOrEqual(2 ** -24 * 16 + Math.abs(value) * 2 ** -23)
    })
  })

  const { from, made } = golden
  if (from !== undefined && made !== undefined) {
    test('blocks are those of the package gguf', () => {
      expect(packBlocks(name, floats(from))).toEqual(bytes(made))
    })
  }

  test('there and back is within half a step, and what the scales lose', () => {
    const x = normal(3, 4 * size)
    x.fill(0, size, 2 * size)
    const blocks = packBlocks(name, x)
    const back = unpackBlocks(name, blocks, x.length)
    for (let b = 0; b < 4; b++) {
      const values = [...x.subarray(b * size, (b + 1) * size)]
      const range = Math.max(...values.map(Math.abs))
      // integers of a symmetric format go from -m to m - 1, so that the far end is a whole step off; a scale of 6 bits loses half of 1/63
      // of the greatest one, times the greatest integer
      const bound = {
        q4_0: range / 8,
        q5_0: range / 16,
        q8_0: range / 254,
        q4_k: (2 * range) / 15 / 2 + (2 * range) / 126 + range / 126,
        q5_k: (2 * range) / 31 / 2 + (2 * range) / 126 + range / 126,
        q6_k: range / 32 + range / 256,
      }[name]
      values.forEach((value, i) => {
        // the scale itself is an f16
        expect(Math.abs(back[b * size + i]! - value)).toBeLessThanOrEqual(bound + range * 2 ** -10)
      })
    }
    expect([...back.subarray(size, 2 * size)].every((value) => value === 0)).toBe(true)
  })

  test('refuses what is no whole number of blocks', () => {
    expect(() => packBlocks(name, [1, 2])).toThrow(`packBlocks: ${name} takes a multiple of ${size} values, got 2`)
    expect(() => unpackBlocks(name, new Uint8Array(3), size)).toThrow('blocks: expected')
  })
})

test.each(names)('%s refuses what its blocks cannot hold', (name) => {
  const { size } = BLOCKS[name]
  const x = (value: number) => normal(1, 2 * size).fill(value, size + 3, size + 4)
  for (const value of [Number.NaN, Infinity])
    expect(() => packBlocks(name, x(value))).toThrow(`packBlocks: x[${size + 3}] must be a finite number, got ${value}`)
  expect(() => packBlocks(name, x(1e10))).toThrow(
    `packBlocks: x[${size + 3}] is 10000000000, and the scale of its block, an f16, would become Infinity`,
  )
})

test('formats that there are not', () => {
  expect(() => packBlocks('q9' as never, [])).toThrow('bad-argument: packBlocks: format must be one of q4_0, ')
  expect(() => unpackBlocks('zz' as never, new Uint8Array(0), 0)).toThrow(
    'bad-argument: unpackBlocks: format must be one of q4_0, ',
  )
  expect(() => packBlocks('q8_0', undefined as never)).toThrow('packBlocks: x must be an array, got undefined')
})
