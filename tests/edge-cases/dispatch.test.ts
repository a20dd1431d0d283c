import { compile } from '@weft/codegen'
import { interpret } from '@weft/codegen/interp'
import { createRuntime } from '@weft/runtime'
import { ceilDiv, d, f16, f32, fn, func, inout, input, kernel, output, override, ptr, subgroupMatrix, texture, u32, vec2u, vec3u, vec4f, type Builder, type Expr } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { missing } from '../engines/install.js'
import type { ParityCase } from '../parity/case.js'
import { f16s, f32of, f32s, u32of, u32s, unset } from '../parity/data.js'
import { paritySuite } from '../parity/harness.js'
import { DEVICES, onDevices, rejects } from './devices.js'
import { computes, loose, refuses, trial, wgslOf } from './support.js'

/** Edge cases 74–94: dispatch, limits, concurrency. */

const numbered = (name: string, n: number): ParityCase => ({
  name, bindings: { y: unset(n) }, params: { n }, expect: { y: u32of(n, (i) => i) },
  kernel: kernel('numbered', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.u32)) }, params: { n: d.u32 }, workgroups: ({ n: count }) => [count], guards: 'off' }, ({ y }, k) => y.at(k.workgroupIndex).set(k.workgroupIndex)),
})

/** The sum of x over each workgroup of 64; those beyond n are zeros, and all of them meet the barriers. */
const tailed = kernel('tailed', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, workgroups: ({ n }) => [ceilDiv(n, 64)] }, ({ x, y, n }, k) => {
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
const bySubgroups = kernel('by_subgroups', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, workgroups: () => [1], variants: { subgroups: ['subgroups', 'subgroup-id'], portable: [] } }, ({ x, y }, k) => {
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

const addTo = func('add_to(p, i, v)', [ptr('workgroup', d.arrayOf(d.u32, 8)), u32, u32], (p, i, v, _k: Builder) => p.at(i).addAssign(v))
const total = func('total(p, n)', [ptr('storage', d.arrayOf(d.u32)), u32], (p, n, k: Builder) => {
  const sum = k.var('sum', u32(0))
  k.range('i', n, (i) => sum.addAssign(p.at(i)))
  return sum
})
const swap = func('swap(p, q)', [ptr('function', u32), ptr('function', u32)], (p, q, k: Builder) => {
  const old = k.let('old', p)
  p.set(q)
  q.set(old)
})

const matrices = kernel('matrices', { workgroupSize: [128], bindings: { a: input(d.arrayOf(d.f32)), b: input(d.arrayOf(d.f32)), c: output(d.arrayOf(d.f32)) }, workgroups: () => [1], guards: 'off' }, ({ a, b, c }, k) => {
  const left = k.subgroupMatrixLoad(subgroupMatrix('left', f32, { rows: 8, cols: 8 }), a, 0, 8)
  const right = k.subgroupMatrixLoad(subgroupMatrix('right', f32, { rows: 8, cols: 8 }), b, 0, 8, 'col')
  k.subgroupMatrixStore(c as never, 0, k.subgroupMatrixMultiply(left, right), 8)
})

const dispatch: ParityCase[] = [
  numbered('[edge-74 emits] 65,537 workgroups, folded', 65537),
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

const barrierIn = (body: (t: { k: Builder; x: Expr<'f32'>; u: Expr<'u32'> }) => void) => trial(body)

describe('dispatch, limits and concurrency, edge cases 74–94', () => {
  it('[edge-74 policy] no workgroups: nothing runs; counts that are none are refused', () => onDevices(async (runtime) => {
    const compiled = compile(numbered('', 1).kernel)
    const y = runtime.buffer(u32s(7))
    await runtime.run(compiled, { y, n: 0 } as never)
    expect(runtime.stats).toMatchObject({ dispatches: 0, skipped: 1 })
    for (const workgroups of [1.7, -1, Number.NaN, [1, 2.5], [1, 1, 1, 1], []]) await rejects('bad-workgroups', /which is not a number of workgroups|expected 1 to 3/, () => runtime.run(compiled, { y, n: 1 } as never, { workgroups } as never))
    await rejects('bad-workgroups', /65,536 workgroups in x/, () => runtime.run(compiled, { y, n: 1 } as never, { workgroups: 65536 }))
    expect([...(await y.read())]).toEqual([7])
  }))
  it('[edge-75 refuses] a barrier after an early return', () => {
    refuses(() => compile(barrierIn(({ k, u }) => { k.if(u.gt(3), () => k.return()); k.workgroupBarrier() })), 'divergent-barrier', /'workgroupBarrier' stands in control flow that may differ[^]*note: /)
  })
  it.each([[[257], 'is 257, more than 256'], [[64, 8], 'has 512 invocations, more than 256'], [[1, 1, 65], 'in z is 65, more than 64'], [[288], '288']] as const)('[edge-76 refuses] a workgroup size of %j', (workgroupSize, says) => {
    refuses(() => compile(loose({}, { workgroupSize })), 'workgroup-size', says)
  })
  it.each([0, -1, 1.5, Number.NaN, null])('[edge-76 refuses] a workgroup size of %j', (size) => {
    refuses(() => loose({}, { workgroupSize: [size] }).ir(), 'workgroup-size', `${size} is not a workgroup size`)
    refuses(() => loose({}, { workgroupSize: [] }).ir(), 'workgroup-size', 'of 0 dimensions')
  })
  it('[edge-76 emits] larger ones where the device has larger limits', () => {
    const source = loose({}, { workgroupSize: [512] })
    expect(compile(source, { limits: { maxComputeInvocationsPerWorkgroup: 1024, maxComputeWorkgroupSizeX: 1024 } }).variants[0]?.needs.limits).toMatchObject({ maxComputeInvocationsPerWorkgroup: 512, maxComputeWorkgroupSizeX: 512 })
  })
  const many = (n: number) => loose(Object.fromEntries(Array.from({ length: n }, (_, i) => [`b${i}`, input(d.arrayOf(d.f32))])))
  it('[edge-77 refuses] more storage buffers than the device has', () => {
    expect(compile(many(8)).bindings).toHaveLength(8)
    refuses(() => compile(many(9)), 'too-many-bindings', /9 storage buffers, more than 8[^]*put several arrays into one buffer/)
    expect(compile(many(10), { limits: { maxStorageBuffersPerShaderStage: 10 } }).variants[0]?.needs.limits).toMatchObject({ maxStorageBuffersPerShaderStage: 10 })
  })
  it.each([4, 8, 16, 32, 64, 128])('[edge-78 emits] the same sum with subgroups of %i', (subgroupSize) => {
    for (const variant of ['subgroups', 'portable']) {
      const y = new Uint8Array(4)
      interpret(bySubgroups.ir(variant), { bindings: { x: new Uint8Array(u32of(64, (i) => i + 1).buffer), y }, workgroups: [1], subgroupSize })
      expect([...new Uint32Array(y.buffer)]).toEqual([2080])
    }
  })
  it('[edge-78 refuses] a subgroup size that workgroups do not divide into', () => {
    refuses(() => compile(loose({}, { workgroupSize: [48], subgroupSize: 32 })), 'workgroup-size', 'is 48, not a multiple of the subgroup size 32')
    refuses(() => compile(loose({}, { workgroupSize: [48], subgroupSize: 24 })), 'workgroup-size', 'power of two')
  })
  it('[edge-79 emits] subgroup_id asks for its language feature, and is never computed', () => {
    const [first, last] = compile(bySubgroups).variants
    expect(first?.needs.languageFeatures).toContain('subgroup_id')
    expect(first?.wgsl).toContain('@builtin(subgroup_id)')
    expect(last?.needs).toMatchObject({ features: [], languageFeatures: [] })
    expect(compile(bySubgroups, { profile: 'firefox' }).variants.map((v) => v.source)).toEqual(['portable'])
  })
  it('[edge-80 refuses] subgroup operations in divergent flow, and sums of bools', () => {
    refuses(() => compile(barrierIn(({ k, u }) => { const s = k.var('s', u32(0)); k.if(u.gt(3), () => s.set(k.subgroupAdd(u))) })), 'divergent-subgroup', "'subgroupAdd' stands in control flow that may differ within a subgroup")
    refuses(() => barrierIn(({ k, u }) => void k.let('s', k.subgroupAdd(u.gt(3) as never))).ir(), 'no-overload', 'subgroupAdd does not take bool')
    refuses(() => barrierIn(({ k, u }) => void k.let('s', k.subgroupBroadcast(u, u as never))).ir(), 'not-constant', /argument 2 of subgroupBroadcast must be a constant[^]*subgroupShuffle/)
    refuses(() => compile(barrierIn(({ k, u }) => void k.let('s', k.subgroupShuffleXor(u, u)))), 'not-uniform', "argument 2 of 'subgroupShuffleXor' may differ between the invocations of a subgroup")
  })
  it.each<[string, (t: { k: Builder; x: Expr<'f32'>; u: Expr<'u32'> }) => void]>([
    ['an if on an id', ({ k }) => k.if(k.localIndex.lt(32), () => k.workgroupBarrier())],
    ['an if on a private variable', ({ k }) => { const p = k.private('p', u32); k.if(p.eq(0), () => k.storageBarrier()) }],
    ['an if on workgroup memory', ({ k }) => { const w = k.workgroup('w', u32); k.if(w.eq(0), () => k.workgroupBarrier()) }],
    ['one lane of a vector whose other lane differs', ({ k }) => { const v = k.var('v', vec3u(1, 2, k.localIndex)); k.if(v.x.eq(1), () => k.workgroupBarrier()) }],
    ['a loop bounded by data', ({ k, u }) => k.range('i', u, () => k.workgroupBarrier())],
    ['a loop left by data', ({ k, u }) => k.range('i', 10, (i) => { k.if(i.gt(u), () => k.break()); k.workgroupBarrier() })],
    ['a function called in divergent flow', ({ k, u }) => k.if(u.gt(1), () => k.call(sync))],
  ])('[edge-81 refuses] a barrier under %s', (_, body) => {
    refuses(() => compile(barrierIn(body)), 'divergent-barrier', /Barrier'/)
  })
  it('[edge-82 policy] a later launch sees what an earlier one wrote; barriers do not reach so far', () => onDevices(async (runtime) => {
    const next = compile(kernel('next', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) }, params: { n: d.u32 }, workgroups: ({ n }) => [ceilDiv(n, 64)] }, ({ x, y, n }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () => y.at(i).set(x.at(n.sub(1).sub(i)).add(1)))
    }))
    const n = 5000
    let [a, b] = [runtime.buffer(Uint32Array.from({ length: n }, (_, i) => i)), runtime.buffer(new Uint32Array(n))]
    for (let round = 0; round < 10; round++) {
      void runtime.run(next, { x: a, y: b, n } as never)
      ;[a, b] = [b, a]
    }
    expect([...(await a.read())]).toEqual(Array.from({ length: n }, (_, i) => i + 10))
  }))
  it('[edge-83 refuses] workgroupUniformLoad in divergent flow, at a divergent index, and of other memory', () => {
    refuses(() => compile(barrierIn(({ k, u }) => { const w = k.workgroup('w', u32); const s = k.var('s', u32(0)); k.if(u.gt(1), () => s.set(k.workgroupUniformLoad(w))) })), 'divergent-barrier', "'workgroupUniformLoad' stands in control flow that may differ")
    refuses(() => compile(barrierIn(({ k }) => { const w = k.workgroup('w', u32, 4); k.let('s', k.workgroupUniformLoad(w.at(k.localIndex))) })), 'not-uniform', "the index that 'workgroupUniformLoad' reads may differ")
    refuses(() => compile(barrierIn(({ k }) => { const w = k.private('w', u32); k.let('s', k.workgroupUniformLoad(w)) })), 'invalid-ir', 'workgroupUniformLoad')
  })
  it('[edge-86 refuses] indices of another type than u32 or i32', () => {
    refuses(() => barrierIn(({ k, x }) => void k.workgroup('w', u32, 4).at(x as never).set(1)).ir(), 'bad-index', /is f32[^]*u32\(x\)/)
  })
  it('[edge-87 refuses] pointers that meet, wrong access, wrong type', () => {
    refuses(() => compile(barrierIn(({ k }) => { const a = k.var('a', u32(1)); swap(a, a) })), 'pointer-alias', /note: /)
    const read = func('read(p)', [ptr('storage', d.arrayOf(d.u32), 'read_write')], (p, _k: Builder) => p.at(0).set(1))
    refuses(() => compile(loose({ x: input(d.arrayOf(d.u32)) }, {}, ({ x }, k) => k.call(read as never, x as never))), 'binding-access', "'x' is an input")
    refuses(() => barrierIn(({ k }) => addTo(k.var('v', d.arrayOf(d.u32, 4)) as never, 0, 1)).ir(), 'type-mismatch', "argument 'p' of add_to must refer to array<u32, 8>, and refers to array<u32, 4>")
    refuses(() => compile(barrierIn(({ k }) => addTo(k.var('v', d.arrayOf(d.u32, 8)) as never, 0, 1))), 'invalid-ir', 'must point into workgroup memory, not function')
    refuses(() => compile(loose({ x: input(d.arrayOf(d.u32)) }, {}, (_, k) => k.var('p', ptr('function', u32)))), 'bad-type', 'a variable cannot be of type ptr<function, u32>')
  })
  it('[edge-87 emits] naga gets no pointer that it does not know', () => {
    const source = dispatch.find((c) => c.name.startsWith('[edge-87 emits] pointers into'))?.kernel as never
    expect(wgslOf(source, { profile: 'firefox' })).not.toMatch(/ptr<(workgroup|storage)/)
    expect(wgslOf(source, { profile: 'chrome' })).toMatch(/ptr<workgroup/)
  })
  it('[edge-88 emits] enables: only what is used, before everything, and never a requires', () => {
    const plain = wgslOf(trial(() => undefined))
    const mixed = wgslOf(trial(({ k, x, out }) => out.at(k.localIndex).set(u32(f32(f16(x).add(1)).add(f32(k.subgroupSize))))))
    expect(plain).not.toContain('enable')
    expect(mixed.split('\n').filter((line) => line.startsWith('enable')).sort().join(' ')).toMatch(/^enable f16(;|, ) ?(enable )?subgroups;$/)
    expect(mixed.startsWith('enable ')).toBe(true)
    for (const { kernel: source } of dispatch) for (const v of compile(source).variants) expect(v.wgsl).not.toMatch(/\brequires\b/)
  })
  it('[edge-89 refuses] shapes that do not fit, and devices without them', () => {
    const left = subgroupMatrix('left', f32, { rows: 8, cols: 8 })
    refuses(() => loose({ a: input(d.arrayOf(d.f32)) }, {}, ({ a }, k) => { const m = k.subgroupMatrixLoad(left, a as never, 0, 8); k.var('r', k.subgroupMatrixMultiply(m, m as never) as never) }).ir(), 'type-mismatch', /does not exist[^]*left M×K, a right K×N/)
    refuses(() => compile(matrices, { profile: 'firefox' }), 'profile-unsupported', /subgroupMatrixLoad needs the device feature/)
    expect(wgslOf(matrices)).toMatch(/subgroupMatrixLoad<subgroup_matrix_left<f32, 8, 8>, row_major>\(&a, /)
  })
  it('[edge-90 refuses] filtering, and formats that compute shaders cannot use', () => {
    expect((fn as unknown as Record<string, unknown>).textureSample).toBeUndefined()
    refuses(() => compile(loose({ t: texture(d.textureStorage2d('rgba8unorm', 'read-write')) })), 'bad-type', /cannot be read and written at once[^]*only r32float/)
    refuses(() => compile(loose({ t: texture(d.textureStorage2d('bgra8unorm' as never, 'write-only')) })), 'bad-type', 'bgra8unorm, which not every device can store to')
    refuses(() => loose({ t: texture(d.textureStorage2d('r32float', 'write-only')) }, {}, (v, k) => k.let('x', (v as never as { t: { load(c: unknown): Expr<'vec4f'> } }).t.load(vec2u(0)))).ir(), 'binding-access', "'t' is a write-only texture and cannot be read")
    refuses(() => loose({ t: texture(d.texture2d(d.f32)) }, {}, (v) => (v as never as { t: { store(c: unknown, x: unknown): void } }).t.store(vec2u(0), vec4f(0))).ir(), 'binding-access', "'t' of type texture_2d<f32> cannot be written")
  })
  it('[edge-91 policy] pipelines are cached by text, constants and layout; not by shape', () => onDevices(async (runtime) => {
    const compiled = compile(tailed)
    const x = runtime.buffer(f32of(1000, () => 1))
    const y = runtime.buffer(Float32Array, 16)
    for (const n of [1, 64, 65, 1000]) await runtime.run(compiled, { x, y, n } as never)
    expect(runtime.stats.pipelines.misses).toBe(1)
    const over = compile(kernel('over', { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) }, overrides: { v: override(f32, 1) }, guards: 'off' }, (b) => b.y.at(0).set(b.v)))
    for (const v of [1, 2, 2, 1]) {
      await runtime.run(over, { y } as never, { workgroups: 1, overrides: { v } } as never)
      expect((await y.read())[0]).toBe(v)
    }
    expect(runtime.stats.pipelines.misses).toBe(3)
  }))
  it('[edge-91 policy] the hash of an artifact changes with everything that reaches the device', () => {
    const of = (value: number, access: 'in' | 'inout', size = 64) => compile(kernel('h', { workgroupSize: [size], bindings: { x: access === 'in' ? input(d.arrayOf(d.f32)) : inout(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, guards: 'off' }, ({ x, y }) => y.at(0).set((x as never as { at(i: number): Expr<'f32'> }).at(0).mul(value)))).hash
    expect(of(2, 'in')).toBe(of(2, 'in'))
    expect(new Set([of(2, 'in'), of(2.000017, 'in'), of(2.000021, 'in'), of(2, 'inout'), of(2, 'in', 32)]).size).toBe(5)
  })
  it.skipIf(missing('dawn') !== undefined)("[edge-92 policy] what a compiler says comes with the author's line", async () => {
    const compiled = compile(tailed)
    const broken = { ...compiled, variants: compiled.variants.map((v) => ({ ...v, wgsl: v.wgsl.replace(/tile\[local_index\] = /, 'tile[local_index] = 1u + ') })) }
    expect(broken.variants[0]?.wgsl).not.toBe(compiled.variants[0]?.wgsl)
    const runtime = await (DEVICES.find((x) => x.name === 'dawn') as (typeof DEVICES)[number]).open()
    const args = { x: runtime.buffer(Float32Array, 1), y: runtime.buffer(Float32Array, 1), n: 1 } as never
    await rejects('compile-failed', /'tailed'[^]*at [^\n]*dispatch\.test\.ts:\d+:\d+[^]*WGSL line \d+/, () => runtime.run(broken, args))
    await runtime.run(compiled, args)
    runtime.destroy()
    await rejects('device-lost', /./, () => runtime.run(compiled, args))
  })
  it('[edge-92 policy] every statement of the WGSL has a line of its author', () => {
    const { variants: [variant] } = compile(tailed)
    const { lines = [], files = [] } = variant?.sourceMap ?? {}
    expect(files.every((file) => file.endsWith('dispatch.test.ts'))).toBe(true)
    const stores = (variant?.wgsl.split('\n') ?? []).flatMap((text, i) => (/^\s+(y|tile)\[.*=/.test(text) ? [lines[i]] : []))
    expect(stores.length).toBeGreaterThan(4)
    expect(stores.every((at) => at !== null && at !== undefined && at[1] > 20 && at[1] < 60)).toBe(true)
  })
  it('[edge-93 policy] timestamps are asked for where there are any, and nothing depends on them', async () => {
    const without = await createRuntime({ device: (await import('@weft/codegen/interp')).cpu() })
    expect(without.info.features).not.toContain('timestamp-query')
    await without.run(compile(tailed), { x: without.buffer(Float32Array, 1), y: without.buffer(Float32Array, 1), n: 1 } as never)
    for (const { kernel: source } of dispatch) for (const v of compile(source).variants) expect(v.needs.features).not.toContain('timestamp-query')
  })
  it('[edge-94 policy] reads of any size, and buffers beyond the limits with both numbers', () => onDevices(async (runtime) => {
    const bytes = runtime.buffer(Uint8Array.from({ length: 7 }, (_, i) => i + 1))
    expect([...(await bytes.read())]).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect([...(await bytes.read(Uint8Array, { offset: 3, size: 3 }))]).toEqual([4, 5, 6])
    const most = runtime.info.limits.maxBufferSize ?? Number.POSITIVE_INFINITY
    if (Number.isFinite(most)) expect(() => runtime.buffer({ size: most + 4 })).toThrow(/binding-limit: 'buffer' would have [\d,]+ bytes, and the device allows [\d,]+ \(maxBufferSize\)/)
  }))
})

const sync = func('sync()', [], (k: Builder) => k.workgroupBarrier())

await paritySuite('dispatch', dispatch)
