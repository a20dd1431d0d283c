import { bitcast, bool, f16, f32, fn, i32, u32, vec2f, vec2h, vec2i, vec2u, vec3f, vec4h } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { paritySuite } from '../parity/harness.js'
import { computes, decides, half, refuses, textOf, trial } from './support.js'
import { compile } from '@weft/codegen'

/** Edge cases 15–28: arithmetic, conversions, constants. */

const MIN = -(2 ** 31)
const ulps = (ulp: number, because: string) => ({ kind: 'ulp', ulp, because }) as const

const arithmetic = [
  computes('[edge-12 emits] subnormal literals are accepted, and are themselves or 0', u32, [1, 1, 1], ({ f32: x, yes }) => {
    const kept = (value: number, bits: number) => {
      const got = bitcast(u32, fn.select(x(0), f32(value), yes))
      return fn.select(u32(0), 1, got.eq(bits).or(got.eq(0)))
    }
    return [kept(1e-45, 1), kept(5.877471754111438e-39, 0x400000), kept(1e-60, 0)]
  }, { inputs: { f32: [1] } }),
  computes('[edge-15 emits] constant i32 and u32 arithmetic wraps', i32, [MIN, 0x7fffffff, -2, 1], () => [i32(0x7fffffff).add(1), i32(MIN).sub(1), i32(0x7fffffff).mul(2), i32(0x7fffffff).mul(0x7fffffff)]),
  computes('[edge-15 emits] constant u32 arithmetic wraps', u32, [0xffffffff, 0xfffffffe, 0x80000000], () => [u32(1).sub(2), u32(0xffffffff).mul(2), u32(0x7fffffff).add(1)]),
  computes('[edge-16 emits] i32 division at run time', i32, [7, 0, MIN, 0, -1, 1, -2, -3], ({ i32: i }) => [i(0).div(i(1)), i(0).rem(i(1)), i(2).div(i(3)), i(2).rem(i(3)), i(4).rem(i(5)), i(0).rem(i(5)), i(4).div(i(5)), i(4).div(i(6))], { inputs: { i32: [7, 0, MIN, -1, -7, 3, 2] } }),
  computes('[edge-16 emits] u32 division at run time', u32, [7, 0, 0x7fffffff, 1], ({ u32: u }) => [u(0).div(u(1)), u(0).rem(u(1)), u(2).div(u(3)), u(2).rem(u(3))], { inputs: { u32: [7, 0, 0xffffffff, 2] } }),
  computes('[edge-16 emits] vectors divide lane by lane', vec2i, [7, MIN, 0, 0], ({ i32: i }) => [vec2i(i(0), i(1)).div(vec2i(i(2), i(3))), vec2i(i(0), i(1)).rem(vec2i(i(2), i(3)))], { inputs: { i32: [7, MIN, 0, -1] } }),
  computes('[edge-17 emits] shift amounts at run time count modulo 32', u32, [1, 2, 0x80000000, 1, 0], ({ u32: u }) => [u(0).shl(u(1)), u(0).shl(u(2)), u(0).shl(u(3)), u32(0x80000000).shr(u(3)), u(0).shr(u(3))], { inputs: { u32: [1, 32, 33, 31] } }),
  computes('[edge-17 emits] i32 shifts into and out of the sign', i32, [MIN, -1, MIN, -2], ({ i32: i, u32: u }) => [i32(1).shl(31), i32(MIN).shr(31), i(0).shl(u(0)), i32(0x7fffffff).shl(1)], { inputs: { i32: [1], u32: [31] } }),
  computes('[edge-18 emits] a vector is shifted by a scalar', vec2u, [4, 8, 1, 2, 2, 8], ({ u32: u }) => [vec2u(1, 2).shl(u(0)), vec2u(u(1), 8).shr(2), vec2u(1, 2).shl(vec2u(1, u(0)))], { inputs: { u32: [2, 4] } }),
  computes('[edge-19 emits] f32 to i32 saturates and truncates', i32, [2147483520, MIN, 1, -1, 0], ({ f32: x }) => [i32(x(0)), i32(x(1)), i32(x(2)), i32(x(3)), i32(x(4))], { inputs: { f32: [1e20, -1e20, 1.99, -1.99, -0.5] } }),
  computes('[edge-19 emits] f32 to u32 saturates and truncates', u32, [4294967040, 0, 3, 0], ({ f32: x }) => [u32(x(0)), u32(x(1)), u32(x(2)), u32(x(3))], { inputs: { f32: [1e20, -5, 3.99, -0.5] } }),
  computes('[edge-19 emits] the same of constants', i32, [2147483520, MIN, 1], () => [i32(f32(1e20)), i32(f32(-1e20)), i32(f32(1.99))]),
  computes('[edge-20 emits] round: ties to even', f32, [0, 2, 2, -0, -2, -2, 3, 8388609], ({ f32: x }) => [0, 1, 2, 3, 4, 5, 6, 7].map((n) => fn.round(x(n))), { inputs: { f32: [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.51, 8388609] } }),
  computes('[edge-20 emits] round of constants', f32, [0, 2, 2, 4, -2], () => [fn.round(f32(0.5)), fn.round(f32(1.5)), fn.round(f32(2.5)), fn.round(f32(3.5)), fn.round(f32(-2.5))]),
  computes('[edge-21 emits] % of floats has the sign of the dividend', f32, [1, -1, 1, -1, 0.5], ({ f32: x }) => [x(0).rem(x(1)), x(2).rem(x(1)), x(0).rem(x(3)), x(2).rem(x(3)), x(4).rem(x(5))], { inputs: { f32: [7, 3, -7, -3, 5.5, 1] } }),
  computes('[edge-21 emits] a floored modulo is x − y · floor(x / y)', f32, [1, 2, -2, -1], ({ f32: x }) => [[0, 1], [2, 1], [0, 3], [2, 3]].map(([a, b]) => f32`${x(a as number)} - ${x(b as number)} * floor(${x(a as number)} / ${x(b as number)})`), { inputs: { f32: [7, 3, -7, -3] } }),
  decides('[edge-22 emits] NaN by its bits', [true, true, false, false, false], ({ f32: x }) => [0, 1, 2, 3, 4].map((n) => bitcast(u32, x(n)).bitAnd(0x7fffffff).gt(0x7f800000)), { inputs: { f32: [Number.NaN, -Number.NaN, Infinity, -0, 1] } }),
  decides('[edge-22 emits] min and max of a NaN give one of their operands', [true, true], ({ f32: x }) => [fn.min(x(0), x(1)), fn.max(x(0), x(1))].map((m) => bitcast(u32, m).eq(bitcast(u32, x(1))).or(bitcast(u32, m).bitAnd(0x7fffffff).gt(0x7f800000))), { inputs: { f32: [Number.NaN, 1] } }),
  computes('[edge-23 emits] tanh of large arguments is ±1', f32, [1, -1, 1, -1, 1], ({ f32: x }) => [0, 1, 2, 3, 4].map((n) => fn.tanh(x(n))), { inputs: { f32: [100, -100, 1000, -1e30, 45] }, tolerance: ulps(1, 'tanh(15) differs from 1 by less than half an ulp') }),
  computes('[edge-24 emits] integer powers of negative numbers', f32, [4, -8, 1, 0.25, 9, 16], ({ f32: x }) => [fn.pow(x(0), 2), fn.pow(x(0), 3), fn.pow(x(0), 0), fn.pow(x(0), -2), fn.pow(x(1), 2), fn.pow(x(0), 4)], { inputs: { f32: [-2, -3] } }),
  computes('[edge-25 emits] constants with a value that WGSL refuses to compute', f32, [2, 0.5, 8, 1, 1.5], ({ f32: x }) => [fn.ldexp(f32(1), 1), f32(1).div(2), fn.ldexp(f32(1), 3).mul(x(0)), fn.frexp(f32(4)).exp.type === 'i32' ? fn.quantizeToF16(f32(1)) : x(0), fn.modf(f32(1.5)).fract.add(fn.modf(f32(1.5)).whole)], { inputs: { f32: [1] } }),
  computes('[edge-25 emits] constants of functions that naga refuses in const', u32, [0x3c004000, 0x7f8100ff, 0x40490fdb], () => [fn.pack2x16float(vec2f(2, 1)), fn.pack4x8snorm(bitcastNorm()), bitcast(u32, f32(Math.fround(Math.PI)))]),
  computes('[edge-25 emits] an overflow at run time is ∞, or the greatest number', u32, [1, 1], ({ f32: x }) => [x(0).mul(10), fn.exp(x(1))].map((y) => fn.select(u32(0), 1, y.gt(3e38))), { inputs: { f32: [1e38, 100] } }),
  computes('[edge-26 emits] branches that are never taken are not emitted', u32, [5, 7], ({ k, u32: u, f32: x }) => {
    const sum = k.var('sum', u(0))
    k.if(bool(false), () => sum.set(u32(x(0).div(0))))
    k.if(bool(false).and(x(0).gt(0)), () => sum.set(9))
    const other = k.var('other', u(1))
    k.if(bool(true), () => other.set(7), () => other.set(u(0).rem(3)))
    return [sum, other]
  }, { inputs: { u32: [5, 6], f32: [1] } }),
  computes('[edge-27 emits] unrolled loops stay within arrays', u32, [6, 6], ({ k, u32: u }) => {
    const parts = k.var('parts', u32(0))
    const list = k.const('list', u32, [1, 2, 3])
    k.range('i', 0, 3, 1, (i) => parts.addAssign(list.at(i)), { unroll: true })
    const some = k.var('some', u32(0))
    k.range('i', 0, u(0), (i) => some.addAssign(list.at(i)))
    return [parts, some]
  }, { inputs: { u32: [3] } }),
  computes('[edge-28 emits] bits of two and four f16', u32, [0x40003c00, 0xc000b800, 0x3c000000], ({ f16: h }) => [bitcast(u32, vec2h(h(0), h(1))), bitcast(vec2u, vec4h(h(2), h(3), h(0), h(1))).x, bitcast(u32, vec2h(0, h(0)))], { inputs: { f16: [1, 2, -0.5, -2] } }),
  computes('[edge-28 emits] f16 from bits', f16, [1, 2, -0.5, half(-2)], ({ u32: u }) => [bitcast(vec2h, u(0)).x, bitcast(vec2h, u(0)).y, bitcast(vec4h, vec2u(u(0), u(1))).z, bitcast(vec4h, vec2u(u(0), u(1))).w], { inputs: { u32: [0x40003c00, 0xc000b800] } }),
]

function bitcastNorm() {
  return f32(1).type === 'f32' ? fn.unpack4x8snorm(u32(0x7f8100ff)) : fn.unpack4x8snorm(u32(0))
}

describe('arithmetic, edge cases 12–28', () => {
  it.each(['div', 'rem'] as const)('[edge-15 refuses] %s by the constant 0, of constants and of values', (op) => {
    refuses(() => compile(trial(({ i, k }) => k.let('a', i[op](0)))), 'const-domain', `'${op}' of these constants has no value: the divisor is 0`)
    refuses(() => compile(trial(({ u, k }) => k.let('a', u[op](0)))), 'const-domain', 'the divisor is 0')
    refuses(() => compile(trial(({ k }) => k.let('a', i32(MIN)[op](-1)))), 'const-domain', 'the quotient exceeds the greatest i32')
  })
  it('[edge-15 refuses] one zero among the lanes of a constant divisor', () => {
    refuses(() => compile(trial(({ u, k }) => k.let('a', vec2u(u).div(vec2u(1, 0))))), 'const-domain', 'the divisor is 0')
  })
  it('[edge-17 refuses] constant shift amounts from 32 on', () => {
    for (const amount of [32, 33, 0xffffffff]) refuses(() => compile(trial(({ u, k }) => k.let('a', u.shl(amount)))), 'const-domain', 'the shift amount is 32 or more')
    refuses(() => trial(({ i, k }) => k.let('a', i.shl(i as never))).ir(), 'no-overload', 'shl(i32, i32) does not exist')
    refuses(() => trial(({ u, k }) => k.let('a', u.shl(-1))).ir(), 'bad-literal', '-1 is not a value of u32')
  })
  it('[edge-18 emits] the amount is splatted in the text', () => {
    expect(textOf(vec2u, ({ u32: u }) => [vec2u(u(0)).shl(u(0))])).toMatch(/<< vec2u\(/)
  })
  it('[edge-22 refuses] x != x stays what it is: no law folds it', () => {
    expect(textOf(u32, ({ f32: x }) => [u32(x(0).ne(x(0)))])).toContain('!=')
  })
  it('[edge-23 emits] the argument of tanh is clamped in every profile', () => {
    for (const profile of ['any', 'baseline', 'chrome', 'firefox', 'safari'] as const) expect(textOf(f32, ({ f32: x }) => [fn.tanh(x(0))], { profile })).toMatch(/tanh\(clamp\(.*-15.*15/)
  })
  it('[edge-24 emits] no pow for constant integer exponents', () => {
    expect(textOf(f32, ({ f32: x }) => [fn.pow(x(0), 2), fn.pow(x(0), 3)])).not.toContain('pow(')
    expect(textOf(f32, ({ f32: x }) => [fn.pow(x(0), 2.5)])).toContain('pow(')
  })
  it.each([
    ['sqrt(-1)', () => fn.sqrt(f32(-1)), 'the argument is negative'],
    ['log(0)', () => fn.log(f32(0)), 'the argument is not positive'],
    ['log2(-1)', () => fn.log2(f32(-1)), 'the argument is not positive'],
    ['acos(2)', () => fn.acos(f32(2)), 'the argument is outside −1…1'],
    ['asin(-2)', () => fn.asin(f32(-2)), 'the argument is outside −1…1'],
    ['acosh(0.5)', () => fn.acosh(f32(0.5)), 'the argument is less than 1'],
    ['atanh(1)', () => fn.atanh(f32(1)), 'the argument is not between −1 and 1'],
    ['inverseSqrt(0)', () => fn.inverseSqrt(f32(0)), 'the argument is not positive'],
    ['pow(0, 0)', () => fn.pow(f32(0), 0), 'the base is negative, or 0 with an exponent that is not positive'],
    ['pow(-2, 2)', () => fn.pow(f32(-2), 2), 'the base is negative'],
    ['exp(100)', () => fn.exp(f32(100)), 'the result exceeds the range of f32'],
    ['1e38 * 10', () => f32(1e38).mul(10), 'the result exceeds the range of f32'],
    ['1 / 0', () => f32(1).div(0), 'the divisor is 0'],
    ['normalize(0)', () => fn.normalize(vec3f(0)), 'the result is not a number'],
    ['clamp(x, 2, 1)', () => fn.clamp(f32(0), 2, 1), 'the lower bound exceeds the upper'],
    ['smoothstep(1, 1, x)', () => fn.smoothstep(f32(1), 1, 0), 'both edges are equal'],
    ['extractBits(x, 30, 4)', () => fn.extractBits(u32(1), 30, 4), 'offset + count exceeds 32'],
    ['insertBits(x, y, 1, 32)', () => fn.insertBits(u32(1), 2, 1, 32), 'offset + count exceeds 32'],
    ['ldexp(1, 129)', () => fn.ldexp(f32(1), 129), 'the exponent exceeds 128'],
    ['quantizeToF16(1e5)', () => fn.quantizeToF16(f32(1e5)), 'a value is beyond the range of f16'],
    ['pack2x16float(1e5, 0)', () => fn.pack2x16float(vec2f(1e5, 0)), 'a value is beyond the range of f16'],
    ['bitcast to NaN', () => bitcast(f32, u32(0x7fc00000)), 'the bitcast to f32 of these constants has no value'],
  ] as const)('[edge-25 refuses] the constant %s', (_, value, says) => {
    refuses(() => compile(trial(({ k }) => k.let('a', value() as never))), 'const-domain', says)
  })
  it.each([
    ['clamp(x, 2, 1)', (x: Parameters<typeof fn.sqrt<'f32'>>[0]) => fn.clamp(x as never, f32(2), 1), 'the lower bound exceeds the upper'],
    ['smoothstep(1, 1, x)', (x: never) => fn.smoothstep(f32(1), 1, x), 'both edges are equal'],
    ['ldexp(x, 129)', (x: never) => fn.ldexp(x, i32(129) as never), 'the exponent exceeds 128'],
  ] as const)('[edge-25 refuses] %s, where x is not constant', (_, value, says) => {
    refuses(() => compile(trial(({ x, k }) => k.let('a', value(x as never) as never))), 'const-domain', says)
  })
  it('[edge-26 refuses] a constant fault in a branch that is never taken, as WGSL does', () => {
    refuses(() => compile(trial(({ k, i }) => k.if(bool(false), () => void k.let('a', i.div(0))))), 'const-domain', 'the divisor is 0')
  })
  it('[edge-26 emits] dead branches leave no text', () => {
    const wgsl = textOf(u32, ({ k, u32: u }) => {
      const sum = k.var('sum', u(0))
      k.if(bool(false), () => sum.set(4711))
      k.if(bool(true), () => sum.set(1), () => sum.set(4712))
      return [sum]
    })
    expect(wgsl).not.toMatch(/471[12]|\bif\b/)
  })
  it.each([-1, 3, 1.5, Number.NaN])('[edge-27 refuses] the constant index %d into three elements', (index) => {
    refuses(() => trial(({ k }) => k.let('a', k.const('list', u32, [1, 2, 3]).at(index))).ir(), 'bad-index', `${index} is not an index of`)
    refuses(() => trial(({ k }) => k.workgroup('tile', f32, 3).at(index).set(1)).ir(), 'bad-index', `${index} is not an index of`)
  })
  it('[edge-27 refuses] indices out of range that only constants show, also through unrolling', () => {
    refuses(() => compile(trial(({ k }) => k.let('a', k.const('list', u32, [1, 2, 3]).at(u32(1).add(2))))), 'bad-index', 'index 3 is out of range')
    refuses(() => compile(trial(({ k }) => {
      const list = k.const('list', u32, [1, 2, 3])
      const sum = k.var('sum', u32(0))
      k.range('i', 0, 4, 1, (i) => sum.addAssign(list.at(i)), { unroll: true })
    })), 'bad-index', 'index 3 is out of range')
  })
  it('[edge-28 emits] outside of chrome no bitcast meets an f16 vector', () => {
    const of = (profile: 'any' | 'chrome' | 'firefox') => textOf(u32, ({ f32: x }) => [bitcast(u32, vec2h(f16(x(0)), 1))], { profile })
    expect(of('chrome')).toContain('bitcast<u32>')
    expect(of('any')).toContain('pack2x16float')
    expect(of('firefox')).toContain('pack2x16float')
  })
})
await paritySuite('edges: arithmetic', arithmetic)
