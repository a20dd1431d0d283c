import { compile } from '@weft/codegen'
import { ceilDiv, d, f32, inout, input, kernel, output, uniform } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { onDevices, rejects } from '../edge-cases/devices.js'
import type { ParityCase } from '../parity/case.js'
import { f32s, unset } from '../parity/data.js'
import { paritySuite } from '../parity/harness.js'

/** Faults of memory layout and of buffers. */

const First = d.struct({ v: d.vec3f, s: d.f32 })
const Last = d.struct({ s: d.f32, v: d.vec3f })

const cases: ParityCase[] = [
  {
    name: '[case-C27] arrays of small elements among the params', workgroups: [1], params: { weights: [1, 2, 3, 4], pairs: [1, 2, 3, 4, 5, 6], shape: [2, 3, 5], n: 7 }, bindings: { y: unset(9) }, expect: { y: f32s(1, 2, 3, 4, 2, 6, 2, 30, 7) },
    kernel: kernel('params', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) }, params: { weights: d.arrayOf(d.f32, 4), pairs: d.arrayOf(d.vec2f, 3), shape: d.arrayOf(d.u32, 3), n: d.u32 }, workgroups: () => [1], guards: 'off' }, ({ y, weights, pairs, shape, n }, k) => {
      for (let i = 0; i < 4; i++) y.at(i).set(weights.at(i))
      y.at(4).set(pairs.at(0).y)
      y.at(5).set(pairs.at(2).at(1))
      k.range('i', 3, (i) => k.if(shape.at(i).eq(2), () => y.at(6).set(f32(shape.at(i)))))
      y.at(7).set(f32(shape.at(0).mul(shape.at(1)).mul(shape.at(2))))
      y.at(8).set(f32(n))
    }),
  },
  {
    name: '[case-C27] a uniform buffer of vec4f and of structs with 16 bytes', workgroups: [1], bindings: { a: f32s(1, 2, 3, 4, 5, 6, 7, 8), b: f32s(1, 2, 3, 4, 5, 6, 7, 8), y: unset(2) }, expect: { y: f32s(7, 6) },
    kernel: kernel('uniforms', { workgroupSize: [1], bindings: { a: uniform(d.arrayOf(d.vec4f, 2)), b: uniform(d.arrayOf(d.struct({ p: d.vec2f, q: d.vec2f }), 2)), y: output(d.arrayOf(d.f32)) }, workgroups: () => [1], guards: 'off' }, ({ a, b, y }) => {
      y.at(0).set(a.at(1).z)
      y.at(1).set(b.at(1).p.y)
    }),
  },
]

const touch = (schema: unknown) => compile(kernel('touch', { workgroupSize: [1], bindings: { s: inout(schema as typeof d.f32) }, workgroups: () => [1] }, () => undefined))

const double = compile(kernel('double', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, workgroups: ({ n }) => [ceilDiv(n, 64)] }, ({ x, y, n }, k) => {
  const i = k.globalIndex
  k.if(i.lt(n), () => y.at(i).set(x.at(i).mul(2)))
}))

describe('faults of buffers', () => {
  it('[case-C24] sizes of what holds a vec3f', () => {
    const size = (schema: unknown): number | undefined => touch(schema).bindings[0]?.minBindingSize
    expect([d.vec3f, d.arrayOf(d.vec3f, 5), First, Last, d.arrayOf(First, 3), d.arrayOf(Last, 3), d.struct({ v: d.vec3f })].map(size)).toEqual([12, 80, 16, 32, 48, 96, 16])
  })
  it('[case-C24] values go there and come back', () => onDevices(async (runtime) => {
    const bump = compile(kernel('bump', { workgroupSize: [1], bindings: { v: inout(d.vec3f), list: inout(d.arrayOf(d.vec3f, 2)), first: inout(First), last: inout(Last) }, workgroups: () => [1] }, ({ v, list, first, last }) => {
      v.y.addAssign(1)
      list.at(1).z.addAssign(1)
      first.s.addAssign(1)
      last.v.x.addAssign(1)
    }))
    const [v, list] = [runtime.buffer(d.vec3f, d.vec3f(1, 2, 3)), runtime.buffer(d.arrayOf(d.vec3f, 2), [d.vec3f(1, 2, 3), d.vec3f(4, 5, 6)])]
    const [first, last] = [runtime.buffer(First, { v: d.vec3f(1, 2, 3), s: 4 }), runtime.buffer(Last, { s: 4, v: d.vec3f(1, 2, 3) })]
    await runtime.run(bump, { v, list, first, last } as never)
    expect([...(await v.read())]).toEqual([1, 3, 3])
    expect((await list.read()).map((x) => [...x])).toEqual([[1, 2, 3], [4, 5, 7]])
    expect(await first.read()).toMatchObject({ s: 5 })
    expect([...(await last.read()).v]).toEqual([2, 2, 3])
    expect([v.size, list.size, first.size, last.size]).toEqual([12, 32, 16, 32])
  }))
  it('[case-C24] two structs of one shape of name are two, and a kernel names them alike whatever was built before', () => {
    const text = () => compile(kernel('pair', { workgroupSize: [1], bindings: { first: inout(First), last: inout(Last) }, workgroups: () => [1] }, ({ first, last }) => first.s.set(last.v.x))).variants[0]?.wgsl
    const before = text()
    expect(touch(d.arrayOf(Last, 2)).bindings[0]?.type).toBe('array<S, 2>')
    expect(text()).toBe(before)
    expect(before).toMatch(/struct First \{[\s\S]*struct Last \{/)
  })
  it('[case-C31] one element first, then two, then one: with the same pipeline', () => onDevices(async (runtime) => {
    for (const values of [[1], [1, 2], [5], [1, 2, 3]]) {
      const x = runtime.buffer(new Float32Array(values))
      const y = runtime.buffer(Float32Array, values.length)
      await runtime.run(double, { x, y, n: values.length } as never)
      expect([...(await y.read())]).toEqual(values.map((v) => v * 2))
    }
    expect(runtime.stats.pipelines.misses).toBe(1)
  }))
  it('[case-C40] one buffer, half read and half written, is refused before anything runs', () => onDevices(async (runtime) => {
    const arena = runtime.buffer(Float32Array.from({ length: 128 }, (_, i) => i))
    await rejects('binding-overlap', /'x', 'y' are parts of one buffer, one read and one written[\s\S]*use two buffers/, () => runtime.run(double, { x: arena.range(0, 256), y: arena.range(256, 256), n: 64 } as never))
    await runtime.idle()
    expect((await arena.read())[64]).toBe(64)
    const both = compile(kernel('both', { workgroupSize: [1], bindings: { x: inout(d.arrayOf(d.f32)), y: inout(d.arrayOf(d.f32)) }, workgroups: () => [1], guards: 'off' }, ({ x, y }) => y.at(0).set(x.at(1).mul(10))))
    await runtime.run(both, { x: arena.range(0, 256), y: arena.range(256, 256) } as never)
    expect((await arena.read())[64]).toBe(10)
  }))
})

await paritySuite('faults: buffers', cases)
