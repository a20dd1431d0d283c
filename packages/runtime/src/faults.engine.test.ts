import { expect, it } from 'vitest'
import { createRuntime, openGpu } from './node/index'
import { failure } from './testing/expect'
import { FILL } from './testing/fill'
import { broken, fill, fixture, increment } from './testing/fixtures'
import { device, gpu, runtime } from './testing/gpu'

gpu('failures', () => {
  it("compile-failed names the kernel, the author's line and the WGSL line", async () => {
    const out = runtime.buffer(Uint32Array, 1)
    const e = await failure('compile-failed', () => runtime.run(broken, { out, n: 1 }))
    expect(e.message).toMatch(
      /^compile-failed: 'broken' \(variant 'portable'\): .*u32.*\n {2}at kernels\/fixture\.ts:106:3\n {2}note: WGSL line 7:\d+: out\[0\] = 1\.5;$/s,
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

  it('idle tells of errors that nobody caught', async () => {
    device.createBuffer({ size: 4, usage: 1 | 0x80 }) // no such combination
    await new Promise((resolve) => setTimeout(resolve, 20))
    await failure('dispatch-failed', () => runtime.idle())
    await runtime.idle()
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
    const adapter = await (await openGpu()).requestAdapter()
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
