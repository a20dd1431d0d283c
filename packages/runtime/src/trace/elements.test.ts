import type { CompiledBinding } from '@weft/codegen'
import { describe, expect, it } from 'vitest'
import { compare, near, type Tolerance } from './elements'

const array = (type: string, stride: number): CompiledBinding => ({
  name: 'x',
  kind: 'storage',
  access: 'write',
  type: `array<${type}>`,
  element: { type, stride },
  minBindingSize: stride,
  writes: 'full',
})

const bytes = (array: ArrayBufferView) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
const f32s = (a: readonly number[], b: readonly number[], tolerance: Tolerance = {}) =>
  compare(array('f32', 4), bytes(new Float32Array(a)), bytes(new Float32Array(b)), tolerance)

describe('near', () => {
  it('is within the absolute and the relative tolerance together', () => {
    expect(near(100, 101, { rel: 0.01 })).toBe(true)
    expect(near(100, 101.01, { rel: 0.01 })).toBe(false)
    expect(near(100, 101.01, { rel: 0.01, abs: 0.02 })).toBe(true)
    expect(near(0, 1e-9, { rel: 1 })).toBe(false)
    expect(near(-1, 1, { abs: 2 })).toBe(true)
  })

  it('takes NaN for NaN only, infinities for themselves only, and −0 for 0', () => {
    const wide = { abs: 1e300, rel: 1e300 }
    expect(near(NaN, NaN, {})).toBe(true)
    for (const other of [0, 1, Infinity]) {
      expect(near(NaN, other, wide)).toBe(false)
      expect(near(other, NaN, wide)).toBe(false)
    }
    expect(near(Infinity, Infinity, {})).toBe(true)
    expect(near(Infinity, -Infinity, wide)).toBe(false)
    expect(near(Infinity, 1e38, wide)).toBe(false)
    expect(near(1e38, Infinity, wide)).toBe(false)
    expect(near(0, -0, {})).toBe(true)
  })
})

describe('compare', () => {
  it('finds the first value that differs, and how many do', () => {
    expect(f32s([1, 2, 3, 4], [1, 5, 3, 6])).toEqual({
      first: { index: 1, lane: null, type: 'f32', expected: 2, got: 5 },
      differing: 2,
      count: 4,
    })
    expect(f32s([1, 2], [1, 2])).toEqual({ first: null, differing: 0, count: 2 })
  })

  it('tells −0 from 0 and NaNs apart only when it is to be exact', () => {
    const nan = new Uint32Array([0x7fc00001, 0])
    const other = new Uint32Array([0xffc00002, 0x80000000])
    expect(compare(array('f32', 4), bytes(nan), bytes(other), {}).differing).toBe(0)
    expect(compare(array('f32', 4), bytes(nan), bytes(other), { exact: true }).differing).toBe(2)
    expect(f32s([1], [1.5], { exact: true, abs: 1 }).differing).toBe(0)
  })

  it('has no tolerance for integers', () => {
    const [a, b] = [bytes(new Int32Array([-1, 5])), bytes(new Int32Array([-1, 6]))]
    const { first } = compare(array('i32', 4), a, b, { abs: 10 })
    expect(first).toEqual({ index: 1, lane: null, type: 'i32', expected: 5, got: 6 })
    expect(compare(array('atomic<u32>', 4), a, b, { abs: 10 }).first?.type).toBe('u32')
  })

  it('looks at lanes, not at padding', () => {
    const a = new Float32Array([1, 2, 3, 99, 4, 5, 6, 99])
    const b = new Float32Array([1, 2, 3, 0, 4, 5, 7, 0])
    expect(compare(array('vec3f', 16), bytes(a), bytes(b), {})).toEqual({
      first: { index: 1, lane: 2, type: 'f32', expected: 6, got: 7 },
      differing: 1,
      count: 6,
    })
  })

  it('reads halves, an odd number of them too', () => {
    const [a, b] = [new Uint16Array([0x3c00, 0x4000, 0x4200]), new Uint16Array([0x3c00, 0x4000, 0x4201])]
    const { first, count } = compare(array('f16', 2), bytes(a), bytes(b), {})
    expect([first?.index, first?.expected, count]).toEqual([2, 3, 3])
    expect(compare(array('f16', 2), bytes(a), bytes(b), { rel: 1e-2 }).first).toBe(null)
  })

  it('takes a single value, and words where it knows no better', () => {
    const single = { ...array('f32', 4), type: 'vec4f', element: null }
    const [a, b] = [bytes(new Float32Array([1, 2, 3, 4])), bytes(new Float32Array([1, 2, 3, 5]))]
    expect(compare(single, a, b, {}).first).toMatchObject({ index: 0, lane: 3, expected: 4, got: 5 })
    expect(compare(array('Particle', 8), a, b, { abs: 10 }).first).toMatchObject({ index: 3, lane: null, type: 'u32' })
  })
})
