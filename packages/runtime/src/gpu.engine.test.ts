import { existsSync } from 'node:fs'
import * as d from 'typegpu/data'
import { afterAll, describe, expect, it } from 'vitest'
import { createRuntime } from './node/index'
import type { Runtime } from './runtime'
import { failure } from './testing/expect'
import { broken, fill, fixture, increment, linear, param, saxpy } from './testing/fixtures'

/** Results on Chrome's engine over SwiftShader; where it is not installed there is nothing to run on. */
const runtime: Runtime = await createRuntime().catch((error: unknown) => {
  if (!existsSync('/usr/lib/chromium/vk_swiftshader_icd.json')) return null as unknown as Runtime
  throw error
})
const gpu = describe.skipIf(runtime === null)
const device = runtime?.device as GPUDevice
afterAll(() => runtime?.destroy())

const range = (n: number, from = 0) => Uint32Array.from({ length: n }, (_, i) => i + from)

gpu('kernels', () => {
  it('reports the adapter', () => {
    expect(runtime.info.backend).toBe('webgpu')
    expect(runtime.info.limits.maxComputeInvocationsPerWorkgroup).toBeGreaterThanOrEqual(256)
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
    const bare = device.createBuffer({ size: 8, usage: 8 })
    const e = await failure('binding-type', () => runtime.run(kernel, { v, x, out: bare, n: 2 }))
    expect(e.message).toContain('is a GPUBuffer without STORAGE usage')
  })
})

const FILL = {
  bindings: { out: 'write array<u32>' },
  params: { n: 'u32', value: 'u32' },
  body: '  if (gid.x < params.n) { out[gid.x] = params.value; }',
}

gpu('[case-R26] [edge-73] [edge-94] uploads and readbacks of odd lengths', () => {
  it('come back as they were', async () => {
    for (const n of [0, 1, 2, 3, 5, 6, 7, 9]) {
      const bytes = Uint8Array.from({ length: n }, (_, i) => i + 1)
      expect(await runtime.buffer(bytes).read()).toEqual(bytes)
    }
    for (const n of [1, 3])
      expect(await runtime.buffer(new Uint16Array(n).fill(0x3c00)).read()).toEqual(new Uint16Array(n).fill(0x3c00))
  })

  it('leave the neighbours intact', async () => {
    const buffer = runtime.buffer(Uint8Array, 11)
    const model = new Uint8Array(11)
    for (let offset = 0; offset < 11; offset++) {
      for (let n = 1; offset + n <= 11; n++) {
        const bytes = Uint8Array.from({ length: n }, (_, i) => 16 * offset + i + 1)
        buffer.write(bytes, offset)
        model.set(bytes, offset)
        if ((offset + n) % 3 === 0) expect(await buffer.read(), `${n} bytes at ${offset}`).toEqual(model)
      }
    }
    expect(await buffer.read()).toEqual(model)
    expect(await buffer.read(Uint8Array, { offset: 3, size: 5 })).toEqual(model.slice(3, 8))
  })

  it('in the order of launches, and in a GPUBuffer of the caller', async () => {
    const raw = device.createBuffer({ size: 1024, usage: 0x80 | 4 | 8 })
    await runtime.run(fill, { out: raw, n: 256, value: 0xffffffff })
    runtime.write(raw, new Uint8Array([1, 2, 3]), 701)
    expect(await runtime.read(raw, Uint8Array, { offset: 700, size: 5 })).toEqual(new Uint8Array([255, 1, 2, 3, 255]))
    await runtime.idle()
    const bare = device.createBuffer({ size: 8, usage: 8 })
    await failure('buffer-data', () => runtime.write(bare, new Uint8Array(1), 1))
  })

  it('takes shared memory, which WebGPU does not', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(3)
    expect(await runtime.buffer(shared).read(Uint8Array)).toEqual(new Uint8Array(8).fill(3))
  })
})

gpu('failures', () => {
  it("compile-failed names the kernel, the author's line and the WGSL line", async () => {
    const out = runtime.buffer(Uint32Array, 1)
    const e = await failure('compile-failed', () => runtime.run(broken, { out, n: 1 }))
    expect(e.message).toMatch(
      /^compile-failed: 'broken' \(variant 'portable'\): .*u32.*\n  at kernels\/fixture\.ts:106:3\n  note: WGSL line 7:\d+: out\[0\] = 1\.5;$/s,
    )
    expect(e.position).toEqual({ file: 'kernels/fixture.ts', line: 106, column: 3 })
    await failure('compile-failed', () => out.read())
    await failure('compile-failed', () => runtime.idle())
  })

  it('[case-R34] of ten compilations at once, exactly the invalid one rejects', async () => {
    const kernels = Array.from({ length: 10 }, (_, i) =>
      fixture({
        ...FILL,
        name: `k${i}`,
        body: i === 3 ? '  out[0] = missing;' : `  if (gid.x < params.n) { out[gid.x] = params.value + ${i}u; }`,
      }),
    )
    const before = runtime.stats.pipelines
    const outs = kernels.map(() => runtime.buffer(Uint32Array, 1))
    const results = await Promise.allSettled(
      kernels.map((kernel, i) => runtime.run(kernel, { out: outs[i], n: 1, value: 0 })),
    )
    expect(results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([3])
    expect(String((results[3] as PromiseRejectedResult).reason)).toContain("'k3'")
    const { misses, failed } = runtime.stats.pipelines
    expect([misses - before.misses, failed - before.failed]).toEqual([10, 1])
    expect([...((await outs[9]?.read()) ?? [])]).toEqual([9])
    await runtime.idle().catch(() => undefined)
  })

  it('[prior-R03] dispatch-failed names the kernel, and nothing after it is mistaken for good', async () => {
    const gone = device.createBuffer({ size: 16, usage: 0x80 | 4 | 8 })
    const out = runtime.buffer(Uint32Array, 4)
    const fine = runtime.buffer(Uint32Array, 4)
    gone.destroy() // behind the runtime's back
    void runtime.run(increment, { x: gone, out, n: 4 })
    void runtime.run(fill, { out: fine, n: 4, value: 1 })
    const e = await failure('dispatch-failed', () => out.read())
    expect(e.message).toContain("'increment' (variant 'portable'): ")
    expect([...(await fine.read())]).toEqual([1, 1, 1, 1])
    await failure('dispatch-failed', () => runtime.idle())
  })

  it('shares pipelines by source, constants and layout, not by name or buffers', async () => {
    const kernel = (name: string) => fixture({ ...FILL, name, overrides: { T: 1 }, body: '  out[0] = T;' })
    const [a, b] = [kernel('same'), kernel('same')]
    const [x, y] = [runtime.buffer(Uint32Array, 1), runtime.buffer(Uint32Array, 1)]
    const before = runtime.stats.pipelines
    await Promise.all([runtime.run(a, { out: x, n: 1, value: 0 }), runtime.run(b, { out: y, n: 1, value: 0 })])
    await runtime.run(a, { out: x, n: 1, value: 0 }, { overrides: { T: 2 } })
    const { misses, shared } = runtime.stats.pipelines
    expect([misses - before.misses, shared - before.shared]).toEqual([2, 1])
    expect([[...(await x.read())], [...(await y.read())]]).toEqual([[2], [1]])
  })
})

gpu('the life of a device', () => {
  it('[case-R23] [case-R21] rejects what is pending when it is destroyed, and others go on', async () => {
    const other = await createRuntime()
    const out = other.buffer(Uint32Array, 4)
    const pending = [other.run(fill, { out, n: 4, value: 1 }), out.read(), other.idle()]
    other.destroy()
    for (const promise of pending) await failure('device-lost', () => promise)
    await failure('device-lost', () => other.run(fill, { out, n: 4, value: 1 }))
    const again = await createRuntime()
    const fresh = again.buffer(Uint32Array, 4)
    await again.run(fill, { out: fresh, n: 4, value: 2 })
    await failure('foreign-buffer', () => again.run(fill, { out, n: 4, value: 2 }))
    expect([...(await fresh.read())]).toEqual([2, 2, 2, 2])
    again.destroy()
  })

  it('[case-R42] says so when the device is lost, and leaves a device that it does not own alone', async () => {
    const adapter = await (await import('./node/index')).openGpu().then((g) => g.requestAdapter())
    const own = (await adapter?.requestDevice()) as GPUDevice
    const wrapped = await createRuntime({ device: own })
    const out = wrapped.buffer(Uint32Array, 4)
    await wrapped.run(fill, { out, n: 4, value: 1 })
    wrapped.destroy()
    const second = await createRuntime({ device: own })
    const kept = second.buffer(Uint32Array, 4)
    await second.run(fill, { out: kept, n: 4, value: 3 })
    expect([...(await kept.read())]).toEqual([3, 3, 3, 3])
    const reading = kept.read()
    own.destroy()
    await failure('device-lost', () => reading)
    await own.lost
    const e = await failure('device-lost', () => second.run(fill, { out: kept, n: 4, value: 3 }))
    expect(e.message).toContain('the device was lost (destroyed)')
  })
})
