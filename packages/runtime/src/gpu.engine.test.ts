import { tgpu } from 'typegpu'
import * as d from 'typegpu/data'
import { expect, it } from 'vitest'
import { failure } from './testing/expect'
import { FILL } from './testing/fill'
import { fixture, increment, linear, param, saxpy } from './testing/fixtures'
import { device, gpu, runtime } from './testing/gpu'

const range = (n: number, from = 0) => Uint32Array.from({ length: n }, (_, i) => i + from)

gpu('kernels', () => {
  it('reports the adapter', () => {
    expect(runtime.info.backend).toBe('webgpu')
    expect(runtime.info.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(256)
    // SwiftShader's subgroups
    expect(runtime.info.limits).toMatchObject({ minSubgroupSize: 4, maxSubgroupSize: 4 })
    expect(runtime.info.languageFeatures).toContain('immediate_address_space')
  })

  it('[case-C31] runs for any length, 1 first', async () => {
    for (const n of [1, 2, 64, 65, 1000]) {
      const x = runtime.buffer(Float32Array.from({ length: n }, (_, i) => i))
      const y = runtime.buffer(new Float32Array(n).fill(1))
      await runtime.run(saxpy, { x, y, n, a: 2 })
      expect(await y.read()).toEqual(Float32Array.from({ length: n }, (_, i) => 2 * i + 1))
    }
  })

  it('[edge-74] numbers the workgroups of a folded launch', async () => {
    const kernel = fixture({
      name: 'folded',
      bindings: { out: 'read_write array<u32>' },
      params: { n: 'u32' },
      workgroupSize: 1,
      launch: linear(param('n')),
      body: '  let i = wid.x + wid.y * nwg.x; if (i < params.n) { out[i] += i + 1u; }',
    })
    for (const n of [65535, 65536, 65537]) {
      const out = runtime.buffer(Uint32Array, n)
      await runtime.run(kernel, { out, n })
      expect(await out.read()).toEqual(range(n, 1))
    }
  })

  it('[edge-64] sets immediates', async () => {
    const kernel = fixture({
      name: 'immediate',
      via: 'immediates',
      needs: { languageFeatures: ['immediate_address_space'] },
      bindings: { out: 'write array<u32>' },
      params: { n: 'u32', v: 'u32' },
      body: '  if (gid.x < params.n) { out[gid.x] = params.v; }',
    })
    const out = runtime.buffer(Uint32Array, 3)
    for (const v of [5, 6]) await runtime.run(kernel, { out, n: 3, v })
    expect([...(await out.read())]).toEqual([6, 6, 6])
  })

  it('[case-R11] keeps the params of launches that nobody awaits apart, and the order of everything', async () => {
    const outs = [1, 2, 3].map(() => runtime.buffer(Uint32Array, 3))
    const fresh = fixture({ ...FILL, name: 'fresh' }) // not compiled yet, so all of this waits for it
    outs.forEach((out, i) => void runtime.run(fresh, { out, n: 3, value: i + 1 }))
    const [a, b] = outs
    if (!a || !b) throw new Error('no buffers')
    a.write(new Uint32Array([9]), 4)
    void runtime.run(increment, { x: a, out: b, n: 3 })
    const early = a.read()
    a.write(range(3))
    expect([...(await early)]).toEqual([1, 9, 1])
    expect([...(await b.read())]).toEqual([2, 10, 2])
    expect([...(await a.read())]).toEqual([0, 1, 2])
    expect([...((await outs[2]?.read()) ?? [])]).toEqual([3, 3, 3])
  })

  it('runs in place by a declared alias', async () => {
    const x = runtime.buffer(range(100))
    await runtime.run(increment, { x, out: x, n: 100 })
    expect(await x.read()).toEqual(range(100, 1))
  })

  it('[case-S22] [edge-71] binds empty buffers where there is still something to write', async () => {
    const kernel = fixture({
      name: 'zeros',
      bindings: { a: 'read array<vec4f>', b: 'read array<f32>', out: 'write array<f32>' },
      params: { n: 'u32', k: 'u32' },
      body: '  if (gid.x < params.n) { var s = 0f; for (var i = 0u; i < params.k; i++) { s += a[i].x * b[i]; } out[gid.x] = s; }',
    })
    const out = runtime.buffer(new Float32Array(6).fill(7))
    await runtime.run(kernel, {
      a: runtime.buffer(Float32Array, 0),
      b: runtime.buffer(Float32Array, 0),
      out,
      n: 6,
      k: 0,
    })
    expect(await out.read()).toEqual(new Float32Array(6))
  })

  it('[case-C37] [edge-67] binds what the kernel declares, used or not', async () => {
    const kernel = fixture({ ...FILL, name: 'unused', bindings: { spare: 'read array<f32>', out: 'write array<u32>' } })
    const out = runtime.buffer(Uint32Array, 2)
    await runtime.run(kernel, { spare: runtime.buffer(Float32Array, 1), out, n: 2, value: 3 })
    expect([...(await out.read())]).toEqual([3, 3])
  })

  it('takes uniform bindings, ranges, GPUBuffers and buffers of TypeGPU', async () => {
    const kernel = fixture({
      name: 'mixed',
      bindings: { v: 'uniform vec4f', x: 'read array<f32>', out: 'write array<f32>' },
      params: { n: 'u32' },
      body: '  if (gid.x < params.n) { out[gid.x] = v.y * x[gid.x]; }',
    })
    const v = runtime.buffer(d.vec4f, d.vec4f(1, 10, 3, 4))
    const x = runtime.buffer(Float32Array.from({ length: 128 }, (_, i) => i))
    const raw = device.createBuffer({ size: 8, usage: 0x80 | 4 | 8 })
    await runtime.run(kernel, { v, x: x.range(256), out: { buffer: raw }, n: 2 })
    expect(await runtime.read(raw, Float32Array)).toEqual(new Float32Array([640, 650]))
    await runtime.run(kernel, { v, x: { buffer: x, size: 8 }, out: raw, n: 2 })
    expect(await runtime.read(raw, Float32Array, { offset: 4 })).toEqual(new Float32Array([10]))
    Object.assign(globalThis, (await import('webgpu')).globals) // TypeGPU wants the constants
    const theirs = tgpu.initFromDevice({ device }).createBuffer(d.arrayOf(d.f32, 2)).$usage('storage')
    await runtime.run(kernel, { v, x, out: theirs, n: 2 })
    expect(await runtime.read(theirs, Float32Array)).toEqual(new Float32Array([0, 10]))
    const bare = device.createBuffer({ size: 8, usage: 8 })
    const e = await failure('binding-type', () => runtime.run(kernel, { v, x, out: bare, n: 2 }))
    expect(e.message).toContain('is a GPUBuffer without STORAGE usage')
  })
})
