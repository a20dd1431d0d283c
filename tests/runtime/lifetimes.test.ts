import { describe, expect, it } from 'vitest'
import { onDevices, rejects } from '../edge-cases/devices.js'
import { affine, counting, fill } from './kernels.js'

/** What lives how long: buffers of loops that end, and of loops that throw. */

describe('[case-R18] a loop that makes buffers for each step', () => {
  it('ends with as many as it began with, whether its steps end or throw half-way', () =>
    onDevices(async (runtime) => {
      const weights = runtime.buffer(counting(64))
      const live = () => [runtime.stats.buffers.live, runtime.stats.buffers.bytes]
      const before = live()
      for (let i = 0; i < 1000; i++) {
        const step = async () => {
          using cache = runtime.buffer(Uint32Array, 64)
          using out = runtime.buffer(Uint32Array, 64)
          void runtime.run(affine, { x: weights, y: cache, n: 64, a: 1, b: i })
          if (i % 10 === 3) throw new Error('half-way')
          void runtime.run(affine, { x: cache, y: out, n: 64, a: 2, b: 0 })
          return i % 100 === 0 ? (await out.read())[1] : 2 * (1 + i)
        }
        const result = await step().catch((error: Error) => error.message)
        expect(result).toBe(i % 10 === 3 ? 'half-way' : 2 * (1 + i))
      }
      await runtime.idle()
      expect(live()).toEqual(before)
    }))

  it('a buffer is freed after the work that was started before, and not used after', () =>
    onDevices(async (runtime) => {
      const [x, y] = [runtime.buffer(counting(1000)), runtime.buffer(Uint32Array, 1000)]
      void runtime.run(affine, { x, y, n: 1000, a: 3, b: 0 })
      x.destroy()
      expect((await y.read())[999]).toBe(2997)
      await rejects('buffer-destroyed', "'affine': 'x' is a buffer that was destroyed", () =>
        runtime.run(affine, { x, y, n: 1, a: 1, b: 1 }),
      )
      await rejects('buffer-destroyed', /./, () => x.read())
      await runtime.run(fill, { out: y, n: 1, value: 1 })
      expect([...(await y.read(Uint32Array, { size: 8 }))]).toEqual([1, 3])
    }))
})
