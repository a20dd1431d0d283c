import { compile } from '@weft/codegen'
import { interpret } from '@weft/codegen/interp'
import { ceilDiv, d, f16, f32, fn, func, input, kernel, output, ptr, subgroupMatrix, texture, u32, vec2u, vec3u, vec4f, type Builder, type Expr } from '@weft/dsl'
import { describe, expect, it } from 'vitest'
import { u32of, u32s } from '../parity/data.js'
import { paritySuite } from '../parity/harness.js'
import { onDevices, rejects } from './devices.js'
import { addTo, bySubgroups, dispatch, matrices, numbered, swap } from './dispatch-cases.js'
import { loose, refuses, trial, wgslOf } from './support.js'

/** Edge cases 74–90: dispatch, limits, concurrency. */

const barrierIn = (body: (t: { k: Builder; x: Expr<'f32'>; u: Expr<'u32'> }) => void) => trial(body)

describe('dispatch, limits and concurrency, edge cases 74–90', () => {
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
    refuses(() => compile(barrierIn(({ k, u }) => { k.if(u.gt(3), () => k.return()); k.workgroupBarrier() })), 'divergent-barrier', /'workgroupBarrier' stands in control flow that may differ[\s\S]*note: /)
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
    refuses(() => compile(many(9)), 'too-many-bindings', /9 storage buffers, more than 8[\s\S]*put several arrays into one buffer/)
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
    refuses(() => compile(barrierIn(({ k, u }) => { const s = k.var('s', u32(0)); k.if(u.gt(3), () => s.set(k.subgroupAdd(u))) })), 'divergent-subgroup', "'subgroupAdd' stands in control flow that may differ between the invocations of a subgroup")
    refuses(() => barrierIn(({ k, u }) => void k.let('s', k.subgroupAdd(u.gt(3) as never))).ir(), 'no-overload', 'subgroupAdd does not take bool')
    refuses(() => barrierIn(({ k, u }) => void k.let('s', k.subgroupBroadcast(u, u as never))).ir(), 'not-constant', /argument 2 of subgroupBroadcast must be a constant[\s\S]*subgroupShuffle/)
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
    refuses(() => barrierIn(({ k, x }) => void k.workgroup('w', u32, 4).at(x as never).set(1)).ir(), 'bad-index', /type f32 is not an index[\s\S]*u32\(x\)/)
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
    refuses(() => loose({ a: input(d.arrayOf(d.f32)) }, {}, ({ a }, k) => { const m = k.subgroupMatrixLoad(left, a as never, 0, 8); k.var('r', k.subgroupMatrixMultiply(m, m as never) as never) }).ir(), 'type-mismatch', /argument 2 of subgroupMatrixMultiply must be a right subgroup matrix, and is an expression of type subgroup_matrix_left</)
    refuses(() => compile(matrices, { profile: 'firefox' }), 'profile-unsupported', /subgroupMatrixLoad needs the device feature/)
    expect(wgslOf(matrices)).toMatch(/subgroupMatrixLoad<subgroup_matrix_left<f32, 8, 8>, row_major>\(&a, /)
  })
  it('[edge-90 refuses] filtering, and formats that compute shaders cannot use', () => {
    expect((fn as unknown as Record<string, unknown>).textureSample).toBeUndefined()
    refuses(() => compile(loose({ t: texture(d.textureStorage2d('rgba8unorm', 'read-write')) })), 'bad-type', /cannot be read and written at once[\s\S]*only r32float/)
    refuses(() => compile(loose({ t: texture(d.textureStorage2d('bgra8unorm' as never, 'write-only')) })), 'bad-type', 'bgra8unorm, which not every device can store to')
    refuses(() => loose({ t: texture(d.textureStorage2d('r32float', 'write-only')) }, {}, (v, k) => k.let('x', (v as never as { t: { load(c: unknown): Expr<'vec4f'> } }).t.load(vec2u(0)))).ir(), 'binding-access', "'t' of type texture_storage_2d<r32float, write> cannot be read")
    refuses(() => loose({ t: texture(d.texture2d(d.f32)) }, {}, (v) => (v as never as { t: { store(c: unknown, x: unknown): void } }).t.store(vec2u(0), vec4f(0))).ir(), 'binding-access', "'t' of type texture_2d<f32> cannot be written")
  })
})

const sync = func('sync()', [], (k: Builder) => k.workgroupBarrier())

await paritySuite('edges: dispatch', dispatch)
