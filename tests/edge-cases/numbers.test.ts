import { bitcast, f16, f32, fn, i32, u32 } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { paritySuite } from '../parity/harness.js'
import { computes, faultIn, half, refuses, textOf, trial, wgslOf } from './support.js'

/** Edge cases 1–14: literals. */

const MIN = -(2 ** 31)
const FLT_MAX = 3.4028234663852886e38

const literals = [
  computes('[edge-01 emits] the least i32, as a literal, in arithmetic and negated', i32, [MIN, MIN, MIN + 1, MIN, 0], ({ i32: i }) => [i32(MIN), i32(MIN).add(i(0)), i32(MIN).add(1), i32(MIN).neg(), i32(MIN).mul(2)], { inputs: { i32: [0] } }),
  computes('[edge-03 emits] u32 from 2³¹ on', u32, [0x80000000, 0xffffffff, 0xfffffffe, 0x7fffffff], ({ u32: u }) => [u32(0x80000000), u32(0xffffffff), u32(0xffffffff).add(u(0)), u32(0xffffffff).shr(u(1))], { inputs: { u32: [0xffffffff, 1] } }),
  computes('[edge-03 emits] bits of i32 above the sign, by bitcast and by conversion', i32, [-1, -1, MIN], () => [bitcast(i32, u32(0xffffffff)), i32(u32(4294967295)), bitcast(i32, u32(0x80000000))]),
  computes('[edge-04 emits] negative numbers as u32, by conversion at run time and by 0 − x', u32, [0xffffffff, 0xfffffffb, 0xffffffff], ({ i32: i, u32: u }) => [u32(i(0)), u32(0).sub(u(0)), u32(i32(-1))], { inputs: { i32: [-1], u32: [5] } }),
  computes('[edge-05 emits] the greatest f32, its neighbours and values that only round to f32', f32, [FLT_MAX, -FLT_MAX, FLT_MAX, Math.fround(0.1), Math.fround(1 / 3), 16777216, 1.1754943508222875e-38], ({ f32: x }) => [f32(FLT_MAX), f32(-FLT_MAX), f32(3.4028235e38), f32(0.1), f32(1 / 3).add(x(0)), f32(16777217), f32(1.1754943508222875e-38)], { inputs: { f32: [0] } }),
  computes('[edge-07 emits] the greatest f16 and values that only round to f16', f16, [65504, half(0.1), half(1 / 3), 65504, 2048], ({ f16: h }) => [f16(65504), f16(0.1), f16(1 / 3).add(h(0)), f16(65519), f16(2049)], { inputs: { f16: [0] } }),
  computes('[edge-08 emits] ∞ and NaN as constants', u32, [0x7f800000, 0xff800000, 0x7f800000, 1], ({ f32: x }) => [bitcast(u32, f32(Infinity)), bitcast(u32, f32(-Infinity)), bitcast(u32, f32(Infinity).mul(x(0))), fn.select(u32(0), 1, bitcast(u32, f32(Number.NaN)).bitAnd(0x7fffffff).gt(0x7f800000))], { inputs: { f32: [2] } }),
  // WGSL lets devices ignore the sign of a zero, and they do beside another one (-0f * x is 0): a literal alone keeps it
  computes('[edge-09 emits] the sign of zero', f32, [-0, -0], ({ f32: x }) => [f32(-0), x(0)], { inputs: { f32: [-0] }, not: { dawn: 'SwiftShader stores the literal -0.0f as 0, which WGSL allows' } }),
  computes('[edge-09 emits] the bits of zero', u32, [0x80000000, 0], () => [bitcast(u32, f32(-0)), bitcast(u32, f32(0))]),
  computes('[edge-10 emits] floats with integer values divide as floats', f32, [0.5, 0.5, Math.fround(0.2), 2.5], ({ f32: x }) => [f32(1).div(2), f32`1 / 2 * 1.0 + ${x(0)} / 2`, f32(1).div(5), f32`5 / ${x(1)}`], { inputs: { f32: [1, 2] } }),
  computes('[edge-11 emits] numbers that JavaScript prints with an exponent', f32, [Math.fround(1e21), Math.fround(1e-7), Math.fround(1.5e-10), -Math.fround(2e30)], ({ f32: x }) => [f32(1e21).mul(x(0)), f32(1e-7).mul(x(0)), f32(1.5e-10).mul(x(0)), f32(-2e30).mul(x(0))], { inputs: { f32: [1] } }),
  computes('[edge-14 emits] constants wrap, whatever their width', i32, [MIN, -2, 0x7fffffff, 0], ({ i32: i }) => [i32(0x7fffffff).add(1), i32(0x7fffffff).add(0x7fffffff), i32(MIN).sub(1), i32(0x10000).mul(0x10000).add(i(0))], { inputs: { i32: [0] } }),
]

describe('numbers and literals, edge cases 1–14', () => {
  it('[edge-01 emits] the least i32 is never written as a negated literal out of range', () => {
    expect(textOf(i32, () => [i32(MIN)])).not.toMatch(/-2147483648i/)
  })
  it.each([[1.5, 'i32'], [2 ** 31, 'i32'], [-(2 ** 31) - 1, 'i32'], [-1, 'u32'], [2 ** 32, 'u32'], [0.5, 'u32'], [Number.NaN, 'i32'], [Infinity, 'u32']] as const)('[edge-02 refuses] %d is no %s', (value, type) => {
    const token = type === 'i32' ? i32 : u32
    refuses(() => trial(({ k }) => k.let('a', token(value))).ir(), 'bad-literal', `${value} is not a value of ${type}`)
    refuses(() => trial(({ i, u, k }) => k.let('a', type === 'i32' ? i.add(value) : u.add(value))).ir(), 'bad-literal', `${value} is not a value of ${type}`)
    refuses(() => trial(({ i, u, k }) => k.let('a', type === 'i32' ? i32`${i} + ${value}` : u32`${u} + ${value}`)).ir(), 'bad-literal', `${value} is not a value of ${type}`)
  })
  it('[edge-02 refuses] undefined, null, strings and bools as numbers', () => {
    for (const value of [undefined, null, '1', {}]) refuses(() => trial(({ u, k }) => k.let('a', u.add(value as never))).ir(), 'no-overload', /add\(u32, /)
    refuses(() => trial(({ u, k }) => k.let('a', u.add(true as never))).ir(), 'type-mismatch', 'a value must be u32, and is true')
  })
  it('[edge-04 refuses] a negative constant as u32, and unary minus of a u32', () => {
    refuses(() => trial(({ k }) => k.let('a', u32(-1))).ir(), 'bad-literal', '-1 is not a value of u32')
    refuses(() => trial(({ u, k }) => k.let('a', u.neg())).ir(), 'no-overload', 'neg(u32) does not exist')
    refuses(() => trial(({ u, k }) => k.let('a', u32`-${u}`)).ir(), 'no-overload', 'neg(u32) does not exist')
  })
  it.each([1e39, -1e39, 3.5e38, Number.MAX_VALUE])('[edge-06 refuses] %d is beyond f32', (value) => {
    refuses(() => trial(({ x, k }) => k.let('a', x.mul(value))).ir(), 'bad-literal', `${value} is not a value of f32`)
    refuses(() => trial(({ k }) => k.let('a', f32(value))).ir(), 'bad-literal', 'for infinity write f32(Infinity)')
  })
  it('[edge-06 refuses] only from the middle between the greatest f32 and its successor on', () => {
    expect(wgslOf(computes('edge', f32, [0], ({ f32: x }) => [x(0).mul(3.4028235677973362e38)], { inputs: { f32: [1] } }).kernel)).toContain('3.4028234663852886e38f')
    refuses(() => trial(({ k }) => k.let('a', f32(3.4028235677973366e38))).ir(), 'bad-literal', 'is not a value of f32')
  })
  it.each([65520, 70000, -65520])('[edge-07 refuses] %d is beyond f16', (value) => {
    refuses(() => trial(({ x, k }) => k.let('a', f16(x).mul(value))).ir(), 'bad-literal', `${value} is not a value of f16`)
  })
  it('[edge-07 emits] f16 asks for the feature, and nothing else does', () => {
    const halves = wgslOf(computes('h', f16, [0], () => [f16(1)]).kernel)
    expect(halves.startsWith('enable f16;')).toBe(true)
    expect(textOf(f32, () => [f32(1)])).not.toContain('enable')
    expect(faultIn(() => wgslOf(computes('h', f16, [0], () => [f16(1)]).kernel, { profile: 'baseline' })).code).toBe('profile-unsupported')
  })
  it('[edge-08 emits] ∞ and NaN are no constant expressions', () => {
    const wgsl = textOf(f32, ({ f32: x }) => [x(0).mul(Infinity), x(0).add(Number.NaN)])
    expect(wgsl.replace(/\/\/.*/g, '')).not.toMatch(/Infinity|NaN|\binf\b|0\s*\/\s*0|(const|let) \w+ = bitcast/)
    expect(wgsl).toMatch(/7f800000|2139095040/)
  })
  it('[edge-09 emits] minus zero is written with its sign', () => {
    expect(textOf(f32, () => [f32(-0)])).toMatch(/= -0(\.0)?f?;/)
    expect(textOf(f32, ({ f32: x }) => [x(0).add(0), x(0).add(-0)])).toMatch(/\+ 0\.0f[\s\S]*= in_f32\w*(\[0\])?;/)
  })
  it('[edge-10 emits] float literals have a suffix, integers theirs', () => {
    const wgsl = textOf(f32, ({ f32: x, i32: i, u32: u }) => [x(0).add(5), f32(i(0).add(5)), f32(u(0).add(7))])
    expect(wgsl).toMatch(/\+ 5(\.0)?f\b|\+ 5\.0\b/)
    expect(wgsl).toMatch(/\+ 5i\b/)
    expect(wgsl).toMatch(/\+ 7u\b/)
  })
  it('[edge-11 emits] integers never have an exponent or a leading zero', () => {
    const wgsl = textOf(u32, ({ u32: u }) => [u(0).add(4e9), u(0).mul(1e9), u(0).bitXor(0o17)])
    expect(wgsl).toContain('4000000000u')
    expect(wgsl).toContain('1000000000u')
    expect(wgsl).not.toMatch(/\b0\d|\de\+?\d+u/)
  })
  it('[edge-13 emits] every literal reads back as exactly the number it stands for', () => {
    const values = [0.1, 1 / 3, 1e-10, 123456.789, FLT_MAX, 1.1754943508222875e-38, 5e-45, 0.5, 1e10, 9.999999e-5, 16777216, 2 ** -149]
    for (const value of values.map(Math.fround)) {
      const wgsl = wgslOf(computes('x', f32, [0], ({ f32: x }) => [x(0).mul(value)], { inputs: { f32: [1] } }).kernel)
      const found = /\* (-?(?:0x[0-9a-f.]+p[+-]?\d+|[\d.]+(?:e[+-]?\d+)?))f?\b/.exec(wgsl)?.[1]
      expect(found, wgsl).toBeDefined()
      expect(Math.fround(Number(found)), `${value} in ${wgsl}`).toBe(value)
      // no nearer to a neighbour than a compiler may round
      expect(Number(found)).toBeLessThanOrEqual(FLT_MAX)
    }
  })
})

await paritySuite('edges: literals', literals)
