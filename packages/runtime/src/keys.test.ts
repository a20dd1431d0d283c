import { describe, expect, it } from 'vitest'
import { createRuntime } from './create'
import { profiler } from './profile'
import { start } from './testing/cpu'
import { failure } from './testing/expect'
import { fixture, increment, linear } from './testing/fixtures'
import { capture, diff, replay } from './trace'

const made = async () => {
  const { runtime, device } = await start()
  const x = runtime.buffer(Uint32Array, 4)
  return { runtime, device, x, args: { x, out: runtime.buffer(Uint32Array, 4), n: 4 } }
}
type Made = Awaited<ReturnType<typeof made>>

describe('an option that there is not is refused, with those that there are', () => {
  it.each<[string, string, string, (made: Made) => unknown]>([
    [
      'run',
      "'increment': a launch knows no option 'workgroup'",
      "'overrides', 'workgroups', 'indirect', 'variant'",
      ({ runtime, args }) => runtime.run(increment, args, { workgroup: [0] } as never),
    ],
    [
      'a launcher',
      "'increment': a launch knows no option 'overide'",
      "'overrides', 'workgroups', 'indirect', 'variant'",
      ({ runtime, args }) => runtime.load(increment)(args, { overide: {} } as never),
    ],
    [
      'patch of a run',
      "'increment': a launch knows no option 'patch'",
      "'overrides', 'workgroups', 'indirect', 'variant'",
      ({ runtime, args }) => runtime.run(increment, args, { patch: ['x'] } as never),
    ],
    [
      'prepare',
      "'increment': a launch knows no option 'path'",
      "'overrides', 'workgroups', 'indirect', 'variant', 'patch'",
      ({ runtime, args }) => runtime.prepare(increment, args, { path: ['x'] } as never),
    ],
    [
      'indirect',
      "'increment': indirect knows no option 'ofset'",
      "'buffer', 'offset'",
      ({ runtime, args, x }) => runtime.run(increment, args, { indirect: { buffer: x, ofset: 4 } } as never),
    ],
    [
      'compile',
      "'increment': a launch knows no option 'varient'",
      "'overrides', 'workgroups', 'indirect', 'variant'",
      ({ runtime }) => runtime.load(increment).compile({ varient: 'portable' } as never),
    ],
    [
      'warmup',
      "'increment': a launch knows no option 'varient'",
      "'overrides', 'workgroups', 'indirect', 'variant'",
      ({ runtime }) => runtime.warmup([increment], { varient: 'portable' } as never),
    ],
    [
      'explainLaunch',
      "'increment': a launch knows no option 'workgroup'",
      "'overrides', 'workgroups', 'indirect', 'variant'",
      ({ runtime, args }) => runtime.explainLaunch(increment, args, { workgroup: 1 } as never),
    ],
    [
      'buffer',
      "a buffer knows no option 'lable'",
      "'label', 'zero', 'pooled'",
      ({ runtime }) => runtime.buffer(Float32Array, 4, { lable: 'mine' } as never),
    ],
    [
      'buffer of data',
      "a buffer knows no option 'lable'",
      "'label', 'zero', 'pooled'",
      ({ runtime }) => runtime.buffer(new Float32Array(4), { lable: 'mine' } as never),
    ],
    [
      'buffer of bytes',
      "a buffer of so many bytes knows no option 'label'",
      "'size'",
      ({ runtime }) => runtime.buffer({ size: 4, label: 'mine' } as never),
    ],
    [
      'read',
      "a read knows no option 'ofset'",
      "'offset', 'size'",
      ({ x }) => x.read(Float32Array, { ofset: 8, size: 4 } as never),
    ],
    [
      'runtime.read',
      "a read knows no option 'ofset'",
      "'offset', 'size'",
      ({ runtime, x }) => runtime.read(x, Float32Array, { ofset: 8 } as never),
    ],
    [
      'arena',
      "an arena knows no option 'lable'",
      "'label'",
      ({ runtime }) => runtime.arena(256, { lable: 'mine' } as never),
    ],
    [
      'arena.buffer',
      "a buffer knows no option 'lable'",
      "'label', 'zero', 'pooled'",
      ({ runtime }) => runtime.arena(256).buffer(Float32Array, 4, { lable: 'mine' } as never),
    ],
    [
      'capture',
      "capture knows no option 'content'",
      "'contents'",
      ({ runtime }) => capture(runtime, () => undefined, { content: 'all' } as never),
    ],
    [
      'replay',
      "replay knows no option 'input'",
      "'contents', 'inputs', 'until'",
      async ({ runtime }) => replay(await capture(runtime, () => undefined), runtime, { input: 'own' } as never),
    ],
    [
      'diff',
      "diff knows no option 'tolerances'",
      "'tolerance'",
      async ({ runtime }) =>
        diff(await capture(runtime, () => undefined), await capture(runtime, () => undefined), {
          tolerances: {},
        } as never),
    ],
    [
      'a tolerance',
      "the tolerance knows no option 'relative'",
      "'abs', 'rel', 'exact'",
      async ({ runtime }) =>
        diff(await capture(runtime, () => undefined), await capture(runtime, () => undefined), {
          tolerance: { relative: 1 },
        } as never),
    ],
    [
      'profiler',
      "profiler knows no option 'cost'",
      "'timestamps', 'costs', 'keep'",
      ({ runtime }) => profiler(runtime, { cost: [] } as never),
    ],
  ])('%s', async (_, message, options, call) => {
    const all = await made()
    const { message: text } = await failure('bad-argument', () => call(all))
    expect(text).toBe(`bad-argument: ${message}\n  note: its options are ${options}`)
    expect(all.device.launches).toHaveLength(0)
  })

  it('as are options that are no object, and arguments that are none', async () => {
    const { runtime, args } = await made()
    const text = async (action: () => unknown) => (await failure('bad-argument', action)).message
    expect(await text(() => runtime.run(increment, args, null as never))).toBe(
      "bad-argument: 'increment': a launch was given null, expected an object",
    )
    expect(await text(() => runtime.run(increment, null as never))).toBe(
      "bad-argument: 'increment' was given null, expected its arguments by name",
    )
    expect(await text(() => runtime.buffer(Float32Array, 4, 'mine' as never))).toBe(
      "bad-argument: a buffer was given 'mine', expected an object",
    )
  })
})

describe('a word or number that an option cannot be', () => {
  it.each<[string, (made: Made) => unknown]>([
    [
      "the option 'powerPreference' is 'hi', expected one of 'low-power', 'high-performance'",
      () => createRuntime({ powerPreference: 'hi' as never }),
    ],
    ["the option 'passes' is 'one', expected one of 'single', 'each'", () => createRuntime({ passes: 'one' as never })],
    [
      "the option 'limits' is 'most', expected one of 'adapter', 'default'",
      () => createRuntime({ limits: 'most' as never }),
    ],
    [
      "the option 'features' is 'shader-f16', expected a list of names",
      () => createRuntime({ features: 'shader-f16' as never }),
    ],
    [
      "the option 'maxSubmitsInFlight' is 0, expected a whole number of at least 1",
      () => createRuntime({ maxSubmitsInFlight: 0 }),
    ],
    [
      "the option 'contents' is 'everything', expected one of 'written', 'all'",
      ({ runtime }) => capture(runtime, () => undefined, { contents: 'everything' as never }),
    ],
    [
      "the option 'inputs' is 'mine', expected one of 'own', 'traced'",
      async ({ runtime }) => replay(await capture(runtime, () => undefined), runtime, { inputs: 'mine' as never }),
    ],
    [
      "the option 'timestamps' is 'all', expected one of 'dispatch', 'pass'",
      ({ runtime }) => profiler(runtime, { timestamps: 'all' as never }),
    ],
    ["bytes cannot be read as 'f32'\n  note: read(Float32Array)", ({ x }) => x.read('f32' as never)],
  ])('%s', async (message, call) => {
    const all = await made()
    expect((await failure('bad-argument', () => call(all))).message).toBe(`bad-argument: ${message}`)
  })

  it.each([-1, Number.NaN, 1.5, '8'])('an arena of %s bytes', async (size) => {
    const { runtime } = await made()
    const shown = typeof size === 'string' ? `'${size}'` : size
    expect((await failure('buffer-data', () => runtime.arena(size as never))).message).toBe(
      `buffer-data: the size of 'arena' is ${shown}, expected a whole number of at least 0`,
    )
  })
})

describe('sizes that make parts of floats', () => {
  const sum = (x: string) => fixture({ body: '', bindings: { x }, launch: linear(1) })
  const bytes = async (x: string, size: number) => {
    const { runtime } = await start()
    return failure('binding-size', () => runtime.run(sum(x), { x: runtime.buffer({ size }) } as never))
  }

  it.each([
    ['read array<f32>', 2, 'a multiple of 4'],
    ['read array<f32>', 6, 'a multiple of 4'],
    ['read array<vec2f>', 15, 'a multiple of 4'],
    ['read array<f16>', 5, 'a multiple of 2'],
    ['read f32', 2, 'at least 4'],
  ])('%s of %i bytes', async (x, size, expected) => {
    const [, type] = x.split(' ')
    expect((await bytes(x, size)).message).toBe(
      `binding-size: 'fixture': 'x' (${type}) has ${size} bytes, expected ${expected}`,
    )
  })

  it('but integers may be the last bytes of the host', async () => {
    const { runtime } = await start()
    const { bindings } = await runtime.explainLaunch(sum('read array<u32>'), {
      x: runtime.buffer(new Uint8Array(2)),
    } as never)
    expect(bindings).toEqual({ x: { offset: 0, size: 2 } })
  })

  it('and what a buffer cannot be made from says what it can be made from', async () => {
    const { runtime } = await start()
    expect((await failure('buffer-data', () => runtime.buffer(200 as never))).message).toBe(
      'buffer-data: a buffer cannot be made from 200\n' +
        '  note: give typed data, a number of elements (Float32Array, 200), of bytes ({ size: 200 }), or a schema',
    )
  })
})
