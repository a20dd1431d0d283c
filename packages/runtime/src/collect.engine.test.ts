import { expect, it } from 'vitest'
import { createRuntime, openGpu } from './node/index'
import type { Runtime } from './runtime'
import { collectUntil } from './testing/collect'
import { fill, increment } from './testing/fixtures'
import { gpu } from './testing/gpu'

/** Makes buffers in a scope of its own, so that nothing on the stack keeps them. */
const drop = (runtime: Runtime, count: number, use: (out: ReturnType<Runtime['buffer']>) => unknown) =>
  void Array.from({ length: count }, () => use(runtime.buffer(Uint32Array, 100)))

gpu('buffers that nobody can reach', () => {
  it('come back to the pool, and what was running with them is right', async () => {
    const runtime = await createRuntime()
    const y = runtime.buffer(Uint32Array, 100)
    await (async () => {
      const x = runtime.buffer(new Uint32Array(100).fill(41))
      void runtime.run(increment, { x, out: y, n: 100 })
    })()
    drop(runtime, 10, (out) => void runtime.run(fill, { out, n: 100, value: 1 }))
    await runtime.idle()
    await collectUntil(() => runtime.stats.buffers.live === 1)
    expect(runtime.stats.buffers).toMatchObject({ live: 1, bytes: 400, collected: 11 })
    expect(runtime.stats.pool.idle).toBe(11)
    expect(await y.read()).toEqual(new Uint32Array(100).fill(42))
    runtime.destroy()
  })

  it('but are kept by prepared dispatches, views and arenas', async () => {
    const runtime = await createRuntime()
    const held: unknown[] = []
    const step = await (async () => runtime.prepare(fill, { out: runtime.buffer(Uint32Array, 4), n: 4, value: 1 }))()
    drop(runtime, 1, (out) => held.push(out.view(Uint32Array)))
    held.push(runtime.arena(1024).buffer(Uint32Array, 4))
    drop(runtime, 5, () => null)
    await collectUntil(() => runtime.stats.buffers.collected === 5)
    await collectUntil(() => runtime.stats.buffers.live < 3, 10)
    expect(runtime.stats.buffers).toMatchObject({ live: 3, collected: 5 })
    await step.run()
    expect(held).toHaveLength(2)
    runtime.destroy()
  })

  it('leave GPUBuffers alone that were given away', async () => {
    const runtime = await createRuntime()
    const raw: GPUBuffer[] = []
    drop(runtime, 3, (out) => {
      void runtime.run(fill, { out, n: 100, value: 7 })
      raw.push(out.gpu as GPUBuffer)
    })
    await runtime.idle()
    await collectUntil(() => runtime.stats.buffers.live === 0)
    expect(runtime.stats.pool).toMatchObject({ idle: 0, bytes: 0 })
    expect(runtime.stats.bindGroups.entries, 'a cached bind group would keep the buffer').toBe(0)
    for (const buffer of raw) {
      expect(await runtime.read(buffer, Uint32Array, { size: 400 })).toEqual(new Uint32Array(100).fill(7))
    }
    runtime.destroy()
  })
})

gpu('the end of a runtime', () => {
  it('destroys all of its buffers, on a device that it leaves alone too', async () => {
    const adapter = await (await openGpu()).requestAdapter()
    const device = (await adapter?.requestDevice()) as GPUDevice
    let raw: GPUBuffer
    {
      using runtime = await createRuntime({ device })
      const out = runtime.buffer(Uint32Array, 4)
      raw = out.gpu as GPUBuffer
      await runtime.run(fill, { out, n: 4, value: 1 })
      runtime.buffer(Uint32Array, 4).destroy()
      await out.read()
    }
    device.pushErrorScope('validation')
    const encoder = device.createCommandEncoder()
    encoder.clearBuffer(raw)
    device.queue.submit([encoder.finish()])
    expect((await device.popErrorScope())?.message).toMatch(/destroyed/i)
    device.destroy()
  })

  it('is the end of what it held: nothing registered with a device keeps it', async () => {
    const adapter = await (await openGpu()).requestAdapter()
    const device = (await adapter?.requestDevice()) as GPUDevice
    const gone: WeakRef<object>[] = []
    for (const options of [{ device }, {}]) {
      await (async () => {
        const runtime = await createRuntime(options)
        const out = runtime.buffer(Uint32Array, 4)
        await runtime.run(fill, { out, n: 4, value: 1 })
        await out.read()
        runtime.destroy()
        gone.push(new WeakRef(runtime), new WeakRef(runtime.info)) // which belongs to what runs on the device
      })()
    }
    await collectUntil(() => gone.every((ref) => ref.deref() === undefined))
    expect(gone.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined, undefined])
    device.destroy()
  })
})
