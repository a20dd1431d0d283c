import { bitcast, bool, d, f32, fn, i32, inout, input, kernel, output, override, u32, type Expr } from '@weft/dsl'
import type { ParityCase } from '../parity/case.js'
import { f16s, f32s, u32s, unset } from '../parity/data.js'
import { computes, loose, type Loose } from './support.js'

/** Kernels for the edge cases 53–67 that are met by what is emitted. */

const f = (values: readonly number[]) => new Float32Array(values)
export const Vec3First = d.struct({ v: d.vec3f, s: d.f32 })
export const Vec3Last = d.struct({ s: d.f32, v: d.vec3f })
const Padded = d.struct({ a: d.f32, b: d.align(16, d.f32), c: d.size(16, d.f32), e: d.f32 })

/** Adds one to every scalar of s, lane by lane, so that offsets must be those of the host. */
const bumped = (name: string, schema: unknown, before: Float32Array, after: Float32Array, body: (s: Loose) => void): ParityCase => ({
  name, kernel: loose({ s: inout(schema) }, {}, ({ s }) => body(s)), bindings: { s: before }, workgroups: [1], expect: { s: after },
})

const half = (bits: Uint16Array, words: number): Uint8Array => {
  const bytes = new Uint8Array(words * 4)
  bytes.set(new Uint8Array(bits.buffer))
  return bytes
}

export const layouts: readonly ParityCase[] = [
  computes('[edge-53 emits] bools in workgroup and private memory, and as u32 in storage', bool, [1, 0, 1], ({ k, u32: u }) => {
    const flags = k.workgroup('flags', bool, 4)
    const flag = k.private('flag', bool)
    flags.at(1).set(u(0).ne(0))
    flag.set(flags.at(0))
    return [flags.at(1), flag, fn.select(flag, flags.at(1), u(0).gt(6))]
  }, { inputs: { u32: [7] } }),
  bumped('[edge-54 emits] vec3f, then f32: the scalar lies in the padding', Vec3First, f([1, 2, 3, 4]), f([2, 3, 4, 5]), (s) => { for (const lane of [s.v.x, s.v.y, s.v.z, s.s]) lane.addAssign(1) }),
  bumped('[edge-54 emits] f32, then vec3f: 32 bytes', Vec3Last, f([1, 0, 0, 0, 2, 3, 4, 0]), f([2, 0, 0, 0, 3, 4, 5, 0]), (s) => { s.s.addAssign(1); s.v.addAssign(1) }),
  {
    name: '[edge-54 emits] array<vec3f> has a stride of 16', workgroups: [1], bindings: { x: f([1, 2, 3, 0, 4, 5, 6, 0]), y: unset(8) },
    kernel: loose({ x: input(d.arrayOf(d.vec3f)), y: output(d.arrayOf(d.f32)) }, {}, ({ x, y }) => { for (let i = 0; i < 2; i++) for (let j = 0; j < 3; j++) y.at(3 * i + j).set(x.at(i).at(j)); for (const i of [6, 7]) y.at(i).set(0) }),
    expect: { y: f([1, 2, 3, 4, 5, 6, 0, 0]) },
  },
  {
    name: '[edge-54 emits] vec3h: 6 bytes in 8', workgroups: [1], bindings: { x: half(f16s(1, 2, 3, 0, 4, 5, 6, 0), 4), y: half(f16s(0, 0, 0, 0), 2) },
    kernel: loose({ x: input(d.arrayOf(d.vec3h)), y: output(d.arrayOf(d.vec3h)) }, {}, ({ x, y }) => y.at(0).set(x.at(0).add(x.at(1)))),
    expect: { y: half(f16s(5, 7, 9, 0), 2) },
  },
  {
    name: '[edge-55 emits] arrays of small elements as params', workgroups: [1], params: { shape: [2, 3, 4, 5], pairs: [1, 2, 3, 4, 5, 6], scale: 10 }, bindings: { y: unset(5) },
    kernel: loose({ y: output(d.arrayOf(d.f32)) }, { params: { shape: d.arrayOf(d.u32, 4), pairs: d.arrayOf(d.vec2f, 3), scale: d.f32 } }, ({ y, shape, pairs, scale }) => {
      for (let i = 0; i < 4; i++) y.at(i).set(f32(shape.at(i)).mul(scale as never))
      y.at(4).set(pairs.at(2).y.add(pairs.at(0).x))
    }),
    expect: { y: f([20, 30, 40, 50, 7]) },
  },
  {
    name: '[edge-57 emits] the length is what fits, rounded down', workgroups: [1], bindings: { x: new Uint8Array(28), y: unset(3) },
    kernel: loose({ x: input(d.arrayOf(d.vec2f)), y: output(d.arrayOf(d.u32)) }, {}, ({ x, y }) => {
      y.at(0).set(x.length)
      y.at(1).set(y.length)
      y.at(2).set(0)
    }),
    expect: { y: u32s(3, 3, 0) },
  },
  bumped('[edge-59 emits] alignment and size by attributes', Padded, f([1, 0, 0, 0, 2, 3, 0, 0, 0, 4, 0, 0]), f([2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 0, 0]), (s) => { for (const key of ['a', 'b', 'c', 'e'] as const) s[key].addAssign(1) }),
  {
    name: '[edge-61 emits] f32 added atomically by compare and exchange', workgroups: [4], bindings: { x: f(Array.from({ length: 64 }, (_, i) => i)), sum: u32s(0) },
    kernel: kernel('atomic_sum', { workgroupSize: [16], bindings: { x: input(d.arrayOf(d.f32)), sum: inout(d.atomic(d.u32)) } }, ({ x, sum }, k) => {
      const value = k.let('value', x.at(k.globalId.x))
      const old = k.var('old', sum.load())
      k.loop(() => {
        const { old: seen, exchanged } = sum.compareExchangeWeak(old, bitcast(u32, bitcast(f32, old).add(value)))
        k.if(exchanged, () => k.break())
        old.set(seen)
      })
    }),
    expect: { sum: new Uint32Array(f([2016]).buffer) },
  },
  {
    name: '[edge-61 emits] every atomic operation on i32 and u32', workgroups: [1], bindings: { a: new Int32Array([5, -7]), b: u32s(5, 0xff), y: unset(12) },
    kernel: loose({ a: inout(d.arrayOf(d.atomic(d.i32))), b: inout(d.arrayOf(d.atomic(d.u32))), y: output(d.arrayOf(d.i32)) }, {}, ({ a, b, y }) => {
      const [i, u] = [a.at(1) as Loose & Record<string, (v: number) => unknown>, b.at(1)]
      const calls = [['add', 3], ['sub', 1], ['max', 2], ['min', -3], ['and', 6], ['or', 9], ['xor', 5], ['exchange', 4]] as const
      calls.forEach(([name, v], n) => { y.at(n).set(i[name]?.(v)) })
      u.store(9)
      ;[u.load(), u.max(0xffffffff), u.load(), u32(0)].forEach((v, n) => { y.at(8 + n).set(bitcast(i32, v)) })
    }),
    expect: { a: new Int32Array([5, 4]), b: u32s(5, 0xffffffff), y: new Int32Array([-7, -4, -5, 2, -3, 4, 13, 8, 9, 9, -1, 0]) },
  },
  computes('[edge-62 emits] workgroup memory is zero at the start', u32, [0, 0, 0], ({ k }) => {
    const S = d.struct({ a: d.f32, b: d.arrayOf(d.vec3f, 2) })
    return [k.workgroup('t', u32, 300).at(299), bitcast(u32, k.workgroup('s', S).b.at(1).z), k.workgroup('c', d.atomic(d.u32)).load()]
  }),
  {
    name: '[edge-63 emits] an odd number of f16 params', workgroups: [1], params: { a: 1.5, b: 2, c: 4 }, bindings: { y: unset(1) },
    kernel: loose({ y: output(d.arrayOf(d.f32)) }, { params: { a: d.f16, b: d.f16, c: d.f16 } }, ({ y, a, b, c }) => y.at(0).set(f32(a.add(b).mul(c)))),
    expect: { y: f([14]) },
  },
  {
    name: '[edge-64 emits] sixteen params: 64 bytes of immediates, and a uniform block', workgroups: [1], bindings: { y: unset(1) },
    params: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`p${i}`, i])),
    kernel: loose({ y: output(d.arrayOf(d.u32)) }, { params: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`p${i}`, d.u32])) }, (view) => {
      const ps = view as unknown as Record<string, Expr<'u32'>>
      view.y.at(0).set(Array.from({ length: 16 }, (_, i) => (ps[`p${i}`] as Expr<'u32'>).mul(i + 1)).reduce((a, b) => a.add(b)))
    }),
    expect: { y: u32s(Array.from({ length: 16 }, (_, i) => i * (i + 1)).reduce((a, b) => a + b)) },
  },
  {
    name: '[edge-65 emits] workgroup size and workgroup arrays by overrides', workgroups: [2], overrides: { width: 8, bias: 100 }, bindings: { y: unset(16) },
    kernel: kernel('sized', { workgroupSize: ['width'], bindings: { y: output(d.arrayOf(d.u32)) }, overrides: { width: override(u32, 4), bias: override(u32, 1) }, guards: 'off' }, ({ y, width, bias }, k) => {
      const tile = k.workgroup('tile', u32, width)
      tile.at(k.localIndex).set(k.localIndex.add(bias))
      k.workgroupBarrier()
      y.at(k.globalId.x).set(tile.at(width.sub(1).sub(k.localIndex)).add(tile.length.mul(1000)))
    }),
    expect: { y: u32s(...Array.from({ length: 16 }, (_, i) => 8000 + 100 + (7 - (i % 8)))) },
  },
  {
    name: '[edge-67 emits] bindings that nothing uses, or only their length', workgroups: [1], bindings: { a: f32s(1), b: f32s(1, 2, 3), c: f32s(9), y: unset(2) },
    kernel: loose({ a: input(d.arrayOf(d.f32)), b: input(d.arrayOf(d.f32)), c: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.u32)) }, {}, ({ b, c, y }) => {
      y.at(0).set(b.length)
      y.at(1).set(fn.select(u32(5), 7, bool(false).and(c.at(0).gt(0))))
    }),
    expect: { y: u32s(3, 5) },
  },
]
