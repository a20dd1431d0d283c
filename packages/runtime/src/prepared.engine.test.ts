import { expect, it } from 'vitest'
import { createRuntime } from './node/index'
import { failure } from './testing/expect'
import { FILL } from './testing/fill'
import { fill, fixture, increment, saxpy } from './testing/fixtures'
import { device, gpu, runtime } from './testing/gpu'

const range = (n: number, from = 0) => Uint32Array.from({ length: n }, (_, i) => from + i)
const zeros = (n: number) => runtime.buffer(Uint32Array, n)

gpu('a prepared dispatch', () => {
  it('[case-R09] runs in order with everything else, with the params of the time of the call', async () => {
    const [a, b] = [zeros(4), zeros(4)]
    const step = await runtime.prepare(fill, { out: a, n: 4, value: 1 })
    void step.run()
    void runtime.run(increment, { x: a, out: b, n: 4 })
    void step.set({ value: 7, n: 2 }).run()
    expect([...(await b.read())]).toEqual([2, 2, 2, 2])
    expect([...(await a.read())]).toEqual([7, 7, 1, 1])
    await runtime.batch(() => {
      for (const value of [1, 2, 3]) {
        void step.set({ value }).run()
        void runtime.run(increment, { x: a, out: b, n: 4 })
      }
    })
    expect([...(await b.read())]).toEqual([4, 4, 2, 2])
  })

  it('keeps to the order also while something compiles', async () => {
    const [a, b, c] = [zeros(4), zeros(4), zeros(4)]
    const step = await runtime.prepare(fill, { out: a, n: 4, value: 1 })
    const fresh = fixture({ ...FILL, name: 'compiles late' })
    void runtime.run(fresh, { out: b, n: 4, value: 9 })
    void step.run()
    void runtime.run(increment, { x: a, out: c, n: 4 })
    void step.set({ value: 5 }).run()
    expect([...(await c.read())]).toEqual([2, 2, 2, 2])
    expect([...(await a.read())]).toEqual([5, 5, 5, 5])
  })

  it('sizes itself by its params, down to nothing', async () => {
    const out = zeros(200)
    const step = await runtime.prepare(fill, { out, n: 0, value: 1 })
    expect(step.workgroups).toEqual([0, 1, 1])
    await step.run()
    expect(await out.read()).toEqual(range(200).fill(0))
    await step.set({ n: 200 }).run()
    expect(step.workgroups).toEqual([4, 1, 1])
    expect(await out.read()).toEqual(range(200).fill(1))
    await step.set({ n: 0, value: 2 }).run()
    expect(await out.read()).toEqual(range(200).fill(1))
  })

  it('refuses wrong params as a run does, and stays as it was', async () => {
    const out = zeros(3)
    const step = await runtime.prepare(fill, { out, n: 3, value: 1 })
    for (const params of [{ n: -1 }, { value: 0.5 }, { n: Number.NaN }, { value: 2 ** 32 }, { nothing: 1 }, { out }]) {
      await failure('bad-param', () => step.set(params))
    }
    await step.run()
    expect([...(await out.read())]).toEqual([1, 1, 1])
  })

  it('[case-R05] takes other buffers for the bindings that were listed', async () => {
    const [a, b, out] = [runtime.buffer(range(4)), runtime.buffer(range(4, 10)), zeros(4)]
    const step = await runtime.prepare(increment, { x: a, out, n: 4 }, { patch: ['x'] })
    await step.run()
    expect(await out.read()).toEqual(range(4, 1))
    await step.bind({ x: b }).run()
    expect(await out.read()).toEqual(range(4, 11))
    await step.bind({ x: a }).run()
    expect(await out.read()).toEqual(range(4, 1))
    const e = await failure('extra-binding', () => step.bind({ out: zeros(4) }))
    expect(e.message).toContain(
      "note: list it when it is prepared: prepare(kernel, args, { patch: ['out'] }); now it is 'x'",
    )
    await failure('binding-overlap', () => step.bind({ x: out }))
    await failure('binding-size', () => step.bind({ x: a.range(4) }))
    await failure('extra-binding', () => runtime.prepare(increment, { x: a, out, n: 4 }, { patch: ['y'] }))
    await step.run()
    expect(await out.read()).toEqual(range(4, 1))
  })

  it('runs in place by a declared alias', async () => {
    const x = runtime.buffer(range(4))
    const step = await runtime.prepare(increment, { x, out: x, n: 4 })
    for (let i = 0; i < 5; i++) void step.run()
    expect(await x.read()).toEqual(range(4, 5))
  })

  it('[prior-R08] is stale when a buffer of it is gone, also when there is another one of the same size', async () => {
    const [x, out] = [runtime.buffer(range(4), { label: 'cache' }), zeros(4)]
    const step = await runtime.prepare(increment, { x, out, n: 4 }, { patch: ['x'] })
    await step.run()
    x.destroy()
    const again = runtime.buffer(range(4, 50))
    const e = await failure('stale-replay', () => step.run())
    expect(e.message).toBe(
      "stale-replay: 'increment' was prepared with a buffer that is gone: its 'x', the buffer 'cache', was destroyed\n" +
        '  note: keep the buffer while it is used, bind another one, or prepare and record again',
    )
    expect(await out.read()).toEqual(range(4, 1))
    await step.bind({ x: again }).run()
    expect(await out.read()).toEqual(range(4, 51))
  })

  it('belongs to its runtime', async () => {
    const other = await createRuntime()
    const step = await runtime.prepare(fill, { out: zeros(1), n: 1, value: 1 })
    await failure('foreign-buffer', () => other.record((r) => void r.dispatch(step)))
    other.destroy()
  })
})

gpu('encoding for the caller', () => {
  const submit = (action: (encoder: GPUCommandEncoder) => void) => {
    const encoder = device.createCommandEncoder()
    action(encoder)
    device.queue.submit([encoder.finish()])
  }

  it('goes into a pass or an encoder, with the params of the time of the call', async () => {
    const out = zeros(2)
    const seen = zeros(8)
    const raw = seen.gpu as GPUBuffer
    const step = await runtime.prepare(fill, { out, n: 2, value: 1 })
    submit((encoder) => {
      for (let i = 0; i < 4; i++) {
        step.set({ value: 10 + i })
        if (i % 2) step.encode(encoder)
        else {
          const pass = encoder.beginComputePass()
          step.encode(pass)
          pass.end()
        }
        encoder.copyBufferToBuffer(out.gpu as GPUBuffer, 0, raw, 8 * i, 8)
      }
    })
    expect([...(await seen.read())]).toEqual([10, 10, 11, 11, 12, 12, 13, 13])
    submit((encoder) => step.encode(encoder))
    expect([...(await out.read())]).toEqual([13, 13])
  })

  it('sets immediates, and nothing for no workgroups', async () => {
    const kernel = fixture({
      name: 'immediate step',
      via: 'immediates',
      needs: { languageFeatures: ['immediate_address_space'] },
      bindings: { out: 'write array<u32>' },
      params: { n: 'u32', v: 'u32' },
      body: '  if (gid.x < params.n) { out[gid.x] = params.v; }',
    })
    const out = zeros(3)
    const step = await runtime.prepare(kernel, { out, n: 3, v: 4 })
    submit((encoder) => step.encode(encoder))
    step.set({ n: 0, v: 5 })
    submit((encoder) => step.encode(encoder))
    expect([...(await out.read())]).toEqual([4, 4, 4])
  })

  it('refuses what is no encoder, and what is stale', async () => {
    const out = zeros(1)
    const step = await runtime.prepare(fill, { out, n: 1, value: 1 })
    await failure('bad-argument', () => step.encode({} as GPUCommandEncoder))
    out.destroy()
    await failure('stale-replay', () => submit((encoder) => step.encode(encoder)))
  })
})

gpu('indirect launches', () => {
  it('take their counts from a buffer that a kernel has written', async () => {
    const count = fixture({
      name: 'count',
      bindings: { counts: 'write array<u32>' },
      params: { n: 'u32' },
      workgroupSize: 1,
      launch: { dimensions: 1, folds: false, workgroups: [1] },
      body: '  counts[1] = (params.n + 63u) / 64u; counts[2] = 1u; counts[3] = 1u;',
    })
    const counts = zeros(4)
    const [x, y] = [runtime.buffer(new Float32Array(200).fill(3)), runtime.buffer(new Float32Array(200))]
    const args = { x, y, n: 200, a: 2 }
    const indirect = { buffer: counts, offset: 4 }
    const step = await runtime.prepare(saxpy, args, { indirect })
    expect(step.workgroups).toBe(null)
    const recording = runtime.record((r) => {
      r.dispatch(step)
      return [r.read(y)]
    })
    for (const [n, full] of [
      [0, 0],
      [100, 128],
      [200, 200],
    ] as const) {
      y.write(new Float32Array(200))
      await runtime.run(count, { counts, n })
      await runtime.run(saxpy, args, { indirect })
      await step.run()
      const [values] = await recording.replay()
      expect(values).toEqual(new Float32Array(200).fill(18, 0, full))
    }
  })

  it('refuse what holds no counts', async () => {
    const out = zeros(4)
    const run = (buffer: unknown, offset = 0) =>
      runtime.run(fill, { out, n: 4, value: 1 }, { indirect: { buffer, offset } as never })
    await failure('binding-size', () => run(zeros(2)))
    await failure('binding-size', () => run(zeros(8), 2))
    await failure('binding-size', () => run(zeros(4), 8))
    await failure('binding-overlap', () => run(out))
    await failure('binding-type', () => run(device.createBuffer({ size: 16, usage: 0x80 })))
    await failure('binding-type', () => run(null))
  })
})
