import { d, inout, input, kernel, output, vec3f } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { f32s, partly, u32s, unset } from '../data.js'

const one = { workgroupSize: [1], workgroups: () => [1], guards: 'off' } as const
const Packed = d.struct({ a: d.vec3f, b: d.f32, c: d.vec2f, d: d.u32, e: d.vec3u }).$name('Packed')
const Tail = d.struct({ count: d.u32, tail: d.arrayOf(d.vec2u, 3) }).$name('Tail')
const Aligned = d.struct({ a: d.u32, b: d.align(16, d.u32), c: d.size(12, d.u32), e: d.u32 }).$name('Aligned')
const Columns = d.struct({ m: d.mat3x3f, s: d.f32 }).$name('Columns')

/** Sets the words at `at` in a buffer of untouched memory. */
function words(n: number, at: Readonly<Record<number, number>>, float = true): Uint8Array {
  const all = unset(n)
  const view = new DataView(all.buffer)
  for (const [i, v] of Object.entries(at))
    float ? view.setFloat32(Number(i) * 4, v, true) : view.setUint32(Number(i) * 4, v, true)
  return all
}

/** Where things lie in memory: alignment of three-lane vectors, padding, strides, runtime-sized arrays. */
export const layouts: readonly ParityCase[] = [
  {
    name: 'an array of vec3f has a stride of 16 bytes',
    kernel: kernel(
      'vec3_array',
      { ...one, bindings: { from: input(d.arrayOf(d.vec3f)), to: output(d.arrayOf(d.vec3f), { writes: 'partial' }) } },
      ({ from, to }, k) => {
        k.range('i', 2, (i) => to.at(i).set(from.at(i).mul(2)))
      },
    ),
    bindings: { from: f32s(1, 2, 3, 99, 4, 5, 6, 99), to: unset(12) },
    expect: { to: words(12, { 0: 2, 1: 4, 2: 6, 4: 8, 5: 10, 6: 12 }) },
  },
  {
    name: 'a scalar lies behind a vec3f',
    kernel: kernel(
      'packed_struct',
      { ...one, bindings: { from: input(d.arrayOf(Packed)), to: output(d.arrayOf(d.f32)) } },
      ({ from, to }) => {
        const p = from.at(1)
        to.at(0).set(p.a.z)
        to.at(1).set(p.b)
        to.at(2).set(p.c.y)
      },
    ),
    bindings: { from: f32s(...Array.from({ length: 24 }, (_, i) => i)), to: unset(4) },
    expect: { to: partly(4, f32s(14, 15, 17)) },
  },
  {
    name: 'lanes of a struct in storage are set one by one',
    kernel: kernel('set_lanes', { ...one, bindings: { m: inout(d.arrayOf(Packed)) } }, ({ m }) => {
      m.at(0).a.y.set(5)
      m.at(1).b.set(6)
      m.at(1).e.at(2).set(7)
    }),
    bindings: { m: u32s(...Array.from({ length: 24 }, () => 0)) },
    expect: {
      m: (() => {
        const all = new Float32Array(24)
        all[1] = 5
        all[15] = 6
        new Uint32Array(all.buffer)[22] = 7
        return all
      })(),
    },
  },
  {
    name: 'arrays in structs',
    kernel: kernel('tails', { ...one, bindings: { m: inout(d.arrayOf(Tail)) } }, ({ m }, k) => {
      k.range('i', m.at(0).count, (i) => m.at(1).tail.at(i).set(m.at(0).tail.at(i).swizzle('yx')))
    }),
    bindings: { m: u32s(2, 0, 1, 2, 3, 4, 5, 6, 9, 9, 9, 9, 9, 9, 9, 9) },
    expect: { m: u32s(2, 0, 1, 2, 3, 4, 5, 6, 9, 9, 2, 1, 4, 3, 9, 9) },
  },
  {
    name: 'align and size of members',
    kernel: kernel('aligned', { ...one, bindings: { m: inout(d.arrayOf(Aligned)) } }, ({ m }) => {
      m.at(1).a.set(1)
      m.at(1).b.set(2)
      m.at(1).c.set(3)
      m.at(1).e.set(4)
    }),
    bindings: { m: new Uint8Array(96) },
    expect: {
      m: (() => {
        const all = new Uint32Array(24)
        all[12] = 1
        all[16] = 2
        all[17] = 3
        all[20] = 4
        return all
      })(),
    },
  },
  {
    name: 'a matrix of three rows in storage',
    kernel: kernel('columns', { ...one, bindings: { m: inout(d.arrayOf(Columns)) } }, ({ m }) => {
      m.at(0).s.set(m.at(0).m.at(2).y)
      m.at(1)
        .m.at(1)
        .set(vec3f(7, 8, 9))
      m.at(1).m.at(0).z.set(5)
    }),
    bindings: { m: f32s(...Array.from({ length: 32 }, (_, i) => i)) },
    expect: {
      m: (() => {
        const all = f32s(...Array.from({ length: 32 }, (_, i) => i))
        all[12] = 9
        all.set([7, 8, 9], 20)
        all[18] = 5
        return all
      })(),
    },
  },
  {
    name: 'the length of runtime-sized arrays',
    kernel: kernel(
      'lengths',
      {
        ...one,
        bindings: {
          a: input(d.arrayOf(d.u32)),
          b: input(d.arrayOf(d.vec4f)),
          c: input(d.arrayOf(Tail)),
          out: output(d.arrayOf(d.u32)),
        },
      },
      ({ a, b, c, out }) => {
        out.at(0).set(a.length)
        out.at(1).set(b.length)
        out.at(2).set(c.length)
        out.at(3).set(out.length)
      },
    ),
    bindings: {
      a: u32s(1, 2, 3, 4, 5),
      b: f32s(...Array.from({ length: 12 }, () => 0)),
      c: new Uint8Array(64),
      out: unset(6),
    },
    expect: { out: partly(6, u32s(5, 3, 2, 6)) },
  },
  {
    name: 'reads and writes past the end do no harm',
    kernel: kernel(
      'clamped',
      {
        workgroupSize: [8],
        bindings: { a: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32), { writes: 'partial' }) },
        workgroups: () => [1],
      },
      ({ a, out }, k) => {
        k.guardedStore(
          out,
          k.localIndex,
          k.when(k.localIndex.lt(a.length), () => a.at(k.localIndex), 77),
        )
      },
    ),
    bindings: { a: u32s(1, 2, 3), out: unset(5) },
    expect: { out: u32s(1, 2, 3, 77, 77) },
  },
  {
    name: 'a binding that is one struct',
    kernel: kernel('one_struct', { ...one, bindings: { m: inout(Tail) } }, ({ m }) => {
      m.count.addAssign(1)
      m.tail.at(2).y.set(m.count)
    }),
    bindings: { m: u32s(6, 0, 0, 0, 0, 0, 0, 0) },
    expect: { m: u32s(7, 0, 0, 0, 0, 0, 0, 7) },
  },
  {
    name: 'a binding that is one scalar',
    kernel: kernel('one_scalar', { ...one, bindings: { m: inout(d.u32), v: inout(d.vec2f) } }, ({ m, v }) => {
      m.addAssign(1)
      v.y.set(v.x.add(0.5))
    }),
    bindings: { m: u32s(6), v: f32s(1, 0) },
    expect: { m: u32s(7), v: f32s(1, 1.5) },
  },
  {
    name: 'many bindings',
    kernel: kernel(
      'many',
      {
        ...one,
        bindings: {
          a: input(d.arrayOf(d.u32)),
          b: input(d.arrayOf(d.u32)),
          c: input(d.arrayOf(d.u32)),
          d: input(d.arrayOf(d.u32)),
          e: output(d.arrayOf(d.u32)),
          f: output(d.arrayOf(d.u32)),
        },
        params: { n: d.u32 },
      },
      (v) => {
        v.e.at(0).set(v.a.at(0).add(v.b.at(0)))
        v.f.at(0).set(v.c.at(0).add(v.d.at(0)).add(v.n))
      },
    ),
    params: { n: 1000 },
    bindings: { a: u32s(1), b: u32s(2), c: u32s(3), d: u32s(4), e: unset(1), f: unset(1) },
    expect: { e: u32s(3), f: u32s(1007) },
  },
]
