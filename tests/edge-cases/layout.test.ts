import { compile } from '@weft/codegen'
import { d, f32, inout, input, kernel, output, override, u32, uniform, type Builder, type Expr } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { describe, expect, it } from 'vitest'
import { paritySuite } from '../parity/harness.js'
import { onDevices, rejects } from './devices.js'
import { layouts, Vec3First, Vec3Last } from './layout-cases.js'
import { loose, refuses, trial, wgslOf, type Loose } from './support.js'

/** Edge cases 53–70: types, memory layout and the interface to the host. */

describe('types, layout and the host, edge cases 53–73', () => {
  it.each([['array<bool>', { x: input(d.arrayOf(d.bool as never)) }, {}], ['a struct with a bool', { x: input(d.struct({ a: d.bool as never })) }, {}], ['a bool uniform', { x: uniform(d.bool) }, {}], ['a bool param', {}, { params: { p: d.bool } }]] as const)('[edge-53 refuses] %s', (_, bindings, rest) => {
    refuses(() => compile(loose(bindings as never, rest)), 'not-host-shareable', /holds bool, which has no layout in memory[\s\S]*use u32, with 0 and 1/)
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
    refuses(() => cells((a, k) => k.let('v', a.at(0))).ir(), 'bad-type', /atomic<u32> cannot be read as a value[\s\S]*\.load\(\)/)
    refuses(() => cells((a, k) => k.let('v', u32(a.at(0)))).ir(), 'bad-type', 'cannot be read as a value')
    refuses(() => cells((a) => a.at(0).set(1)).ir(), 'bad-type', /atomic<u32> cannot be set as a value[\s\S]*\.store\(/)
    refuses(() => cells((a) => a.at(0).addAssign(1)).ir(), 'no-overload', 'add(atomic<u32>, 1) does not exist')
    refuses(() => cells((a) => void a.at(0).add(1.5)).ir(), 'bad-literal', '1.5 is not a value of u32')
  })
  it('[edge-61 refuses] atomics of floats, in inputs, and in local variables', () => {
    expect(() => d.atomic(d.f32 as never)).not.toThrow()
    refuses(() => loose({ a: inout(d.atomic(d.f32 as never)) }).ir(), 'bad-type', /atomic of f32[\s\S]*i32 or u32/)
    refuses(() => loose({ a: input(d.arrayOf(d.atomic(d.u32))) }, {}, ({ a }, k) => k.let('v', a.at(0).load())).ir(), 'binding-access', "'a' is an input: atomicLoad needs memory that can be written")
    refuses(() => compile(loose({ a: input(d.arrayOf(d.atomic(d.u32))) })), 'not-host-shareable', 'must be in storage that is read and written')
  })
  it('[edge-62 refuses] more workgroup memory than there is, each variable rounded up to 16 bytes', () => {
    const of = (...counts: number[]) => trial(({ k }) => counts.forEach((n, i) => { k.workgroup(`t${i}`, f32, n).at(0).set(1) }))
    expect(wgslOf(of(4096))).toContain('array<f32, 4096>')
    refuses(() => compile(of(4097)), 'workgroup-memory', /workgroup variables take 16400 bytes \(t0: 16400\), more than 16384/)
    refuses(() => compile(of(4093, 1)), 'workgroup-memory', /16400 bytes[\s\S]*t0: 16384, t1: 16/)
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

await paritySuite('edges: layout', layouts)
