import { describe, expect, it } from 'vitest'
import { createRuntime } from './create'
import { createRuntime as createNodeRuntime } from './node/index'
import type { Runtime } from './runtime'
import { cpu } from './testing/cpu'
import { failure } from './testing/expect'
import { fill, fixture, increment, linear, param } from './testing/fixtures'
import { gpu, runtime as shared } from './testing/gpu'

const DIRT = 7.5

/** Leaves 7.5 in freed buffers of so many elements. */
function dirty(runtime: Runtime, n: number, buffers = 4): void {
  const made = Array.from({ length: buffers }, () => runtime.buffer(new Float32Array(n).fill(DIRT)))
  for (const buffer of made) buffer.destroy()
}

/** Writes every other element, and says so. */
const everyOther = fixture({
  name: 'every_other',
  bindings: { out: 'write array<f32>' },
  params: { n: 'u32' },
  body: '  if (gid.x < params.n && gid.x % 2u == 0u) { out[gid.x] = 1; }',
})
const partly = { ...everyOther, bindings: everyOther.bindings.map((b) => ({ ...b, writes: 'partial' as const })) }

/** Adds to what is there. */
const count = fixture({
  name: 'count',
  bindings: { bins: 'read_write array<atomic<u32>>' },
  params: { n: 'u32' },
  launch: linear({ kind: 'ceilDiv', a: param('n'), b: 64 }),
  body: '  if (gid.x < params.n) { atomicAdd(&bins[gid.x % 4u], 1u); }',
})

gpu('[prior-R07] [case-R15] recycled buffers', () => {
  it('are zero where that is promised, in every order of first use', async () => {
    const runtime = await createNodeRuntime()
    const n = 1000
    const zeros = new Float32Array(n)
    dirty(runtime, n, 8)
    expect(await runtime.buffer(Float32Array, n).read()).toEqual(zeros)
    const written = runtime.buffer(Float32Array, n)
    written.write(Float32Array.of(1), 40)
    expect(await written.read()).toEqual(Float32Array.from(zeros, (_, i) => (i === 10 ? 1 : 0)))
    const odd = runtime.buffer(Float32Array, n)
    odd.write(new Uint8Array(3), 41)
    expect(await odd.read()).toEqual(zeros)
    const filled = runtime.buffer(Uint32Array, n)
    await runtime.run(fill, { out: filled, n: 3, value: 9 })
    expect(await filled.read()).toEqual(new Uint32Array(n).fill(9, 0, 3))
    const raw = runtime.buffer(Float32Array, n)
    expect(raw.gpu?.size).toBeGreaterThanOrEqual(4 * n)
    expect(await runtime.read(raw.gpu as GPUBuffer, Float32Array, { size: 4 * n })).toEqual(zeros)
    expect(runtime.stats.pool.hits).toBe(5)
    runtime.destroy()
  })

  it('count from 0', async () => {
    const runtime = await createNodeRuntime()
    for (let round = 0; round < 3; round++) {
      using bins = runtime.buffer(Uint32Array, 4)
      await runtime.run(count, { bins, n: 101 })
      expect([...(await bins.read())]).toEqual([26, 25, 25, 25])
    }
    expect(runtime.stats.pool).toMatchObject({ hits: 2, misses: 1 })
    runtime.destroy()
  })

  it('are never handed dirty to a kernel that writes a part of them', async () => {
    const runtime = await createNodeRuntime()
    const n = 101
    dirty(runtime, n)
    const out = runtime.buffer(Float32Array, n, { zero: false })
    await runtime.run(partly, { out, n })
    expect(await out.read()).toEqual(Float32Array.from({ length: n }, (_, i) => (i + 1) % 2))
    const bytes = runtime.buffer(Float32Array, n, { zero: false })
    bytes.write(Float32Array.of(5), 4)
    await runtime.run(partly, { out: bytes, n })
    expect(await bytes.read()).toEqual(Float32Array.from({ length: n }, (_, i) => (i === 1 ? 5 : (i + 1) % 2)))
    expect(runtime.stats.pool.hits).toBe(2)
    runtime.destroy()
  })

  it('stay as they are for those who overwrite all', async () => {
    const runtime = await createNodeRuntime()
    dirty(runtime, 64)
    const out = runtime.buffer(Float32Array, 64, { zero: false })
    expect(await out.read(), 'or this test proves nothing').toEqual(new Float32Array(64).fill(DIRT))
    const x = runtime.buffer(Uint32Array.from({ length: 64 }, (_, i) => i))
    const y = runtime.buffer(Uint32Array, 64, { zero: false })
    await runtime.run(increment, { x, out: y, n: 64 })
    expect(await y.read()).toEqual(Uint32Array.from({ length: 64 }, (_, i) => i + 1))
    runtime.destroy()
  })

  it('have the padding of odd sizes cleared too, which a kernel can see', async () => {
    const runtime = await createNodeRuntime()
    dirty(runtime, 2)
    using bytes = runtime.buffer(Uint8Array, 5)
    using out = runtime.buffer(Uint32Array, 2)
    await runtime.run(increment, { x: bytes, out, n: 2 })
    expect([...(await out.read())]).toEqual([1, 1])
    runtime.destroy()
  })

  it('have bind groups that are there already', async () => {
    const runtime = await createNodeRuntime()
    const before = runtime.stats.bindGroups.misses
    for (let i = 0; i < 10; i++) {
      using out = runtime.buffer(Uint32Array, 4)
      await runtime.run(fill, { out, n: 4, value: i })
      expect([...(await out.read())]).toEqual([i, i, i, i])
    }
    expect(runtime.stats.bindGroups.misses - before).toBe(1)
    runtime.trim()
    expect(runtime.stats.bindGroups.entries).toBe(0)
    runtime.destroy()
  })
})

gpu('[prior-R06] [case-R14] a batch', () => {
  it('keeps what it uses from being recycled, and uploads in their place', async () => {
    const runtime = await createNodeRuntime()
    const n = 256
    const x = runtime.buffer(new Uint32Array(n).fill(1))
    const first = runtime.buffer(Uint32Array, n)
    let second = first
    let blocks = 0
    await runtime.load(increment).compile()
    const warm = runtime.buffer(Uint32Array, 1)
    await runtime.run(increment, { x: warm, out: warm, n: 1 }) // the merged variant, or the batch would wait for it
    await runtime.batch(async () => {
      void runtime.run(increment, { x, out: first, n })
      x.destroy()
      const y = runtime.buffer(new Uint32Array(n).fill(100)) // as large as x was, and written at once
      second = runtime.buffer(Uint32Array, n)
      void runtime.run(increment, { x: y, out: second, n })
      y.write(new Uint32Array(n).fill(500))
      void runtime.run(increment, { x: y, out: y, n })
      y.destroy()
      blocks = runtime.stats.pool.misses
      expect(runtime.stats.pool.waiting).toBe(2)
    })
    expect(blocks, 'nothing was recycled').toBe(5)
    expect(runtime.stats.pool).toMatchObject({ waiting: 0, idle: 2 })
    expect(await runtime.readMany([first, second])).toEqual([new Uint32Array(n).fill(2), new Uint32Array(n).fill(101)])
    runtime.destroy()
  })

  it('clears recycled buffers before its own work, and nothing that it has written', async () => {
    const runtime = await createNodeRuntime()
    dirty(runtime, 8)
    const outs: Promise<Uint32Array>[] = []
    await runtime.batch(async () => {
      const a = runtime.buffer(Uint32Array, 8)
      const b = runtime.buffer(Uint32Array, 8)
      void runtime.run(increment, { x: a, out: b, n: 8 })
      a.write(new Uint32Array(8).fill(3)) // the dispatch before still sees zeros
      const c = runtime.buffer(Uint32Array, 8)
      c.write(Uint32Array.of(1, 2), 8)
      outs.push(a.read(), b.read(), c.read())
    })
    const [a, b, c] = await Promise.all(outs)
    expect(a).toEqual(new Uint32Array(8).fill(3))
    expect(b).toEqual(new Uint32Array(8).fill(1))
    expect(c).toEqual(Uint32Array.of(0, 0, 1, 2, 0, 0, 0, 0))
    runtime.destroy()
  })
})

gpu('GPUBuffers that were given away', () => {
  it('are not recycled, and are known when they come back', async () => {
    const runtime = await createNodeRuntime()
    const out = runtime.buffer(Uint32Array, 4)
    const raw = out.gpu as GPUBuffer
    await runtime.run(fill, { out: raw, n: 4, value: 3 })
    await failure('binding-overlap', () => runtime.run(fixture({ ...TWO }), { a: raw, b: out }))
    expect([...(await out.read())]).toEqual([3, 3, 3, 3])
    out.destroy()
    expect(runtime.stats.pool).toMatchObject({ idle: 0, bytes: 0 })
    await failure('buffer-destroyed', () => runtime.run(fill, { out: raw, n: 4, value: 3 }))
    runtime.destroy()
  })

  it('have exactly the size that was asked for without a pool', async () => {
    using exact = shared.buffer(Uint32Array, 5, { pooled: false })
    expect(exact.gpu?.size).toBe(20)
  })
})

const TWO = {
  name: 'two',
  bindings: { a: 'read array<u32>', b: 'write array<u32>' },
  body: '  b[gid.x] = a[gid.x];',
  launch: linear(1),
}

describe.each([
  ['the CPU', () => createRuntime({ device: cpu(), memory: { maxIdleBytes: 4096, stacks: true } })],
  ...(shared ? [['Dawn', () => createNodeRuntime({ memory: { maxIdleBytes: 4096, stacks: true } })] as const] : []),
] as const)('accounts on %s', (_, create) => {
  it('[case-R18] come back to where they were, whatever fails in between', async () => {
    const runtime = await create()
    const throws = fixture({
      name: 'throws',
      bindings: { out: 'write array<u32>' },
      body: '  out[0] = nothing;',
      launch: linear(1),
    })
    const before = runtime.stats.buffers
    for (let i = 0; i < 100; i++) {
      using a = runtime.buffer(Uint32Array, 64 + (i % 7))
      using b = runtime.buffer(new Uint32Array(64))
      if (i % 10 === 3) await runtime.run(throws, { out: a }).catch(() => undefined)
      else await runtime.run(increment, { x: b, out: a, n: 64 })
    }
    expect(runtime.stats.buffers).toMatchObject({ live: before.live, bytes: before.bytes })
    expect(runtime.stats.pool.idleBytes).toBeLessThanOrEqual(4096)
    expect(runtime.stats.pool.bytes).toBe(runtime.stats.pool.idleBytes)
    runtime.trim()
    expect(runtime.stats.pool).toMatchObject({ idle: 0, bytes: 0 })
    runtime.destroy()
  })

  it('keep no more than they may, and tell where what is left was made', async () => {
    const runtime = await create()
    for (const size of [1024, 2048, 2048, 8192]) runtime.buffer({ size }).destroy()
    expect(runtime.stats.pool).toMatchObject({ idle: 2, idleBytes: 3072 })
    expect(runtime.stats.pool.peakBytes).toBe(3072 + 8192)
    runtime.buffer(Float32Array, 10, { label: 'forgotten' })
    const [leak] = runtime.leaks()
    expect(leak).toMatchObject({ label: 'forgotten', size: 40 })
    expect(leak?.stack?.split('\n')[0]).toContain('pool.engine.test.ts')
    runtime.destroy()
    expect(runtime.leaks()).toEqual([])
  })
})
