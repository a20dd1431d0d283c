import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WeftError } from './errors'
import { start } from './testing/cpu'
import { failure } from './testing/expect'
import { increment, saxpy } from './testing/fixtures'

const numbers = (n: number) => Uint32Array.from({ length: n }, (_, i) => i + 1)

/** Nothing here may end a process. */
const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

async function chain() {
  const { runtime, device } = await start()
  const [x, y, z] = [runtime.buffer(numbers(4)), runtime.buffer(Uint32Array, 4), runtime.buffer(Uint32Array, 4)]
  const p = await runtime.prepare(increment, { x, out: y, n: 4 })
  const q = await runtime.prepare(increment, { x: y, out: z, n: 4 })
  return { runtime, device, x, y, z, steps: [p, q] }
}

describe('[prior-R03] a call that is refused and that nobody awaits', () => {
  it('rejects the batch, and reads of what follows from it', async () => {
    const { runtime, x, y, z, steps } = await chain()
    x.destroy()
    const batch = runtime.batch(() => steps.forEach((step) => void step.run()))
    const e = await failure('stale-replay', () => batch)
    for (const buffer of [y, z]) expect(await failure('stale-replay', () => buffer.read())).toBe(e)
    await failure('stale-replay', () => runtime.idle())
    await runtime.idle()
    y.write(numbers(4))
    await steps[1]?.run()
    expect(await z.read()).toEqual(numbers(5).subarray(1))
  })

  it.each<[string, (made: Awaited<ReturnType<typeof chain>>) => unknown]>([
    ['bad-param', ({ runtime, x, y }) => runtime.run(increment, { x, out: y, n: Number.NaN })],
    ['bad-param', ({ runtime, x, y }) => runtime.load(increment)({ x, out: y, n: -1 })],
    ['binding-type', ({ runtime, y }) => runtime.run(increment, { x: 7 as never, out: y, n: 4 })],
    ['binding-overlap', ({ runtime, y }) => runtime.run(saxpy, { x: y, y, n: 4, a: 1 })],
    [
      'stale-replay',
      ({ runtime, steps, x }) => {
        const recording = runtime.record((r) => steps.forEach((step) => void r.dispatch(step)))
        x.destroy()
        return recording.replay()
      },
    ],
  ])('%s: in a batch and outside of one', async (code, refused) => {
    const inside = await chain()
    const batch = inside.runtime.batch(() => {
      void refused(inside)
      void inside.steps[1]?.run()
    })
    await failure(code, () => batch)
    await failure(code, () => inside.z.read())
    const outside = await chain()
    void refused(outside)
    const reading = outside.y.read()
    void outside.steps[1]?.run()
    await failure(code, () => reading)
    await failure(code, () => outside.z.read())
    await failure(code, () => outside.runtime.idle())
    await outside.runtime.idle()
  })

  it('keeps to itself where nothing tells what it would have written', async () => {
    const { runtime, y } = await chain()
    void runtime.run(increment, { x: y, out: 'y' as never, n: 4 })
    await y.read()
    await failure('binding-type', () => runtime.idle())
  })

  it('is told by every call after the end of a runtime', async () => {
    const { runtime, x, y, steps } = await chain()
    runtime.destroy()
    void runtime.run(increment, { x, out: y, n: 4 })
    for (const step of steps) void step.run()
    await failure('device-lost', () => y.read())
  })
})

describe('a call that is refused and that somebody awaits', () => {
  it('leaves everything as it was, also in place', async () => {
    const { runtime } = await start()
    const [x, y] = [runtime.buffer(new Float32Array([1, 2])), runtime.buffer(new Float32Array([3, 4]))]
    await failure('bad-param', () => runtime.run(saxpy, { x, y, n: 2, a: Number.NaN }))
    await runtime.run(saxpy, { x, y, n: 2, a: 1 })
    expect([...(await y.read())]).toEqual([4, 6])
    await runtime.batch(async () => {
      const caught = await runtime.run(saxpy, { x, y, n: -1, a: 1 }).catch((error: WeftError) => error.code)
      expect(caught).toBe('bad-param')
      await runtime.run(saxpy, { x, y, n: 2, a: 1 })
    })
    await runtime.idle()
    expect([...(await y.read())]).toEqual([5, 8])
  })

  it('is held against what was called before it was awaited', async () => {
    const { x, y, z, steps } = await chain()
    x.destroy()
    await failure('stale-replay', () => Promise.all(steps.map((step) => step.run())))
    await failure('stale-replay', () => z.read())
    expect([...(await y.read())]).toEqual([0, 0, 0, 0])
  })

  it('does not hide what failed before', async () => {
    const { runtime, x, y, steps } = await chain()
    x.destroy()
    void steps[0]?.run()
    await failure('bad-param', () => runtime.run(increment, { x: y, out: y, n: -1 }))
    await failure('stale-replay', () => y.read())
  })
})

describe('the stack of a wrong argument', () => {
  it('begins with the line of the caller', async () => {
    const { runtime, x, y } = await chain()
    const launch = runtime.load(increment)
    const step = await runtime.prepare(increment, { x, out: y, n: 4 }, { patch: ['x'] })
    const line = /refusals\.test\.ts:\d+/
    const calls: (() => Promise<unknown>)[] = [
      () => runtime.run(increment, { x, out: y, n: '4' as never }),
      () => runtime.run(increment, { x, out: new Uint32Array(4) as never, n: 4 }),
      () => launch({ x, out: y, n: -1 }),
      () => runtime.prepare(increment, { x, out: 4 as never, n: 4 }),
      () => runtime.explainLaunch(increment, { x, out: y, n: Number.NaN }),
      async () => step.bind({ x: [1] as never }),
    ]
    for (const call of calls) {
      const error = await call().catch((reason: Error) => reason)
      const frames = String((error as Error).stack)
        .split('\n')
        .filter((text) => /^ {4}at /.test(text))
      expect(frames[0]).toMatch(line)
    }
  })
})
