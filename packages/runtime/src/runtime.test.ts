import { describe, expect, it } from 'vitest'
import type { BufferLike } from './buffer'
import { createRuntime } from './create'
import { failure } from './testing/expect'
import { as, fakeCpu, fill, fixture, increment, linear, saxpy } from './testing/fixtures'

const cpu = () =>
  fakeCpu({
    saxpy: (launch) => {
      const y = as(Float32Array, launch, 'y')
      const [n = 0] = new Uint32Array(launch.params.buffer)
      const a = new Float32Array(launch.params.buffer)[1] ?? 0
      as(Float32Array, launch, 'x').forEach((x, i) => void (i < n && (y[i] = a * x + (y[i] ?? 0))))
    },
    fill: (launch) => {
      const [n, value = 0] = new Uint32Array(launch.params.buffer)
      as(Uint32Array, launch, 'out').fill(value, 0, n)
    },
    increment: (launch) => as(Uint32Array, launch, 'out').set(as(Uint32Array, launch, 'x').map((v) => v + 1)),
    throws: () => {
      throw new Error('out of luck')
    },
  })

const start = async () => {
  const device = cpu()
  return { device, runtime: await createRuntime({ device }) }
}

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

const BIG = { name: 'big', bindings: { out: 'write array<u32>' }, body: '' }

describe('arguments are checked before anything runs', () => {
  const attempt = async (
    code: string,
    kernel: Parameters<typeof fixture>[0] | null,
    args: (make: Make) => Record<string, unknown>,
  ) => {
    const { runtime, device } = await start()
    const made = await createRuntime({ device: cpu() })
    const make: Make = { buffer: (n) => runtime.buffer(Uint32Array, n), foreign: () => made.buffer(Uint32Array, 4) }
    const e = await failure(code, () => runtime.run(kernel ? fixture(kernel) : increment, args(make)))
    expect(device.launches).toHaveLength(0)
    return e.message
  }
  interface Make {
    buffer(n: number): ReturnType<Awaited<ReturnType<typeof createRuntime>>['buffer']> & BufferLike
    foreign(): unknown
  }

  it('missing-binding and extra-binding', async () => {
    expect(await attempt('missing-binding', null, ({ buffer }) => ({ x: buffer(4), n: 4 }))).toContain(
      "'out' (array<u32>)",
    )
    const text = await attempt('extra-binding', null, ({ buffer }) => ({
      x: buffer(4),
      out: buffer(4),
      y: buffer(4),
      n: 4,
    }))
    expect(text).toBe(
      "extra-binding: 'increment' has no binding 'y'\n  note: its bindings are 'x', 'out', its params 'n'",
    )
  })

  it('bad-param', async () => {
    await attempt('bad-param', null, ({ buffer }) => ({ x: buffer(4), out: buffer(4) }))
    await attempt('bad-param', null, ({ buffer }) => ({ x: buffer(4), out: buffer(4), n: 4, m: 1 }))
    await attempt('bad-param', null, ({ buffer }) => ({ x: buffer(4), out: buffer(4), n: 2 ** 32 }))
  })

  it('binding-type', async () => {
    const text = await attempt('binding-type', null, ({ buffer }) => ({ x: new Uint32Array(4), out: buffer(4), n: 4 }))
    expect(text).toContain('note: put host data into a buffer first')
    await attempt('binding-type', null, ({ buffer }) => ({ x: 'x', out: buffer(4), n: 4 }))
    const texture = { name: 't', bindings: { t: 'read array<u32>' }, body: '', launch: linear(1) }
    await attempt('binding-type', texture, () => ({ t: { width: 4 } }))
  })

  it('[prior-R30] binding-size: too small, misaligned, outside the buffer', async () => {
    const vec4 = { name: 'v', bindings: { x: 'read array<vec4f>' }, body: '', launch: linear(1) }
    const text = await attempt('binding-size', vec4, ({ buffer }) => ({ x: buffer(3) }))
    expect(text).toBe("binding-size: 'v': 'x' (array<vec4f>) has 12 bytes, expected at least 16")
    const ranged = (offset: number, size?: number) =>
      attempt('binding-size', vec4, ({ buffer }) => ({ x: { buffer: buffer(256), offset, size } }))
    expect(await ranged(4)).toContain('starts at byte 4, expected a multiple of 256 (minStorageBufferOffsetAlignment)')
    expect(await ranged(256, 18)).toContain('has 18 bytes, expected a multiple of 4')
    for (const [offset, size] of [
      [2048, 16],
      [0, 1028],
      [-256, 16],
      [0.5, 16],
      [0, Number.NaN],
    ] as const)
      await ranged(offset, size)
  })

  it('[edge-72] [case-C40] binding-overlap: ranges that meet, and one buffer both read and written', async () => {
    const over = (x: [number, number], out: [number, number]) =>
      attempt('binding-overlap', null, ({ buffer }) => {
        const b = buffer(1024)
        return { x: { buffer: b, offset: x[0], size: x[1] }, out: { buffer: b, offset: out[0], size: out[1] }, n: 1 }
      })
    expect(await over([0, 512], [256, 512])).toContain("'x', 'out' overlap in one buffer")
    expect(await over([0, 256], [256, 256])).toContain('one read and one written')
    const two = {
      name: 'two',
      bindings: { a: 'write array<u32>', b: 'read_write array<u32>' },
      body: '',
      launch: linear(1),
    }
    await attempt('binding-overlap', two, ({ buffer }) => {
      const shared = buffer(4)
      return { a: shared, b: shared }
    })
  })

  it('allows one buffer to be read twice, and to be written in ranges that are apart', async () => {
    const { runtime } = await start()
    const b = runtime.buffer({ size: 1024 })
    const reads = fixture({
      name: 'r',
      bindings: { a: 'read array<u32>', b: 'read array<u32>' },
      body: '',
      launch: linear(1),
    })
    const writes = fixture({
      name: 'w',
      bindings: { a: 'write array<u32>', b: 'write array<u32>' },
      body: '',
      launch: linear(1),
    })
    await runtime.run(reads, { a: b, b })
    await runtime.run(writes, { a: b.range(0, 512), b: b.range(512) })
  })

  it('a declared alias runs the merged variant', async () => {
    const { runtime, device } = await start()
    const b = runtime.buffer(new Uint32Array([1, 2]))
    await runtime.run(increment, { x: b, out: b, n: 2 })
    expect([...(await b.read())]).toEqual([2, 3])
    expect(device.launches[0]?.bindings.x).toEqual(device.launches[0]?.bindings.out)
    await failure('no-variant', () => runtime.run(increment, { x: b, out: b, n: 2 }, { variant: 'portable' }))
    await failure('no-variant', () => runtime.run(fill, { out: b, n: 2, value: 1 }, { variant: 'fast' }))
  })

  it('foreign-buffer and buffer-destroyed', async () => {
    await attempt('foreign-buffer', null, ({ buffer, foreign }) => ({ x: foreign(), out: buffer(4), n: 4 }))
    await attempt('buffer-destroyed', null, ({ buffer }) => {
      const x = buffer(4)
      x.destroy()
      return { x, out: buffer(4), n: 4 }
    })
  })

  it('[case-S27] [prior-R31] binding-limit, with what was asked and what is allowed', async () => {
    const device = { ...cpu(), limits: { ...cpu().limits, maxStorageBufferBindingSize: 1024, maxBufferSize: 4096 } }
    const runtime = await createRuntime({ device })
    const out = runtime.buffer({ size: 2048 })
    const e = await failure('binding-limit', () => runtime.run(fill, { out, n: 1, value: 1 }))
    expect(e.message).toContain('binds 2,048 bytes, and the device allows 1,024 (maxStorageBufferBindingSize)')
    const big = await failure('binding-limit', () => runtime.buffer({ size: 154389504 }, { label: 'weights' }))
    expect(big.message).toContain("'weights' would have 154,389,504 bytes, and the device allows 4,096 (maxBufferSize)")
  })

  it('[case-R39] no-variant names what is missing', async () => {
    const { runtime } = await start()
    const kernel = fixture({ ...BIG, needs: { features: ['subgroups'] }, launch: linear(1) })
    const e = await failure('no-variant', () => runtime.run(kernel, { out: runtime.buffer(Uint32Array, 1) }))
    expect(e.message).toContain("'portable' needs the feature 'subgroups'")
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
