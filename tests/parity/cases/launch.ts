import { ceilDiv, d, inout, kernel, output } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { partly, u32of, u32s } from '../data.js'

/** Every invocation marks its own linear index: all of 0 … n − 1, each once, is a bijection. */
const bijection = (name: string, size: readonly number[], groups: readonly number[]): ParityCase => {
  const n = [...size, ...groups].reduce((a, b) => a * b, 1)
  return {
    name: `linear indices are a bijection: ${name}`,
    kernel: kernel(
      'bijection',
      {
        workgroupSize: size,
        bindings: { m: inout(d.arrayOf(d.atomic(d.u32))), at: output(d.arrayOf(d.u32)) },
        workgroups: () => groups,
        guards: 'off',
      },
      ({ m, at }, k) => {
        m.at(k.globalIndex).add(1)
        at.at(k.globalIndex).set(k.globalId.x.add(k.globalId.y.mul(100)).add(k.globalId.z.mul(10_000)))
      },
    ),
    bindings: { m: u32of(n + 1, () => 0), at: partly(n + 1, u32s()) },
    expect: {
      m: u32of(n + 1, (i) => (i < n ? 1 : 0)),
      at: partly(
        n + 1,
        u32of(n, (i) => positionOf(i, size, groups)),
      ),
    },
  }
}

function positionOf(i: number, size: readonly number[], groups: readonly number[]): number {
  const [sx = 1, sy = 1, sz = 1] = size
  const [gx = 1, gy = 1] = groups
  const local = i % (sx * sy * sz)
  const group = Math.floor(i / (sx * sy * sz))
  const x = (group % gx) * sx + (local % sx)
  const y = (Math.floor(group / gx) % gy) * sy + (Math.floor(local / sx) % sy)
  const z = Math.floor(group / (gx * gy)) * sz + Math.floor(local / (sx * sy))
  return x + 100 * y + 10_000 * z
}

/** A linear launch of more workgroups than one dimension has: folded, and the surplus does nothing. */
const folded = (n: number, size: number): ParityCase => ({
  name: `${n} elements in workgroups of ${size}`,
  kernel: kernel(
    'folded',
    {
      workgroupSize: [size],
      bindings: { out: inout(d.arrayOf(d.atomic(d.u32))) },
      params: { n: d.u32 },
      workgroups: ({ n: count }) => [ceilDiv(count, size)],
    },
    ({ out, n: count }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(count), () => {
        // each index once, and folded into few cells so that the buffer is small
        out.at(i.rem(64)).add(i)
        out.at(64).add(1)
      })
    },
  ),
  params: { n },
  bindings: { out: u32of(66, () => 0) },
  expect: {
    out: (() => {
      const cells = u32of(66, () => 0)
      for (let i = 0; i < n; i++) cells[i % 64]! += i
      cells[64] = n
      return cells
    })(),
  },
})

/** Without a guard of the author's: one invocation is one element, and what folding adds must not run. */
const surplus = (n: number): ParityCase => ({
  name: `no workgroup above ${n} runs`,
  kernel: kernel(
    'surplus',
    {
      workgroupSize: [1],
      bindings: { count: inout(d.arrayOf(d.atomic(d.u32))) },
      params: { n: d.u32 },
      workgroups: ({ n: count }) => [count],
      guards: 'off',
    },
    ({ count }, k) => {
      count.at(0).add(1)
      count.at(1).max(k.workgroupIndex)
    },
  ),
  params: { n },
  bindings: { count: u32s(0, 0) },
  expect: { count: u32s(n, n - 1) },
})

export const launches: readonly ParityCase[] = [
  bijection('one invocation', [1], [1]),
  bijection('1d', [8], [5]),
  bijection('2d workgroups', [4, 3], [2]),
  bijection('3d workgroups', [2, 3, 4], [2]),
  bijection('2d launch', [4], [3, 5]),
  bijection('3d launch of 3d workgroups', [2, 3, 2], [3, 2, 4]),
  bijection('flat in x', [1, 8], [2, 2, 2]),
  folded(70_000, 1),
  folded(66_000 * 4 + 3, 4),
  surplus(65_536),
  surplus(131_073),
  {
    name: 'numWorkgroups and workgroupId',
    kernel: kernel(
      'group_ids',
      { workgroupSize: [1], bindings: { out: output(d.arrayOf(d.vec4u)) }, workgroups: () => [2, 3, 2], guards: 'off' },
      ({ out }, k) => {
        const { workgroupId: w, numWorkgroups: n } = k
        out.at(k.workgroupIndex).x.set(w.x.add(w.y.mul(10)).add(w.z.mul(100)))
        out.at(k.workgroupIndex).y.set(n.x.add(n.y.mul(10)).add(n.z.mul(100)))
      },
    ),
    bindings: { out: partly(48, u32s()) },
    expect: {
      out: (() => {
        const all = partly(48, u32s())
        const words = new Uint32Array(all.buffer)
        for (let i = 0; i < 12; i++) {
          words[4 * i] = (i % 2) + 10 * (Math.floor(i / 2) % 3) + 100 * Math.floor(i / 6)
          words[4 * i + 1] = 232
        }
        return all
      })(),
    },
  },
  {
    name: 'a launch rule of the length of a binding',
    kernel: kernel(
      'by_length',
      { workgroupSize: [4], bindings: { m: inout(d.arrayOf(d.u32)) }, workgroups: ({ m }) => [ceilDiv(m.length, 4)] },
      ({ m }, k) => {
        k.guardedStore(m, k.globalIndex, k.globalIndex.mul(3))
      },
    ),
    bindings: { m: u32of(11, () => 1) },
    expect: { m: u32of(11, (i) => 3 * i) },
  },
  {
    name: 'a grid by a launch rule',
    kernel: kernel(
      'grid',
      {
        workgroupSize: [4, 4],
        bindings: { out: output(d.arrayOf(d.u32)) },
        params: { w: d.u32, h: d.u32 },
        workgroups: ({ w, h }) => [ceilDiv(w, 4), ceilDiv(h, 4)],
      },
      ({ out, w, h }, k) => {
        const { x, y } = k.globalId
        k.if(x.lt(w).and(y.lt(h)), () => out.at(y.mul(w).add(x)).set(x.add(y.mul(1000))))
      },
    ),
    params: { w: 7, h: 5 },
    bindings: { out: partly(37, u32s()) },
    expect: {
      out: partly(
        37,
        u32of(35, (i) => (i % 7) + 1000 * Math.floor(i / 7)),
      ),
    },
  },
]
