import { afterAll, describe, expect, it } from 'vitest'
import { createRuntime } from '../node/index'
import type { Runtime } from '../runtime'
import { start } from '../testing/cpu'
import { failure } from '../testing/expect'
import { fill, fixture, increment, param, saxpy } from '../testing/fixtures'
import { gpu, runtime } from '../testing/gpu'
import { cost, profiler } from './index'
import { Queries } from './queries'

/** Takes far longer than the 65 µs that engines round timestamps to. */
const slow = fixture({
  name: 'slow',
  bindings: { out: 'write array<u32>' },
  params: { n: 'u32' },
  body: '  var x = gid.x; for (var i = 0u; i < 50000u; i++) { x = x * 1664525u + 1013904223u; } if (gid.x < params.n) { out[gid.x] = x; }',
})

const costs = [
  cost(saxpy, ({ n, x }) => ({ bytes: 2 * (x?.bytes ?? 0) + 4 * (n ?? 0), operations: 2 * (x?.length ?? 0) })),
]

describe('on the CPU', () => {
  it('measures dispatches by the host’s clock', async () => {
    const { runtime } = await start()
    const profile = profiler(runtime, { costs })
    const x = runtime.buffer(Float32Array, 100)
    const y = runtime.buffer(Float32Array, 100)
    await profile.section('step', async () => {
      await runtime.run(saxpy, { x, y, n: 100, a: 1 })
      await runtime.run(fill, { out: runtime.buffer(Uint32Array, 1), n: 1, value: 1 })
    })
    await runtime.run(saxpy, { x, y, n: 100, a: 1 })
    const { clock, kernels, sections, dispatches, dropped } = await profile.summary()
    expect([clock, dispatches]).toEqual(['cpu', 3])
    expect(dropped).toEqual({ negative: 0, unwritten: 0, unmeasured: 0, forgotten: 0 })
    const row = kernels.find(({ name }) => name === 'saxpy')
    expect(row?.times?.count).toBe(2)
    expect(row?.gbps).toBeCloseTo((2 * 1200) / (row?.times?.total ?? 0), 10)
    expect(row?.gflops).toBeCloseTo((2 * 200) / (row?.times?.total ?? 0), 10)
    const [step] = sections
    expect([step?.path, step?.runs, step?.times?.count]).toEqual(['step', 1, 1])
    expect(step?.times?.total).toBeLessThanOrEqual(kernels.reduce((sum, { times }) => sum + (times?.total ?? 0), 0))
    expect(await profile.report()).toContain("clock: the host's clock around each dispatch, on the CPU")
  })

  it('ends, is reset, and forgets the oldest', async () => {
    const { runtime } = await start()
    const out = runtime.buffer(Uint32Array, 1)
    const step = (value: number) => runtime.run(fill, { out, n: 1, value })
    using profile = profiler(runtime, { keep: 10 })
    for (let i = 0; i < 25; i++) await step(i)
    const { kernels, dropped, dispatches } = await profile.summary()
    expect([dispatches, kernels[0]?.times?.count, dropped.forgotten]).toEqual([25, 15, 10])
    await profile.reset()
    expect((await profile.summary()).kernels).toEqual([])
    await step(1)
    profile.end()
    await step(2)
    expect((await profile.summary()).dispatches).toBe(1)
  })

  it('counts a dispatch for the section that called for it', async () => {
    const { runtime } = await start()
    const out = runtime.buffer(Uint32Array, 1)
    const profile = profiler(runtime)
    await profile.section('outer', async () => {
      await profile.section('inner', () => runtime.run(fill, { out, n: 1, value: 1 }))
      await runtime.run(fill, { out, n: 1, value: 1 })
    })
    await Promise.all([
      profile.section('long', () => new Promise((resolve) => setTimeout(resolve, 5))),
      profile.section('short', () => new Promise((resolve) => setTimeout(resolve, 20))),
    ])
    const { sections, overlaps } = await profile.summary()
    expect(sections.map(({ path }) => path)).toEqual(['outer', 'outer/inner', 'long', 'long/short'])
    expect(overlaps).toBe(1)
    await expect(profile.section('fails', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await profile.section('gives', () => 7)).toBe(7)
  })

  it('goes by what kernels declare, and first by what it was told', async () => {
    const { runtime } = await start()
    const [x, y] = [runtime.buffer(Float32Array, 100), runtime.buffer(Float32Array, 100)]
    const declares = {
      ...saxpy,
      cost: {
        bytes: { kind: 'mul', a: param('n'), b: 12 },
        operations: { kind: 'mul', a: { kind: 'length', binding: 'x' }, b: 2 },
      } as const,
    }
    const own = profiler(runtime)
    const told = profiler(runtime, { costs: [cost(declares, () => ({ bytes: 1 }))] })
    await runtime.run(declares, { x, y, n: 50, a: 1 })
    const [a] = (await own.summary()).kernels
    const [b] = (await told.summary()).kernels
    expect(a?.gbps).toBeCloseTo(600 / (a?.times?.total ?? 0), 10)
    expect(a?.gflops).toBeCloseTo(200 / (a?.times?.total ?? 0), 10)
    expect(b?.gbps).toBeCloseTo(1 / (b?.times?.total ?? 0), 10)
    expect(b?.gflops).toBe(null)
  })

  it('says which cost is wrong', async () => {
    const { runtime } = await start()
    const broken = cost(fill, () => {
      throw new RangeError('of nothing')
    })
    const profile = profiler(runtime, { costs: [broken] })
    await runtime.run(fill, { out: runtime.buffer(Uint32Array, 1), n: 1, value: 1 })
    const error = await failure('bad-argument', () => profile.summary())
    expect(error.message).toBe("bad-argument: the cost of 'fill' cannot be computed: of nothing")
  })
})

gpu('by timestamps', () => {
  it('measures every dispatch, of several submits and of none that is awaited', async () => {
    const profile = profiler(runtime)
    const out = runtime.buffer(Uint32Array, 64)
    await profile.section('warm', () => runtime.run(slow, { out, n: 64 }))
    void profile.section('late', () => {
      void runtime.run(slow, { out, n: 64 })
      void runtime.run(increment, { x: out, out, n: 64 })
    })
    await runtime.idle()
    const { clock, kernels, sections, dispatches, dropped } = await profile.summary()
    profile.end()
    expect([clock, dispatches]).toEqual(['gpu', 3])
    expect(dropped).toEqual({ negative: 0, unwritten: 0, unmeasured: 0, forgotten: 0 })
    expect(kernels[0]).toMatchObject({ name: 'slow', times: { count: 2 } })
    expect(kernels[0]?.times?.min).toBeGreaterThan(0)
    expect(sections.map(({ path, incomplete, times }) => [path, incomplete, times?.count])).toEqual([
      ['warm', 0, 1],
      ['late', 0, 1],
    ])
  })

  it('learns that timestamps are rounded', async () => {
    const profile = profiler(runtime)
    const out = runtime.buffer(Uint32Array, 64)
    for (let i = 0; i < 20; i++) await runtime.run(slow, { out, n: 64 })
    const { resolution } = await profile.summary()
    profile.end()
    // Dawn rounds to 2¹⁶ ns unless it is told not to
    expect(resolution).toBe(65536)
    expect(await profile.report()).toContain('resolution: 65.5 µs')
  })

  it('leaves a second profiler without stamps, and says so', async () => {
    const first = profiler(runtime)
    const second = profiler(runtime)
    const out = runtime.buffer(Uint32Array, 1)
    await second.section('all', () => runtime.run(fill, { out, n: 1, value: 1 }))
    expect((await first.summary()).dropped.unmeasured).toBe(0)
    const { dropped, sections } = await second.summary()
    expect([dropped.unmeasured, sections[0]?.incomplete, sections[0]?.times]).toEqual([1, 1, null])
    expect(await second.report()).toContain('1 dispatch not measured: another observer stamped its pass')
    first.end()
    second.end()
  })

  it('measures more dispatches than a query set has room for', async () => {
    const profile = profiler(runtime)
    const out = runtime.buffer(Uint32Array, 1)
    const step = () => runtime.run(fill, { out, n: 1, value: 1 })
    for (let i = 0; i < 2500; i++) void step()
    await step()
    const { kernels, dropped } = await profile.summary()
    profile.end()
    expect(kernels[0]?.times?.count).toBe(2501)
    expect(dropped).toEqual({ negative: 0, unwritten: 0, unmeasured: 0, forgotten: 0 })
  })

  it('measures every dispatch of a batch, though there are more than a query set has room for', async () => {
    const profile = profiler(runtime)
    const x = runtime.buffer(Uint32Array, 1)
    await profile.section('batch', () =>
      runtime.batch(() => {
        for (let i = 0; i < 3000; i++) void runtime.run(increment, { x, out: x, n: 1 })
      }),
    )
    const { kernels, sections, dropped } = await profile.summary()
    profile.end()
    expect(kernels[0]?.times?.count).toBe(3000)
    expect(sections[0]).toMatchObject({ path: 'batch', runs: 1, incomplete: 0 })
    expect(dropped).toEqual({ negative: 0, unwritten: 0, unmeasured: 0, forgotten: 0 })
    expect([...(await x.read())]).toEqual([3000])
  })

  it('measures passes as they are', async () => {
    const profile = profiler(runtime, { timestamps: 'pass' })
    const [out, other] = [runtime.buffer(Uint32Array, 64), runtime.buffer(Uint32Array, 64)]
    await runtime.batch(async () => {
      await profile.section('a', () => runtime.run(slow, { out, n: 64 }))
      await profile.section('b', () => runtime.run(slow, { out: other, n: 64 }))
      await runtime.run(increment, { x: out, out, n: 64 })
    })
    await profile.section('a', () => runtime.run(slow, { out, n: 64 }))
    const { kernels, sections } = await profile.summary()
    profile.end()
    const counts = Object.fromEntries(kernels.map(({ name, times }) => [name, times?.count]))
    expect(counts).toEqual({ slow: 1, 'slow ×2, increment': 1 })
    // the pass is in no section as a whole
    expect(sections.map(({ path, runs, times }) => [path, runs, times?.count])).toEqual([
      ['a', 2, 1],
      ['b', 1, undefined],
    ])
  })

  it('measures what a recording does, dispatch by dispatch or as the pass that it is', async () => {
    const [x, y] = [runtime.buffer(Uint32Array, 64), runtime.buffer(Uint32Array, 64)]
    const forth = await runtime.prepare(increment, { x, out: y, n: 64 })
    const back = await runtime.prepare(increment, { x: y, out: x, n: 64 })
    const work = await runtime.prepare(slow, { out: y, n: 64 })
    const recording = runtime.record((r) => {
      r.dispatch(forth).dispatch(back).dispatch(work)
      return [r.read(x)]
    })
    const each = profiler(runtime)
    await each.section('replay', () => recording.replay())
    await each.section('step', () => work.run())
    const apart = await each.summary()
    each.end()
    expect(Object.fromEntries(apart.kernels.map(({ name, times }) => [name, times?.count]))).toEqual({
      slow: 2,
      increment: 2,
    })
    expect(apart.sections.map(({ path, times, incomplete }) => [path, times?.count, incomplete])).toEqual([
      ['replay', 1, 0],
      ['step', 1, 0],
    ])
    const whole = profiler(runtime, { timestamps: 'pass' })
    const [values] = await recording.replay()
    const together = await whole.summary()
    whole.end()
    expect(together.kernels.map(({ name, times }) => [name, times?.count])).toEqual([['increment ×2, slow', 1]])
    expect([...values].every((value) => value === 4)).toBe(true)
  })

  it('leaves dispatches alone that share a pass begun before', async () => {
    const out = runtime.buffer(Uint32Array, 64)
    let profile = profiler(runtime)
    profile.end()
    await runtime.batch(async () => {
      await runtime.run(fill, { out, n: 64, value: 1 })
      profile = profiler(runtime)
      await runtime.run(fill, { out, n: 64, value: 2 })
      await runtime.run(fill, { out, n: 64, value: 3 })
    })
    const { kernels, dispatches, dropped } = await profile.summary()
    profile.end()
    expect([dispatches, kernels[0]?.times?.count, dropped.unmeasured]).toEqual([2, 1, 1])
  })

  it('gives a query to each of many passes of one submit', async () => {
    const device = runtime.device as GPUDevice
    const read: number[] = []
    const stamps: bigint[] = []
    const queries = new Queries<number>(device, (passes) => {
      for (const { pass, begin, end } of passes) {
        read.push(pass)
        stamps.push(begin, end)
      }
    })
    const record = (count: number, from: number) => {
      const encoder = device.createCommandEncoder()
      for (let i = 0; i < count; i++) encoder.beginComputePass({ timestampWrites: queries.next(from + i) }).end()
      return encoder
    }
    device.pushErrorScope('validation')
    const [a, b] = [record(5000, 0), record(3, 5000)]
    // only what was submitted may be read: the passes of the second are stamped later
    device.queue.submit([a.finish(), b.finish()])
    queries.submitted()
    await queries.settle()
    const c = record(2, 5003)
    await queries.settle()
    expect(read.length).toBe(5003)
    device.queue.submit([c.finish()])
    queries.submitted()
    await queries.settle()
    expect(await device.popErrorScope()).toBe(null)
    expect(read).toEqual(Array.from({ length: 5005 }, (_, i) => i))
    expect(stamps.every((stamp) => stamp > 0n)).toBe(true)
  })
})

gpu('on a device that is lost', () => {
  it('rejects what was not read yet', async () => {
    const own = await createRuntime()
    const profile = profiler(own)
    await own.run(fill, { out: own.buffer(Uint32Array, 1), n: 1, value: 1 })
    own.destroy()
    await failure('device-lost', () => profile.summary())
    profile.end()
  })
})

gpu('[case-R37] without timestamp queries', () => {
  let plain: Runtime
  afterAll(() => plain?.destroy())

  it('measures the host’s waiting for submits, and says so', async () => {
    plain = await createRuntime({ features: [] })
    expect(plain.info.features).not.toContain('timestamp-query')
    const profile = profiler(plain, { costs })
    const out = plain.buffer(Uint32Array, 64)
    await profile.section('all', async () => {
      await plain.run(slow, { out, n: 64 })
      await plain.run(slow, { out, n: 64 })
    })
    const { clock, resolution, kernels, sections, submits, dispatches } = await profile.summary()
    expect([clock, resolution, kernels, dispatches]).toEqual(['submits', 'none', [], 2])
    expect(submits?.count).toBe(2)
    expect(submits?.min).toBeGreaterThan(0)
    expect([sections[0]?.times, sections[0]?.host?.count]).toEqual([null, 1])
    expect(await profile.report()).toContain(
      'this device has no timestamps, so there are no times of kernels; resolution: none',
    )
    expect((await profile.trace()).otherData.resolution).toBe('none')
  })
})

it('takes costs of kernels with unknown signatures', () => {
  expect(
    cost(
      fixture({
        name: 'k',
        bindings: {},
        params: { n: 'u32' },
        body: '',
        launch: { dimensions: 1, folds: true, workgroups: [param('n')] },
      }),
      () => ({}),
    ).kernel,
  ).toBe('k')
})
