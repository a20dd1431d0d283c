import { describe, expect, it } from 'vitest'
import { createRuntime } from '../create'
import type { Runtime } from '../runtime'
import { start } from '../testing/cpu'
import { failure } from '../testing/expect'
import { fakeCpu, fill, increment, saxpy } from '../testing/fixtures'
import { type CaptureOptions, capture, diff, replay, type Trace } from './index'

const all = { contents: 'all' } as const

/** y = 2·y + y and so on, with a write from the host in between. */
async function chain(
  runtime: Runtime,
  options?: CaptureOptions,
  values: readonly number[] = [1, 2, 3],
): Promise<Trace> {
  const x = runtime.buffer(new Float32Array(values), { label: 'x' })
  const y = runtime.buffer(Float32Array, 3, { label: 'y' })
  return capture(
    runtime,
    async () => {
      for (let i = 0; i < 3; i++) await runtime.run(saxpy, { x, y, n: 3, a: 2 })
      x.write(new Float32Array([7]), 4)
      await runtime.run(saxpy, { x, y, n: 3, a: 1 })
    },
    options,
  )
}

/** A device whose saxpy does something else from its `nth` run on. */
const faulty = (nth: number, wrong: (y: Float32Array) => void) => {
  let runs = 0
  return fakeCpu({
    saxpy: ({ bindings, params }) => {
      const [x, y] = ['x', 'y'].map((name) => {
        const bytes = bindings[name] as Uint8Array<ArrayBuffer>
        return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
      }) as [Float32Array, Float32Array]
      const a = new Float32Array(params.buffer)[1] ?? 0
      for (let i = 0; i < 3; i++) y[i] = a * (x[i] ?? 0) + (y[i] ?? 0)
      if (runs++ >= nth) wrong(y)
    },
  })
}
const other = async (nth: number, wrong: (y: Float32Array) => void) => createRuntime({ device: faulty(nth, wrong) })

describe('a trace', () => {
  it('has what was dispatched, and what the host wrote in between', async () => {
    const { runtime } = await start()
    const trace = await chain(runtime)
    expect(trace.engine).toBe('fake')
    expect(trace.kernels).toEqual([saxpy])
    expect(trace.buffers).toEqual([
      { label: 'x', size: 12 },
      { label: 'y', size: 12 },
    ])
    expect(trace.steps.map(({ kind }) => kind).join(' ')).toBe('write write dispatch dispatch dispatch write dispatch')
    const [, , first, second, , write] = trace.steps
    if (first?.kind !== 'dispatch' || second?.kind !== 'dispatch' || write?.kind !== 'write') throw new Error('no')
    expect(first).toMatchObject({ kernel: 0, variant: 'portable', workgroups: [1, 1, 1], overrides: {} })
    expect(first.params).toBe('03000000000000400000000000000000')
    expect(first.bindings).toEqual({ x: { buffer: 0, offset: 0, size: 12 }, y: { buffer: 1, offset: 0, size: 12 } })
    expect(first.after.map(([buffer]) => buffer)).toEqual([1])
    expect(second.before).toEqual([first.before[0], first.after[0]])
    expect([
      ...new Float32Array((trace.contents.get(write.content) as Uint8Array<ArrayBuffer>).slice().buffer),
    ]).toEqual([1, 7, 3])
    // of what dispatches made, only sums
    expect(trace.contents.has(first.after[0]?.[1] as string)).toBe(false)
  })

  it('is the same again when it is replayed, with the contents that are asked for', async () => {
    const { runtime } = await start()
    const trace = await chain(runtime)
    const again = await replay(trace, (await start()).runtime)
    expect(again).toEqual(trace)
    expect(diff(trace, again)).toBe(null)
    const full = await replay(trace, (await start()).runtime, all)
    expect(full.steps).toEqual(trace.steps)
    expect(full.contents.size).toBeGreaterThan(trace.contents.size)
    expect((await replay(trace, runtime, { until: 2 })).steps).toEqual(trace.steps.slice(0, 4))
    await failure('bad-argument', () => replay(trace, runtime, { until: 5 }))
    // what it made is freed
    expect(runtime.stats.buffers.live).toBe(2)
  })

  it('is of what was run, ranges and buffers in place too', async () => {
    const { runtime } = await start()
    const x = runtime.buffer(new Uint32Array(128).fill(3))
    const trace = await capture(runtime, async () => {
      await runtime.run(increment, { x, out: x, n: 128 })
      await runtime.run(fill, { out: x.range(256, 8), n: 1, value: 9 }, { workgroups: 2 })
    })
    expect(trace.steps.map((step) => (step.kind === 'dispatch' ? step.variant : step.kind))).toEqual([
      'write',
      'portable+x=out',
      'portable',
    ])
    const again = await replay(trace, (await start()).runtime)
    expect(again.steps).toEqual(trace.steps)
    expect(trace.steps[2]).toMatchObject({
      bindings: { out: { buffer: 0, offset: 256, size: 8 } },
      workgroups: [2, 1, 1],
    })
  })

  it('rejects with what the run rejects with, and ends', async () => {
    const { runtime } = await start()
    await expect(capture(runtime, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    await runtime.run(fill, { out: runtime.buffer(Uint32Array, 1), n: 1, value: 1 })
    expect((await capture(runtime, () => undefined)).steps).toEqual([])
  })
})

describe('diff', () => {
  it('names the first dispatch, binding and element', async () => {
    const expected = await chain((await start()).runtime, all)
    const got = await chain(await other(2, (y) => void (y[1] = 99)), all)
    expect(diff(expected, got)).toEqual({
      dispatch: 2,
      kernel: 'saxpy',
      variants: ['portable', 'portable'],
      when: 'after',
      binding: 'y',
      element: { index: 1, lane: null, type: 'f32', expected: 12, got: 99 },
      differing: 1,
      message: `dispatch 2 of 4: 'saxpy' wrote something else to 'y'
  y[1] (f32): expected 12, got 99
  1 of 3 values differ
  expected: fake (portable); got: fake (portable)`,
    })
  })

  it('names the dispatch where only sums are known, and asks for contents with a tolerance', async () => {
    const expected = await chain((await start()).runtime)
    const got = await chain(await other(1, (y) => void (y[0] = -1)))
    expect(diff(expected, got)).toMatchObject({ dispatch: 1, binding: 'y', element: null, differing: null })
    expect(diff(expected, got)?.message).toContain(
      "note: capture and replay with { contents: 'all' } to see which element",
    )
    const error = await failure('bad-trace', () => diff(expected, got, { tolerance: { abs: 1 } }))
    expect(error.message).toContain("the trace of 'fake' lacks contents")
  })

  it('goes on where values are near enough', async () => {
    const expected = await chain((await start()).runtime, all)
    const got = await chain(await other(0, (y) => void (y[0] = (y[0] ?? 0) + 0.001)), all)
    expect(diff(expected, got)).toMatchObject({ dispatch: 0, element: { index: 0 } })
    expect(diff(expected, got, { tolerance: { abs: 0.0101 } })).toBe(null)
    // what adds up is past it in the end
    expect(diff(expected, got, { tolerance: { abs: 0.0035 } })).toMatchObject({ dispatch: 3 })
    const each = await replay(expected, await other(0, (y) => void (y[0] = (y[0] ?? 0) + 0.001)), {
      ...all,
      inputs: 'traced',
    })
    expect(diff(expected, each, { tolerance: { abs: 0.0035 } })).toBe(null)
  })

  it('tells −0 from 0 and NaN from NaN only when asked', async () => {
    const expected = await chain(await other(0, (y) => void y.set([0, NaN])), all)
    const got = await chain(
      await other(0, (y) => {
        y[0] = -0
        new Uint32Array(y.buffer)[1] = 0xffc00001
      }),
      all,
    )
    expect(diff(expected, got)).toBe(null)
    const exact = diff(expected, got, { tolerance: { exact: true } })
    expect(exact).toMatchObject({ dispatch: 0, differing: 2, element: { index: 0 } })
    expect(exact?.message).toContain('y[0] (f32): expected 0, got -0')
  })

  it('says when a dispatch was given something else, or is another one', async () => {
    const { runtime } = await start()
    const expected = await chain(runtime, all)
    expect(diff(expected, await chain(runtime, all, [1, 5, 3]))).toMatchObject({
      dispatch: 0,
      when: 'before',
      binding: 'x',
      element: { index: 1, expected: 2, got: 5 },
    })
    const run = (kernel: typeof fill, n: number, value: number, times = 1) => {
      const out = runtime.buffer(Uint32Array, 4)
      return capture(runtime, async () => {
        for (let i = 0; i < times; i++) await runtime.run(kernel, { out, n, value })
      })
    }
    const one = await run(fill, 4, 1)
    expect(diff(one, await run(fill, 4, 2))).toMatchObject({ dispatch: 0, when: 'program', binding: 'params' })
    expect(diff(one, await run({ ...fill, name: 'other' }, 4, 1))?.message).toContain(
      "dispatch 0 of 1: 'fill' is another one: its kernel ('fill' and 'other') differ",
    )
    expect(diff(one, await run(fill, 4, 1, 2))?.message).toBe(
      "dispatch 1: 'fill' is in one trace only: the expected trace has no such dispatch",
    )
    expect(diff(await run(fill, 4, 1, 2), one)?.message).toContain('the other trace ends after 1')
  })
})

it('needs the contents of all for inputs that are traced', async () => {
  const { runtime } = await start()
  const trace = await chain(runtime)
  const error = await failure('bad-trace', () => replay(trace, runtime, { inputs: 'traced' }))
  expect(error.message).toMatch(
    /^bad-trace: the trace has no content for 'y' \([0-9a-f]{32}\)\n {2}note: capture it with/,
  )
})

it('does not replay textures, whose content it has not', async () => {
  const { runtime } = await start()
  const trace = await chain(runtime)
  const steps = trace.steps.map((step) =>
    step.kind === 'dispatch' ? { ...step, bindings: { ...step.bindings, x: { texture: true } as const } } : step,
  )
  const error = await failure('bad-trace', () => replay({ ...trace, steps }, runtime))
  expect(error.message).toBe(
    `bad-trace: dispatch 0 ('saxpy') has a texture in 'x', and textures are not traced
  note: a trace with textures can be compared, not replayed`,
  )
  expect(runtime.stats.buffers.live).toBe(2)
})

it('refuses a tolerance that is none', async () => {
  const { runtime } = await start()
  const trace = await chain(runtime, all)
  for (const value of [Number.NaN, -5, Infinity, '1']) {
    for (const name of ['abs', 'rel']) {
      const e = await failure('bad-argument', () => diff(trace, trace, { tolerance: { [name]: value as number } }))
      const shown = typeof value === 'string' ? `'${value}'` : value
      expect(e.message).toBe(
        `bad-argument: the tolerance '${name}' is ${shown}, expected a finite number of at least 0`,
      )
    }
  }
  await failure('bad-argument', () => diff(trace, trace, { tolerance: 0.1 as never }))
  expect(diff(trace, trace, { tolerance: { abs: 0, rel: 1e-3 } })).toBe(null)
})
