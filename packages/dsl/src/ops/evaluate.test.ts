import { describe, expect, test } from 'vitest'
import type { ValueName } from '../types'
import { bitcast, construct, convert, element, evaluate, refusal, bitcastRefusal, convertRefusal, swizzle, type Value } from './evaluate'
import { PURE, type PureName } from './pure'

type Args = readonly (readonly [ValueName, ...number[]])[]
const values = (args: Args): Value[] => args.map(([type, ...lanes]) => ({ type, lanes }))
const f = Math.fround
const MIN = -2147483648

/** Hand-computed: op, result type, result lanes, arguments. */
const ROWS: readonly (readonly [PureName | 'product', ValueName, readonly number[], ...Args])[] = [
  ['neg', 'i32', [MIN], ['i32', MIN]],
  ['neg', 'f32', [-0], ['f32', 0]],
  ['not', 'vec2<bool>', [1, 0], ['vec2<bool>', 0, 1]],
  ['bitNot', 'u32', [4294967295], ['u32', 0]],
  ['bitNot', 'i32', [-1], ['i32', 0]],
  ['add', 'i32', [MIN], ['i32', 2147483647], ['i32', 1]],
  ['add', 'f32', [f(0.1 + f(0.2))], ['f32', f(0.1)], ['f32', f(0.2)]],
  ['add', 'f16', [Infinity], ['f16', 65504], ['f16', 16]],
  ['add', 'f16', [65504], ['f16', 65504], ['f16', 15]],
  ['add', 'mat2x2f', [2, 4, 6, 8], ['mat2x2f', 1, 2, 3, 4], ['mat2x2f', 1, 2, 3, 4]],
  ['sub', 'u32', [4294967295], ['u32', 0], ['u32', 1]],
  ['mul', 'u32', [1], ['u32', 4294967295], ['u32', 4294967295]],
  ['mul', 'i32', [-2], ['i32', 2147483647], ['i32', 2]],
  ['div', 'i32', [-2], ['i32', -7], ['i32', 3]],
  ['div', 'i32', [-7], ['i32', -7], ['i32', 0]],
  ['div', 'i32', [MIN], ['i32', MIN], ['i32', -1]],
  ['div', 'u32', [1431655765], ['u32', 4294967295], ['u32', 3]],
  ['div', 'f32', [f(1 / 3)], ['f32', 1], ['f32', 3]],
  ['rem', 'i32', [-1], ['i32', -7], ['i32', 3]],
  ['rem', 'i32', [0], ['i32', -6], ['i32', 3]],
  ['rem', 'i32', [0], ['i32', 5], ['i32', 0]],
  ['rem', 'f32', [-1.5], ['f32', -7.5], ['f32', 2]],
  ['bitAnd', 'u32', [0x80000000], ['u32', 0xf0000000], ['u32', 0x8fffffff]],
  ['bitOr', 'i32', [-1], ['i32', -2], ['i32', 1]],
  ['bitXor', 'u32', [0xffffffff], ['u32', 0xff00ff00], ['u32', 0x00ff00ff]],
  ['shl', 'i32', [MIN], ['i32', 1], ['u32', 31]],
  ['shl', 'u32', [2], ['u32', 1], ['u32', 33]],
  ['shr', 'i32', [-1], ['i32', MIN], ['u32', 31]],
  ['shr', 'u32', [1], ['u32', 0x80000000], ['u32', 31]],
  ['eq', 'bool', [1], ['f32', 0], ['f32', -0]],
  ['ne', 'bool', [1], ['f32', Number.NaN], ['f32', Number.NaN]],
  ['lt', 'bool', [1], ['u32', 1], ['u32', 0x80000000]],
  ['le', 'vec2<bool>', [1, 0], ['vec2i', 1, 2], ['vec2i', 1, 1]],
  ['gt', 'bool', [0], ['i32', -1], ['i32', 1]],
  ['ge', 'bool', [0], ['f32', Number.NaN], ['f32', 0]],
  ['and', 'bool', [0], ['bool', 1], ['bool', 0]],
  ['or', 'bool', [1], ['bool', 1], ['bool', 0]],
  ['boolAnd', 'vec2<bool>', [1, 0], ['vec2<bool>', 1, 1], ['vec2<bool>', 1, 0]],
  ['boolOr', 'bool', [1], ['bool', 0], ['bool', 1]],
  ['all', 'bool', [0], ['vec3<bool>', 1, 0, 1]],
  ['any', 'bool', [1], ['vec3<bool>', 0, 0, 1]],
  ['select', 'vec2f', [3, 4], ['vec2f', 1, 2], ['vec2f', 3, 4], ['bool', 1]],
  ['select', 'vec2f', [1, 4], ['vec2f', 1, 2], ['vec2f', 3, 4], ['vec2<bool>', 0, 1]],
  ['abs', 'i32', [MIN], ['i32', MIN]],
  ['sign', 'f32', [-1], ['f32', -3]],
  ['min', 'i32', [-1], ['i32', -1], ['i32', 1]],
  ['max', 'u32', [4294967295], ['u32', 4294967295], ['u32', 1]],
  ['clamp', 'i32', [3], ['i32', 9], ['i32', 1], ['i32', 3]],
  ['ceil', 'f32', [-0], ['f32', -0.5]],
  ['floor', 'f32', [-1], ['f32', -0.5]],
  ['round', 'vec4f', [2, 4, -2, -0], ['vec4f', 2.5, 3.5, -2.5, -0.5]],
  ['trunc', 'f32', [-2], ['f32', -2.7]],
  ['fract', 'f32', [0.75], ['f32', -0.25]],
  ['saturate', 'f32', [1], ['f32', 7]],
  ['step', 'f32', [1], ['f32', 2], ['f32', 2]],
  ['fma', 'f32', [7], ['f32', 2], ['f32', 3], ['f32', 1]],
  ['ldexp', 'f32', [12], ['f32', 3], ['i32', 2]],
  ['quantizeToF16', 'f32', [f(0.0999755859375)], ['f32', f(0.1)]],
  ['sqrt', 'f32', [f(Math.SQRT2)], ['f32', 2]],
  ['inverseSqrt', 'f32', [0.5], ['f32', 4]],
  ['exp', 'f32', [f(Math.E)], ['f32', 1]],
  ['exp2', 'f32', [8], ['f32', 3]],
  ['log', 'f32', [0], ['f32', 1]],
  ['log2', 'f32', [3], ['f32', 8]],
  ['pow', 'f32', [8], ['f32', 2], ['f32', 3]],
  ['sin', 'f32', [0], ['f32', 0]],
  ['cos', 'f32', [1], ['f32', 0]],
  ['tan', 'f32', [f(1.5574077246549023)], ['f32', 1]],
  ['asin', 'f32', [f(Math.PI / 2)], ['f32', 1]],
  ['acos', 'f32', [0], ['f32', 1]],
  ['atan', 'f32', [f(Math.PI / 4)], ['f32', 1]],
  ['atan2', 'f32', [f(Math.PI / 2)], ['f32', 1], ['f32', 0]],
  ['sinh', 'f32', [f(1.1752011936438014)], ['f32', 1]],
  ['cosh', 'f32', [1], ['f32', 0]],
  ['tanh', 'f32', [1], ['f32', 100]],
  ['asinh', 'f32', [f(0.881373587019543)], ['f32', 1]],
  ['acosh', 'f32', [0], ['f32', 1]],
  ['atanh', 'f32', [f(0.5493061443340549)], ['f32', 0.5]],
  ['degrees', 'f32', [180], ['f32', f(Math.PI)]],
  ['radians', 'f32', [f(Math.PI)], ['f32', 180]],
  ['mix', 'vec2f', [1.5, 3], ['vec2f', 1, 2], ['vec2f', 3, 6], ['f32', 0.25]],
  ['mix', 'vec2f', [1, 6], ['vec2f', 1, 2], ['vec2f', 3, 6], ['vec2f', 0, 1]],
  ['smoothstep', 'f32', [0.5], ['f32', 0], ['f32', 2], ['f32', 1]],
  ['smoothstep', 'f32', [0.84375], ['f32', 1], ['f32', 0], ['f32', 0.25]],
  ['frexpFract', 'f32', [0.75], ['f32', 1.5]],
  ['frexpExp', 'i32', [1], ['f32', 1.5]],
  ['frexpExp', 'i32', [-148], ['f32', 2 ** -149]],
  ['modfFract', 'f32', [-0.5], ['f32', -2.5]],
  ['modfWhole', 'f32', [-2], ['f32', -2.5]],
  ['dot', 'f32', [11], ['vec2f', 1, 2], ['vec2f', 3, 4]],
  ['dot', 'i32', [0], ['vec2i', 65536, 65536], ['vec2i', 65536, 65536]],
  ['dot', 'u32', [2], ['vec2u', 4294967295, 4294967295], ['vec2u', 4294967295, 4294967295]],
  ['cross', 'vec3f', [-3, 6, -3], ['vec3f', 1, 2, 3], ['vec3f', 4, 5, 6]],
  ['length', 'f32', [5], ['vec2f', 3, 4]],
  ['length', 'f32', [2], ['f32', -2]],
  ['distance', 'f32', [5], ['vec2f', 3, 4], ['vec2f', 0, 0]],
  ['normalize', 'vec2f', [f(0.6), f(0.8)], ['vec2f', 3, 4]],
  ['faceForward', 'vec2f', [-1, -2], ['vec2f', 1, 2], ['vec2f', 1, 0], ['vec2f', 1, 0]],
  ['reflect', 'vec2f', [1, 1], ['vec2f', 1, -1], ['vec2f', 0, 1]],
  ['refract', 'vec2f', [0, 0], ['vec2f', 1, 0], ['vec2f', 0, 1], ['f32', 2]],
  ['refract', 'vec2f', [0, -1], ['vec2f', 0, -1], ['vec2f', 0, 1], ['f32', 1]],
  ['transpose', 'mat3x2f', [1, 4, 2, 5, 3, 6], ['mat2x3f', 1, 2, 3, 4, 5, 6]],
  ['determinant', 'f32', [-2], ['mat2x2f', 1, 2, 3, 4]],
  ['determinant', 'f32', [-3], ['mat3x3f', 1, 4, 7, 2, 5, 8, 3, 6, 10]],
  ['countLeadingZeros', 'i32', [0], ['i32', -1]],
  ['countLeadingZeros', 'u32', [32], ['u32', 0]],
  ['countOneBits', 'i32', [32], ['i32', -1]],
  ['countTrailingZeros', 'u32', [31], ['u32', 0x80000000]],
  ['countTrailingZeros', 'u32', [32], ['u32', 0]],
  ['firstLeadingBit', 'vec4i', [-1, -1, 0, 30], ['vec4i', 0, -1, 1, MIN]],
  ['firstLeadingBit', 'vec2u', [4294967295, 31], ['vec2u', 0, 0xffffffff]],
  ['firstTrailingBit', 'vec2i', [-1, 31], ['vec2i', 0, MIN]],
  ['reverseBits', 'u32', [0x80000000], ['u32', 1]],
  ['extractBits', 'i32', [-1], ['i32', 0xf0], ['u32', 4], ['u32', 4]],
  ['extractBits', 'vec2u', [15, 0xffff], ['vec2u', 0xf0, 0xffff0], ['u32', 4], ['u32', 28]],
  ['insertBits', 'u32', [0xff5fffff], ['u32', 0xffffffff], ['u32', 5], ['u32', 20], ['u32', 4]],
  ['dot4I8Packed', 'i32', [-1 * 2 + 127], ['u32', 0x7f0000ff], ['u32', 0x01000002]],
  ['dot4U8Packed', 'u32', [255 * 255 * 4], ['u32', 0xffffffff], ['u32', 0xffffffff]],
  ['pack4xI8', 'u32', [0xff01fe02], ['vec4i', 2, -2, 257, -1]],
  ['pack4xU8', 'u32', [0x04030201], ['vec4u', 1, 2, 3, 260]],
  ['pack4xI8Clamp', 'u32', [0x7f8001ff], ['vec4i', -1, 1, -200, 200]],
  ['pack4xU8Clamp', 'u32', [0xffff0100], ['vec4u', 0, 1, 255, 4000000000]],
  ['unpack4xI8', 'vec4i', [-1, 1, -128, 127], ['u32', 0x7f8001ff]],
  ['unpack4xU8', 'vec4u', [255, 1, 128, 127], ['u32', 0x7f8001ff]],
  ['pack4x8snorm', 'u32', [0x00407f81], ['vec4f', -1, 1, 0.5, 0]],
  ['pack4x8unorm', 'u32', [0x0080ff00], ['vec4f', -1, 1, 0.5, 0]],
  ['pack2x16snorm', 'u32', [0x7fff8001], ['vec2f', -2, 2]],
  ['pack2x16unorm', 'u32', [0x8000ffff], ['vec2f', 1, 0.5]],
  ['pack2x16float', 'u32', [0xc0003c00], ['vec2f', 1, -2]],
  ['unpack4x8snorm', 'vec4f', [-1, 1, 0, f(-127 / 127)], ['u32', 0x81007f80]],
  ['unpack4x8unorm', 'vec4f', [1, 0, f(128 / 255), 0], ['u32', 0x008000ff]],
  ['unpack2x16snorm', 'vec2f', [-1, 1], ['u32', 0x7fff8000]],
  ['unpack2x16unorm', 'vec2f', [1, 0], ['u32', 0x0000ffff]],
  ['unpack2x16float', 'vec2f', [1, -2], ['u32', 0xc0003c00]],
  ['product', 'mat2x2f', [7, 10, 15, 22], ['mat2x2f', 1, 2, 3, 4], ['mat2x2f', 1, 2, 3, 4]],
  ['product', 'vec3f', [9, 12, 15], ['mat2x3f', 1, 2, 3, 4, 5, 6], ['vec2f', 1, 2]],
  ['product', 'vec2f', [14, 32], ['vec3f', 1, 2, 3], ['mat2x3f', 1, 2, 3, 4, 5, 6]],
  ['product', 'mat2x2h', [2, 4, 6, 8], ['f16', 2], ['mat2x2h', 1, 2, 3, 4]],
]

describe('evaluate', () => {
  test.each(ROWS.map((row) => [`${row[0]} ${JSON.stringify(row.slice(3))}`, row] as const))('%s', (_, [op, type, lanes, ...args]) => {
    expect(evaluate(op, type, values(args))).toEqual(lanes)
  })

  test('every row is tried', () => {
    const tried = new Set<string>(ROWS.map(([op]) => op))
    expect(Object.keys(PURE).filter((op) => !tried.has(op))).toEqual([])
  })
})

describe('conversions', () => {
  test('floats to integers drop the fraction and saturate', () => {
    expect(convert('vec4i', { type: 'vec4f', lanes: [-1.9, 1e10, -1e10, Number.NaN] })).toEqual([-1, 2147483520, MIN, 0])
    expect(convert('vec3u', { type: 'vec3f', lanes: [-1, 1e10, 3.9] })).toEqual([0, 4294967040, 3])
    expect(convert('i32', { type: 'f16', lanes: [-0.5] })).toEqual([0])
  })

  test('integers keep their bits, bools become 0 and 1', () => {
    expect(convert('u32', { type: 'i32', lanes: [-1] })).toEqual([4294967295])
    expect(convert('f32', { type: 'u32', lanes: [16777217] })).toEqual([16777216])
    expect(convert('f16', { type: 'f32', lanes: [f(0.1)] })).toEqual([0.0999755859375])
    expect(convert('vec2<bool>', { type: 'vec2f', lanes: [Number.NaN, -0] })).toEqual([1, 0])
    expect(convert('f32', { type: 'bool', lanes: [1] })).toEqual([1])
  })

  test('bitcast', () => {
    expect(bitcast('u32', { type: 'f32', lanes: [-1] })).toEqual([0xbf800000])
    expect(bitcast('u32', { type: 'vec2h', lanes: [1, -2] })).toEqual([0xc0003c00])
    expect(bitcast('vec4h', { type: 'vec2u', lanes: [0xc0003c00, 0x7c00] })).toEqual([1, -2, Infinity, 0])
    expect(bitcast('vec2i', { type: 'vec2u', lanes: [0xffffffff, 1] })).toEqual([-1, 1])
  })

  test('parts', () => {
    expect(construct('vec3f', [])).toEqual([0, 0, 0])
    expect(construct('vec3f', [{ type: 'f32', lanes: [2] }])).toEqual([2, 2, 2])
    expect(construct('vec3f', [{ type: 'vec2f', lanes: [1, 2] }, { type: 'f32', lanes: [3] }])).toEqual([1, 2, 3])
    expect(swizzle({ type: 'vec3f', lanes: [1, 2, 3] }, [2, 0])).toEqual([3, 1])
    expect(element({ type: 'mat2x3f', lanes: [1, 2, 3, 4, 5, 6] }, 1)).toEqual([4, 5, 6])
    expect(element({ type: 'vec2f', lanes: [1, 2] }, 2)).toBeNull()
  })
})

describe('refusal', () => {
  const x = null
  const cases: readonly (readonly [PureName | 'product', ValueName, string | null, ...(readonly [ValueName, ...number[]] | { not: ValueName })[]])[] = [
    ['div', 'u32', 'the divisor is 0', { not: 'u32' }, ['u32', 0]],
    ['div', 'f32', null, { not: 'f32' }, ['f32', 0]],
    ['div', 'f32', 'the divisor is 0', ['f32', 1], ['f32', 0]],
    ['div', 'i32', 'the quotient exceeds the greatest i32', ['i32', MIN], ['i32', -1]],
    ['rem', 'i32', 'the quotient exceeds the greatest i32', ['i32', MIN], ['i32', -1]],
    ['div', 'vec2u', 'the divisor is 0', { not: 'vec2u' }, ['vec2u', 1, 0]],
    ['shl', 'vec2u', 'the shift amount is 32 or more', { not: 'vec2u' }, ['vec2u', 1, 40]],
    ['shl', 'i32', null, ['i32', 1], ['u32', 31]],
    ['add', 'i32', null, ['i32', 2147483647], ['i32', 1]],
    ['mul', 'f32', 'the result exceeds the range of f32', ['f32', 1e38], ['f32', 10]],
    ['mul', 'f32', null, ['f32', Infinity], ['f32', 10]],
    ['add', 'f16', 'the result exceeds the range of f16', ['f16', 65504], ['f16', 8]],
    ['exp', 'f32', 'the result exceeds the range of f32', ['f32', 100]],
    ['sqrt', 'f32', 'the argument is negative', ['f32', -1]],
    ['log', 'f32', 'the argument is not positive', ['f32', 0]],
    ['pow', 'f32', null, ['f32', -1], { not: 'f32' }],
    ['pow', 'f32', 'the base is negative, or 0 with an exponent that is not positive', ['f32', 0], ['f32', 0]],
    ['clamp', 'f32', 'the lower bound exceeds the upper', { not: 'f32' }, ['f32', 2], ['f32', 1]],
    ['clamp', 'i32', null, ['i32', 1], { not: 'i32' }, ['i32', -1]],
    ['smoothstep', 'f32', 'both edges are equal', ['f32', 1], ['f32', 1], { not: 'f32' }],
    ['extractBits', 'u32', 'offset + count exceeds 32', { not: 'u32' }, ['u32', 20], ['u32', 20]],
    ['insertBits', 'u32', 'offset + count exceeds 32', { not: 'u32' }, ['u32', 1], ['u32', 20], ['u32', 20]],
    ['ldexp', 'f32', 'the exponent exceeds 128', { not: 'f32' }, ['i32', 129]],
    ['ldexp', 'f16', 'the exponent exceeds 16', ['f16', 2 ** -14], ['i32', 17]],
    ['quantizeToF16', 'f32', 'a value is beyond the range of f16', ['f32', 65510]],
    ['normalize', 'vec2f', 'the result is not a number', ['vec2f', 0, 0]],
    ['length', 'f32', 'the result exceeds the range of f32', ['vec2f', 3e38, 3e38]],
    ['mix', 'f32', 'the result exceeds the range of f32', ['f32', f(3e38)], ['f32', f(3e38)], ['f32', 2]],
    ['unpack2x16float', 'vec2f', 'the result exceeds the range of f32', ['u32', 0x7c00]],
    ['product', 'mat2x2f', 'the result exceeds the range of f32', ['mat2x2f', 3e38, 0, 0, 0], ['mat2x2f', 3e38, 0, 0, 0]],
    ['atan2', 'f32', null, ['f32', 0], ['f32', 0]],
  ]
  test.each(cases.map((c) => [JSON.stringify(c), c] as const))('%s', (_, [op, type, says, ...args]) => {
    const types = args.map((a) => ('not' in a ? a.not : a[0]))
    const given = args.map((a) => ('not' in a ? x : { type: a[0], lanes: a.slice(1) as number[] }))
    expect(refusal(op, type, given, types)).toBe(says)
  })

  test('conversions and bitcasts', () => {
    expect(convertRefusal('f16', { type: 'u32', lanes: [70000] })).toBe('the value exceeds the range of f16')
    expect(convertRefusal('i32', { type: 'f32', lanes: [1e20] })).toBeNull()
    expect(bitcastRefusal('f32', { type: 'u32', lanes: [0x7f800000] })).toBe('the bits are those of NaN or ∞')
    expect(bitcastRefusal('u32', { type: 'f32', lanes: [1] })).toBeNull()
  })
})
