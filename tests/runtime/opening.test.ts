import { createRuntime as createBrowserRuntime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { rejects } from '../edge-cases/devices.js'
import { missing } from '../engines/install.js'
import { affine, counting, fill, third } from './kernels.js'
import { gpuWithout, tamperedDevice } from './tampered.js'

/** What there is to run on: no adapter, an adapter that lacks something, limits. */

describe('[case-R40] nothing to run on: three errors, each with its way out', () => {
  it('no navigator.gpu', () =>
    rejects(
      'no-webgpu',
      /there is no navigator\.gpu[\s\S]*note: in a browser, use one with WebGPU, on https or localhost; in Node, import createRuntime from '@weft\/runtime\/node'; or run on the CPU/,
      () => createBrowserRuntime(),
    ))

  it('requestAdapter gives null, or refuses', async () => {
    await rejects(
      'no-adapter',
      /it found no adapter: requestAdapter gave null[\s\S]*note: install a GPU driver or a software Vulkan driver/,
      () => createBrowserRuntime({ gpu: { requestAdapter: async () => null } as never }),
    )
    await rejects('no-adapter', 'it found no adapter: blocked by policy', () =>
      createBrowserRuntime({ gpu: { requestAdapter: () => Promise.reject(new Error('blocked by policy')) } as never }),
    )
  })

  it.skipIf(missing('dawn') !== undefined)(
    'requestDevice rejects: a feature that the adapter lacks, limits above its own',
    async () => {
      await rejects(
        'no-device',
        /the adapter gave no device: it lacks the feature 'shader-f16'\n {2}note: leave features out for all that kernels can use; it has [^\n]*'subgroups'/,
        () => createRuntime({ features: ['shader-f16', 'subgroups'] }),
      )
      await rejects(
        'no-device',
        /the adapter gave no device: maxComputeInvocationsPerWorkgroup of 1,000,000 is asked for, and it allows [\d,]+\n {2}note: /,
        () => createRuntime({ limits: { maxComputeInvocationsPerWorkgroup: 1_000_000 } }),
      )
      await rejects('no-device', /minStorageBufferOffsetAlignment of 1 is asked for, and it allows \d+/, () =>
        createRuntime({ limits: { minStorageBufferOffsetAlignment: 1 } }),
      )
    },
  )
})

describe.skipIf(missing('dawn') !== undefined)('an adapter that lacks something', () => {
  it.each(['shader-f16', 'timestamp-query', 'subgroups'])(
    '[case-R37] without %s a device is made, the f32 path runs, and the runtime says what there is',
    async (feature) => {
      // a device with control over the size of subgroups has subgroups
      const gpu = await gpuWithout('shader-f16', feature, ...(feature === 'subgroups' ? ['subgroup-size-control'] : []))
      const runtime = await createRuntime({ gpu })
      expect(
        gpu.requests.map(({ requiredFeatures }) => [...(requiredFeatures ?? [])].includes(feature as never)),
      ).toEqual([false])
      expect(runtime.info.features).not.toContain(feature)
      expect(runtime.info.features.length).toBeGreaterThan(0)
      const y = runtime.buffer(Float32Array, 3)
      await runtime.run(third({ half: ['f16'], single: [] }), {
        x: runtime.buffer(Float32Array.of(1, 2, 3)),
        y,
        n: 3,
      } as never)
      expect(await y.read()).toEqual(Float32Array.of(1, 2, 3).map((x) => x + Math.fround(1 / 3)))
      runtime.destroy()
    },
  )

  it('[case-R39] a kernel that needs f16: one typed error for each call, and nothing reaches the device', async () => {
    const { device, calls, close } = await tamperedDevice()
    const runtime = await createBrowserRuntime({ device })
    const [x, y, z] = [runtime.buffer(Float32Array, 3), runtime.buffer(Float32Array, 3), runtime.buffer(Uint32Array, 3)]
    const half = third({ half: ['f16'] })
    const before = { ...calls }
    const uncaught: unknown[] = []
    device.addEventListener('uncapturederror', (event) => uncaught.push(event))
    for (let i = 0; i < 3; i++)
      await rejects(
        'no-variant',
        /the device can run no variant of 'third'[\s\S]*'half' needs the feature 'shader-f16'/,
        () => runtime.run(half, { x, y, n: 3 } as never),
      )
    await rejects('no-variant', "needs the feature 'shader-f16'", () => runtime.load(half).compile())
    expect(calls).toEqual(before)
    // and it costs nothing else: the output is as it was, other kernels run
    await runtime.run(fill, { out: z, n: 3, value: 5 })
    expect([...(await z.read()), ...(await y.read())]).toEqual([5, 5, 5, 0, 0, 0])
    await runtime.idle()
    expect(uncaught).toEqual([])
    runtime.destroy()
    close()
  })
})

describe.skipIf(missing('dawn') !== undefined)('[case-R35] [prior-R31] limits', () => {
  const MB = 1_000_000

  it('are those of the adapter: 300 MB in a buffer, 200 MB of it bound', async () => {
    const runtime = await createRuntime()
    const { maxBufferSize = 0, maxStorageBufferBindingSize = 0 } = runtime.info.limits
    expect([maxBufferSize >= 300 * MB, maxStorageBufferBindingSize >= 200 * MB]).toEqual([true, true])
    const weights = runtime.buffer({ size: 300 * MB })
    const n = (200 * MB) / 4
    const start = 64 * MB
    await runtime.run(fill, { out: weights.range(start, 200 * MB), n, value: 9 })
    expect([...(await weights.read(Uint32Array, { offset: start - 4, size: 8 }))]).toEqual([0, 9])
    expect([...(await weights.read(Uint32Array, { offset: start + 200 * MB - 4, size: 8 }))]).toEqual([9, 0])
    weights.destroy()
    runtime.destroy()
  })

  it('where they are less, an error has what was asked and what is allowed', async () => {
    const runtime = await createRuntime({ limits: 'default' })
    await rejects(
      'binding-limit',
      /300,000,000 bytes, and the device allows 268,435,456 \(maxBufferSize\)[\s\S]*note: /,
      () => runtime.buffer({ size: 300 * MB }),
    )
    const weights = runtime.buffer({ size: 200 * MB })
    await rejects(
      'binding-limit',
      /'fill': 'out' binds 200,000,000 bytes, and the device allows 134,217,728 \(maxStorageBufferBindingSize\)[\s\S]*note: /,
      () => runtime.run(fill, { out: weights, n: 1, value: 1 }),
    )
    await runtime.run(fill, { out: weights.range(0, 100 * MB), n: 1, value: 1 })
    expect([...(await weights.read(Uint32Array, { size: 8 }))]).toEqual([1, 0])
    runtime.destroy()
  })

  it('hold for the numbers of invocations too: every kernel of these tests runs with the least that WebGPU guarantees', async () => {
    const runtime = await createRuntime({ limits: 'default', features: [] })
    const y = runtime.buffer(Uint32Array, 1000)
    await runtime.run(affine, { x: runtime.buffer(counting(1000)), y, n: 1000, a: 2, b: 1 })
    expect(await y.read()).toEqual(counting(1000).map((x) => 2 * x + 1))
    runtime.destroy()
  })
})
