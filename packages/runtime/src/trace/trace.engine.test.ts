import { expect, it } from 'vitest'
import { createRuntime } from '../create'
import type { Runtime } from '../runtime'
import { cpu } from '../testing/cpu'
import { fill, increment } from '../testing/fixtures'
import { device, gpu, runtime } from '../testing/gpu'
import { capture, diff, replay, type Trace } from './index'

const all = { contents: 'all' } as const

/** What a buffer held after a dispatch. */
const wordsOf = (trace: Trace, number: number): number[] => {
  const step = trace.steps.filter(({ kind }) => kind === 'dispatch')[number]
  const sum = step?.kind === 'dispatch' ? step.after[0]?.[1] : undefined
  return [...new Uint32Array((trace.contents.get(sum ?? '') as Uint8Array<ArrayBuffer>).slice().buffer)]
}

/** Two replays of a recording that increments back and forth and copies, with a patch and a write of the host in between. */
async function replays(on: Runtime): Promise<Trace> {
  const buffer = () => on.buffer(Uint32Array, 3)
  const [x, y, z] = [buffer(), buffer(), buffer()]
  const first = await on.prepare(fill, { out: x, n: 3, value: 5 })
  const second = await on.prepare(increment, { x, out: y, n: 3 })
  const third = await on.prepare(increment, { x: z, out: x, n: 3 })
  const recording = on.record((r) => {
    r.dispatch(first).dispatch(second).copy(y, z).dispatch(third)
    return [r.read(x)]
  })
  return capture(
    on,
    async () => {
      await recording.replay()
      first.set({ value: 7 })
      y.write(new Uint32Array([1, 2, 3]))
      const [values] = await recording.replay()
      expect([...values]).toEqual([9, 9, 9])
    },
    all,
  )
}

it('traces recordings on the CPU, dispatch by dispatch, with what was copied and written in between', async () => {
  const trace = await replays(await createRuntime({ device: cpu() }))
  expect([0, 1, 2, 3, 4, 5].map((i) => wordsOf(trace, i)[0])).toEqual([5, 6, 7, 7, 8, 9])
  const again = await replay(trace, await createRuntime({ device: cpu() }), all)
  expect(diff(trace, again)).toBe(null)
})

gpu('traces on WebGPU', () => {
  it('are the same as on the CPU, of recordings too', async () => {
    const trace = await replays(runtime)
    const other = await replays(await createRuntime({ device: cpu() }))
    expect(diff(other, trace)).toBe(null)
    expect(trace.steps.map(({ kind }) => kind)).toEqual(other.steps.map(({ kind }) => kind))
    expect(diff(trace, await replay(trace, await createRuntime({ device: cpu() })))).toBe(null)
  })

  it('see what an open batch has recorded, and what others do between dispatches', async () => {
    const x = runtime.buffer(Uint32Array, 2)
    const trace = await capture(
      runtime,
      async () => {
        await runtime.batch(async () => {
          await runtime.run(fill, { out: x, n: 2, value: 1 })
          x.write(new Uint32Array([9]))
          await runtime.run(increment, { x, out: x, n: 2 })
        })
        // behind weft's back
        device.queue.writeBuffer(x.gpu as GPUBuffer, 4, new Uint32Array([40]))
        await runtime.run(increment, { x, out: x, n: 2 })
      },
      all,
    )
    expect([0, 1, 2].map((i) => wordsOf(trace, i))).toEqual([
      [1, 1],
      [10, 2],
      [11, 41],
    ])
    expect(trace.steps.map(({ kind }) => kind).join(' ')).toBe('write dispatch write dispatch write dispatch')
    expect(diff(trace, await replay(trace, runtime))).toBe(null)
  })

  it('have the counts of indirect launches', async () => {
    const out = runtime.buffer(Uint32Array, 130)
    const buffer = runtime.buffer(new Uint32Array([9, 2, 1, 1]))
    const trace = await capture(
      runtime,
      () => runtime.run(fill, { out, n: 130, value: 3 }, { indirect: { buffer, offset: 4 } }),
      all,
    )
    expect(trace.steps.at(-1)).toMatchObject({ kind: 'dispatch', workgroups: [2, 1, 1] })
    expect(wordsOf(trace, 0).filter((word) => word === 3).length).toBe(128)
    expect(diff(trace, await replay(trace, runtime))).toBe(null)
  })
})
