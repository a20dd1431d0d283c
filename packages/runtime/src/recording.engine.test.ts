import { expect, it } from 'vitest'
import { createRuntime } from './node/index'
import { failure } from './testing/expect'
import { FILL } from './testing/fill'
import { fill, fixture, increment, saxpy } from './testing/fixtures'
import { device, gpu, runtime } from './testing/gpu'

const range = (n: number, from = 0) => Uint32Array.from({ length: n }, (_, i) => from + i)
const zeros = (n: number) => runtime.buffer(Uint32Array, n)

/** out = x + links, by as many launches, through two buffers. */
async function chain(links: number, on = runtime) {
  const x = on.buffer(range(70))
  const buffers = [on.buffer(Uint32Array, 70), on.buffer(Uint32Array, 70)] as const
  const steps = []
  for (let i = 0; i < links; i++) {
    const [from, to] = [i === 0 ? x : buffers[(i + 1) % 2], buffers[i % 2]]
    steps.push(await on.prepare(increment, { x: from, out: to, n: 70 }))
  }
  return { x, steps, out: buffers[(links + 1) % 2] as (typeof buffers)[0] }
}

gpu('a recording', () => {
  it('[prior-R33] replays a chain in one submit, again and again, with what is in the buffers by then', async () => {
    const { x, steps, out } = await chain(300)
    const recording = runtime.record((r) => {
      for (const step of steps) r.dispatch(step)
    })
    expect(recording.dispatches).toBe(300)
    for (const from of [0, 7, 1000]) {
      x.write(range(70, from))
      const { submits, dispatches } = runtime.stats
      expect(await recording.replay()).toEqual([])
      expect([runtime.stats.submits - submits, runtime.stats.dispatches - dispatches]).toEqual([1, 300])
      expect(await out.read()).toEqual(range(70, from + 300))
    }
  })

  it('[case-R09] has the params of the time of the replay, and other work in between changes nothing', async () => {
    const outs = [zeros(3), zeros(3), zeros(3)]
    const steps = await Promise.all(outs.map((out, i) => runtime.prepare(fill, { out, n: 3, value: i })))
    const recording = runtime.record((r) => {
      for (const step of steps) r.dispatch(step)
      return outs.map((out) => r.read(out))
    })
    for (let round = 0; round < 5; round++) {
      steps.forEach((step, i) => void step.set({ value: 10 * round + i }))
      void runtime.run(fill, { out: zeros(3), n: 3, value: 77 })
      void steps[0]?.run()
      const values = await recording.replay()
      expect(values.map((v) => [...v])).toEqual([0, 1, 2].map((i) => Array(3).fill(10 * round + i)))
    }
    steps[1]?.set({ n: 0, value: 99 })
    steps[2]?.set({ n: 1, value: 98 })
    expect(recording.dispatches).toBe(2)
    const values = await recording.replay()
    expect(values.map((v) => [...v])).toEqual([
      [40, 40, 40],
      [41, 41, 41],
      [98, 42, 42],
    ])
  })

  it('copies and reads at their places, of ranges and of odd sizes', async () => {
    const [x, y, z] = [runtime.buffer(range(5)), zeros(5), zeros(64 + 5)]
    const step = await runtime.prepare(increment, { x, out: x, n: 5 })
    const recording = runtime.record((r) => {
      r.dispatch(step)
      r.copy(x, y)
      const between = r.read(x, Uint8Array, { offset: 4, size: 3 })
      r.dispatch(step)
      r.copy({ buffer: x, offset: 4, size: 8 }, { buffer: z, offset: 260, size: 8 })
      const nothing = r.read(runtime.buffer(Float32Array, 0))
      return [r.read(y), between, nothing, r.read(x), r.read(z, Uint32Array, { offset: 256 })] as const
    })
    const [inY, between, nothing, inX, inZ] = await recording.replay()
    expect(inY).toEqual(range(5, 1))
    expect([...between]).toEqual([2, 0, 0])
    expect(nothing).toEqual(new Float32Array(0))
    expect(inX).toEqual(range(5, 2))
    expect([...inZ]).toEqual([0, 3, 4, 0, 0])
    const again = await recording.replay()
    expect(again[3]).toEqual(range(5, 4))
  })

  it('is part of a batch, with the params of each replay', async () => {
    const outs = [zeros(4), zeros(4)]
    const [out, sum] = outs as [(typeof outs)[0], (typeof outs)[0]]
    const set = await runtime.prepare(fill, { out, n: 4, value: 1 })
    const add = await runtime.prepare(increment, { x: sum, out: sum, n: 4 })
    const recording = runtime.record((r) => void r.dispatch(set).dispatch(add))
    const seen = [1, 2, 3].map(() => zeros(4))
    const { submits } = runtime.stats
    await runtime.batch(async () => {
      for (const [i, copy] of seen.entries()) {
        set.set({ value: 5 * i })
        await recording.replay()
        void runtime.run(increment, { x: out, out: copy, n: 4 })
      }
    })
    expect(runtime.stats.submits - submits).toBe(1)
    expect((await Promise.all(seen.map((copy) => copy.read()))).map(([first]) => first)).toEqual([1, 6, 11])
    expect(await sum.read()).toEqual(range(4).fill(3))
  })

  it('takes other buffers by bind, with or without replays in between', async () => {
    const [a, b, out] = [runtime.buffer(range(4)), runtime.buffer(range(4, 10)), zeros(4)]
    const step = await runtime.prepare(increment, { x: a, out, n: 4 }, { patch: ['x'] })
    const recording = runtime.record((r) => {
      r.dispatch(step)
      return [r.read(out)]
    })
    expect((await recording.replay())[0]).toEqual(range(4, 1))
    step.bind({ x: b })
    expect((await recording.replay())[0]).toEqual(range(4, 11))
    a.destroy()
    expect((await recording.replay())[0]).toEqual(range(4, 11))
  })

  it('keeps to the limit of dispatches per submit, and to a pass for each', async () => {
    for (const options of [{ maxDispatchesPerSubmit: 7 }, { passes: 'each' as const }]) {
      const own = await createRuntime(options)
      const { steps, out } = await chain(20, own)
      const recording = own.record((r) => {
        for (const step of steps) r.dispatch(step)
        return [r.read(out)]
      })
      const { submits } = own.stats
      for (const _ of [1, 2]) expect((await recording.replay())[0]).toEqual(range(70, 20))
      expect(own.stats.submits - submits).toBe('passes' in options ? 2 : 6)
      own.destroy()
    }
  })

  it('refuses copies that WebGPU cannot do', async () => {
    const [a, b] = [zeros(4), zeros(4)]
    const copy = (from: Parameters<typeof runtime.read>[0], to: Parameters<typeof runtime.read>[0]) =>
      runtime.record((r) => void r.copy(from, to))
    await failure('buffer-data', () => copy(a, zeros(5)))
    await failure('buffer-data', () => copy(a.range(2, 4), b.range(0, 4)))
    await failure('buffer-data', () => copy(a.range(0, 6), b.range(0, 6)))
    await failure('binding-overlap', () => copy(a.range(0, 4), a.range(8, 4)))
    b.destroy()
    await failure('buffer-destroyed', () => copy(a, b))
  })

  it('[prior-R08] is stale when a buffer of it is gone, and when it was destroyed', async () => {
    const { x, steps, out } = await chain(3)
    const recording = runtime.record((r) => {
      for (const step of steps) r.dispatch(step)
    })
    await recording.replay()
    const { submits } = runtime.stats
    out.destroy()
    await failure('stale-replay', () => recording.replay())
    expect(runtime.stats.submits).toBe(submits)
    const spare = zeros(70)
    const copies = runtime.record((r) => void r.copy(x, spare))
    await copies.replay()
    spare.destroy()
    const e = await failure('stale-replay', () => copies.replay())
    expect(e.message).toContain('the recording was prepared with a buffer that is gone')
    copies.destroy()
    copies.destroy()
    const gone = await failure('stale-replay', () => copies.replay())
    expect(gone.message).toContain('the recording was destroyed')
  })

  it('carries on what is wrong with its inputs', async () => {
    const [x, out] = [zeros(4), zeros(4)]
    const step = await runtime.prepare(increment, { x, out, n: 4 })
    const recording = runtime.record((r) => void r.dispatch(step))
    await recording.replay()
    const gone = device.createBuffer({ size: 16, usage: 0x80 })
    gone.destroy()
    void runtime.run(increment, { x: gone, out: x, n: 4 })
    await failure('dispatch-failed', () => recording.replay())
    await failure('dispatch-failed', () => out.read())
    x.write(range(4))
    await recording.replay()
    expect(await out.read()).toEqual(range(4, 1))
    await runtime.idle().catch(() => undefined)
  })
})

gpu('a replay that waits for a pipeline', () => {
  /** Starts a launch of a kernel that is new, behind which everything waits. */
  let kernels = 0
  const compiling = (on: typeof runtime) => {
    const kernel = fixture({ ...FILL, body: `  out[gid.x] = ${++kernels}u;` })
    void on.run(kernel, { out: on.buffer(Uint32Array, 64), n: 1, value: 0 })
  }

  it('clears what a buffer that is bound meanwhile has of another one', async () => {
    using own = await createRuntime()
    own.buffer(range(64, 7)).destroy()
    const [x, out] = [own.buffer(Uint32Array, 70), own.buffer(Uint32Array, 64)]
    const step = await own.prepare(increment, { x, out, n: 64 }, { patch: ['x'] })
    const recording = own.record((r) => void r.dispatch(step))
    await recording.replay()
    own.buffer(range(64, 7)).destroy()
    const dirty = own.buffer(Uint32Array, 64, { zero: false })
    compiling(own)
    step.bind({ x: dirty })
    void recording.replay()
    expect(await out.read()).toEqual(new Uint32Array(64).fill(1))
  })

  it('has the params of its call, also where somebody watches', async () => {
    using own = await createRuntime()
    const out = own.buffer(Uint32Array, 2)
    const step = await own.prepare(fill, { out, n: 2, value: 1 })
    const recording = own.record((r) => void r.dispatch(step))
    own.observe({})
    compiling(own)
    step.set({ value: 5 })
    void recording.replay()
    step.set({ value: 6 })
    expect(await out.read()).toEqual(Uint32Array.of(5, 5))
  })

  it('tells reads that were called after it of its failure, and nobody else where it is not awaited', async () => {
    using own = await createRuntime()
    const raw = (own.device as GPUDevice).createBuffer({ size: 16, usage: 0x80 })
    const out = own.buffer(Uint32Array, 4)
    const step = await own.prepare(increment, { x: raw, out, n: 4 })
    const recording = own.record((r) => void r.dispatch(step))
    raw.destroy()
    compiling(own)
    void recording.replay()
    await failure('dispatch-failed', () => out.read())
    void recording.replay()
    await failure('dispatch-failed', () => own.idle())
  })
})

gpu('a recording of which a buffer goes behind the runtime', () => {
  async function broken(own: typeof runtime) {
    const raw = (own.device as GPUDevice).createBuffer({ size: 16, usage: 0x80 | 4 | 8, label: 'theirs' })
    const [out, fine] = [own.buffer(Uint32Array, 4), own.buffer(Uint32Array, 4)]
    const steps = [
      await own.prepare(fill, { out: fine, n: 4, value: 1 }),
      await own.prepare(increment, { x: raw, out, n: 4 }),
    ]
    const recording = own.record((r) => {
      for (const step of steps) r.dispatch(step)
    })
    return { raw, out, fine, recording }
  }
  const NAMED = /^dispatch-failed: 'increment' \(variant 'portable'\): .*destroyed/

  it('names the launch, at the first replay by its rejection', async () => {
    const own = await createRuntime()
    const { raw, out, fine, recording } = await broken(own)
    raw.destroy()
    const e = await failure('dispatch-failed', () => recording.replay())
    expect(e.message).toMatch(NAMED)
    for (const buffer of [out, fine]) await failure('dispatch-failed', () => buffer.read())
    own.destroy()
  })

  it('and later by the reads of its outputs, by idle, and by its next replay', async () => {
    const own = await createRuntime()
    const { raw, out, recording } = await broken(own)
    for (let i = 0; i < 3; i++) await recording.replay()
    await own.idle()
    raw.destroy()
    await recording.replay() // without a scope: it cannot know yet
    const e = await failure('dispatch-failed', () => own.idle())
    expect(e.message).toMatch(NAMED)
    await failure('dispatch-failed', () => out.read())
    const next = await failure('dispatch-failed', () => recording.replay())
    expect(next.message).toMatch(NAMED)
    own.destroy()
  })

  it('and at once with the option debug, or on a device of the caller', async () => {
    const debug = await createRuntime({ debug: true })
    const theirs = await createRuntime({ device: debug.device as GPUDevice })
    for (const own of [debug, theirs]) {
      const { raw, recording } = await broken(own)
      for (let i = 0; i < 3; i++) await recording.replay()
      raw.destroy()
      const e = await failure('dispatch-failed', () => recording.replay())
      expect(e.message).toMatch(NAMED)
    }
    debug.destroy()
  })

  it('or of which the device goes', async () => {
    const own = await createRuntime()
    const { steps, out } = await chain(5, own)
    const recording = own.record((r) => {
      for (const step of steps) r.dispatch(step)
      return [r.read(out)]
    })
    await recording.replay()
    const pending = recording.replay()
    own.destroy()
    await failure('device-lost', () => pending)
    await failure('device-lost', () => recording.replay())
    await failure('device-lost', () => steps[0]?.run())
    await failure('device-lost', () => steps[0]?.set({ n: 1 }))
    recording.destroy()
  })
})

gpu('many replays', () => {
  it('[case-R45] make no objects but an encoder, a pass and a command buffer, and one write', async () => {
    const own = await createRuntime()
    const { steps } = await chain(50, own)
    const y = own.buffer(new Float32Array(8))
    steps.push((await own.prepare(saxpy, { x: own.buffer(new Float32Array(8)), y, n: 8, a: 2 })) as never)
    const recording = own.record((r) => {
      for (const step of steps) r.dispatch(step)
    })
    await recording.replay()
    await own.idle()
    const gpuDevice = own.device as GPUDevice
    const calls: Record<string, number> = {}
    const counted = (target: object, names: readonly string[]) => {
      for (const name of names) {
        const original = (target as Record<string, (...args: unknown[]) => unknown>)[name] as (
          ...a: unknown[]
        ) => unknown
        Object.defineProperty(target, name, {
          configurable: true,
          value: (...args: unknown[]) => {
            calls[name] = (calls[name] ?? 0) + 1
            return original.apply(target, args)
          },
        })
      }
    }
    const creators = [
      'createBuffer',
      'createBindGroup',
      'createCommandEncoder',
      'createComputePipeline',
      'pushErrorScope',
    ]
    counted(gpuDevice, creators)
    counted(gpuDevice.queue, ['writeBuffer', 'submit'])
    for (let i = 0; i < 10; i++) {
      for (const step of steps.slice(0, 30)) step.set({ n: 60 + i })
      await recording.replay()
    }
    expect(calls).toEqual({ createCommandEncoder: 10, writeBuffer: 10, submit: 10 })
    own.destroy()
  })
})
