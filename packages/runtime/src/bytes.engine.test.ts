import { describe, expect, expectTypeOf, it } from 'vitest'
import { createRuntime } from './create'
import { createRuntime as createNodeRuntime } from './node/index'
import type { Runtime } from './runtime'
import { cpu } from './testing/cpu'
import { failure } from './testing/expect'
import { fill, increment } from './testing/fixtures'
import { gpu, runtime as shared } from './testing/gpu'

const onCpu = await createRuntime({ device: cpu() })
const runtimes: [string, Runtime][] = [['the CPU', onCpu], ...(shared ? [['Dawn', shared] as [string, Runtime]] : [])]

/** What there was before: no byte of it is a byte of the data. */
const before = (n: number) => Uint8Array.from({ length: n }, (_, i) => 0x80 | ((i * 7) % 128))
const data = (n: number) => Uint8Array.from({ length: n }, (_, i) => i + 1)

/** Host data of many kinds, with the bytes that they are. */
const kinds: [string, (n: number) => ArrayBufferView | ArrayBuffer | SharedArrayBuffer][] = [
  ['a Uint8Array', data],
  ['a view with a byteOffset', (n) => new Uint8Array(Uint8Array.of(99, 98, 97, ...data(n), 96).buffer, 3, n)],
  ['a subarray', (n) => Uint8Array.of(99, ...data(n), 98, 97).subarray(1, n + 1)],
  ['a slice of a Node Buffer', (n) => Buffer.from([99, 98, 97, 96, 95, ...data(n), 94]).subarray(5, 5 + n)],
  ['a DataView', (n) => new DataView(Uint8Array.of(99, ...data(n), 98).buffer, 1, n)],
  ['an ArrayBuffer', (n) => data(n).buffer],
  [
    'a view of shared memory',
    (n) => {
      const view = new Uint8Array(new SharedArrayBuffer(n + 5), 5, n)
      view.set(data(n))
      return view
    },
  ],
]

describe.each(runtimes)('[case-R26] [case-R29] bytes of any number on %s', (_, runtime) => {
  it.each(kinds)('from %s, at every offset within a word, neighbours intact', async (_kind, make) => {
    for (const n of [1, 2, 3, 4, 5, 6, 7, 9]) {
      for (let offset = 0; offset < 8; offset++) {
        using buffer = runtime.buffer(before(19))
        const model = before(19)
        buffer.write(make(n), offset)
        model.set(data(n), offset)
        const [whole, part] = await runtime.readMany([buffer, buffer.range(offset, n)])
        expect(whole, `${n} bytes at ${offset}`).toEqual(model)
        expect(part).toEqual(data(n))
      }
    }
  })

  it('of halves and shorts', async () => {
    for (const n of [1, 3, 5]) {
      const values = Uint16Array.from({ length: n }, (_, i) => 0x3c00 + i)
      using made = runtime.buffer(values)
      using buffer = runtime.buffer(new Uint16Array(7).fill(0x7bff))
      buffer.write(values, 2)
      expect(await made.read()).toEqual(values)
      const model = new Uint16Array(7).fill(0x7bff)
      model.set(values, 1)
      expect(await buffer.read()).toEqual(model)
    }
  })

  it('in a batch, each at its place', async () => {
    using buffer = runtime.buffer(before(11))
    using words = runtime.buffer(new Uint32Array(4))
    using after = runtime.buffer(Uint32Array, 4)
    const reads: Promise<Uint8Array | Uint32Array>[] = []
    await runtime.batch(async () => {
      for (const n of [1, 2, 3, 5, 6, 7]) {
        buffer.write(data(n), 11 - n)
        reads.push(buffer.read())
      }
      words.write(Uint8Array.of(5), 1)
      void runtime.run(increment, { x: words, out: after, n: 4 })
      words.write(Uint8Array.of(6, 7, 8), 3)
      reads.push(words.read(), after.read())
    })
    const model = before(11)
    for (const n of [1, 2, 3, 5, 6, 7]) {
      model.set(data(n), 11 - n)
      expect(await reads.shift()).toEqual(model)
    }
    expect(await Promise.all(reads)).toEqual([Uint32Array.of(0x06000500, 0x0807, 0, 0), Uint32Array.of(0x501, 1, 1, 1)])
  })
})

describe.each(runtimes)('[prior-R14] readMany on %s', (_, runtime) => {
  it('gives each buffer by its own form, after all work before', async () => {
    const a = runtime.buffer(Float32Array.of(1.5))
    const b = runtime.buffer(Uint32Array, 3)
    const none = runtime.buffer(Float32Array, 0)
    void runtime.run(fill, { out: b, n: 3, value: 7 })
    const all = runtime.readMany([a, b, none, { buffer: b, offset: 5, size: 2 }])
    expectTypeOf(all).resolves.toExtend<[Float32Array, Uint32Array, Float32Array, Uint8Array]>()
    b.write(new Uint32Array(3))
    expect(await all).toEqual([Float32Array.of(1.5), Uint32Array.of(7, 7, 7), new Float32Array(0), new Uint8Array(2)])
    expect(await runtime.readMany([])).toEqual([])
  })

  it('rejects as the reads would', async () => {
    const [kept, gone] = [runtime.buffer({ size: 4 }), runtime.buffer({ size: 4 }, { label: 'gone' })]
    gone.destroy()
    const e = await failure('buffer-destroyed', () => runtime.readMany([kept, gone]))
    expect(e.message).toContain("is a buffer that was destroyed: 'gone'")
    await failure('binding-size', () => runtime.readMany([kept.range(0, 8)]))
  })
})

gpu('readbacks', () => {
  it('give their staging buffer back where the bytes arrive while a batch is open', async () => {
    using runtime = await createNodeRuntime()
    await runtime.warmup([fill])
    const out = runtime.buffer(Uint32Array.of(1, 2))
    {
      using batch = runtime.batch()
      const read = out.read()
      void runtime.run(fill, { out, n: 2, value: 5 })
      expect([...(await read)]).toEqual([1, 2])
      await batch.end()
    }
    expect(runtime.stats.staging).toMatchObject({ misses: 1, idle: 1, waiting: 0 })
    expect([...(await out.read())]).toEqual([5, 5])
    expect(runtime.stats.staging).toMatchObject({ misses: 1, hits: 1 })
  })

  it('are one submit and one mapping, however many; staging is used again', async () => {
    const runtime = await createNodeRuntime()
    const buffers = Array.from({ length: 50 }, (_, i) => runtime.buffer(new Uint32Array(3).fill(i)))
    const device = runtime.device as GPUDevice
    let submits = 0
    const submit = device.queue.submit.bind(device.queue)
    device.queue.submit = (commands) => {
      submits++
      return submit(commands)
    }
    for (let round = 0; round < 3; round++) {
      const values = await runtime.readMany(buffers)
      expect(values.map(([first]) => first)).toEqual(buffers.map((_, i) => i))
    }
    expect(submits).toBe(3)
    expect(runtime.stats.staging).toMatchObject({ misses: 1, hits: 2, idle: 1, idleBytes: 1024 })
    const both = await Promise.all([buffers[3]?.read(), buffers[4]?.read()])
    expect(both).toEqual([new Uint32Array(3).fill(3), new Uint32Array(3).fill(4)])
    runtime.destroy()
  })

  it('are split where a buffer cannot be as large as all of them', async () => {
    const adapter = await (await import('./node/index')).openGpu().then((found) => found.requestAdapter())
    const own = (await adapter?.requestDevice()) as GPUDevice
    const limits = new Proxy(own.limits, {
      get: (of, key) => (key === 'maxBufferSize' ? 4096 : Reflect.get(of, key)),
    })
    const device = new Proxy(own, {
      get: (of, key) => {
        const value = key === 'limits' ? limits : Reflect.get(of, key)
        return typeof value === 'function' ? value.bind(of) : value
      },
    })
    const runtime = await createRuntime({ device })
    const buffers = Array.from({ length: 5 }, (_, i) => runtime.buffer(new Uint8Array(3001).fill(i + 1)))
    const values = await runtime.readMany(buffers)
    expect(values).toEqual(buffers.map((_, i) => new Uint8Array(3001).fill(i + 1)))
    expect(runtime.stats.staging).toMatchObject({ misses: 5, idle: 5 })
    runtime.destroy()
    own.destroy()
  })
})
