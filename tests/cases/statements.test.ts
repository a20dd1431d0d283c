import { compile } from '@weft/codegen'
import { bool, d, f32, func, i32, inout, input, kernel, output, u32, type Builder, type Expr } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import * as library from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import { validateTint } from '../engines/tint.js'
import { computes, loose, refuses, trial, wgslOf } from '../edge-cases/support.js'
import type { ParityCase } from '../parity/case.js'
import { f32s, u32of, u32s, unset } from '../parity/data.js'
import { paritySuite } from '../parity/harness.js'

/** Faults of statements, barriers, compile time and workgroup sizes. */

const early = func('early(n)', [u32], (n, k: Builder) => {
  k.if(n.eq(0), () => k.return(u32(10)), () => k.return(n.add(1)))
})
const classify = func('classify(n)', [i32], (n, k: Builder) => {
  k.if(n.lt(0), () => k.return(i32(-1))).elseIf(n.eq(0), () => k.return(i32(0)))
  return i32(1)
})

/** Writes its own index: a permutation of 0 … n−1 when the linear index is right. */
const numbering = (workgroupSize: number[], how: 'builder' | 'own'): ParityCase => {
  const size = workgroupSize.reduce((a, b) => a * b, 1)
  const n = size * 12
  return {
    name: `[case-C43] a flat index in workgroups of ${workgroupSize.join(' × ')}, ${how === 'own' ? 'from the ids' : 'from k.globalIndex'}`,
    workgroups: [3, 2, 2], bindings: { y: unset(n), z: u32s(...new Array<number>(n).fill(0)) },
    kernel: kernel('numbering', { workgroupSize, bindings: { y: output(d.arrayOf(d.u32)), z: inout(d.arrayOf(d.atomic(d.u32))) }, guards: 'off' }, ({ y, z }, k) => {
      const [id, group, count] = [k.localId, k.workgroupId, k.numWorkgroups]
      const [sx = 1, sy = 1] = workgroupSize
      const own = () => group.z.mul(count.y).add(group.y).mul(count.x).add(group.x).mul(size).add(id.z.mul(sy).add(id.y).mul(sx).add(id.x))
      const i = k.let('i', how === 'own' ? own() : k.globalIndex)
      y.at(i).set(i)
      z.at(i).add(1)
    }),
    expect: { y: u32of(n, (i) => i), z: u32of(n, () => 1) },
  }
}

const cases: ParityCase[] = [
  computes('[case-C12] branches and loops of one statement, or of none', u32, [4, 5, 3, 1], ({ k, u32: u }) => {
    const { a, b, c, e } = k.var({ a: u32(1), b: u32(1), c: u32(1), e: u32(1) })
    k.if(u(0).eq(1), () => a.set(4))
    k.if(u(0).eq(2), () => b.set(9)).elseIf(u(0).eq(1), () => b.set(5)).else(() => b.set(7))
    k.while(() => c.lt(3), () => c.addAssign(1))
    k.if(u(0).eq(1), () => undefined).else(() => e.set(8))
    k.if(u(0).eq(2), () => undefined)
    k.range('i', u(0), () => undefined)
    k.switch(u(0), (s) => s.case(1, () => undefined))
    return [a, b, c, e]
  }, { inputs: { u32: [1] } }),
  computes('[case-C12] early returns in both branches, and none after them', u32, [10, 6], ({ k, u32: u }) => [k.let('a', early(u(0)) as unknown as Expr<'u32'>), k.let('b', early(u(1)) as unknown as Expr<'u32'>)], { inputs: { u32: [0, 5] } }),
  computes('[case-C12] a chain of returns', i32, [-1, 0, 1], ({ i32: i }) => [classify(i(0)), classify(i(1)), classify(i(2))], { inputs: { i32: [-7, 0, 7] } }),
  {
    name: '[case-C12] a kernel that returns early and ends in a return', workgroups: [1], bindings: { y: unset(4) }, expect: { y: u32s(1, 2, 1, 2) },
    kernel: kernel('returns', { workgroupSize: [4], bindings: { y: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ y }, k) => {
      k.if(k.localIndex.bitAnd(1).eq(0), () => { y.at(k.localIndex).set(1); k.return() })
      y.at(k.localIndex).set(2)
      k.return()
    }),
  },
  ...(['builder', 'own'] as const).flatMap((how) => [[8, 8, 1], [4, 4, 4], [16], [2, 3, 5]].map((size) => numbering(size, how))),
  {
    name: '[case-C31] [case-C37] arrays of length 1, and declared bindings that are not used', workgroups: [1], bindings: { a: f32s(3), b: f32s(1), c: f32s(1, 2), y: unset(1), z: unset(1) }, expect: { y: f32s(6), z: u32s(2) },
    kernel: kernel('unused', { workgroupSize: [1], bindings: { a: input(d.arrayOf(d.f32)), b: input(d.arrayOf(d.f32)), c: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32, 1)), z: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ a, b, c, y, z }, k) => {
      k.if(bool(false), () => y.at(0).set(b.at(0)))
      y.at(0).set(a.at(0).mul(2))
      z.at(0).set(c.length)
    }),
  },
]

const kernels = Object.entries(library).filter((entry): entry is [string, KernelSource] => typeof entry[1] === 'object' && entry[1] !== null && 'ir' in entry[1])

describe('faults of statements', () => {
  it.each<[string, (t: { k: Builder; u: Expr<'u32'> }) => void]>([
    ['inside an if on the id', ({ k }) => k.if(k.localIndex.lt(64), () => k.workgroupBarrier())],
    ['in the else of one', ({ k }) => k.if(k.localIndex.lt(64), () => undefined, () => k.storageBarrier())],
    ['after a divergent return', ({ k, u }) => { k.if(u.eq(1), () => k.return()); k.workgroupBarrier() }],
    ['in a loop whose bound is data', ({ k, u }) => k.range('i', u, () => k.workgroupBarrier())],
    ['in a while on data', ({ k, u }) => { const n = k.var('n', u); k.while(() => n.gt(0), () => { k.workgroupBarrier(); n.subAssign(1) }) }],
    ['in a case of a switch on data', ({ k, u }) => k.switch(u, (s) => s.case(1, () => k.workgroupBarrier()))],
    ['after a divergent continue', ({ k, u }) => k.range('i', 4, (i) => { k.if(i.eq(u), () => k.continue()); k.workgroupBarrier() })],
  ])('[case-C33] a barrier %s is refused', (_, body) => {
    refuses(() => compile(trial(body)), 'divergent-barrier', /Barrier' stands in control flow that may differ[\s\S]*note: move it out/, 'tests/cases/')
  })
  it('[case-C28] bools in buffers, params and fields are refused, with the way out', () => {
    for (const source of [loose({ m: input(d.arrayOf(d.bool as never)) }), loose({ s: inout(d.struct({ on: d.bool as never })) }), loose({}, { params: { on: d.bool } })]) {
      refuses(() => compile(source), 'not-host-shareable', /holds bool[\s\S]*use u32, with 0 and 1/, 'tests/edge-cases/')
    }
  })
  it('[case-C37] every declared binding is in the layout, used or not', () => {
    const compiled = compile(cases.at(-1)?.kernel as KernelSource)
    expect(compiled.variants[0]?.layouts[0]?.entries.map((e) => [e.binding, e.buffer?.type])).toEqual([[0, 'read-only-storage'], [1, 'read-only-storage'], [2, 'read-only-storage'], [3, 'storage'], [4, 'storage']])
  })
  it.each(kernels)('[case-C42] %s compiles in less than a second, in weft and in Tint', async (_, source) => {
    for (const { wgsl } of (await timed(async () => compile(source))).variants) await timed(() => validateTint(wgsl))
  })
  it('[case-C42] loops are unrolled within bounds only', () => {
    const of = (n: number) => wgslOf(trial(({ k, x }) => { const s = k.var('s', x); k.range('i', 0, n, 1, (i) => s.addAssign(f32(i)), { unroll: true }); k.workgroup('t', f32, 1).at(0).set(s) }))
    expect(of(64)).not.toMatch(/\bfor\b/)
    expect(of(1_000_000)).toMatch(/\bfor\b/)
    expect(of(1_000_000).length).toBeLessThan(1000)
  })
  it.each(kernels)('[case-C44] %s keeps to the sizes that every device has, or says which it counts on', (_, source) => {
    const most = source.limits?.maxComputeInvocationsPerWorkgroup ?? 256
    for (const { workgroupSize, needs } of compile(source).variants) {
      const [x = 1, y = 1, z = 1] = workgroupSize.map(Number)
      expect(x * y * z).toBeLessThanOrEqual(most)
      expect(z).toBeLessThanOrEqual(64)
      // a device that has less is told before it compiles
      if (x * y * z > 256) expect(needs.limits.maxComputeInvocationsPerWorkgroup).toBe(x * y * z)
    }
  })
  it.each([[288], [512], [32, 16], [1, 1, 128]])('[case-C44] a workgroup of %j is refused', (...workgroupSize) => {
    refuses(() => compile(loose({}, { workgroupSize })), 'workgroup-size', /more than (256|64)/, 'tests/edge-cases/')
  })
})

async function timed<T>(work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  expect(performance.now() - start).toBeLessThan(1000)
  return result
}

const flags: ParityCase = {
  name: '[case-C28] bools as u32: written as 1, and read as true when they are not 0', workgroups: [1], bindings: { m: u32s(0, 1, 7, 0xffffffff), y: unset(4) }, expect: { y: u32s(1, 0, 0, 0) },
  kernel: kernel('flags', { workgroupSize: [4], bindings: { m: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ m, y }, k) => y.at(k.localIndex).set(u32(m.at(k.localIndex).ne(0).not()))),
}

await paritySuite('faults: statements', [...cases, flags])
