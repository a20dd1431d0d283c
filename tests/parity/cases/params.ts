import { d, f32, inout, kernel, output, override, u32, uniform, vec4f } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { f32s, partly, u32s } from '../data.js'

const one = { workgroupSize: [1], workgroups: () => [1], guards: 'off' } as const
const Light = d.struct({ at: d.vec3f, power: d.f32, id: d.u32 }).$name('Light')
const Scene = d.struct({ lights: d.arrayOf(Light, 2), ambient: d.vec4f, count: d.u32 }).$name('Scene')
const words = { out: output(d.arrayOf(d.u32), { writes: 'partial' }) }
const floats = { out: output(d.arrayOf(d.f32), { writes: 'partial' }) }

/** Params of every type and in awkward orders, overrides, uniform buffers. */
export const params: readonly ParityCase[] = [
  {
    name: 'params: scalars',
    kernel: kernel(
      'scalar_params',
      { ...one, bindings: words, params: { a: d.u32, b: d.i32, c: d.f32 } },
      ({ out, a, b, c }) => {
        out.at(0).set(a)
        out.at(1).set(u32(b))
        out.at(2).set(u32(c.mul(4)))
      },
    ),
    params: { a: 4294967295, b: -7, c: 2.25 },
    bindings: { out: partly(4, u32s()) },
    expect: { out: partly(4, u32s(4294967295, -7, 9)) },
  },
  {
    name: 'params: vectors of three beside scalars',
    kernel: kernel(
      'vec3_params',
      { ...one, bindings: floats, params: { a: d.vec3f, b: d.f32, c: d.vec3f, d: d.vec2f, e: d.f32 } },
      ({ out, a, b, c, d: dd, e }) => {
        ;[a.x, a.y, a.z, b, c.x, c.y, c.z, dd.x, dd.y, e].forEach((v, i) => void out.at(i).set(v))
      },
    ),
    params: { a: [1, 2, 3], b: 4, c: [5, 6, 7], d: [8, 9], e: 10 },
    bindings: { out: partly(12, f32s()) },
    expect: { out: partly(12, f32s(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)) },
  },
  {
    name: 'params: integer vectors',
    kernel: kernel(
      'int_vec_params',
      { ...one, bindings: words, params: { a: d.vec2u, b: d.vec4i, c: d.vec3u } },
      ({ out, a, b, c }) => {
        ;[a.x, a.y, u32(b.x), u32(b.w), c.z].forEach((v, i) => void out.at(i).set(v))
      },
    ),
    params: { a: [1, 2], b: [-3, 0, 0, 4], c: [0, 0, 5] },
    bindings: { out: partly(6, u32s()) },
    expect: { out: partly(6, u32s(1, 2, -3, 4, 5)) },
  },
  {
    name: 'params: matrices',
    kernel: kernel(
      'matrix_params',
      { ...one, bindings: floats, params: { m: d.mat2x2f, n: d.mat3x3f, s: d.f32 } },
      ({ out, m, n, s }) => {
        ;[m.at(0).x, m.at(1).y, n.at(0).z, n.at(2).x, n.at(2).z, s].forEach((v, i) => void out.at(i).set(v))
      },
    ),
    params: { m: [1, 2, 3, 4], n: [1, 2, 3, 4, 5, 6, 7, 8, 9], s: 11 },
    bindings: { out: partly(8, f32s()) },
    expect: { out: partly(8, f32s(1, 4, 3, 7, 9, 11)) },
  },
  {
    name: 'params: arrays of scalars',
    kernel: kernel(
      'array_params',
      { ...one, bindings: words, params: { n: d.u32, strides: d.arrayOf(d.u32, 5), last: d.u32 } },
      ({ out, n, strides, last }, k) => {
        k.range('i', n, (i) => out.at(i).set(strides.at(i)))
        out.at(5).set(strides.at(3))
        out.at(6).set(last)
      },
    ),
    params: { n: 5, strides: [10, 20, 30, 40, 50], last: 60 },
    bindings: { out: partly(8, u32s()) },
    expect: { out: partly(8, u32s(10, 20, 30, 40, 50, 40, 60)) },
  },
  {
    name: 'params: arrays of vectors',
    kernel: kernel(
      'vector_array_params',
      {
        ...one,
        bindings: floats,
        params: { a: d.arrayOf(d.vec2f, 3), b: d.arrayOf(d.vec4f, 2), c: d.arrayOf(d.vec3f, 2) },
      },
      ({ out, a, b, c }, k) => {
        k.range('i', 3, (i) => out.at(i).set(a.at(i).y))
        k.range('i', 2, (i) => {
          out.at(i.add(3)).set(b.at(i).w)
          out.at(i.add(5)).set(c.at(i).z)
        })
      },
    ),
    params: {
      a: [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      b: [
        [0, 0, 0, 7],
        [0, 0, 0, 8],
      ],
      c: [
        [0, 0, 9],
        [0, 0, 10],
      ],
    },
    bindings: { out: partly(8, f32s()) },
    expect: { out: partly(8, f32s(2, 4, 6, 7, 8, 9, 10)) },
  },
  {
    name: 'params: more than fit into immediates',
    kernel: kernel(
      'many_params',
      { ...one, bindings: floats, params: { a: d.vec4f, b: d.vec4f, c: d.vec4f, d: d.vec4f, e: d.vec4f } },
      ({ out, a, b, c, d: dd, e }) => {
        ;[a, b, c, dd, e].forEach((v, i) => void out.at(i).set(v.w))
      },
    ),
    params: { a: [0, 0, 0, 1], b: [0, 0, 0, 2], c: [0, 0, 0, 3], d: [0, 0, 0, 4], e: [0, 0, 0, 5] },
    bindings: { out: partly(6, f32s()) },
    expect: { out: partly(6, f32s(1, 2, 3, 4, 5)) },
  },
  {
    name: 'params: exactly 64 bytes',
    kernel: kernel(
      'full_immediates',
      { ...one, bindings: floats, params: { a: d.vec4f, b: d.vec4f, c: d.vec4f, d: d.vec3f, e: d.f32 } },
      ({ out, a, b, c, d: dd, e }) => {
        ;[a.x, b.y, c.z, dd.z, e].forEach((v, i) => void out.at(i).set(v))
      },
    ),
    params: { a: [1, 0, 0, 0], b: [0, 2, 0, 0], c: [0, 0, 3, 0], d: [0, 0, 4], e: 5 },
    bindings: { out: partly(6, f32s()) },
    expect: { out: partly(6, f32s(1, 2, 3, 4, 5)) },
  },
  {
    name: 'params with names that WGSL reserves',
    kernel: kernel(
      'reserved',
      {
        ...one,
        bindings: { var: output(d.arrayOf(d.u32)) },
        params: { fn: d.u32, f32: d.u32, main: d.u32, params: d.u32, loop: d.u32 },
      },
      (v, k) => {
        const sum = k.let('let', v.fn.add(v.f32).add(v.main).add(v.params).add(v.loop))
        v.var.at(0).set(sum)
      },
    ),
    params: { fn: 1, f32: 20, main: 300, params: 4000, loop: 50000 },
    bindings: { var: partly(2, u32s()) },
    expect: { var: partly(2, u32s(54321)) },
  },
  ...([{}, { overrides: { n: 9, scale: 0.5, flag: 0, shift: -3 } }] as const).map(
    (given): ParityCase => ({
      name: 'overrides' in given ? 'overrides given' : 'overrides by default',
      kernel: kernel(
        'with_overrides',
        {
          ...one,
          bindings: words,
          overrides: {
            n: override(u32, 4),
            scale: override(f32, 1.5),
            flag: override({ type: 'bool' }, true),
            shift: override({ type: 'i32' }, -1, { id: 7 }),
          },
        },
        ({ out, n, scale, flag, shift }, k) => {
          out.at(0).set(n)
          out.at(1).set(u32(scale.mul(100)))
          k.if(flag, () => out.at(2).set(1))
          out.at(3).set(u32(shift))
          k.range('i', n, (i) => out.at(i.add(4)).set(i))
        },
      ),
      ...given,
      bindings: { out: partly(16, u32s()) },
      expect: { out: 'overrides' in given ? overridden(9, 50, false, -3) : overridden(4, 150, true, -1) },
    }),
  ),
  {
    name: 'a workgroup size by overrides',
    kernel: kernel(
      'sized',
      {
        workgroupSize: ['x', 'y'],
        overrides: { x: override(u32, 2), y: override(u32, 2) },
        bindings: words,
        workgroups: () => [1],
        guards: 'off',
      },
      ({ out, x }, k) => {
        out.at(k.localIndex).set(k.localId.y.mul(x).add(k.localId.x).add(100))
      },
    ),
    overrides: { x: 3, y: 4 },
    bindings: { out: partly(14, u32s()) },
    expect: { out: partly(14, u32s(...Array.from({ length: 12 }, (_, i) => 100 + i))) },
  },
  {
    name: 'a uniform buffer with nested structs',
    kernel: kernel(
      'uniforms',
      { ...one, bindings: { scene: uniform(Scene), out: output(d.arrayOf(d.vec4f)) } },
      ({ scene, out }, k) => {
        k.range('i', scene.count, (i) => {
          const l = scene.lights.at(i)
          out.at(i).set(vec4f(l.at, l.power).add(scene.ambient))
        })
      },
    ),
    bindings: {
      scene: (() => {
        const bytes = new ArrayBuffer(96)
        new Float32Array(bytes).set([1, 2, 3, 4], 0)
        new Float32Array(bytes).set([5, 6, 7, 8], 8)
        new Float32Array(bytes).set([0.5, 0.25, 0, 0], 16)
        new Uint32Array(bytes)[20] = 2
        return new Uint8Array(bytes)
      })(),
      out: partly(12, f32s()),
    },
    expect: { out: partly(12, f32s(1.5, 2.25, 3, 4, 5.5, 6.25, 7, 8)) },
  },
  {
    name: 'params and a uniform buffer together',
    kernel: kernel(
      'both',
      { ...one, bindings: { u: uniform(d.vec4u), m: inout(d.arrayOf(d.u32)) }, params: { n: d.u32 } },
      ({ u, m, n }) => {
        m.at(0).set(u.y.add(n))
      },
    ),
    params: { n: 5 },
    bindings: { u: u32s(1, 20, 3, 4), m: u32s(9) },
    expect: { m: u32s(25) },
  },
]

function overridden(n: number, scaled: number, flag: boolean, shift: number): Uint8Array {
  const all = partly(16, u32s())
  const words = new Uint32Array(all.buffer)
  words[0] = n
  words[1] = scaled
  if (flag) words[2] = 1
  words[3] = shift
  for (let i = 0; i < n; i++) words[4 + i] = i
  return all
}
