import { bitcast, d, f16, f32, fn, func, i32, inout, kernel, output, u32, vec2f, vec2h, vec3f, vec4f, type Builder, type Expr } from '@weft/dsl'
import { describe, it } from 'vitest'
import { computes, refuses, trial } from '../edge-cases/support.js'
import type { ParityCase } from '../parity/case.js'
import { f32s, unset } from '../parity/data.js'
import { paritySuite } from '../parity/harness.js'

/** Faults of values: signs, precedence, NaN and ∞, constants, copies. */

const MIN = -(2 ** 31)
const bits = (x: Expr<'f32'>): Expr<'u32'> => bitcast(u32, x)
const nanOf = (x: Expr<'f32'>): Expr<'u32'> => fn.select(u32(0), 1, bits(x).bitAnd(0x7fffffff).gt(0x7f800000))


/** Wang's hash and two of its kind: every operator beside every other. */
const hash = (x: number): number => {
  let a = x >>> 0
  a = ((a ^ 61) ^ (a >>> 16)) >>> 0
  a = (a + (a << 3)) >>> 0
  a = (a ^ (a >>> 4)) >>> 0
  a = Math.imul(a, 0x27d4eb2d) >>> 0
  return (((a ^ (a >>> 15)) | ((a & 0xff) << 8)) + (x ^ (x << 5))) >>> 0
}
const hashed = (x: Expr<'u32'>): Expr<'u32'> => {
  let a = x.bitXor(61).bitXor(x.shr(16))
  a = a.add(a.shl(3))
  a = a.bitXor(a.shr(4))
  a = a.mul(0x27d4eb2d)
  return a.bitXor(a.shr(15)).bitOr(a.bitAnd(0xff).shl(8)).add(x.bitXor(x.shl(5)))
}
const templated = (x: Expr<'u32'>): Expr<'u32'> => {
  const a = u32`(${x} ^ 61) ^ (${x} >> 16)`
  const b = u32`${a} + (${a} << 3)`
  const c = u32`(${b} ^ (${b} >> 4)) * 668265261`
  return u32`((${c} ^ (${c} >> 15)) | ((${c} & 255) << 8)) + (${x} ^ (${x} << 5))`
}
const SEEDS = [0, 1, 2, 0xdeadbeef, 0xffffffff, 12345]

const changed = func('changed(v)', [vec3f], (v, k: Builder) => {
  const w = k.var('w', v)
  w.x.set(100)
  w.z.addAssign(w.x)
  return w
})

const S = d.struct({ a: d.vec2f, b: d.arrayOf(d.f32, 3) })

const cases: ParityCase[] = [
  computes('[case-C08] minus a negative constant, twice minus, and minus zero', f32, [Math.fround(1.95), 1, 3, -1, 1, 1.5], ({ f32: x }) => [x(0).sub(-0.95), x(0).neg().neg(), x(0).sub(x(1).neg()), x(0).neg(), x(0).add(-0), f32`${x(0)} - -0.5`], { inputs: { f32: [1, 2] } }),
  computes('[case-C08] the same of i32, with its least value', i32, [3, 1, -1, MIN, MIN, 0], ({ i32: i }) => [i(0).sub(-2), i(0).neg().neg(), i(0).neg(), i32(MIN).add(i(1)), i32(MIN).neg().sub(i(1)), i32(MIN).sub(i32(MIN)).sub(i(1))], { inputs: { i32: [1, 0] } }),
  computes('[case-C08] the same of f16 and of vectors', vec2f, [3, 4, -1, -2, 1, 2], ({ f32: x }) => [vec2f(x(0), x(1)).sub(-2), vec2f(x(0), x(1)).neg(), vec2f(x(0), x(1)).neg().neg()], { inputs: { f32: [1, 2] } }),
  computes('[case-C08] the bits of zeros', u32, [0x80000000, 0, 0x80000000], ({ u32: u }) => [bits(f32(-0)), bits(f32(0)), bits(f32(0)).bitOr(u(0))], { inputs: { u32: [0x80000000] } }),
  computes('[case-C10] a hash of + ^ << >> | & and *', u32, SEEDS.map(hash), ({ u32: u }) => SEEDS.map((_, i) => hashed(u(i))), { inputs: { u32: SEEDS } }),
  computes('[case-C10] the same as a template', u32, SEEDS.map(hash), ({ u32: u }) => SEEDS.map((_, i) => templated(u(i))), { inputs: { u32: SEEDS } }),
  computes('[case-C10] the same of constants and of i32', i32, [(7 ^ 2) | (1 << 3), ((5 + 3) ^ 6) & ~1, (-8 >> 1) ^ (3 & 6), -1], ({ i32: i }) => [i32(7).bitXor(2).bitOr(i32(1).shl(3)), i(0).add(3).bitXor(6).bitAnd(i32(1).bitNot()), i(1).shr(1).bitXor(i32(3).bitAnd(6)), i(1).shr(31)], { inputs: { i32: [5, -8] } }),
  computes('[case-C16] NaN and ±∞ as constants', u32, [1, 0x7f800000, 0xff800000, 0x7f800000, 1], ({ k, f32: x }) => {
    const table = k.var('v', f32(Infinity))
    return [nanOf(f32(Number.NaN)), bits(f32(Infinity)), bits(f32(-Infinity)), bits(fn.max(table, x(0))), nanOf(fn.select(x(0), f32(Number.NaN), x(0).gt(0)))]
  }, { inputs: { f32: [1] } }),
  {
    name: '[case-C16] NaN and ±∞ stored as they are', workgroups: [1], bindings: { y: unset(3) }, expect: { y: new Float32Array([Infinity, -Infinity, Number.NaN]) },
    kernel: kernel('store', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) }, guards: 'off' }, ({ y }) => [Infinity, -Infinity, Number.NaN].forEach((v, i) => { y.at(i).set(v) })),
  },
  computes('[case-C16] the same in vectors, and of f16', u32, [0x7f800000, 0xff800000, 0xfc007c00], ({ f16: h }) => [bits(vec4f(1, Infinity, 2, -Infinity).y), bits(vec4f(1, Infinity, 2, -Infinity).w), bitcast(u32, vec2h(f16(Infinity).mul(h(0)), f16(-Infinity)))], { inputs: { f16: [2] } }),
  computes('[case-C18] arithmetic with ∞ is done at run time', u32, [0x7f800000, 0xff800000, 0xff800000, 0x7f800000, 1, 0], ({ f32: x }) => {
    const mask = fn.select(f32(-Infinity), f32(0), x(0).lt(0))
    const most = [x(0), x(1), mask].reduce((a, b) => fn.max(a, b), f32(-Infinity))
    return [bits(x(1).mul(Infinity)), bits(x(1).mul(f32(-Infinity))), bits(x(1).add(mask)), bits(f32(Infinity).sub(x(1))), nanOf(f32(Infinity).sub(x(2))), bits(most.sub(x(1)))]
  }, { inputs: { f32: [1, 2, Infinity] } }),
  computes('[case-C19] constants that overflow wrap', u32, [0xffffffff, 0xfffffffe, 2654435761, 0, 2654435761 * 2 - 2 ** 32], () => [u32(1).sub(2), u32(0xffffffff).mul(2), u32(2654435761), u32(0x80000000).mul(2), u32(2654435761).shl(1)]),
  computes('[case-C19] the same of i32', i32, [MIN, 0x7fffffff, -2, 0, MIN], () => [i32(0x7fffffff).add(1), i32(MIN).sub(1), i32(0x7fffffff).mul(2), i32(0x10000).mul(0x10000), i32(1).shl(31)]),
  computes('[case-C22] literals beside values of run time have their type', u32, [8, 0xfffffffb, 1, 0, 13], ({ u32: u }) => [u32(1).shl(u(0)), u32`0 - ${u(1)}`, fn.select(u32(0), 1, u(0).gt(1)), fn.select(u32(0), 1, u(0).gt(9)), u32`5 + ${u(0)} + ${u(1)}`], { inputs: { u32: [3, 5] } }),
  computes('[case-C22] the same of i32 and f32', f32, [-3, 16, 0.5, 1.5], ({ f32: x, i32: i }) => [f32(i32`0 - ${i(0)}`), f32(i32(2).shl(u32(i(0)))), f32`1 / ${x(0)}`, f32`3 * 1 / ${x(0)}`], { inputs: { f32: [2], i32: [3] } }),
  computes('[case-C23] a copy of a vector is a copy', vec3f, [1, 2, 3, 9, 2, 3, 100, 2, 103, 1, 2, 3], ({ k, f32: x }) => {
    const a = k.var('a', vec3f(x(0), 2, 3))
    const b = k.var('b', a)
    b.x.set(9)
    const c = k.let('c', a)
    const f = changed(a)
    a.y.addAssign(0)
    return [a, b, f, c]
  }, { inputs: { f32: [1] } }),
  {
    name: '[case-C23] copies of structs, of arrays, and out of memory', workgroups: [1], bindings: { s: f32s(1, 2, 3, 4, 5, 0), y: unset(6) }, expect: { s: f32s(7, 2, 3, 4, 8, 0), y: f32s(1, 5, 1, 3, 20, 5) },
    kernel: kernel('copies', { workgroupSize: [1], bindings: { s: inout(S), y: output(d.arrayOf(d.f32)) }, guards: 'off' }, ({ s, y }, k) => {
      const whole = k.var('whole', S)
      whole.set(s)
      const list = k.var('list', d.arrayOf(d.f32, 3))
      list.set(s.b)
      s.a.x.set(7)
      s.b.at(2).set(8)
      const other = k.var('other', S)
      other.set(whole)
      other.b.at(1).set(20)
      ;[whole.a.x, whole.b.at(2), other.a.x, list.at(0), other.b.at(1), list.at(2)].forEach((v, i) => { y.at(i).set(v) })
    }),
  },
]

describe('faults of values', () => {
  it('[case-C22] a literal whose partner gives it no type is refused', () => {
    refuses(() => trial(({ k, u }) => k.let('a', u32`1 << ${u}`)).ir(), 'no-overload', 'shl(1, u32) does not exist', 'tests/cases/')
  })
})

await paritySuite('faults: values', cases)
