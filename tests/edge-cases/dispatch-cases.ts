import { ceilDiv, d, f16, f32, fn, func, input, kernel, output, ptr, subgroupMatrix, texture, u32, vec2u, type Builder, type Expr } from '@weft/dsl'
import type { ParityCase } from '../parity/case.js'
import { f16s, f32of, f32s, partly, u32of, u32s, unset } from '../parity/data.js'
import { computes } from './support.js'

/** Kernels for the edge cases 74–90 that are met by what is emitted. */

export const numbered = (name: string, n: number): ParityCase => ({
  name, bindings: { y: unset(n) }, params: { n }, expect: { y: u32of(n, (i) => i) },
  kernel: kernel('numbered', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.u32)) }, params: { n: d.u32 }, workgroups: ({ n: count }) => [count], guards: 'off' }, ({ y }, k) => y.at(k.workgroupIndex).set(k.workgroupIndex)),
})

/** A product of params over `c`: each workgroup of the launch writes its number, and none after them. */
const portioned = (name: string, c: number, [rows, cols]: readonly [number, number], n: number): ParityCase => ({
  name, bindings: { y: unset(n + 1000) }, params: { rows, cols }, expect: { y: partly(n + 1000, u32of(n, (i) => i)) },
  kernel: kernel('portioned', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.u32)) }, params: { rows: d.u32, cols: d.u32 }, workgroups: (p) => [ceilDiv(p.rows.mul(p.cols), c)], guards: 'off' }, ({ y }, k) => y.at(k.workgroupIndex).set(k.workgroupIndex)),
})

/** The sum of x over each workgroup of 64; those beyond n are zeros, and all of them meet the barriers. */
export const tailed = kernel('tailed', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, workgroups: ({ n }) => [ceilDiv(n, 64)] }, ({ x, y, n }, k) => {
  const tile = k.workgroup('tile', f32, 64)
  const lid = k.localIndex
  tile.at(lid).set(k.when(k.globalIndex.lt(n), () => x.at(k.globalIndex), 0))
  k.workgroupBarrier()
  for (let half = 32; half >= 1; half /= 2) {
    k.if(lid.lt(half), () => tile.at(lid).addAssign(tile.at(lid.add(half))))
    k.workgroupBarrier()
  }
  k.if(lid.eq(0), () => y.at(k.workgroupIndex).set(tile.at(0)))
})

/** The sum over the workgroup by subgroups of whatever size: one partial sum for each possible subgroup. */
export const bySubgroups = kernel('by_subgroups', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, workgroups: () => [1], variants: { subgroups: ['subgroups', 'subgroup-id'], portable: [] } }, ({ x, y }, k) => {
  const value = x.at(k.localIndex)
  const total = k.var('total', u32(0))
  if (k.variant === 'subgroups') {
    const partial = k.workgroup('partial', u32, 64 / 4)
    const sum = k.subgroupAdd(value)
    k.if(k.subgroupInvocationId.eq(0), () => partial.at(k.subgroupId).set(sum))
    k.workgroupBarrier()
    k.range('s', k.numSubgroups, (s) => total.addAssign(partial.at(s)))
  } else {
    const tile = k.workgroup('tile', u32, 64)
    tile.at(k.localIndex).set(value)
    k.workgroupBarrier()
    k.range('i', 64, (i) => total.addAssign(tile.at(i)))
  }
  k.if(k.localIndex.eq(0), () => y.at(0).set(total))
})

/** Each row is summed in the same workgroup memory: a barrier before it is read, and one before it is written again. */
const rowSums = kernel('row_sums', { workgroupSize: [32], bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, params: { rows: d.u32 }, workgroups: () => [1], guards: 'off' }, ({ x, y, rows }, k) => {
  const tile = k.workgroup('tile', u32, 32)
  k.range('r', rows, (r) => {
    tile.at(k.localIndex).set(x.at(r.mul(32).add(k.localIndex)))
    k.workgroupBarrier()
    const sum = k.var('sum', u32(0))
    k.range('i', 32, (i) => sum.addAssign(tile.at(i)))
    y.at(r.mul(32).add(k.localIndex)).set(sum)
    k.workgroupBarrier()
  })
})

const halves = (wide: boolean) => kernel(wide ? 'wide' : 'narrow', { workgroupSize: [1], bindings: { x: input(d.arrayOf(d.f16)), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, workgroups: () => [1] }, ({ x, y, n }, k) => {
  if (wide) {
    const sum = k.var('sum', f32(0))
    k.range('i', n, (i) => sum.addAssign(f32(x.at(i))))
    y.at(0).set(sum)
  } else {
    const sum = k.var('sum', f16(0))
    k.range('i', n, (i) => sum.addAssign(x.at(i)))
    y.at(0).set(f32(sum))
  }
})

export const addTo = func('add_to(p, i, v)', [ptr('workgroup', d.arrayOf(d.u32, 8)), u32, u32], (p, i, v, _k: Builder) => p.at(i).addAssign(v))
export const total = func('total(p, n)', [ptr('storage', d.arrayOf(d.u32)), u32], (p, n, k: Builder) => {
  const sum = k.var('sum', u32(0))
  k.range('i', n, (i) => sum.addAssign(p.at(i)))
  return sum
})
export const swap = func('swap(p, q)', [ptr('function', u32), ptr('function', u32)], (p, q, k: Builder) => {
  const old = k.let('old', p)
  p.set(q)
  q.set(old)
})

export const matrices = kernel('matrices', { workgroupSize: [128], bindings: { a: input(d.arrayOf(d.f32)), b: input(d.arrayOf(d.f32)), c: output(d.arrayOf(d.f32)) }, workgroups: () => [1], guards: 'off' }, ({ a, b, c }, k) => {
  const left = k.subgroupMatrixLoad(subgroupMatrix('left', f32, { rows: 8, cols: 8 }), a, 0, 8)
  const right = k.subgroupMatrixLoad(subgroupMatrix('right', f32, { rows: 8, cols: 8 }), b, 0, 8, 'col')
  k.subgroupMatrixStore(c as never, 0, k.subgroupMatrixMultiply(left, right), 8)
})

export const dispatch: readonly ParityCase[] = [
  numbered('[edge-74 emits] 65,537 workgroups, folded', 65537),
  portioned('[edge-74 emits] the greatest product below 2³², in portions of 2²⁰', 1 << 20, [65536, 65535], 4096),
  portioned('[edge-74 emits] a product of 2³², in portions of 2²⁰', 1 << 20, [65536, 65536], 4096),
  portioned('[edge-74 emits] the greatest param, in portions of 2³⁰', 1 << 30, [2 ** 32 - 1, 1], 4),
  portioned('[edge-74 emits] a product above 2³², in portions of 2¹⁶, folded', 1 << 16, [65537, 65536], 65537),
  { name: '[edge-75 emits] a tail of 100 elements in workgroups of 64', kernel: tailed, bindings: { x: f32of(100, (i) => i), y: unset(2) }, params: { n: 100 }, expect: { y: f32s(2016, 2934) } },
  { name: '[edge-78 emits] [edge-79 emits] a sum by subgroups of any size, or without', kernel: bySubgroups, bindings: { x: u32of(64, (i) => i * i), y: unset(1) }, expect: { y: u32s(85344) } },
  computes('[edge-80 emits] bools are counted as u32, in uniform flow', u32, [1, 1], ({ k, u32: u }) => [k.subgroupAdd(fn.select(u32(0), 1, u(0).gt(0))), u32(k.subgroupAny(u(0).gt(0)))], { inputs: { u32: [4] } }),
  { name: '[edge-81 emits] barriers in loops with bounds that all invocations share', kernel: rowSums, bindings: { x: u32of(96, (i) => i), y: unset(96) }, params: { rows: 3 }, expect: { y: u32of(96, (i) => Array.from({ length: 32 }, (_, j) => Math.floor(i / 32) * 32 + j).reduce((a, b) => a + b)) } },
  computes('[edge-83 emits] workgroupUniformLoad of values and of atomics', u32, [7, 3], ({ k, u32: u }) => {
    const [n, c] = [k.workgroup('n', u32), k.workgroup('c', d.atomic(d.u32))]
    n.set(u(0))
    c.add(3)
    const bound = k.workgroupUniformLoad(n)
    k.range('i', bound, () => k.workgroupBarrier())
    return [bound, k.workgroupUniformLoad(c)]
  }, { inputs: { u32: [7] } }),
  { name: '[edge-84 emits] workgroup memory that is used again, with a barrier on either side', kernel: rowSums, bindings: { x: u32of(320, (i) => (i * 7919) % 1000), y: unset(320) }, params: { rows: 10 } },
  { name: '[edge-85 emits] 4,096 f16 summed in f32', kernel: halves(true), bindings: { x: f16s(...Array.from({ length: 4096 }, () => 1)), y: unset(1) }, params: { n: 4096 }, expect: { y: f32s(4096) } },
  { name: '[edge-85 emits] the same in f16 stays at 2,048, as it must', kernel: halves(false), bindings: { x: f16s(...Array.from({ length: 4096 }, () => 1)), y: unset(1) }, params: { n: 4096 }, expect: { y: f32s(2048) } },
  computes('[edge-86 emits] products of indices wrap at 2³²', u32, [0, 1, 0xfffffffb, 131071], ({ u32: u, i32: i }) => [u(0).mul(u(0)), u(1).mul(u(1)), u32(i(0)), u(0).mul(2).sub(1)], { inputs: { u32: [65536, 0xffffffff], i32: [-5] } }),
  {
    name: '[edge-87 emits] pointers into workgroup and storage memory', workgroups: [1], bindings: { a: u32s(1, 2, 3), b: u32s(10, 20, 30), y: unset(4) }, expect: { y: u32s(6, 30, 12, 5) },
    kernel: kernel('pointers', { workgroupSize: [1], bindings: { a: input(d.arrayOf(d.u32)), b: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ a, b, y }, k) => {
      const [t, s] = [k.workgroup('t', d.arrayOf(d.u32, 8)), k.workgroup('s', d.arrayOf(d.u32, 8))]
      addTo(t, 2, 5)
      addTo(t, 2, 7)
      addTo(s, 1, 5)
      y.at(0).set(k.call(total, a as never, 3))
      y.at(1).set(total(b as never, 2))
      y.at(2).set(t.at(2))
      y.at(3).set(s.at(1))
    }),
  },
  computes('[edge-87 emits] two pointers to two variables', u32, [2, 1], ({ k, u32: u }) => {
    const [a, b] = [k.var('a', u(0)), k.var('b', u(1))]
    swap(a, b)
    return [a, b]
  }, { inputs: { u32: [1, 2] } }),
  { name: '[edge-89 emits] a product of subgroup matrices', tintOnly: 'subgroup matrices', kernel: matrices, bindings: { a: f32of(64, (i) => i % 5), b: f32of(64, (i) => i % 3), c: unset(64) }, expect: { c: f32of(64, (i) => Array.from({ length: 8 }, (_, j) => ((Math.floor(i / 8) * 8 + j) % 5) * (((i % 8) * 8 + j) % 3)).reduce((a, b) => a + b)) } },
  {
    name: '[edge-90 emits] textures: sampled without a sampler, written, read and written', workgroups: [1],
    bindings: { from: { texture: 'rgba8unorm', size: [2, 1, 1], bytes: Uint8Array.of(255, 0, 51, 255, 0, 255, 102, 0) }, to: { texture: 'rgba32float', size: [2, 1, 1], bytes: new Uint8Array(32) }, both: { texture: 'r32uint', size: [2, 2, 1], bytes: new Uint8Array(u32s(1, 2, 3, 4).buffer) }, y: unset(4) },
    kernel: kernel('textures', { workgroupSize: [1], bindings: { from: texture(d.texture2d(d.f32)), to: texture(d.textureStorage2d('rgba32float', 'write-only')), both: texture(d.textureStorage2d('r32uint', 'read-write')), y: output(d.arrayOf(d.u32)) }, guards: 'off' }, ({ from, to, both, y }, k) => {
      to.store(vec2u(1, 0), from.load(vec2u(0, 0)).add(1))
      both.store(vec2u(0, 1), both.load(vec2u(1, 1)).mul(10))
      k.textureBarrier()
      y.at(0).set(both.load(vec2u(0, 1)).x)
      y.at(1).set((from.dimensions() as Expr<'vec2u'>).x.mul(10).add((both.dimensions() as Expr<'vec2u'>).y))
      y.at(2).set(u32(from.load(vec2u(1, 0)).y.mul(7)))
      y.at(3).set(from.numLevels())
    }),
    expect: { y: u32s(40, 22, 7, 1), to: f32s(0, 0, 0, 0, 2, 1, Math.fround(1 + Math.fround(51 / 255)), 2), both: u32s(1, 2, 40, 4) },
    tolerance: { kind: 'ulp', ulp: 3, because: 'unorm texels are within 3 ulp by the specification' },
  },
]
