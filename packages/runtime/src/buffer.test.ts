import * as d from 'typegpu/data'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { DeviceBuffer } from './buffer'
import { createRuntime } from './create'
import { failure } from './testing/expect'
import { fakeCpu } from './testing/fixtures'

const runtime = await createRuntime({ device: fakeCpu({}) })

describe('typed arrays', () => {
  it('[case-R29] takes a view by its window', async () => {
    const store = new Float32Array([0, 1, 2, 3, 4, 5, 6, 7])
    const view = new Float32Array(store.buffer, 16, 3)
    const buffer = runtime.buffer(view)
    expectTypeOf(buffer).toExtend<DeviceBuffer<Float32Array>>()
    expect(await buffer.read()).toEqual(new Float32Array([4, 5, 6]))
    expect(await runtime.buffer(store.subarray(1, 3)).read()).toEqual(new Float32Array([1, 2]))
    const node = Buffer.from('abcdefgh').subarray(3, 6)
    expect(await runtime.buffer(node).read()).toEqual(new Uint8Array([100, 101, 102]))
    expect(await runtime.buffer(new DataView(store.buffer, 4, 4)).read()).toEqual(
      new Uint8Array(new Float32Array([1]).buffer),
    )
    expect(await runtime.buffer(new Uint16Array([0x3c00])).read()).toEqual(new Uint16Array([0x3c00]))
    expect(await runtime.buffer(store.buffer).read(Float32Array)).toEqual(store)
  })

  it('takes shared memory', async () => {
    const shared = new Float32Array(new SharedArrayBuffer(8))
    shared.set([1, 2])
    expect([...(await runtime.buffer(shared).read())]).toEqual([1, 2])
  })

  it('is 0 where it was made by size, and reads as another type or in part', async () => {
    expect(await runtime.buffer(Int32Array, 3).read()).toEqual(new Int32Array(3))
    const buffer = runtime.buffer({ size: 8 })
    buffer.write(new Uint32Array([1, 2]))
    expect(await buffer.read(Uint32Array)).toEqual(new Uint32Array([1, 2]))
    expect(await buffer.read(Uint32Array, { offset: 4 })).toEqual(new Uint32Array([2]))
    expect(await buffer.read(Uint8Array, { offset: 4, size: 1 })).toEqual(new Uint8Array([2]))
    expect(await runtime.read(buffer.range(4), Uint32Array)).toEqual(new Uint32Array([2]))
    await failure('buffer-data', () => buffer.read(Uint32Array, { size: 3 }))
    await failure('binding-size', () => buffer.read(Uint32Array, { offset: 8, size: 4 }))
  })

  it('refuses data of no known type or of the wrong length', async () => {
    const wrong =
      (...args: unknown[]) =>
      () =>
        (runtime.buffer as (...args: unknown[]) => unknown)(...args)
    for (const bad of [
      [1, 2],
      null,
      undefined,
      3,
      { size: -1 },
      { size: 1.5 },
      { size: Number.NaN },
      d.arrayOf(d.f32),
    ]) {
      await failure('buffer-data', wrong(bad))
    }
    await failure('buffer-data', wrong(Float32Array, -1))
    expect((await failure('buffer-data', wrong([1]))).message).toContain('note: give the numbers a type')
    const buffer = runtime.buffer(Float32Array, 2)
    await failure('buffer-data', () => buffer.write(new Float32Array(3)))
    await failure('buffer-data', () => buffer.write(new Float32Array(2), 4))
    await failure('buffer-data', () => buffer.write(new Float32Array(1), -4))
    await failure('buffer-data', () => buffer.write([1] as unknown as Float32Array))
  })
})

describe('TypeGPU schemas', () => {
  it('[case-C24] sizes and round trips of vec3f, arrays and structs', async () => {
    const S1 = d.struct({ v: d.vec3f, f: d.f32 })
    const S2 = d.struct({ f: d.f32, v: d.vec3f })
    expect(runtime.buffer(d.vec3f).size).toBe(12)
    expect(runtime.buffer(d.arrayOf(d.vec3f, 3)).size).toBe(48)
    expect([runtime.buffer(S1).size, runtime.buffer(S2).size]).toEqual([16, 32])
    const points = runtime.buffer(d.arrayOf(d.vec3f, 2), [d.vec3f(1, 2, 3), d.vec3f(4, 5, 6)])
    expectTypeOf(points.read()).toEqualTypeOf<Promise<d.v3f[]>>()
    expect(await points.read()).toEqual([d.vec3f(1, 2, 3), d.vec3f(4, 5, 6)])
    expect([...(await points.read(Float32Array))]).toEqual([1, 2, 3, 0, 4, 5, 6, 0])
    const one = runtime.buffer(S2, { f: 7, v: d.vec3f(1, 2, 3) })
    expect([...(await one.read(Float32Array))]).toEqual([7, 0, 0, 0, 1, 2, 3, 0])
    one.write({ f: 8, v: d.vec3f(3, 2, 1) })
    expect(await one.read()).toEqual({ f: 8, v: d.vec3f(3, 2, 1) })
  })

  it('agrees with TypeGPU on sizes, and keeps every kind of value', async () => {
    const All = d.struct({
      h: d.f16,
      n: d.atomic(d.u32),
      m: d.mat3x3f,
      inner: d.struct({ a: d.arrayOf(d.vec2u, 3), i: d.i32 }),
      sized: d.size(32, d.f32),
      aligned: d.align(16, d.vec3h),
    })
    const value = {
      h: 1.5,
      n: 4294967295,
      m: d.mat3x3f(1, 2, 3, 4, 5, 6, 7, 8, 9),
      inner: { a: [d.vec2u(1, 2), d.vec2u(3, 4), d.vec2u(5, 6)], i: -1 },
      sized: 0.5,
      aligned: d.vec3h(1, 2, 3),
    }
    const buffer = runtime.buffer(d.arrayOf(All, 2), [value, value])
    expect(buffer.size).toBe(d.sizeOf(d.arrayOf(All, 2)))
    const [, second] = await buffer.read()
    expect({ ...second, m: [...(second?.m.columns ?? [])] }).toEqual({ ...value, m: [...value.m.columns] })
    expect(await runtime.buffer(d.f32, 3).read()).toBe(3)
  })

  it('takes padded typed arrays where they stand for vectors or matrices', async () => {
    const S = d.struct({ m: d.mat3x3f, list: d.arrayOf(d.vec3f, 2) })
    const padded = (n: number) => Float32Array.from({ length: 4 * n }, (_, i) => i)
    const buffer = runtime.buffer(S, { m: padded(3), list: padded(2) })
    expect(await buffer.read(Float32Array)).toEqual(Float32Array.of(...padded(3), ...padded(2)))
    await failure('buffer-data', () => runtime.buffer(S, { m: padded(3), list: padded(3) }))
  })

  it('refuses what does not fit', async () => {
    await failure('buffer-data', () => runtime.buffer(d.arrayOf(d.f32, 2), [1]))
    await failure('buffer-data', () => runtime.buffer(d.struct({ a: d.f32 }), {} as { a: number }))
    await failure('buffer-data', () => runtime.buffer(d.vec3f, new Float32Array(4) as never))
    await failure('not-host-shareable', () => runtime.buffer(d.arrayOf(d.bool as unknown as d.F32, 2)))
  })
})

it('counts live buffers, and frees them with `using`', async () => {
  const own = await createRuntime({ device: fakeCpu({}) })
  {
    using kept = own.buffer({ size: 16 })
    expect(kept.destroyed).toBe(false)
    expect(own.stats.buffers).toEqual({ live: 1, bytes: 16, peakBytes: 16, collected: 0 })
  }
  expect(own.stats.buffers).toEqual({ live: 0, bytes: 0, peakBytes: 16, collected: 0 })
  const gone = own.buffer({ size: 4 })
  gone.destroy()
  gone.destroy()
  await failure('buffer-destroyed', () => gone.read())
  await failure('buffer-destroyed', () => gone.write(new Uint8Array(4)))
})
