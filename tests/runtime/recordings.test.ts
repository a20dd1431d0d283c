import { createRuntime as wrap } from '@weft/runtime'
import { createRuntime, openGpu } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { onDevices, rejects } from '../edge-cases/devices.js'
import { missing } from '../engines/install.js'
import { affine, combine, counting, fill } from './kernels.js'
import { tamperedDevice } from './tampered.js'

/** Recordings at the edges: while something still compiles, and at their end. */

describe('a recording', () => {
  it('has the params of the time of each replay, though it waits for a pipeline and is let go of before', () =>
    onDevices(async (runtime) => {
      const [x, y, late] = [runtime.buffer(counting(8)), runtime.buffer(Uint32Array, 8), runtime.buffer(Uint32Array, 8)]
      const step = await runtime.prepare(affine, { x, y, n: 8, a: 1, b: 0 })
      const recording = runtime.record((r) => {
        r.dispatch(step)
        return [r.read(y)]
      })
      void runtime.run(combine, { p: x, q: x, out: late, n: 8, shift: 0 }) // compiles, and all that follows waits
      const replays = [10, 20, 30].map((b) => {
        step.set({ b })
        return recording.replay()
      })
      recording.destroy()
      step.set({ b: 99 })
      expect((await Promise.all(replays)).map(([values]) => values[1])).toEqual([11, 21, 31])
      await step.run()
      expect((await y.read())[1]).toBe(100)
    }))

  it('[prior-R47] is of the steps as they are: it skips what has nothing to do, and takes it up again', () =>
    onDevices(async (runtime) => {
      const out = runtime.buffer(new Uint32Array(4).fill(7))
      const step = await runtime.prepare(fill, { out, n: 0, value: 1 })
      using recording = runtime.record((r) => {
        r.dispatch(step)
        return [r.read(out)]
      })
      const seen: number[][] = []
      for (const n of [0, 2, 0, 4]) {
        step.set({ n, value: n })
        const [values] = await recording.replay()
        seen.push([...values])
      }
      expect(seen).toEqual([
        [7, 7, 7, 7],
        [2, 2, 7, 7],
        [2, 2, 7, 7],
        [4, 4, 4, 4],
      ])
    }))
})

describe.skipIf(missing('dawn') !== undefined)('what is prepared', () => {
  it('[case-R42] ends with its device: in the middle of a replay, and for every use after', async () => {
    const { device, hang, lose, close } = await tamperedDevice()
    const runtime = await wrap({ device })
    const out = runtime.buffer(Uint32Array, 64)
    const step = await runtime.prepare(fill, { out, n: 64, value: 1 })
    const recording = runtime.record((r) => {
      r.dispatch(step)
      return [r.read(out)]
    })
    const [first] = await recording.replay()
    expect(first[63]).toBe(1)
    hang()
    const pending = [step.set({ value: 2 }).run(), recording.replay(), recording.replay()]
    lose('the watchdog reset the driver')
    // a launch is accepted before the device is known to hang; its result never comes
    await rejects('device-lost', 'the watchdog', () => Promise.all(pending))
    for (const promise of pending.slice(1)) await rejects('device-lost', 'the watchdog', () => promise)
    await rejects('device-lost', 'the watchdog', () => step.run())
    await rejects('device-lost', 'the watchdog', () => step.set({ value: 3 }))
    await rejects('device-lost', 'the watchdog', () => recording.replay())
    await rejects('device-lost', 'the watchdog', () => runtime.record(() => undefined))
    await rejects('device-lost', 'the watchdog', () => runtime.prepare(fill, { out, n: 1, value: 1 }))
    recording.destroy()
    runtime.destroy()
    close()
  })

  it('[prior-R03] is named when a replay of it is invalid, and reads of what it should have written reject', async () => {
    const runtime = await createRuntime()
    const other = (await (await (await openGpu()).requestAdapter())?.requestDevice()) as GPUDevice
    const foreign = other.createBuffer({ size: 256, usage: 0x80 | 4 | 8 })
    const [a, b] = [runtime.buffer(counting(64)), runtime.buffer(Uint32Array, 64)]
    const right = await runtime.prepare(affine, { x: a, y: a, n: 64, a: 1, b: 1 })
    const result = await runtime
      .prepare(combine, { p: a, q: foreign, out: b, n: 64, shift: 0 })
      .then((wrong) =>
        runtime
          .record((r) => {
            r.dispatch(right).dispatch(wrong)
            return [r.read(b)]
          })
          .replay(),
      )
      .catch((error: Error) => error)
    expect((result as { code?: string }).code).toBe('dispatch-failed')
    expect(String(result)).toContain("'combine'")
    await rejects('dispatch-failed', "'combine'", () => b.read())
    // the whole submit is invalid, so what else was in it was not done either, and is told too
    await rejects('dispatch-failed', /'combine'[\s\S]*in the same submit, and so not done either: 'affine'/, () =>
      a.read(),
    )
    await runtime.idle().catch(() => undefined)
    a.write(counting(64))
    await right.run()
    await runtime.run(fill, { out: b, n: 64, value: 5 })
    expect([...(await b.read(Uint32Array, { size: 4 })), ...(await a.read(Uint32Array, { size: 4 }))]).toEqual([5, 1])
    runtime.destroy()
    other.destroy()
  })
})
