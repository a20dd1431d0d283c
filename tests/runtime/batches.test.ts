import { createRuntime as wrap } from '@weft/runtime'
import { createRuntime, openGpu } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { onDevices, rejects } from '../edge-cases/devices.js'
import { missing } from '../engines/install.js'
import { accumulate, affine, combine, counting, fill, histogram, scatter } from './kernels.js'
import { tamperedDevice } from './tampered.js'

/** Many calls in one submit: their order, their params, their memory, and what becomes of errors among them. */

const noDawn = missing('dawn') !== undefined

describe('order', () => {
  it('[case-R11] launches of one batch keep the params that they were given', () =>
    onDevices(async (runtime) => {
      const outs = [1, 2, 3].map(() => runtime.buffer(Uint32Array, 4))
      const params = { n: 4, value: 0 }
      await runtime.batch(() => {
        for (const [i, out] of outs.entries()) {
          params.value = i + 1
          void runtime.run(fill, { out, ...params })
        }
        params.value = 99
      })
      expect(await Promise.all(outs.map(async (out) => (await out.read())[3]))).toEqual([1, 2, 3])
    }))

  it('[prior-R06] an upload takes effect at its place, in buffers that were recycled too', () =>
    onDevices(async (runtime) => {
      const outs = [0, 1, 2, 3].map(() => runtime.buffer(Uint32Array, 64))
      const [a, b, c, last] = outs as [(typeof outs)[0], (typeof outs)[0], (typeof outs)[0], (typeof outs)[0]]
      await runtime.batch(() => {
        const first = runtime.buffer(counting(64)) // written before anything else
        void runtime.run(affine, { x: first, y: a, n: 64, a: 1, b: 0 })
        first.write(counting(64, 100))
        void runtime.run(affine, { x: first, y: b, n: 64, a: 1, b: 0 })
        first.write(Uint32Array.of(7), 4)
        first.destroy() // recorded work still reads it
        const second = runtime.buffer(counting(64, 1000)) // the same size: it may not be the same memory yet
        void runtime.run(affine, { x: second, y: c, n: 64, a: 1, b: 0 })
        second.write(Uint8Array.of(1, 2, 3), 1)
        void runtime.run(affine, { x: second, y: last, n: 64, a: 1, b: 0 })
      })
      expect(await a.read()).toEqual(counting(64))
      expect(await b.read()).toEqual(counting(64, 100))
      expect(await c.read()).toEqual(counting(64, 1000))
      expect([...(await last.read(Uint8Array, { size: 5 }))]).toEqual([1000 & 255, 1, 2, 3, 1001 & 255])
    }))

  it('[prior-R13] of 100 launches with nested batches in one submit, and a read in between sees what was before it', () =>
    onDevices(async (runtime) => {
      const [x, y] = [runtime.buffer(counting(64)), runtime.buffer(Uint32Array, 64)]
      await runtime.load(affine).compile()
      await runtime.run(affine, { x, y: x, n: 64, a: 1, b: 0 })
      const before = runtime.stats.submits
      await runtime.batch(async () => {
        for (let i = 0; i < 10; i++)
          await runtime.batch(async () => {
            for (let j = 0; j < 10; j++) await runtime.run(affine, { x, y: x, n: 64, a: 1, b: 1 })
          })
      })
      if (runtime.device) expect(runtime.stats.submits - before).toBe(1)
      await runtime.batch(async () => {
        void runtime.run(affine, { x, y, n: 64, a: 2, b: 0 })
        const seen = await y.read()
        expect(seen[5]).toBe(210)
        void runtime.run(affine, { x: y, y: x, n: 64, a: 1, b: 1 })
      })
      expect((await x.read())[5]).toBe(211)
    }))

  it('[prior-R32] a long chain in which each step reads what the one before wrote gives the same in submits of any size', () =>
    onDevices(async () => {
      const results = new Set<string>()
      for (const maxDispatchesPerSubmit of [1, 7, 64, 4096]) {
        const runtime = await createRuntimeLike({ maxDispatchesPerSubmit })
        const [a, b] = [runtime.buffer(counting(256)), runtime.buffer(Uint32Array, 256)]
        await runtime.batch(() => {
          for (let i = 0; i < 200; i++) {
            void runtime.run(combine, { p: a, q: a, out: b, n: 256, shift: i })
            void runtime.run(combine, { p: b, q: b, out: a, n: 256, shift: 255 - i })
          }
        })
        results.add((await a.read()).join())
        if (runtime.device) expect(runtime.stats.submits).toBeGreaterThanOrEqual(400 / maxDispatchesPerSubmit)
        runtime.destroy()
      }
      expect(results.size).toBe(1)
      expect([...results][0]).toBe(chain().join())
    }))

  it.skipIf(noDawn)(
    '[prior-R33] one pass for all or one for each: the same results, in the order of the calls',
    async () => {
      const results = await Promise.all(
        (['single', 'each'] as const).map(async (passes) => {
          const { device, calls, close } = await tamperedDevice()
          const runtime = await wrap({ device, passes })
          const [x, sum, y] = [
            runtime.buffer(counting(64)),
            runtime.buffer(Uint32Array, 64),
            runtime.buffer(Uint32Array, 64),
          ]
          await Promise.all([affine, accumulate].map((kernel) => runtime.load(kernel).compile()))
          const before = { ...calls }
          await runtime.batch(() => {
            for (let i = 1; i <= 20; i++) {
              void runtime.run(accumulate, { x, sum, n: 64 }) // read, modify, write
              void runtime.run(affine, { x: sum, y: x, n: 64, a: 1, b: i }) // write after read
              void runtime.run(affine, { x, y, n: 64, a: 3, b: i }) // write after write
            }
          })
          expect(
            [calls.submit, calls.createCommandEncoder].map(
              (n, i) => (n ?? 0) - ([before.submit, before.createCommandEncoder][i] ?? 0),
            ),
          ).toEqual([1, 1])
          const values = [...(await sum.read()), ...(await y.read())]
          runtime.destroy()
          close()
          return values.join()
        }),
      )
      expect(new Set(results).size).toBe(1)
    },
  )

  it('[prior-R34] a chain in place and one between two buffers give the same', () =>
    onDevices(async (runtime) => {
      const run = async (inPlace: boolean) => {
        const [a, b] = [runtime.buffer(counting(64)), runtime.buffer(Uint32Array, 64)]
        await runtime.batch(() => {
          for (let i = 0; i < 10; i++) {
            const [x, y] = inPlace ? [a, a] : i % 2 === 0 ? [a, b] : [b, a]
            void runtime.run(affine, { x, y, n: 64, a: 3, b: i })
          }
        })
        return (await a.read()).join()
      }
      expect(await run(true)).toBe(await run(false))
    }))
})

describe('memory', () => {
  it('[case-R14] a buffer that is released right after its use was recorded keeps its bytes for that use', () =>
    onDevices(async (runtime) => {
      const [y, z] = [runtime.buffer(Uint32Array, 1000), runtime.buffer(Uint32Array, 1000)]
      await runtime.batch(() => {
        const x = runtime.buffer(counting(1000, 5))
        void runtime.run(affine, { x, y, n: 1000, a: 1, b: 0 })
        x.destroy()
        const other = runtime.buffer(new Uint32Array(1000).fill(9))
        void runtime.run(affine, { x: other, y: z, n: 1000, a: 1, b: 0 })
        other.destroy()
      })
      expect(await y.read()).toEqual(counting(1000, 5))
      expect(new Set(await z.read())).toEqual(new Set([9]))
    }))

  it('[case-R15] [prior-R07] a recycled buffer is 0, in a batch too: for reads, atomics and kernels that write a part of it', () =>
    onDevices(async (runtime) => {
      const x = runtime.buffer(counting(30))
      const dirty = () => {
        for (let i = 0; i < 8; i++) {
          const buffer = runtime.buffer(Uint32Array, 90)
          void runtime.run(fill, { out: buffer, n: 90, value: 777 })
          buffer.destroy()
        }
      }
      dirty()
      expect(new Set(await runtime.buffer(Uint32Array, 90).read())).toEqual(new Set([0]))
      const spread = Uint32Array.from({ length: 90 }, (_, i) => (i % 3 === 0 ? i / 3 : 0))
      for (const options of [{}, { zero: false }]) {
        dirty()
        await runtime.idle()
        const part = runtime.buffer(Uint32Array, 90, options)
        const counts = runtime.buffer(Uint32Array, 90, options)
        const sum = runtime.buffer(Uint32Array, 90, options)
        await runtime.batch(() => {
          void runtime.run(scatter, { x, out: part, n: 30 })
          void runtime.run(histogram, { x, counts, n: 30 })
          void runtime.run(accumulate, { x, sum, n: 30 })
          dirty()
        })
        expect(await part.read()).toEqual(spread)
        expect([...(await counts.read())].slice(0, 5)).toEqual([8, 8, 7, 7, 0])
        expect([...(await sum.read())].slice(0, 31)).toEqual([...counting(30), 0])
        for (const buffer of [part, counts, sum]) buffer.destroy()
      }
    }))

  it('[prior-R14] many small reads give what as many single ones give', () =>
    onDevices(async (runtime) => {
      const outs = Array.from({ length: 20 }, (_, value) => runtime.buffer(Uint32Array.of(value)))
      for (const out of outs) void runtime.run(affine, { x: out, y: out, n: 1, a: 2, b: 1 })
      expect((await runtime.readMany(outs)).map(([value]) => value)).toEqual(outs.map((_, i) => 2 * i + 1))
    }))

  it.skipIf(noDawn)('[prior-R14] and are one round trip', async () => {
    const { device, calls, close } = await tamperedDevice()
    const runtime = await wrap({ device })
    const outs = Array.from({ length: 20 }, (_, value) => runtime.buffer(Uint32Array.of(value)))
    await runtime.idle()
    const before = calls.submit ?? 0
    expect((await runtime.readMany(outs)).map(([value]) => value)).toEqual([...counting(20)])
    expect((calls.submit ?? 0) - before).toBe(1)
    runtime.destroy()
    close()
  })
})

describe.skipIf(noDawn)('errors and loss', () => {
  it('[prior-R03] an invalid launch in a batch is named, the batch rejects, and so do reads of what it was to write', async () => {
    const runtime = await createRuntime()
    const other = (await (await (await openGpu()).requestAdapter())?.requestDevice()) as GPUDevice
    const foreign = other.createBuffer({ size: 256, usage: 0x80 | 4 | 8 })
    const [a, b, c] = [
      runtime.buffer(Uint32Array, 64),
      runtime.buffer(Uint32Array, 64),
      runtime.buffer(Uint32Array, 64),
    ]
    await Promise.all([fill, affine, combine].map((kernel) => runtime.load(kernel).compile()))
    const batch = runtime.batch(() => {
      void runtime.run(fill, { out: a, n: 64, value: 1 })
      void runtime.run(combine, { p: a, q: foreign, out: b, n: 64, shift: 0 })
      void runtime.run(affine, { x: b, y: c, n: 64, a: 1, b: 1 })
    })
    await rejects('dispatch-failed', /^dispatch-failed: [\s\S]*'combine' \(variant '[^']*'\)/, () => batch)
    for (const buffer of [b, c]) await rejects('dispatch-failed', "'combine'", () => buffer.read())
    await rejects('dispatch-failed', "'combine'", () => runtime.idle())
    await runtime.batch(() => void runtime.run(fill, { out: b, n: 64, value: 3 }))
    expect((await b.read())[63]).toBe(3)
    runtime.destroy()
    other.destroy()
  })

  it('[case-R42] a loss in the middle of a batch rejects what is in it, and the batch', async () => {
    const { device, hang, lose, close } = await tamperedDevice()
    const runtime = await wrap({ device })
    const [x, y] = [runtime.buffer(counting(64)), runtime.buffer(Uint32Array, 64)]
    await runtime.run(affine, { x, y, n: 64, a: 1, b: 0 })
    let inside: Promise<unknown> = Promise.resolve()
    const batch = runtime.batch(async () => {
      void runtime.run(affine, { x, y, n: 64, a: 2, b: 0 })
      hang()
      inside = y.read() // submits, and waits for what never comes
      setTimeout(() => lose('the watchdog reset the driver'), 10)
      await inside
    })
    await rejects('device-lost', 'the watchdog reset the driver', () => inside)
    await rejects('device-lost', 'the watchdog reset the driver', () => batch)
    await rejects('device-lost', /./, () => runtime.batch(() => undefined))
    await rejects('device-lost', /./, () => runtime.flush())
    expect([runtime.stats.pipelines.entries, runtime.stats.bindGroups.entries]).toEqual([0, 0])
    runtime.destroy()
    close()
  })

  it('destroy with a batch open rejects it, and the process goes on', async () => {
    const runtime = await createRuntime()
    const out = runtime.buffer(Uint32Array, 64)
    const batch = runtime.batch(async () => {
      void runtime.run(fill, { out, n: 64, value: 1 })
      runtime.destroy()
    })
    await rejects('device-lost', 'the runtime was destroyed', () => batch)
  })
})

/** The chain of R32 on the host. */
function chain(): Uint32Array {
  let a = counting(256)
  const combined = (p: Uint32Array, shift: number) => p.map((v, i) => 3 * v + (p[(i + shift) % 256] as number))
  for (let i = 0; i < 200; i++) a = combined(combined(a, i), 255 - i) as typeof a
  return a
}

const createRuntimeLike = (options: { maxDispatchesPerSubmit: number }) =>
  noDawn
    ? import('@weft/codegen/interp').then(({ cpu }) => wrap({ device: cpu(), ...options }))
    : createRuntime(options)
