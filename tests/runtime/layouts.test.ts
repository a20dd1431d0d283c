import { type CompiledKernel, compile } from '@weft/codegen'
import { ceilDiv, d, fn, inout, input, kernel, output, u32 } from '@weft/dsl'
import * as library from '@weft/kernels/source'
import { createRuntime as wrap } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { onDevices, rejects } from '../edge-cases/devices.js'
import { loose, refuses } from '../edge-cases/support.js'
import { missing } from '../engines/install.js'
import { accumulate, affine, combine, counting, fill, scatter } from './kernels.js'
import { tamperedDevice } from './tampered.js'

/** Layouts, access and bounds: what a kernel declares, what its WGSL says and what the device is told are one thing. */

const ACCESS = { 'read-only-storage': 'storage, read', storage: 'storage, read_write', uniform: 'uniform' } as const

/** Every compiled kernel of the library, and of these tests. */
const compiled: readonly CompiledKernel[] = [
  ...Object.values(library).flatMap((source) =>
    typeof source === 'object' && source !== null && 'ir' in source ? [compile(source as never)] : [],
  ),
  accumulate,
  affine,
  combine,
  fill,
  scatter,
]

describe('[prior-R01] the WGSL and the layout of a kernel', () => {
  it('have the same access for every binding of every variant', () => {
    expect(compiled.length).toBeGreaterThan(8)
    for (const { name, variants } of compiled) {
      for (const { wgsl, layouts, id } of variants) {
        const declared = [...wgsl.matchAll(/@group\((\d)\) @binding\((\d+)\) var<([^>]*)>/g)].map(
          ([, group, binding, space]) => `${group}.${binding} ${space}`,
        )
        const told = layouts.flatMap(({ entries }, group) =>
          entries.map(({ binding, buffer }) => `${group}.${binding} ${ACCESS[buffer?.type ?? 'uniform']}`),
        )
        expect(declared.sort(), `${name} ${id}`).toEqual(told.sort())
      }
    }
  })

  it.skipIf(missing('dawn') !== undefined)(
    'give what the layout gives that the device makes up by itself',
    async () => {
      const runtime = await createRuntime()
      const device = runtime.device as GPUDevice
      const n = 100
      for (const [kernel, params] of [
        [affine, { n, a: 3, b: 1 }],
        [combine, { n, shift: 7 }],
        [accumulate, { n }],
      ] as const) {
        const data = (seed: number) => counting(n).map((i) => Math.imul(i + seed, 2654435761))
        const names = kernel.bindings.map(({ name }) => name)
        const ours = names.map((_, i) => runtime.buffer(data(i)))
        await runtime.run(kernel as CompiledKernel, {
          ...Object.fromEntries(names.map((name, i) => [name, ours[i]])),
          ...params,
        })
        const theirs = names.map((_, i) => runtime.buffer(data(i)))
        const variant = kernel.variants.find((v) => v.params?.via === 'uniform' && v.needs.alias === null)
        if (!variant) throw new Error(`${kernel.name} has no variant with a uniform block`)
        const pipeline = device.createComputePipeline({
          layout: 'auto',
          compute: { module: device.createShaderModule({ code: variant.wgsl }) },
        })
        const block = runtime.buffer(Uint32Array.of(...Object.values(params), 0, 0).slice(0, 4))
        const entries = variant.layouts.flatMap(({ entries: all }) =>
          all.map(({ binding }) => {
            const slot = variant.slots.find((s) => s.binding === binding)
            const buffer = (slot ? theirs[names.indexOf(slot.name)] : block)?.gpu as GPUBuffer
            return { binding, resource: { buffer } }
          }),
        )
        const encoder = device.createCommandEncoder()
        const pass = encoder.beginComputePass()
        pass.setPipeline(pipeline)
        pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }))
        pass.dispatchWorkgroups(Math.ceil(n / 32))
        pass.end()
        device.queue.submit([encoder.finish()])
        for (const [i, buffer] of ours.entries())
          expect(await buffer.read(), `${kernel.name} ${names[i]}`).toEqual(await theirs[i]?.read())
      }
      runtime.destroy()
    },
  )
})

describe('[prior-R02] one buffer for two bindings', () => {
  it('is fine for two that are read', () =>
    onDevices(async (runtime) => {
      const [x, out] = [runtime.buffer(counting(32)), runtime.buffer(Uint32Array, 32)]
      await runtime.run(combine, { p: x, q: x, out, n: 32, shift: 1 })
      expect((await out.read())[1]).toBe(5)
    }))

  it.skipIf(missing('dawn') !== undefined)(
    'is refused where one is written, with both names, before anything is submitted',
    async () => {
      const { device, calls, close } = await tamperedDevice()
      const runtime = await wrap({ device })
      const [x, y] = [runtime.buffer(counting(256)), runtime.buffer(Uint32Array, 32)]
      await runtime.run(combine, { p: x, q: x, out: y, n: 32, shift: 0 })
      await runtime.idle()
      const submits = calls.submit
      await rejects('binding-overlap', "'combine': 'q', 'out' overlap in one buffer, and the kernel writes there", () =>
        runtime.run(combine, { p: y, q: x, out: x, n: 32, shift: 0 }),
      )
      await rejects('binding-overlap', "'accumulate': 'x', 'sum' overlap", () =>
        runtime.run(accumulate, { x, sum: x, n: 32 }),
      )
      await rejects('binding-overlap', "'combine': 'p', 'out' are parts of one buffer", () =>
        runtime.run(combine, { p: x.range(0, 128), q: y, out: x.range(256, 128), n: 32, shift: 0 }),
      )
      expect(calls.submit).toBe(submits)
      runtime.destroy()
      close()
    },
  )
})

describe('[prior-R04] stores', () => {
  const items = 128
  const bodies = kernel(
    'guarded',
    {
      workgroupSize: [256],
      bindings: { x: input(d.arrayOf(d.u32)), y: inout(d.arrayOf(d.u32)) },
      params: { n: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 256)],
    },
    ({ x, y, n }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () => y.at(i).set(fn.select(0, x.at(i), i.lt(n))))
    },
  )

  it('whose index nothing limits are refused', () => {
    refuses(
      () =>
        compile(
          loose(
            { x: input(d.arrayOf(d.u32)), y: inout(d.arrayOf(d.u32)) },
            { params: { n: d.u32 }, workgroupSize: [256], guards: 'required' },
            ({ x, y, n }, k) => {
              const v = k.let(
                'v',
                fn.select(u32(0), x.at(k.globalIndex) as never, k.globalIndex.lt(n as never)) as never,
              )
              y.at(k.globalIndex).set(v)
            },
          ),
        ),
      'unguarded-store',
      'an index that nothing limits',
      'tests/runtime/',
    )
  })

  it('of 128 items by a workgroup of 256 leave the last one, and what comes after it, alone', () =>
    onDevices(async (runtime) => {
      const x = runtime.buffer(counting(items, 1))
      const y = runtime.buffer(new Uint32Array(192).fill(777))
      const half = y.range(0, 4 * items)
      for (let i = 0; i < 5; i++) await runtime.run(compile(bodies), { x, y: half, n: items } as never)
      const all = await y.read()
      expect([all[126], all[127], ...new Set(all.slice(128))]).toEqual([127, 128, 777])
      // fewer than there is room for
      await runtime.run(compile(bodies), { x, y: half, n: 3 } as never)
      expect([...(await y.read()).slice(0, 5)]).toEqual([1, 2, 3, 4, 5])
    }))
})

describe('[prior-R48] storage buffers of a kernel', () => {
  const many = (count: number) =>
    kernel(
      `sum${count}`,
      {
        workgroupSize: [64],
        bindings: {
          ...(Object.fromEntries(
            Array.from({ length: count - 1 }, (_, i) => [`x${i}`, input(d.arrayOf(d.u32))]),
          ) as Record<never, never>),
          y: output(d.arrayOf(d.u32)),
        },
        workgroups: () => [1],
        guards: 'off',
      },
      (view, k) => {
        const inputs = view as unknown as Record<string, { at(i: unknown): { add(x: unknown): never } }>
        const values = Array.from({ length: count - 1 }, (_, i) => inputs[`x${i}`]?.at(k.localIndex))
        view.y.at(k.localIndex).set(values.reduce((a, b) => a?.add(b)) as never)
      },
    )
  const run = async (runtime: Awaited<ReturnType<typeof wrap>>, artifact: CompiledKernel) => {
    const y = runtime.buffer(Uint32Array, 64)
    const inputs = artifact.bindings
      .slice(0, -1)
      .map(({ name }, i) => [name, runtime.buffer(new Uint32Array(64).fill(1 << i))])
    await runtime.run(artifact, { ...Object.fromEntries(inputs), y })
    return (await y.read())[63]
  }

  it('are as many as it declares: layouts are made for each kernel', () =>
    onDevices(async (runtime) => {
      for (const count of [2, 7, 8]) {
        const artifact = compile(many(count))
        expect(artifact.variants[0]?.layouts[0]?.entries).toHaveLength(count)
        expect(await run(runtime, artifact)).toBe(2 ** (count - 1) - 1)
      }
    }))

  it('are counted when it is compiled, and more than eight are for devices that say so', () => {
    refuses(() => compile(many(9)), 'too-many-bindings', /9 storage buffers, more than 8/, 'tests/runtime/')
  })

  it.skipIf(missing('dawn') !== undefined)('of ten, on a device that has as many', async () => {
    const runtime = await createRuntime()
    expect(runtime.info.limits.maxStorageBuffersPerShaderStage).toBeGreaterThanOrEqual(10)
    const artifact = compile(many(10), { limits: { maxStorageBuffersPerShaderStage: 10 } })
    expect(await run(runtime, artifact)).toBe(511)
    runtime.destroy()
    const least = await createRuntime({ limits: 'default' })
    await rejects('no-variant', /needs maxStorageBuffersPerShaderStage ≥ 10, the device has 8/, () =>
      run(least, artifact),
    )
    least.destroy()
  })
})

describe('[prior-R30] what is bound', () => {
  it('has at least the size of one element, even where nothing is read, and odd bytes belong to nobody else', () =>
    onDevices(async (runtime) => {
      const vectors = compile(
        kernel(
          'vectors',
          {
            workgroupSize: [1],
            bindings: { x: input(d.arrayOf(d.vec4f)), y: inout(d.arrayOf(d.u32)) },
            workgroups: () => [1],
            guards: 'off',
          },
          ({ y }) => y.at(0).set(5),
        ),
      )
      const y = runtime.buffer(Uint32Array.of(0, 7))
      await rejects('binding-size', /has 12 bytes, expected at least 16/, () =>
        runtime.run(vectors, { x: runtime.buffer(Float32Array, 3), y } as never),
      )
      await runtime.run(vectors, { x: runtime.buffer(Float32Array, 0), y } as never)
      expect([...(await y.read())]).toEqual([5, 7])
      const bytes = runtime.buffer(Uint8Array.of(1, 2, 3, 4, 5, 6, 7))
      expect([...(await bytes.read())]).toEqual([1, 2, 3, 4, 5, 6, 7])
      const out = runtime.buffer(Uint32Array, 2)
      await runtime.run(affine, { x: bytes, y: out, n: 2, a: 1, b: 0 })
      expect([...(await out.read(Uint8Array))]).toEqual([1, 2, 3, 4, 5, 6, 7, 0])
    }))
})
