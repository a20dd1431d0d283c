import { describe, expect, it } from 'vitest'
import { onDevices } from '../edge-cases/devices.js'
import { affine, combine, counting, fill } from './kernels.js'

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

  it('is of the steps as they are: it skips what has nothing to do, and takes it up again', () =>
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
