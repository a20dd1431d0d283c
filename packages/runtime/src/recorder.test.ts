import { expect, it } from 'vitest'
import type { Recorder } from './recorder'
import { start } from './testing/cpu'
import { failure } from './testing/expect'
import { increment } from './testing/fixtures'

const NOTE = '\n  note: await what it needs before: runtime.record((r) => { r.dispatch(step); return [r.read(y)] })'

async function prepared() {
  const { runtime } = await start()
  const [x, y] = [runtime.buffer(new Uint32Array([1, 2])), runtime.buffer(Uint32Array, 2)]
  const step = await runtime.prepare(increment, { x, out: y, n: 2 })
  const refused = async (body: (r: Recorder) => unknown) =>
    (await failure('bad-argument', () => runtime.record(body as (r: Recorder) => []))).message
  return { runtime, x, y, step, refused }
}

it('refuses an async function, which would go on after the recording is made', async () => {
  const { refused, step } = await prepared()
  let late: unknown
  const text = await refused(async (r) => {
    await null
    try {
      r.dispatch(step)
    } catch (error) {
      late = error
    }
    throw new Error('nobody is told of this')
  })
  expect(text).toBe(`bad-argument: the function given to record returned a Promise, expected a list of readings${NOTE}`)
  await new Promise((resolve) => setTimeout(resolve))
  expect(String(late)).toContain('bad-argument: nothing can be added to a recording that was made')
})

it('adds nothing after it is made', async () => {
  const { runtime, step, x, y } = await prepared()
  let kept: Recorder | null = null
  const recording = runtime.record((r) => {
    kept = r.dispatch(step)
    return [r.read(y)]
  })
  for (const add of [() => kept?.dispatch(step), () => kept?.copy(x, y), () => kept?.read(y)]) {
    expect((await failure('bad-argument', add)).message).toContain('nothing can be added to a recording that was made')
  }
  expect(await recording.replay()).toEqual([new Uint32Array([2, 3])])
})

it('names await and brackets where they are missing', async () => {
  const { runtime, refused, step, x, y } = await prepared()
  const promise = runtime.prepare(increment, { x, out: y, n: 2 })
  expect(await refused((r) => void r.dispatch(promise as never))).toBe(
    `bad-argument: a Promise was given, expected a prepared dispatch${NOTE}`,
  )
  expect(await refused((r) => void r.dispatch(undefined as never))).toContain('undefined was given')
  expect(await refused((r) => r.dispatch(step).read(y))).toBe(
    `bad-argument: the function given to record returned an object, expected a list of readings${NOTE}`,
  )
  expect(await refused((r) => [r.read(y), y])).toContain('expected a list of readings')
})
