import { describe, expect, it } from 'vitest'
import { createRuntime } from './create'
import { start } from './testing/cpu'
import { failure } from './testing/expect'
import { fakeCpu, fill, fixture, increment, linear, saxpy } from './testing/fixtures'

const BIG = { name: 'big', bindings: { out: 'write array<u32>' }, body: '' }

describe('run', () => {
  it('runs a kernel with bindings and params by name', async () => {
    const { runtime } = await start()
    const x = runtime.buffer(new Float32Array([1, 2, 3]))
    const y = runtime.buffer(new Float32Array([10, 10, 10]))
    await runtime.run(saxpy, { x, y, n: 3, a: 2 })
    expect([...(await y.read())]).toEqual([12, 14, 16])
    expect(runtime.info).toMatchObject({ backend: 'cpu', adapter: 'fake', software: true })
  })

  it('gives a callable for a kernel, the same each time', async () => {
    const { runtime, device } = await start()
    const out = runtime.buffer(Uint32Array, 4)
    const run = runtime.load(fill)
    expect(runtime.load(fill)).toBe(run)
    await run.compile()
    await run({ out, n: 4, value: 7 })
    await run({ out, n: 2, value: 9 })
    expect([...(await out.read())]).toEqual([9, 9, 7, 7])
    expect(device.launches.map(({ workgroups }) => workgroups)).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ])
    expect(runtime.stats).toMatchObject({ dispatches: 2, skipped: 0, pipelines: { misses: 1 } })
  })

  it('[case-S22] runs nothing for no workgroups, and binds one element of nothing for empty buffers', async () => {
    const { runtime, device } = await start()
    const nothing = runtime.buffer(new Float32Array(0))
    const y = runtime.buffer(new Float32Array([5]))
    await runtime.run(saxpy, { x: nothing, y, n: 0, a: 1 })
    expect(device.launches).toHaveLength(0)
    expect(runtime.stats.skipped).toBe(1)
    await runtime.run(saxpy, { x: nothing, y, n: 1, a: 1 })
    expect(device.launches[0]?.bindings.x).toHaveLength(4)
    expect(await nothing.read()).toEqual(new Float32Array(0))
  })

  it('folds a linear launch, and takes given workgroups as they are', async () => {
    const { runtime, device } = await start()
    const out = runtime.buffer(Uint32Array, 1)
    const many = fixture({ ...BIG, launch: linear(65537) })
    await runtime.run(many, { out })
    await runtime.run(many, { out }, { workgroups: [1, 2, 3] })
    expect(device.launches.map(({ workgroups }) => workgroups)).toEqual([
      [257, 256, 1],
      [1, 2, 3],
    ])
    await failure('bad-workgroups', () => runtime.run(many, { out }, { workgroups: 65536 }))
  })

  it('passes overrides with their defaults, and refuses wrong ones', async () => {
    const kernel = fixture({
      ...BIG,
      name: 'o',
      overrides: { T: 8, U: null },
      launch: linear({ kind: 'override', name: 'T' }),
    })
    const seen: unknown[] = []
    const device = fakeCpu({ o: ({ workgroups }, overrides) => seen.push([workgroups[0], overrides]) })
    const runtime = await createRuntime({ device })
    const out = runtime.buffer(Uint32Array, 1)
    await runtime.run(kernel, { out }, { overrides: { U: 1 } })
    await runtime.run(kernel, { out }, { overrides: { U: 1, T: 2 } })
    expect(seen).toEqual([
      [8, { T: 8, U: 1 }],
      [2, { T: 2, U: 1 }],
    ])
    for (const overrides of [{}, { U: 1, V: 1 }, { U: 1.5 }, { U: Number.NaN }, { U: -1 }, { U: 2 ** 32 }]) {
      await failure('bad-override', () => runtime.run(kernel, { out }, { overrides }))
    }
  })

  it('rejects when the work throws, and so do reads of what it should have written and what follows from it', async () => {
    const { runtime } = await start()
    const throws = fixture({ name: 'throws', bindings: { out: 'write array<u32>' }, body: '', launch: linear(1) })
    const [out, next, other] = [
      runtime.buffer(Uint32Array, 4),
      runtime.buffer(Uint32Array, 4),
      runtime.buffer(Uint32Array, 4),
    ]
    void runtime.run(throws, { out })
    void runtime.run(increment, { x: out, out: next, n: 4 })
    await failure('dispatch-failed', () => out.read())
    const e = await failure('dispatch-failed', () => next.read())
    expect(e.message).toBe("dispatch-failed: 'throws' (variant 'portable'): out of luck")
    await failure('dispatch-failed', () => runtime.idle())
    await runtime.idle()
    expect([...(await other.read())]).toEqual([0, 0, 0, 0])
    out.write(new Uint32Array([1, 2, 3, 4]))
    await runtime.run(increment, { x: out, out: next, n: 4 })
    expect([...(await next.read())]).toEqual([2, 3, 4, 5])
  })
})

it('after destroy every call says so', async () => {
  const { runtime } = await start()
  const out = runtime.buffer(Uint32Array, 1)
  runtime.destroy()
  await failure('device-lost', () => runtime.run(fill, { out, n: 1, value: 1 }))
  await failure('device-lost', () => out.read())
  await failure('device-lost', () => out.write(new Uint32Array(1)))
  await failure('device-lost', () => runtime.buffer({ size: 4 }))
  await failure('device-lost', () => runtime.idle())
  out.destroy()
  runtime.destroy()
})

it('refuses a device that is none', async () => {
  await failure('bad-argument', () => createRuntime({ device: {} as GPUDevice }))
})
