import { expect, it } from 'vitest'
import { start } from './testing/cpu'
import { failure } from './testing/expect'
import { fill, fixture, increment, linear } from './testing/fixtures'

const range = (n: number, from = 0) => Uint32Array.from({ length: n }, (_, i) => from + i)

it('prepares, records and batches on the CPU as on a GPU', async () => {
  const { runtime } = await start()
  const [x, y] = [runtime.buffer(range(4)), runtime.buffer(Uint32Array, 4)]
  const step = await runtime.prepare(increment, { x, out: y, n: 4 })
  const set = await runtime.prepare(fill, { out: x, n: 2, value: 7 }, { patch: ['out'] })
  const recording = runtime.record((r) => {
    r.dispatch(step)
    const before = r.read(x)
    r.dispatch(set).copy(y, x)
    return [before, r.read(x, Uint32Array, { offset: 4, size: 8 })]
  })
  expect(recording.dispatches).toBe(2)
  await runtime.batch(async () => {
    const [before, after] = await recording.replay()
    expect([...before]).toEqual([0, 1, 2, 3])
    expect([...after]).toEqual([2, 3])
  })
  set.set({ n: 0 })
  expect([recording.dispatches, set.workgroups]).toEqual([1, [0, 1, 1]])
  expect((await recording.replay())[1]).toEqual(range(2, 3))
  await set.set({ n: 4, value: 1 }).bind({ out: y }).run()
  expect([...(await y.read())]).toEqual([1, 1, 1, 1])
  expect(runtime.stats).toMatchObject({ dispatches: 4, skipped: 0, submits: 0 })
  await failure('bad-argument', () => set.encode({} as GPUCommandEncoder))
})

it('[prior-R08] refuses what is gone, with the name of the binding', async () => {
  const { runtime } = await start()
  const [x, y] = [runtime.buffer(range(4), { label: 'cache' }), runtime.buffer(Uint32Array, 4)]
  const step = await runtime.prepare(increment, { x, out: y, n: 4 }, { patch: ['x'] })
  const recording = runtime.record((r) => void r.dispatch(step))
  x.destroy()
  for (const action of [() => step.run(), () => recording.replay()]) {
    const e = await failure('stale-replay', action)
    expect(e.message).toBe(
      "stale-replay: 'increment' was prepared with a buffer that is gone: its 'x', the buffer 'cache', was destroyed\n" +
        '  note: keep the buffer while it is used, bind another one, or prepare and record again',
    )
  }
  step.bind({ x: runtime.buffer(range(4, 5)) })
  await recording.replay()
  expect(await y.read()).toEqual(range(4, 6))
})

it('rejects when a part of a recording fails, and so do reads of what it should have written', async () => {
  const { runtime } = await start()
  const throws = fixture({ name: 'throws', bindings: { out: 'write array<u32>' }, body: '', launch: linear(1) })
  const out = runtime.buffer(Uint32Array, 4)
  const recording = runtime.record(() => undefined)
  await recording.replay()
  const step = await runtime.prepare(throws, { out })
  await failure('dispatch-failed', () => runtime.record((r) => void r.dispatch(step)).replay())
  await failure('dispatch-failed', () => out.read())
  await failure('dispatch-failed', () => runtime.idle())
})

it('takes the counts of an indirect launch from memory, and runs nothing above the limit', async () => {
  const { runtime, device } = await start()
  const counts = runtime.buffer(Uint32Array.of(9, 2, 3, 1))
  const out = runtime.buffer(Uint32Array, 4)
  const run = () => runtime.run(fill, { out, n: 4, value: 1 }, { indirect: { buffer: counts, offset: 4 } })
  await run()
  expect(device.launches[0]?.workgroups).toEqual([2, 3, 1])
  for (const count of [0, 65536]) {
    counts.write(Uint32Array.of(count), 8)
    await run()
  }
  expect(device.launches).toHaveLength(1)
})
