import * as d from 'typegpu/data'
import { expect, it } from 'vitest'
import { start } from './testing/cpu'
import { failure } from './testing/expect'
import { fill } from './testing/fixtures'

it('puts many tensors into one buffer, each where it can be bound', async () => {
  const { runtime } = await start()
  using arena = runtime.arena(2048, { label: 'weights' })
  const a = arena.buffer(Float32Array.of(1, 2, 3))
  const b = arena.buffer(Uint32Array, 65)
  const c = arena.buffer(d.vec3f, d.vec3f(4, 5, 6))
  const e = arena.buffer({ size: 7 })
  expect([a, b, c, e].map(({ offset, size }) => [offset, size])).toEqual([
    [0, 12],
    [256, 260],
    [768, 12],
    [1024, 7],
  ])
  expect(arena.used).toBe(1280)
  await runtime.run(fill, { out: b, n: 65, value: 9 })
  expect(await runtime.readMany([a, b, c, e])).toEqual([
    Float32Array.of(1, 2, 3),
    new Uint32Array(65).fill(9),
    d.vec3f(4, 5, 6),
    new Uint8Array(7),
  ])
  expect(runtime.stats.buffers.live).toBe(1)
})

it('arena-full says what is left', async () => {
  const { runtime } = await start()
  const arena = runtime.arena(600, { label: 'small' })
  arena.buffer({ size: 300 })
  expect(arena.buffer({ size: 88 }).offset).toBe(512)
  const full = runtime.arena(600, { label: 'small' })
  full.buffer({ size: 300 })
  const e = await failure('arena-full', () => full.buffer({ size: 89 }, { label: 'bias' }))
  expect(e.message).toBe(
    "arena-full: 'bias' of 89 bytes does not fit 'small', which has 88 of 600 bytes left\n" +
      '  note: each takes a multiple of 256 bytes, so that it can be bound; reset() frees all of them',
  )
})

it('starts again with zeros, and what was there before is destroyed', async () => {
  const { runtime } = await start()
  const arena = runtime.arena(1024)
  const before = arena.buffer(new Float32Array(256).fill(7.5))
  const reading = before.read()
  arena.reset()
  expect(await reading).toEqual(new Float32Array(256).fill(7.5))
  await failure('buffer-destroyed', () => before.read())
  expect(await arena.buffer(Float32Array, 256).read()).toEqual(new Float32Array(256))
  arena.destroy()
  arena.destroy()
  await failure('buffer-destroyed', () => arena.buffer({ size: 4 }))
  await failure('buffer-destroyed', () => arena.reset())
  expect(runtime.stats.buffers.live).toBe(0)
})

it('keeps its other tensors when one is destroyed', async () => {
  const { runtime } = await start()
  const arena = runtime.arena(1024)
  const [a, b] = [arena.buffer(Uint32Array.of(1)), arena.buffer(Uint32Array.of(2))]
  a.destroy()
  a.destroy()
  expect([a.destroyed, b.destroyed]).toEqual([true, false])
  await failure('buffer-destroyed', () => runtime.run(fill, { out: a, n: 1, value: 1 }))
  await failure('buffer-destroyed', () => a.write(Uint32Array.of(3)))
  expect([...(await b.read())]).toEqual([2])
})
