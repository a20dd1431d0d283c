import { expect, it } from 'vitest'
import { createRuntime } from './node/index'
import { failure } from './testing/expect'
import { FILL } from './testing/fill'
import { fill, fixture, increment } from './testing/fixtures'
import { device, gpu, runtime } from './testing/gpu'

const range = (n: number, from = 0) => Uint32Array.from({ length: n }, (_, i) => from + i)
const submits = async (action: () => Promise<unknown>): Promise<number> => {
  const before = runtime.stats.submits
  await action()
  return runtime.stats.submits - before
}

gpu('a batch', () => {
  it('[case-R11] [prior-R13] is one submit, and its launches keep their params apart', async () => {
    const outs = Array.from({ length: 300 }, () => runtime.buffer(Uint32Array, 3))
    const count = await submits(() =>
      runtime.batch(() => {
        outs.forEach((out, i) => void runtime.run(fill, { out, n: 3, value: i }))
      }),
    )
    expect(count).toBe(1)
    const read = await Promise.all(outs.map((out) => out.read()))
    read.forEach((values, i) => void expect([...values]).toEqual([i, i, i]))
  })

  it('[prior-R06] uploads take effect at their place of the order', async () => {
    const [x, y] = [runtime.buffer(range(5)), runtime.buffer(Uint32Array, 5)]
    const [first, second] = [runtime.buffer(Uint32Array, 5), runtime.buffer(Uint8Array, 5)]
    await runtime.batch(async () => {
      await runtime.run(increment, { x, out: first, n: 5 })
      x.write(range(5, 100))
      second.write(new Uint8Array([1, 2, 3, 4, 5]))
      await runtime.run(increment, { x, out: y, n: 5 })
      second.write(new Uint8Array([9]), 3)
      x.write(range(5, 1000))
    })
    expect(await first.read()).toEqual(range(5, 1))
    expect(await y.read()).toEqual(range(5, 101))
    expect(await x.read()).toEqual(range(5, 1000))
    expect([...(await second.read())]).toEqual([1, 2, 3, 9, 5])
  })

  it('nests: the outermost submits, in whatever way it ends', async () => {
    const x = runtime.buffer(range(4))
    const step = () => runtime.run(increment, { x, out: x, n: 4 })
    expect(
      await submits(() =>
        runtime.batch(async () => {
          await step()
          const value = await runtime.batch(async () => {
            await step()
            return 'inner'
          })
          expect(value).toBe('inner')
          using inner = runtime.batch()
          await step()
          await inner.end()
          await step()
        }),
      ),
    ).toBe(1)
    expect(await x.read()).toEqual(range(4, 4))
    const count = await submits(async () => {
      {
        using _ = runtime.batch()
        void step()
        void step()
      }
      await runtime.idle()
    })
    expect(count).toBe(1)
    expect(await x.read()).toEqual(range(4, 6))
  })

  it('is submitted so far by reads, by flush and by idle, and goes on', async () => {
    const x = runtime.buffer(range(4))
    const step = () => runtime.run(increment, { x, out: x, n: 4 })
    await runtime.batch(async () => {
      await step()
      expect(await x.read()).toEqual(range(4, 1))
      await step()
      await runtime.flush()
      await step()
      await runtime.idle()
      await step()
    })
    expect(await x.read()).toEqual(range(4, 4))
    await runtime.flush()
  })

  it('submits when it is full', async () => {
    const own = await createRuntime({ maxDispatchesPerSubmit: 8 })
    const x = own.buffer(range(4))
    const before = own.stats.submits
    await own.batch(() => {
      for (let i = 0; i < 20; i++) void own.run(increment, { x, out: x, n: 4 })
    })
    expect(own.stats.submits - before).toBe(3)
    expect(await x.read()).toEqual(range(4, 20))
    own.destroy()
  })

  it('[prior-R33] [prior-R32] computes the same with a pass for each dispatch', async () => {
    const own = await createRuntime({ passes: 'each' })
    const [a, b] = [own.buffer(range(100)), own.buffer(Uint32Array, 100)]
    await own.batch(() => {
      for (let i = 0; i < 64; i++) void own.run(increment, { x: i % 2 ? b : a, out: i % 2 ? a : b, n: 100 })
    })
    expect(await a.read()).toEqual(range(100, 64))
    own.destroy()
  })

  it('[case-R14] keeps what is freed in it until its launches have run', async () => {
    const x = runtime.buffer(range(1000))
    const out = runtime.buffer(Uint32Array, 1000)
    await runtime.batch(() => {
      void runtime.run(increment, { x, out, n: 1000 })
      x.destroy()
      runtime.buffer(Uint32Array, 1000).write(new Uint32Array(1000).fill(7))
    })
    expect(await out.read()).toEqual(range(1000, 1))
  })

  it('gives the error of its function, and does what was called before it', async () => {
    const x = runtime.buffer(range(4))
    const wrong = runtime.batch(async () => {
      await runtime.run(increment, { x, out: x, n: 4 })
      throw new Error('mine')
    })
    await expect(wrong).rejects.toThrow('mine')
    expect(await x.read()).toEqual(range(4, 1))
    expect(await submits(() => runtime.batch(() => runtime.run(increment, { x, out: x, n: 4 })))).toBe(1)
  })
})

gpu('a batch that fails', () => {
  const hidden = () => {
    const gone = device.createBuffer({ size: 16, usage: 0x80 | 4 | 8 })
    gone.destroy() // behind the runtime's back
    return gone
  }

  it('[prior-R03] names the launch at fault and those that were lost with it', async () => {
    const [out, fine] = [runtime.buffer(Uint32Array, 4), runtime.buffer(Uint32Array, 4)]
    const batch = runtime.batch(async () => {
      await runtime.run(fill, { out: fine, n: 4, value: 1 })
      await runtime.run(increment, { x: hidden(), out, n: 4 })
      await runtime.run(fill, { out: fine, n: 4, value: 2 })
    })
    const e = await failure('dispatch-failed', () => batch)
    expect(e.message).toMatch(/^dispatch-failed: 'increment' \(variant 'portable'\): .*destroyed/)
    expect(e.message).toContain("note: in the same submit, and so not done either: 'fill' (variant 'portable')")
    for (const buffer of [out, fine]) {
      const told = await failure('dispatch-failed', () => buffer.read())
      expect(told.message).toBe(e.message)
    }
    await failure('dispatch-failed', () => runtime.idle())
    await runtime.run(fill, { out: fine, n: 4, value: 3 })
    expect([...(await fine.read())]).toEqual([3, 3, 3, 3])
  })

  it('rejects when a kernel in it does not compile, and does the rest', async () => {
    const wrong = fixture({ ...FILL, name: 'wrong', body: '  out[0] = nothing;' })
    const [a, b] = [runtime.buffer(Uint32Array, 2), runtime.buffer(Uint32Array, 2)]
    const batch = runtime.batch(() => {
      void runtime.run(wrong, { out: a, n: 2, value: 1 })
      void runtime.run(fill, { out: b, n: 2, value: 2 })
    })
    await failure('compile-failed', () => batch)
    expect([...(await b.read())]).toEqual([2, 2])
    await runtime.idle().catch(() => undefined)
  })

  it('[prior-R03] rejects when a call in it is refused, and does the rest', async () => {
    const [x, y, z] = [runtime.buffer(range(4)), runtime.buffer(Uint32Array, 4), runtime.buffer(Uint32Array, 4)]
    const fine = runtime.buffer(Uint32Array, 4)
    const p = await runtime.prepare(increment, { x, out: y, n: 4 })
    const q = await runtime.prepare(increment, { x: y, out: z, n: 4 })
    const recording = runtime.record((r) => void r.dispatch(q))
    x.destroy()
    const batch = runtime.batch(() => {
      void p.run()
      void recording.replay()
      void runtime.run(fill, { out: fine, n: 4, value: 5 })
    })
    const e = await failure('stale-replay', () => batch)
    expect(await failure('stale-replay', () => z.read())).toBe(e)
    expect([...(await fine.read())]).toEqual([5, 5, 5, 5])
    await failure('stale-replay', () => runtime.idle())
  })

  it('rejects when the device is lost in it', async () => {
    const own = await createRuntime()
    const out = own.buffer(Uint32Array, 4)
    const batch = own.batch(async () => {
      await own.run(fill, { out, n: 4, value: 1 })
      own.destroy()
      await own.run(fill, { out, n: 4, value: 1 })
    })
    await failure('device-lost', () => batch)
  })
})
