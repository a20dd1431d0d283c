import * as d from 'typegpu/data'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { DeviceBuffer } from './buffer'
import { createRuntime } from './create'
import type { Runtime } from './runtime'
import { cpu } from './testing/cpu'
import { failure } from './testing/expect'
import { fill, increment } from './testing/fixtures'
import { gpu, runtime as shared } from './testing/gpu'

const onCpu = await createRuntime({ device: cpu() })
const runtimes: [string, Runtime][] = [['the CPU', onCpu], ...(shared ? [['Dawn', shared] as [string, Runtime]] : [])]

describe.each(runtimes)('views on %s', (_, runtime) => {
  const align = runtime.info.limits.minStorageBufferOffsetAlignment as number

  it('are buffers that share memory', async () => {
    using whole = runtime.buffer(Uint32Array, 3 * (align / 4))
    const [first, second] = [whole.view(Uint32Array, 0, 5), whole.view(Uint32Array, align, 5)]
    expectTypeOf(first).toExtend<DeviceBuffer<Uint32Array>>()
    void runtime.run(fill, { out: first, n: 5, value: 1 })
    void runtime.run(fill, { out: second, n: 5, value: 2 })
    second.write(Uint32Array.of(9), 4)
    expect(await second.read()).toEqual(Uint32Array.of(2, 9, 2, 2, 2))
    const all = await whole.read()
    expect([...all.subarray(0, 6), ...all.subarray(align / 4, align / 4 + 6)]).toEqual([
      1, 1, 1, 1, 1, 0, 2, 9, 2, 2, 2, 0,
    ])
    expect([second.offset, second.size, whole.offset]).toEqual([align, 20, 0])
    expect(await runtime.read(second.range(4, 8), Uint32Array)).toEqual(Uint32Array.of(9, 2))
    expect(await second.read(Uint8Array, { offset: 4, size: 1 })).toEqual(Uint8Array.of(9))
    await failure('buffer-data', () => second.write(new Uint32Array(6)))
    await failure('binding-size', () => second.read(Uint32Array, { offset: 4, size: 20 }))
  })

  it('go to the end without a length, and may be of a schema, or of views', async () => {
    using whole = runtime.buffer(new Uint32Array((2 * align) / 4 + 3).fill(1))
    expect(whole.view(Uint32Array, 2 * align).size).toBe(12)
    expect(whole.view(Float32Array).size).toBe(whole.size)
    const middle = whole.view(Uint8Array, align)
    const last = middle.view(d.vec2u, align)
    expect([last.offset, last.size]).toEqual([2 * align, 8])
    expect(await last.read()).toEqual(d.vec2u(1, 1))
  })

  it('begin where a binding may, or say where they could', async () => {
    using whole = runtime.buffer(Uint32Array, align, { label: 'weights' })
    const e = await failure('binding-size', () => whole.view(Uint32Array, align + 4, 1))
    expect(e.message).toBe(
      `binding-size: a view of 'weights' starts at byte ${align + 4}, expected a multiple of ${align} (minStorageBufferOffsetAlignment)\n` +
        `  note: it could start at ${align} or ${2 * align}; a part that is not bound needs no view: read(type, { offset }), write(data, offset)`,
    )
    for (const [offset, length] of [
      [0, align + 1],
      [4 * align, 1],
      [-align, 1],
      [0.5, 1],
    ] as const) {
      await failure('binding-size', () => whole.view(Uint32Array, offset, length))
    }
    await failure('buffer-data', () => whole.view(Uint32Array, 0, -1))
    const bound = await failure('binding-size', () => runtime.run(fill, { out: whole.range(4), n: 1, value: 1 }))
    expect(bound.message).toContain(`note: it could start at 0 or ${align}`)
  })

  it('overlap like any ranges, end alone, and end with their buffer', async () => {
    const whole = runtime.buffer(Uint32Array, align)
    const [a, b] = [whole.view(Uint32Array, 0, align / 4), whole.view(Uint32Array, align, align / 4)]
    await failure('binding-overlap', () => runtime.run(increment, { x: a, out: b, n: 1 }))
    a.destroy()
    a.destroy()
    await failure('buffer-destroyed', () => a.read())
    expect(b.destroyed).toBe(false)
    whole.destroy()
    expect(b.destroyed).toBe(true)
    await failure('buffer-destroyed', () => runtime.run(fill, { out: b, n: 1, value: 1 }))
  })
})

gpu('the memory of views', () => {
  it('is not used again while a view is known only by its GPUBuffer', async () => {
    using whole = shared.buffer(Uint32Array, 128)
    const view = whole.view(Uint32Array, 256, 4)
    const raw = view.gpu as GPUBuffer
    await shared.run(fill, { out: { buffer: raw, offset: view.offset, size: view.size }, n: 4, value: 3 })
    expect(await view.read()).toEqual(new Uint32Array(4).fill(3))
  })
})
