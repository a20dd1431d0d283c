import { f16Bits, f16FromBits, roundF16 } from '@weft/dsl/ir'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHalf, toHalf } from './half'
import { Packer } from './params'
import { failure } from './testing/expect'

const packer = (fields: readonly [name: string, type: string, offset: number, size: number][], size = 64) =>
  new Packer('k', { size, fields: fields.map(([name, type, offset, bytes]) => ({ name, type, offset, size: bytes })) })

describe('Packer', () => {
  it('[prior-R45] puts scalars and vectors where the layout says', () => {
    const bytes = packer([
      ['n', 'u32', 0, 4],
      ['a', 'f32', 4, 4],
      ['i', 'i32', 8, 4],
      ['on', 'bool', 12, 4],
      ['v', 'vec3f', 16, 12],
      ['h', 'f16', 28, 2],
      ['hv', 'vec2h', 32, 4],
    ]).pack({ n: 4294967295, a: 0.1, i: -2, on: true, v: [1, 2, 3], h: 1.5, hv: new Float32Array([1, -1]) })
    const view = new DataView(bytes.buffer)
    expect([
      view.getUint32(0, true),
      view.getFloat32(4, true),
      view.getInt32(8, true),
      view.getUint32(12, true),
    ]).toEqual([4294967295, Math.fround(0.1), -2, 1])
    expect([...new Float32Array(bytes.buffer, 16, 3)]).toEqual([1, 2, 3])
    expect([view.getUint16(28, true), view.getUint16(32, true), view.getUint16(34, true)]).toEqual([
      0x3e00, 0x3c00, 0xbc00,
    ])
  })

  it('[case-C27] packs arrays by the stride of the layout, and matrices by column', () => {
    const bytes = packer(
      [
        ['shape', 'array<u32, 3>', 0, 48],
        ['m', 'mat2x3f', 48, 32],
      ],
      80,
    ).pack({
      shape: [7, 8, 9],
      m: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    })
    expect([...new Uint32Array(bytes.buffer, 0, 12)].filter((x) => x > 0)).toEqual([7, 8, 9])
    expect(new Uint32Array(bytes.buffer)[4]).toBe(8)
    expect([...new Float32Array(bytes.buffer, 48, 8)]).toEqual([1, 2, 3, 0, 4, 5, 6, 0])
  })

  it.each<[string, unknown, string]>([
    ['u32', Number.NaN, 'is NaN, expected a whole number from 0 to 4294967295 (u32)'],
    ['f32', Number.NaN, 'is NaN, expected a number (f32)'],
    ['u32', 3n, 'is 3n, expected a number (u32)'],
    ['f32', ['1'], "is '1', expected a number (f32)"],
    ['vec2f', [1], 'has 1 number, expected 2 (vec2f)'],
    ['vec2f', [1, 2, 3], 'has 3 numbers, expected 2 (vec2f)'],
    ['bool', {}, 'is an object, expected a bool'],
    ['bool', new Error('no'), 'is an Error, expected a bool'],
    ['bool', new Uint8Array(1).buffer, 'is an ArrayBuffer, expected a bool'],
  ])('says of a %s what it is given and what it takes: %s', async (type, value, says) => {
    const e = await failure('bad-param', () => packer([['p', type, 0, 8]]).pack({ p: value }))
    expect(e.message).toBe(`bad-param: 'k': the param 'p' ${says}`)
  })

  it('[case-S26] refuses what the type cannot hold', async () => {
    const one = (type: string, value: unknown) => () => packer([['p', type, 0, 4]]).pack({ p: value })
    for (const bad of [2 ** 32, -1, Number.NaN, 1.5, Infinity, '3', null, true])
      await failure('bad-param', one('u32', bad))
    for (const bad of [2 ** 31, -(2 ** 31) - 1, 0.5]) await failure('bad-param', one('i32', bad))
    for (const bad of [Number.NaN, 1e39, '1']) await failure('bad-param', one('f32', bad))
    for (const bad of [65520, Number.NaN]) await failure('bad-param', one('f16', bad))
    for (const bad of [2, 'true']) await failure('bad-param', one('bool', bad))
    await failure('bad-param', one('vec2f', [1, 2, 3]))
    await failure('bad-param', one('vec2f', [1, Number.NaN]))
    const e = await failure('bad-param', one('u32', 2 ** 32))
    expect(e.message).toBe(
      "bad-param: 'k': the param 'p' is 4294967296, expected a whole number from 0 to 4294967295 (u32)",
    )
    expect((await failure('bad-param', one('u32', undefined))).message).toContain('is missing')
    for (const good of [0, 4294967295]) one('u32', good)()
    for (const good of [Infinity, -0, 1e-45]) one('f32', good)()
  })
})

it('converts binary16 as the compiler does', () => {
  const same = (x: number) => {
    expect(toHalf(x), String(x)).toBe(f16Bits(roundF16(x)))
    return true
  }
  const edges = [
    0,
    -0,
    1,
    65504,
    65519.99,
    65520,
    2 ** -14,
    2 ** -24,
    2 ** -25,
    1.5 * 2 ** -25,
    0.99999999,
    2 ** -14 - 2 ** -26,
    NaN,
  ]
  for (const x of [...edges, Infinity, -Infinity]) same(x)
  fc.assert(fc.property(fc.double({ min: -70000, max: 70000, noNaN: true }), same))
  fc.assert(fc.property(fc.double({ min: -1e-4, max: 1e-4, noNaN: true }), same))
  for (let bits = 0; bits < 65536; bits++) {
    if (!Object.is(fromHalf(bits), f16FromBits(bits))) expect(fromHalf(bits)).toBe(f16FromBits(bits))
  }
})
