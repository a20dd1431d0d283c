import type { CompiledKernel } from '@weft/codegen'
import { expect, it } from 'vitest'
import { createRuntime } from './node/index'
import { failure } from './testing/expect'
import { fill, fixture, linear } from './testing/fixtures'
import { device, gpu, runtime } from './testing/gpu'

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

gpu('[case-S27] large buffers', () => {
  it('are allowed by the limits of the adapter', async () => {
    const weights = runtime.buffer({ size: 154389504 }, { label: 'weights' })
    await runtime.run(fill, { out: weights, n: 1, value: 5 })
    expect([...(await weights.read(Uint32Array, { size: 8 }))]).toEqual([5, 0])
    weights.destroy()
  })

  it('are refused by the default limits with both numbers', async () => {
    const small = await createRuntime({ limits: 'default' })
    const weights = small.buffer({ size: 154389504 }, { label: 'weights' })
    const e = await failure('binding-limit', () => small.run(fill, { out: weights, n: 1, value: 5 }))
    expect(e.message).toContain(
      'binds 154,389,504 bytes, and the device allows 134,217,728 (maxStorageBufferBindingSize)',
    )
    small.destroy()
  })
})

gpu('textures', () => {
  it('are bound whole or by view', async () => {
    const base = fixture({
      name: 'texels',
      bindings: { image: 'read texture_2d<f32>', out: 'write array<f32>' },
      body: '',
      launch: linear(1),
    })
    const [binding, out] = base.bindings
    const [variant] = base.variants
    const [layout] = variant?.layouts ?? []
    if (!binding || !out || !variant || !layout?.entries[1]) throw new Error('the fixture has changed')
    const texture = { sampleType: 'unfilterable-float', viewDimension: '2d', multisampled: false } as const
    const kernel: CompiledKernel = {
      ...base,
      bindings: [{ ...binding, kind: 'texture' }, out],
      variants: [
        {
          ...variant,
          wgsl: `@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[0] = textureLoad(image, vec2u(1, 0), 0).x; }`,
          layouts: [{ label: 'texels', entries: [{ binding: 0, visibility: 4, texture }, layout.entries[1]] }],
        },
      ],
    }
    const image = device.createTexture({ size: [2, 1], format: 'r32float', usage: 4 | 2 })
    device.queue.writeTexture({ texture: image }, new Float32Array([3, 4]), { bytesPerRow: 8 }, [2, 1])
    const result = runtime.buffer(Float32Array, 1)
    await runtime.run(kernel, { image, out: result })
    expect([...(await result.read())]).toEqual([4])
    await runtime.run(kernel, { image: image.createView(), out: result })
    const e = await failure('binding-type', () => runtime.run(kernel, { image: result, out: result }))
    expect(e.message).toContain("'image' (texture_2d<f32>) is not a texture")
  })
})
