import { type Runtime, createRuntime as wrap } from '@weft/runtime'
import { createRuntime, openGpu } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { rejects } from '../edge-cases/devices.js'
import { missing } from '../engines/install.js'
import { affine, combine, counting, fill } from './kernels.js'
import { tamperedDevice } from './tampered.js'

/** The end of a device: by its owner, by the runtime, by the driver; in the middle of everything that takes time. */

const lost = (promise: unknown, says: RegExp = /./) => rejects('device-lost', says, () => promise)

/** Everything that may be waiting when a device goes. */
function inFlight(runtime: Runtime) {
  const [x, y] = [runtime.buffer(counting(100)), runtime.buffer(Uint32Array, 100)]
  return [
    runtime.run(affine, { x, y, n: 100, a: 3, b: 1 }), // compiles first
    y.read(),
    runtime.run(fill, { out: x, n: 100, value: 1 }),
    x.read(Uint32Array, { offset: 4, size: 6 * 4 }),
    runtime.load(combine).compile(),
    runtime.idle(),
  ]
}

async function saysSo(runtime: Runtime, says: RegExp): Promise<void> {
  expect(runtime.lost?.code).toBe('device-lost')
  expect(runtime.lost?.message).toMatch(says)
  await lost(runtime.run(fill, {} as never), says)
  await lost(runtime.load(fill).compile(), says)
  await lost(runtime.idle(), says)
  await rejects('device-lost', says, () => runtime.buffer(Uint32Array, 1))
  expect(runtime.stats.pipelines.entries).toBe(0)
}

describe.skipIf(missing('dawn') !== undefined)('a device that is lost', () => {
  it('[case-R42] hangs and is reset by the driver: what is pending rejects, caches are dropped, another runtime works', async () => {
    const { device, hang, lose, close } = await tamperedDevice()
    const runtime = await wrap({ device })
    const [x, y] = [runtime.buffer(counting(100)), runtime.buffer(Uint32Array, 100)]
    await runtime.run(affine, { x, y, n: 100, a: 1, b: 0 })
    await y.read()
    expect(runtime.stats.pipelines.entries).toBe(1)
    hang()
    const pending = [...inFlight(runtime), y.read(), runtime.run(affine, { x, y, n: 100, a: 1, b: 1 })]
    await new Promise((resolve) => setTimeout(resolve, 20))
    lose('the watchdog reset the driver')
    for (const promise of pending)
      await lost(
        promise,
        /^device-lost: the device was lost \(unknown\): the watchdog reset the driver\n {2}note: create another runtime$/,
      )
    await saysSo(runtime, /the watchdog reset the driver/)
    await lost(y.read(), /the watchdog/)
    await rejects('device-lost', /the watchdog/, () => y.write(counting(100)))
    for (const call of [() => y.destroy(), () => runtime.destroy(), () => runtime.destroy()]) call()
    close()
    using again = await createRuntime()
    const z = again.buffer(Uint32Array, 3)
    await again.run(fill, { out: z, n: 3, value: 8 })
    expect([...(await z.read())]).toEqual([8, 8, 8])
  })

  it.each(['while a pipeline compiles', 'while a readback is mapped', 'when all is quiet'])(
    '[case-R42] is destroyed by its owner %s',
    async (when) => {
      const device = await (await (await openGpu()).requestAdapter())?.requestDevice()
      if (!device) throw new Error('no device')
      const runtime = await wrap({ device })
      const pending = when === 'when all is quiet' ? [] : inFlight(runtime)
      if (when === 'while a readback is mapped') await pending[0]
      device.destroy()
      // the first three of them were done before, where it is the readback that is mapped
      const settled = await Promise.allSettled(pending)
      for (const result of settled)
        if (result.status === 'rejected') expect((result.reason as { code: string }).code).toBe('device-lost')
      if (pending.length > 0) expect(settled.some(({ status }) => status === 'rejected')).toBe(true)
      await device.lost
      await saysSo(runtime, /the device was lost \(destroyed\)/)
      runtime.destroy()
    },
  )

  it('[case-R23] the runtime is destroyed with everything in flight: typed errors, nothing unhandled', async () => {
    const runtime = await createRuntime()
    const pending = inFlight(runtime)
    const out = runtime.buffer(Uint32Array, 1000)
    for (let value = 0; value < 50; value++) void runtime.run(fill, { out, n: 1000, value })
    const reading = out.read()
    runtime.destroy()
    for (const promise of [...pending, reading]) await lost(promise, /the runtime was destroyed/)
    await saysSo(runtime, /the runtime was destroyed/)
    await new Promise((resolve) => setTimeout(resolve, 50)) // an unhandled rejection would end the test run
  })

  it('[case-R21] two runtimes side by side, of which one is destroyed, in turn with new ones', async () => {
    const [a, b] = [await createRuntime(), await createRuntime()]
    const use = async (runtime: Runtime, value: number) => {
      const out = runtime.buffer(Uint32Array, 2)
      await runtime.run(fill, { out, n: 2, value })
      return [...(await out.read())]
    }
    expect([await use(a, 1), await use(b, 2)]).toEqual([
      [1, 1],
      [2, 2],
    ])
    a.destroy()
    expect(await use(b, 3)).toEqual([3, 3])
    await lost(use(a, 4))
    using c = await createRuntime()
    expect([await use(c, 5), await use(b, 6)]).toEqual([
      [5, 5],
      [6, 6],
    ])
    b.destroy()
    expect(await use(c, 7)).toEqual([7, 7])
  })

  it('[case-R21] two runtimes of one device, which stays when one of them ends', async () => {
    const device = await (await (await openGpu()).requestAdapter())?.requestDevice()
    if (!device) throw new Error('no device')
    const [a, b] = [await wrap({ device }), await wrap({ device })]
    const shared = device.createBuffer({ size: 8, usage: GPU_STORAGE | GPU_COPY })
    await a.run(fill, { out: shared, n: 1, value: 3 })
    a.destroy()
    await b.run(affine, { x: shared, y: shared, n: 2, a: 2, b: 1 })
    expect([...(await b.read(shared, Uint32Array))]).toEqual([7, 1])
    b.destroy()
    expect((await device.queue.onSubmittedWorkDone()) ?? 'alive').toBe('alive')
    device.destroy()
  })

  it('[prior-R40] devices are made and destroyed in numbers, one after the other and at once', async () => {
    for (let i = 0; i < 10; i++) (await createRuntime()).destroy()
    const many = await Promise.all(Array.from({ length: 15 }, () => createRuntime()))
    const outs = many.map((runtime) => runtime.buffer(Uint32Array, 1))
    await Promise.all(many.map((runtime, value) => runtime.run(fill, { out: outs[value], n: 1, value } as never)))
    expect(await Promise.all(outs.map(async (out) => (await out.read())[0]))).toEqual([...counting(15)])
    for (const runtime of many) runtime.destroy()
  })
})

const GPU_STORAGE = 0x80
const GPU_COPY = 0x04 | 0x08
