import { describe, expect, it } from 'vitest'
import type { BufferLike } from './buffer'
import { createRuntime } from './create'
import { cpu, start } from './testing/cpu'
import { failure } from './testing/expect'
import { fill, fixture, increment, linear } from './testing/fixtures'

describe('arguments are checked before anything runs', () => {
  const attempt = async (
    code: string,
    kernel: Parameters<typeof fixture>[0] | null,
    args: (make: Make) => Record<string, unknown>,
  ) => {
    const { runtime, device } = await start()
    const made = await createRuntime({ device: cpu() })
    const make: Make = { buffer: (n) => runtime.buffer(Uint32Array, n), foreign: () => made.buffer(Uint32Array, 4) }
    const e = await failure(code, () => runtime.run(kernel ? fixture(kernel) : increment, args(make)))
    expect(device.launches).toHaveLength(0)
    return e.message
  }
  interface Make {
    buffer(n: number): ReturnType<Awaited<ReturnType<typeof createRuntime>>['buffer']> & BufferLike
    foreign(): unknown
  }

  it('missing-binding and extra-binding', async () => {
    expect(await attempt('missing-binding', null, ({ buffer }) => ({ x: buffer(4), n: 4 }))).toContain(
      "'out' (array<u32>)",
    )
    const text = await attempt('extra-binding', null, ({ buffer }) => ({
      x: buffer(4),
      out: buffer(4),
      y: buffer(4),
      n: 4,
    }))
    expect(text).toBe(
      "extra-binding: 'increment' has no binding 'y'\n  note: its bindings are 'x', 'out', its params 'n'",
    )
  })

  it('bad-param', async () => {
    await attempt('bad-param', null, ({ buffer }) => ({ x: buffer(4), out: buffer(4) }))
    await attempt('bad-param', null, ({ buffer }) => ({ x: buffer(4), out: buffer(4), n: 4, m: 1 }))
    await attempt('bad-param', null, ({ buffer }) => ({ x: buffer(4), out: buffer(4), n: 2 ** 32 }))
  })

  it('bad-argument: what is no compiled kernel', async () => {
    const { runtime } = await start()
    const run = (kernel: unknown) => failure('bad-argument', () => runtime.run(kernel as never, {} as never))
    expect((await run({ name: 'k', ir: () => null })).message).toContain(
      'a kernel that is not compiled was given, expected a compiled kernel\n  note: compile it',
    )
    expect((await run(undefined)).message).toContain('undefined was given, expected a compiled kernel')
    await failure('missing-binding', () => runtime.run(increment, undefined as never))
  })

  it('binding-type', async () => {
    const text = await attempt('binding-type', null, ({ buffer }) => ({ x: new Uint32Array(4), out: buffer(4), n: 4 }))
    expect(text).toContain('note: put host data into a buffer first')
    await attempt('binding-type', null, ({ buffer }) => ({ x: 'x', out: buffer(4), n: 4 }))
    const texture = { name: 't', bindings: { t: 'read array<u32>' }, body: '', launch: linear(1) }
    await attempt('binding-type', texture, () => ({ t: { width: 4 } }))
  })

  it('[prior-R30] binding-size: too small, misaligned, outside the buffer', async () => {
    const vec4 = { name: 'v', bindings: { x: 'read array<vec4f>' }, body: '', launch: linear(1) }
    const text = await attempt('binding-size', vec4, ({ buffer }) => ({ x: buffer(3) }))
    expect(text).toBe("binding-size: 'v': 'x' (array<vec4f>) has 12 bytes, expected at least 16")
    const vec3 = { name: 'v', bindings: { x: 'read array<vec3f>' }, body: '', launch: linear(1) }
    expect(await attempt('binding-size', vec3, ({ buffer }) => ({ x: buffer(6) }))).toContain(
      'has 24 bytes, expected a whole number of elements of 16 bytes',
    )
    const ranged = (offset: number, size?: number) =>
      attempt('binding-size', vec4, ({ buffer }) => ({ x: { buffer: buffer(256), offset, size } }))
    expect(await ranged(4)).toContain('starts at byte 4, expected a multiple of 256 (minStorageBufferOffsetAlignment)')
    expect(await ranged(256, 18)).toContain('has 18 bytes, expected a multiple of 4')
    for (const [offset, size] of [
      [2048, 16],
      [0, 1028],
      [-256, 16],
      [0.5, 16],
      [0, Number.NaN],
    ] as const)
      await ranged(offset, size)
  })

  it('[edge-72] [case-C40] binding-overlap: ranges that meet, and one buffer both read and written', async () => {
    const over = (x: [number, number], out: [number, number]) =>
      attempt('binding-overlap', null, ({ buffer }) => {
        const b = buffer(1024)
        return { x: { buffer: b, offset: x[0], size: x[1] }, out: { buffer: b, offset: out[0], size: out[1] }, n: 1 }
      })
    expect(await over([0, 512], [256, 512])).toContain("'x', 'out' overlap in one buffer")
    expect(await over([0, 256], [256, 256])).toContain('one read and one written')
    const two = {
      name: 'two',
      bindings: { a: 'write array<u32>', b: 'read_write array<u32>' },
      body: '',
      launch: linear(1),
    }
    await attempt('binding-overlap', two, ({ buffer }) => {
      const shared = buffer(4)
      return { a: shared, b: shared }
    })
  })

  it('allows one buffer to be read twice, and to be written in ranges that are apart', async () => {
    const { runtime } = await start()
    const b = runtime.buffer({ size: 1024 })
    const reads = fixture({
      name: 'r',
      bindings: { a: 'read array<u32>', b: 'read array<u32>' },
      body: '',
      launch: linear(1),
    })
    const writes = fixture({
      name: 'w',
      bindings: { a: 'write array<u32>', b: 'write array<u32>' },
      body: '',
      launch: linear(1),
    })
    await runtime.run(reads, { a: b, b })
    await runtime.run(writes, { a: b.range(0, 512), b: b.range(512) })
  })

  it('a declared alias runs the merged variant', async () => {
    const { runtime, device } = await start()
    const b = runtime.buffer(new Uint32Array([1, 2]))
    await runtime.run(increment, { x: b, out: b, n: 2 })
    expect([...(await b.read())]).toEqual([2, 3])
    expect(device.launches[0]?.bindings.x).toEqual(device.launches[0]?.bindings.out)
    await failure('no-variant', () => runtime.run(increment, { x: b, out: b, n: 2 }, { variant: 'portable' }))
    await failure('no-variant', () => runtime.run(fill, { out: b, n: 2, value: 1 }, { variant: 'fast' }))
  })

  it('foreign-buffer and buffer-destroyed', async () => {
    await attempt('foreign-buffer', null, ({ buffer, foreign }) => ({ x: foreign(), out: buffer(4), n: 4 }))
    await attempt('buffer-destroyed', null, ({ buffer }) => {
      const x = buffer(4)
      x.destroy()
      return { x, out: buffer(4), n: 4 }
    })
  })

  it('[case-S27] [prior-R31] binding-limit, with what was asked and what is allowed', async () => {
    const device = { ...cpu(), limits: { ...cpu().limits, maxStorageBufferBindingSize: 1024, maxBufferSize: 4096 } }
    const runtime = await createRuntime({ device })
    const out = runtime.buffer({ size: 2048 })
    const e = await failure('binding-limit', () => runtime.run(fill, { out, n: 1, value: 1 }))
    expect(e.message).toContain('binds 2,048 bytes, and the device allows 1,024 (maxStorageBufferBindingSize)')
    const big = await failure('binding-limit', () => runtime.buffer({ size: 154389504 }, { label: 'weights' }))
    expect(big.message).toContain("'weights' would have 154,389,504 bytes, and the device allows 4,096 (maxBufferSize)")
  })

  it('[case-R39] no-variant names what is missing', async () => {
    const { runtime } = await start()
    const kernel = fixture({
      name: 'f',
      bindings: { out: 'write array<u32>' },
      body: '',
      needs: { features: ['subgroups'] },
      launch: linear(1),
    })
    const e = await failure('no-variant', () => runtime.run(kernel, { out: runtime.buffer(Uint32Array, 1) }))
    expect(e.message).toContain("'portable' needs the feature 'subgroups'")
  })
})
