import { type Builder, d, inout, input, kernel, output, u32, type ValueName, vec4f } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { f32s, partly, u32of, u32s } from '../data.js'

/** One workgroup of `size` invocations, each of which writes one word. */
function workgroup(
  name: string,
  size: number,
  expected: (i: number) => number,
  body: (k: Builder, put: (value: ReturnType<typeof u32>) => void) => void,
  groups = 1,
): ParityCase {
  const n = size * groups
  return {
    name,
    kernel: kernel(
      name.replace(/\W+/g, '_'),
      { workgroupSize: [size], bindings: { out: output(d.arrayOf(d.u32)) }, workgroups: () => [groups], guards: 'off' },
      ({ out }, k) => {
        body(k, (value) => out.at(k.globalIndex).set(value))
      },
    ),
    bindings: { out: partly(n + 2, u32s()) },
    expect: {
      out: partly(
        n + 2,
        u32of(n, (i) => expected(i)),
      ),
    },
  }
}

const Cell = d.struct({ count: d.atomic(d.u32), last: d.u32 }).$name('Cell')
const Mixed = d.struct({ a: d.f32, v: d.vec3f, list: d.arrayOf(d.u32, 3) }).$name('Mixed')

/** Workgroup memory and barriers. */
export const memory: readonly ParityCase[] = [
  workgroup(
    'workgroup memory starts at zero',
    8,
    () => 0,
    (k, put) => {
      const t = k.workgroup('t', u32, 8)
      put(t.at(k.localIndex))
    },
    3,
  ),
  workgroup(
    'a reversal through workgroup memory',
    16,
    (i) => 15 - (i % 16) + 100 * Math.floor(i / 16),
    (k, put) => {
      const t = k.workgroup('t', u32, 16)
      t.at(k.localIndex).set(k.localIndex.add(k.workgroupIndex.mul(100)))
      k.workgroupBarrier()
      put(t.at(u32(15).sub(k.localIndex)))
    },
    2,
  ),
  workgroup(
    'a sum by halves',
    32,
    () => (31 * 32) / 2,
    (k, put) => {
      const t = k.workgroup('t', u32, 32)
      const i = k.localIndex
      t.at(i).set(i)
      k.workgroupBarrier()
      for (let half = 16; half >= 1; half /= 2) {
        k.if(i.lt(half), () => t.at(i).addAssign(t.at(i.add(half))))
        k.workgroupBarrier()
      }
      put(t.at(0))
    },
  ),
  workgroup(
    'a prefix sum with barriers in a loop',
    16,
    (i) => (i * (i + 1)) / 2,
    (k, put) => {
      const t = k.workgroup('t', u32, 16)
      const i = k.localIndex
      t.at(i).set(i)
      k.for(
        'step',
        u32(1),
        (step) => step.lt(16),
        (step) => step.mul(2),
        (step) => {
          k.workgroupBarrier()
          const before = k.when(i.ge(step), () => t.at(i.sub(step)), 0)
          k.workgroupBarrier()
          t.at(i).addAssign(before)
        },
      )
      put(t.at(i))
    },
  ),
  workgroup(
    'barriers in a uniform branch',
    8,
    (i) => (Math.floor(i / 8) % 2 ? (i + 1) % 8 : 50),
    (k, put) => {
      const t = k.workgroup('t', u32, 8)
      const v = k.var('v', u32(50))
      k.if(k.workgroupIndex.rem(2).eq(1), () => {
        t.at(k.localIndex).set(k.localIndex)
        k.workgroupBarrier()
        v.set(t.at(k.localIndex.add(1).rem(8)))
      })
      put(v)
    },
    4,
  ),
  workgroup(
    'a double buffer',
    8,
    (i) => (i + 4) % 8,
    (k, put) => {
      const t = k.workgroup('t', u32, 2, 8)
      const i = k.localIndex
      t.at(0, i).set(i)
      k.range('r', 4, (r) => {
        const from = r.rem(2)
        k.workgroupBarrier()
        t.at(u32(1).sub(from), i).set(t.at(from, i.add(1).rem(8)))
      })
      put(t.at(0, i))
    },
  ),
  workgroup(
    'a transposed tile',
    16,
    (i) => (i % 4) * 4 + Math.floor(i / 4),
    (k, put) => {
      const t = k.workgroup('t', u32, 4, 4)
      const i = k.localIndex
      t.at(i.div(4), i.rem(4)).set(i)
      k.workgroupBarrier()
      put(t.at(i.rem(4), i.div(4)))
    },
  ),
  workgroup(
    'structs in workgroup memory',
    4,
    (i) => i * 10 + i,
    (k, put) => {
      const t = k.workgroup('t', Mixed, 4)
      const i = k.localIndex
      t.at(i).list.at(2).set(i)
      t.at(i).v.z.set(vec4f(0, 0, 0, 3).w)
      k.workgroupBarrier()
      put(
        t
          .at(i)
          .list.at(2)
          .mul(10)
          .add(i)
          .add(u32(t.at(i).a)),
      )
    },
  ),
  workgroup(
    'workgroupUniformLoad of a scalar',
    8,
    () => 42,
    (k, put) => {
      const t = k.workgroup('t', u32)
      k.if(k.localIndex.eq(5), () => t.set(42))
      put(k.workgroupUniformLoad(t))
    },
  ),
  workgroup(
    'workgroupUniformLoad makes a branch uniform',
    8,
    (i) => (i + 7) % 8,
    (k, put) => {
      const go = k.workgroup('go', u32)
      const t = k.workgroup('t', u32, 8)
      k.if(k.localIndex.eq(0), () => go.set(1))
      const v = k.var('v', u32(99))
      k.if(k.workgroupUniformLoad(go).eq(1), () => {
        t.at(k.localIndex).set(k.localIndex)
        k.workgroupBarrier()
        v.set(t.at(k.localIndex.add(7).rem(8)))
      })
      put(v)
    },
  ),
  workgroup(
    'workgroupUniformLoad of an element',
    4,
    () => 7,
    (k, put) => {
      const t = k.workgroup('t', u32, 4)
      t.at(k.localIndex).set(k.localIndex.add(5))
      put(k.workgroupUniformLoad(t.at(2)))
    },
  ),
  workgroup(
    'workgroupUniformLoad of an atomic',
    8,
    () => 8,
    (k, put) => {
      const t = k.workgroup('t', d.atomic(d.u32))
      t.add(1)
      put(k.workgroupUniformLoad(t))
    },
  ),
  workgroup(
    'atomics in structs in workgroup memory',
    8,
    () => 8 * 2 + 3,
    (k, put) => {
      const t = k.workgroup('t', Cell)
      t.count.add(2)
      k.if(k.localIndex.eq(3), () => t.last.set(3))
      k.workgroupBarrier()
      put(t.count.load().add(t.last))
    },
  ),
  workgroup(
    'bools in workgroup memory',
    4,
    (i) => (i === 1 ? 1 : 0),
    (k, put) => {
      const t = k.workgroup('t', { type: 'bool' as ValueName as 'u32' }, 4) as unknown as {
        at(i: unknown): { set(v: unknown): void } & ReturnType<typeof u32>
      }
      t.at(k.localIndex).set(k.localIndex.eq(1))
      k.workgroupBarrier()
      put(u32(t.at(k.localIndex)))
    },
  ),
  workgroup(
    'storage barrier',
    8,
    (i) => i,
    (k, put) => {
      k.storageBarrier()
      put(k.localIndex)
    },
  ),
  {
    name: 'a storage barrier orders storage within the workgroup',
    kernel: kernel(
      'storage_order',
      {
        workgroupSize: [8],
        bindings: { m: inout(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32)) },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ m, out }, k) => {
        m.at(k.localIndex).set(k.localIndex.mul(3))
        k.storageBarrier()
        out.at(k.localIndex).set(m.at(u32(7).sub(k.localIndex)))
      },
    ),
    bindings: { m: u32s(0, 0, 0, 0, 0, 0, 0, 0), out: partly(8, u32s()) },
    expect: { out: u32of(8, (i) => (7 - i) * 3) },
  },
  {
    name: 'workgroup memory sized by an override',
    kernel: kernel(
      'override_tile',
      {
        workgroupSize: ['size'],
        overrides: { size: { type: 'u32', default: 4, id: null } },
        bindings: { out: output(d.arrayOf(d.u32)) },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ out, size }, k) => {
        const t = k.workgroup('t', u32, size)
        t.at(k.localIndex).set(k.localIndex)
        k.workgroupBarrier()
        out.at(k.localIndex).set(t.at(size.sub(1).sub(k.localIndex)).add(size.mul(100)))
      },
    ),
    overrides: { size: 6 },
    bindings: { out: partly(8, u32s()) },
    expect: { out: partly(8, u32s(605, 604, 603, 602, 601, 600)) },
  },
  {
    name: 'a large tile of floats',
    kernel: kernel(
      'large_tile',
      {
        workgroupSize: [64],
        bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
        workgroups: () => [1],
        guards: 'off',
      },
      ({ x, y }, k) => {
        const t = k.workgroup('t', d.arrayOf(d.f32, 2048))
        k.range('i', k.localIndex, 2048, 64, (i) => t.at(i).set(x.at(i.rem(64)).add(1)))
        k.workgroupBarrier()
        y.at(k.localIndex).set(t.at(u32(2047).sub(k.localIndex)))
      },
    ),
    bindings: { x: Float32Array.from({ length: 64 }, (_, i) => i / 2), y: partly(66, f32s()) },
    expect: {
      y: partly(
        66,
        Float32Array.from({ length: 64 }, (_, i) => (63 - i) / 2 + 1),
      ),
    },
  },
]
