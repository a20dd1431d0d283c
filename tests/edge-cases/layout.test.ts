import { compile } from '@weft/codegen'
import { bitcast, bool, ceilDiv, d, f32, fn, i32, inout, input, kernel, output, override, u32, uniform, type Builder, type Expr } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { describe, expect, it } from 'vitest'
import type { ParityCase } from '../parity/case.js'
import { f16s, f32s, u32s, unset } from '../parity/data.js'
import { paritySuite } from '../parity/harness.js'
import { onDevices, rejects } from './devices.js'
import { computes, loose, type Loose, refuses, trial, wgslOf } from './support.js'

/** Edge cases 53–73: types, memory layout and the interface to the host. */

const f = (values: readonly number[]) => new Float32Array(values)
const Vec3First = d.struct({ v: d.vec3f, s: d.f32 })
const Vec3Last = d.struct({ s: d.f32, v: d.vec3f })
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

const layouts: ParityCase[] = [
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
      calls.forEach(([name, v], n) => y.at(n).set(i[name]?.(v)))
      u.store(9)
      ;[u.load(), u.max(0xffffffff), u.load(), u32(0)].forEach((v, n) => y.at(8 + n).set(bitcast(i32, v)))
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

describe('types, layout and the host, edge cases 53–73', () => {
  it.each([['array<bool>', { x: input(d.arrayOf(d.bool as never)) }, {}], ['a struct with a bool', { x: input(d.struct({ a: d.bool as never })) }, {}], ['a bool uniform', { x: uniform(d.bool) }, {}], ['a bool param', {}, { params: { p: d.bool } }]] as const)('[edge-53 refuses] %s', (_, bindings, rest) => {
    refuses(() => compile(loose(bindings as never, rest)), 'not-host-shareable', /holds bool, which has no layout in memory[^]*use u32, with 0 and 1/)
  })
  it('[edge-54 emits] sizes and offsets that the host sees', () => {
    const { bindings, params } = compile(loose({ a: inout(Vec3First), b: inout(Vec3Last), c: input(d.arrayOf(d.vec3f)), e: input(d.vec3f) }, { params: { s: d.f32, v: d.vec3f, t: d.f32 } }))
    expect(bindings.map((b) => [b.minBindingSize, b.element?.stride])).toEqual([[16, undefined], [32, undefined], [16, 16], [12, undefined]])
    expect(params?.fields.map((p) => p.offset)).toEqual([0, 16, 28])
    expect(params?.size).toBe(32)
  })
  it.each([['array<f32, 4>', d.arrayOf(d.f32, 4)], ['array<vec2f, 3>', d.arrayOf(d.vec2f, 3)], ['a struct with one', d.struct({ n: d.u32, shape: d.arrayOf(d.u32, 4) })], ['a nested struct, then a scalar', d.struct({ a: d.struct({ x: d.f32 }), b: d.f32 })]] as const)('[edge-55 refuses] %s in a uniform buffer', (_, schema) => {
    refuses(() => compile(loose({ u: uniform(schema as never) })), 'not-host-shareable', /uniform buffers need a multiple of 16|without padding to 16 bytes/)
  })
  it('[edge-55 emits] what all engines agree on in a uniform buffer', () => {
    expect(wgslOf(loose({ u: uniform(d.struct({ a: d.arrayOf(d.vec4f, 2), m: d.mat4x4f, n: d.u32 })) }))).toContain('var<uniform> u')
  })
  it.each([
    ['not the last member', { x: input(d.struct({ a: d.arrayOf(d.f32) as never, b: d.f32 })) }], ['in a uniform', { x: uniform(d.arrayOf(d.vec4f)) }],
  ] as const)('[edge-56 refuses] a runtime-sized array %s', (_, bindings) => {
    refuses(() => compile(loose(bindings as never)), 'not-host-shareable', /must be the last member and in no other array|an array without a length must be in storage/)
  })
  it('[edge-56 refuses] a runtime-sized array in an array, by its schema', () => {
    expect(() => d.arrayOf(d.arrayOf(d.f32, 0), 4)).toThrow('Cannot nest runtime sized arrays')
  })
  it('[edge-56 refuses] a runtime-sized array as a variable or in workgroup memory', () => {
    refuses(() => compile(trial(({ k }) => void k.workgroup('t', d.arrayOf(d.f32)))), 'bad-type', "'t' is in workgroup memory, which cannot hold array<f32>")
    refuses(() => trial(({ k }) => k.var('t', d.arrayOf(d.f32))).ir(), 'bad-type', 'a variable cannot be of type array<f32>')
  })
  it('[edge-57 emits] lengths of sized arrays are constants', () => {
    expect(wgslOf(trial(({ k, out }) => out.at(0).set(k.workgroup('t', f32, 7).length)))).toMatch(/out\[0\] = 7u;/)
    expect(wgslOf(trial(({ k, out }) => out.at(0).set((out as never as { length: Expr<'u32'> }).length.add(k.localIndex))))).toContain('arrayLength(&out)')
  })
  it('[edge-58 refuses] structs without members and arrays without elements', () => {
    refuses(() => compile(loose({ x: inout(d.struct({})) })), 'not-host-shareable', 'which has no members')
    for (const n of [0, -1, 1.5]) refuses(() => trial(({ k }) => void k.workgroup('t', f32, n)).ir(), 'bad-type', `an array of ${n} elements`)
  })
  it('[edge-58 emits] without params there is no block in the layout', () => {
    const { params, variants } = compile(loose({ x: inout(d.arrayOf(d.f32)) }))
    expect(params).toBeNull()
    expect(variants.flatMap((v) => v.layouts.flatMap((l) => l.entries))).toHaveLength(1)
  })
  it('[edge-59 refuses] a wrong alignment or size, by the schema', () => {
    expect(() => d.align(3, d.f32)).toThrow('power of 2')
    expect(() => d.align(8, d.vec4f)).toThrow('multiple')
    expect(() => d.size(2, d.f32)).toThrow('cannot be smaller')
  })
  it('[edge-60 emits] outputs are read_write, inputs read, nothing else has an access mode', () => {
    const wgsl = wgslOf(loose({ x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)), z: inout(d.arrayOf(d.f32)), u: uniform(d.vec4f) }, {}, ({ x, y, z, u }, k) => {
      y.at(0).set(x.at(0).add(z.at(0)).add(u.x))
      ;k.workgroup('w', f32).set(1)
    }))
    expect([...wgsl.matchAll(/var<([^>]+)>/g)].map((m) => m[1]).sort()).toEqual(['storage, read', 'storage, read_write', 'storage, read_write', 'uniform', 'workgroup'])
  })
  it('[edge-61 refuses] reading, setting or adding to an atomic as if it were plain', () => {
    const cells = (body: (a: Loose, k: Builder) => void) => loose({ a: inout(d.arrayOf(d.atomic(d.u32))) }, {}, ({ a }, k) => body(a, k))
    refuses(() => cells((a, k) => k.let('v', a.at(0))).ir(), 'bad-type', /atomic<u32> cannot be read as a value[^]*\.load\(\)/)
    refuses(() => cells((a, k) => k.let('v', u32(a.at(0)))).ir(), 'bad-type', 'cannot be read as a value')
    for (const method of ['set', 'addAssign'] as const) expect(() => cells((a) => a.at(0)[method](1)).ir()).toThrow('is not a function')
    refuses(() => cells((a) => void a.at(0).add(1.5)).ir(), 'bad-literal', '1.5 is not a value of u32')
  })
  it('[edge-61 refuses] atomics of floats, in inputs, and in local variables', () => {
    expect(() => d.atomic(d.f32 as never)).not.toThrow()
    refuses(() => loose({ a: inout(d.atomic(d.f32 as never)) }).ir(), 'bad-type', /atomic of f32[^]*i32 or u32/)
    refuses(() => loose({ a: input(d.arrayOf(d.atomic(d.u32))) }, {}, ({ a }, k) => k.let('v', a.at(0).load())).ir(), 'binding-access', "'a' is an input: atomicLoad needs memory that can be written")
    refuses(() => compile(loose({ a: input(d.arrayOf(d.atomic(d.u32))) })), 'not-host-shareable', 'must be in storage that is read and written')
  })
  it('[edge-62 refuses] more workgroup memory than there is, each variable rounded up to 16 bytes', () => {
    const of = (...counts: number[]) => trial(({ k }) => counts.forEach((n, i) => k.workgroup(`t${i}`, f32, n).at(0).set(1)))
    expect(wgslOf(of(4096))).toContain('array<f32, 4096>')
    refuses(() => compile(of(4097)), 'workgroup-memory', /workgroup variables take 16400 bytes, more than 16384[^]*t0: 16400/)
    refuses(() => compile(of(4093, 1)), 'workgroup-memory', /16400 bytes[^]*t0: 16384, t1: 16/)
  })
  it('[edge-63 emits] blocks and bindings of f16 are padded to what WebGPU takes', () => {
    const { params, bindings } = compile(loose({ x: uniform(d.vec3h), y: input(d.f16) }, { params: { a: d.f16, b: d.f16, c: d.f16 } }))
    expect((params?.size ?? 1) % 4).toBe(0)
    expect(bindings.map((b) => b.minBindingSize % 4)).toEqual([0, 0])
  })
  it('[edge-64 emits] immediates only where they fit and may be, one variable of scalars and vectors', () => {
    const ids = (params: object) => compile(loose({ y: output(d.arrayOf(d.f32)) }, { params }, ({ y }) => y.at(0).set(0))).variants.map((v) => v.params?.via)
    expect(ids({ a: d.vec4f, b: d.mat3x3f })).toEqual(['immediates', 'uniform'])
    expect(ids({ a: d.mat4x4f, b: d.f32 })).toEqual(['uniform'])
    expect(ids({ a: d.arrayOf(d.f32, 2) })).toEqual(['uniform'])
    const [{ wgsl = '' } = {}] = compile(loose({}, { params: { a: d.f32 } })).variants
    expect((wgsl.match(/var<immediate>/g) ?? []).length).toBeLessThanOrEqual(1)
    expect(compile(loose({}, { params: { a: d.f32 } }), { profile: 'firefox' }).variants.map((v) => v.params?.via)).toEqual(['uniform'])
  })
  it('[edge-65 refuses] overrides as sizes of anything but the outermost workgroup array', () => {
    const of = (body: (k: Builder, n: never) => void) => loose({ x: input(d.arrayOf(d.f32)) }, { overrides: { n: override(u32, 4) } }, ({ n }, k) => body(k, n as never))
    refuses(() => compile(of((k, n) => void k.workgroup('t', f32, 4, n))), 'bad-type', 'only the outermost array is sized by an override')
    refuses(() => compile(of((k, n) => k.var('t', k.workgroup('w', f32, n)))), 'bad-type', 'cannot be')
    refuses(() => override(u32, -1), 'bad-literal', '-1 is not a value of u32')
    refuses(() => override(u32, 1, { id: 70000 }), 'bad-argument', '@id(70000) is not an integer from 0 to 65535')
    refuses(() => loose({}, { workgroupSize: ['m'] }).ir(), 'unknown-name', "override 'm', which is not declared")
  })
  it('[edge-65 emits] the profile for Safari bakes overrides, and needs their defaults', () => {
    const sized = layouts.find((c) => c.name.startsWith('[edge-65'))?.kernel as KernelSource
    expect(wgslOf(sized, { profile: 'safari' })).not.toContain('override')
    expect(wgslOf(sized, { profile: 'safari' })).toMatch(/@workgroup_size\(4u?\)/)
    refuses(() => compile(loose({}, { overrides: { n: override(u32) }, workgroupSize: ['n'] }), { profile: 'safari' }), 'profile-unsupported', "override 'n' has no default")
  })
  it('[edge-66 policy] values of overrides are checked before any pipeline is made', async () => {
    const source = kernel('over', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) }, overrides: { u: override(u32, 3), f: override(f32) }, guards: 'off' }, ({ y, u, f: g }) => y.at(0).set(f32(u).add(g)))
    const compiled = compile(source)
    await onDevices(async (runtime) => {
      const y = runtime.buffer(Float32Array, 1)
      const run = (overrides: object) => runtime.run(compiled, { y } as never, { workgroups: 1, overrides } as never)
      await run({ u: 2, f: 0.5 })
      expect([...(await y.read())]).toEqual([2.5])
      for (const u of [Number.NaN, 1.5, -1, 2 ** 32]) await rejects('bad-override', `'u'`, () => run({ u, f: 1 }))
      for (const g of [Number.NaN, 1e39]) await rejects('bad-override', `'f'`, () => run({ f: g }))
      await rejects('bad-override', "no override 'v'", () => run({ f: 1, v: 2 }))
      await rejects('bad-override', 'has no default and is missing', () => run({}))
      expect([...(await y.read())]).toEqual([2.5])
    })
  })
  it('[edge-68 emits] the layout has the access of each binding, in every variant', () => {
    const { variants } = compile(loose({ x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)), z: inout(d.arrayOf(d.f32)), u: uniform(d.vec4f) }, { params: { n: d.u32 }, aliases: [['x', 'y']] }, ({ x, y }) => y.at(0).set(x.at(0))))
    for (const v of variants) {
      for (const [, group, binding, space, name] of v.wgsl.matchAll(/@group\((\d+)\) @binding\((\d+)\) var<([^>]+)> (\w+)/g)) {
        const entry = v.layouts[Number(group)]?.entries.find((e) => e.binding === Number(binding))
        expect(entry?.buffer?.type, `${v.id} ${name}`).toBe(space === 'uniform' ? 'uniform' : space === 'storage, read' ? 'read-only-storage' : 'storage')
      }
    }
    expect(variants.length).toBeGreaterThan(2)
  })
  it('[edge-69 emits] [edge-69 policy] the smallest size of a binding stands in its layout, and is asked for', async () => {
    const compiled = compile(loose({ s: inout(d.struct({ a: d.vec4f, b: d.arrayOf(d.f32, 60) })), x: input(d.arrayOf(d.vec4f)) }, {}, ({ s }) => s.a.set(1)))
    expect(compiled.variants[0]?.layouts[0]?.entries.map((e) => e.buffer?.minBindingSize)).toEqual([256, 16])
    await onDevices(async (runtime) => {
      const x = runtime.buffer(Float32Array, 4)
      await rejects('binding-size', /has 16 bytes, expected at least 256/, () => runtime.run(compiled, { s: runtime.buffer(Float32Array, 4), x } as never, { workgroups: 1 }))
    })
  })
  it('[edge-70 emits] one kernel has one entry point, and no two of its bindings share a slot', () => {
    const { variants } = compile(loose(Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`b${i}`, input(d.arrayOf(d.f32))])), { params: { n: d.u32 } }))
    for (const v of variants) {
      const slots = [...v.slots.map((s) => `${s.group}/${s.binding}`), ...(v.params?.via === 'uniform' ? [`${v.params.group}/${v.params.binding}`] : [])]
      expect(new Set(slots).size).toBe(slots.length)
      expect(v.wgsl.match(/@compute/g)).toHaveLength(1)
    }
  })
})

const copy = kernel('copy', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, aliases: [['x', 'y']], workgroups: ({ n }) => [ceilDiv(n, 64)] }, ({ x, y, n }, k) => {
  const i = k.globalIndex
  k.if(i.lt(n), () => y.at(i).set(x.at(i).add(1)))
})
const inPlace = kernel('two', { workgroupSize: [1], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, workgroups: () => [1] }, ({ x, y }, k) => k.if(x.length.gt(0).and(y.length.gt(0)), () => y.at(0).set(x.at(0))))

describe('buffers, edge cases 71–73', () => {
  it('[edge-71 policy] empty buffers, sizes and offsets', () => onDevices(async (runtime) => {
    const compiled = compile(copy)
    const empty = runtime.buffer(new Float32Array(0))
    await runtime.run(compiled, { x: empty, y: empty, n: 0 } as never)
    await runtime.run(compile(inPlace), { x: empty, y: runtime.buffer(Float32Array, 1) } as never)
    const big = runtime.buffer(Float32Array, 256)
    const y = runtime.buffer(Float32Array, 4)
    await rejects('binding-size', /starts at byte 4, expected a multiple of (256|\d+)/, () => runtime.run(compiled, { x: big.range(4, 16), y, n: 4 } as never))
    await rejects('binding-size', /expected a multiple of 4/, () => runtime.run(compiled, { x: big.range(256, 6), y, n: 1 } as never))
    await runtime.run(compiled, { x: big.range(256, 16), y, n: 4 } as never)
    expect([...(await y.read())]).toEqual([1, 1, 1, 1])
  }))
  it('[edge-72 policy] one buffer, read and written: only in the declared way', () => onDevices(async (runtime) => {
    const [a, b] = [compile(copy), compile(inPlace)]
    const whole = runtime.buffer(Float32Array.from({ length: 128 }, (_, i) => i))
    await rejects('binding-overlap', 'parts of one buffer, one read and one written', () => runtime.run(a, { x: whole.range(0, 256), y: whole.range(256, 256), n: 4 } as never))
    await rejects('binding-overlap', /overlap in one buffer[^]*aliases/, () => runtime.run(b, { x: whole, y: whole } as never))
    await runtime.run(a, { x: whole, y: whole, n: 128 } as never)
    expect([...(await whole.read())].slice(0, 3)).toEqual([1, 2, 3])
    await runtime.idle()
  }))
  it('[edge-73 policy] writes of any length, at any byte', () => onDevices(async (runtime) => {
    const bytes = runtime.buffer(Uint8Array.from({ length: 11 }, (_, i) => i))
    bytes.write(Uint8Array.of(100, 101, 102), 3)
    bytes.write(Uint8Array.of(200), 10)
    expect([...(await bytes.read())]).toEqual([0, 1, 2, 100, 101, 102, 6, 7, 8, 9, 200])
    expect(() => bytes.write([1, 2] as never)).toThrow('buffer-data')
    expect(() => bytes.write(new Uint8Array(12))).toThrow('do not fit')
  }))
})

await paritySuite('layout', layouts)
