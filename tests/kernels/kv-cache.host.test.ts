import * as kernels from '@weft/kernels'
import { copies, kvAppend } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { onDevices } from './devices.js'

onDevices('KV cache', [kvAppend, ...copies], ({ runtime, options }) => {
  const sizes = { batch: 1, kvHeads: 2, headSize: 1 }
  const buffer = (...values: number[]) => runtime().buffer(Float32Array.from(values))

  it('fills a cache, moves it to a larger one, and goes round a ring', async () => {
    const [kCache, vCache] = [buffer(0, 0, 0, 0, 0, 0), buffer(0, 0, 0, 0, 0, 0)]
    const append = (past: number, ring: boolean, ...values: number[]) => {
      const tokens = values.length / 2
      const [k, v] = [buffer(...values), buffer(...values.map((x) => -x))]
      return kernels.kvAppend(runtime(), { k, v, kCache, vCache, ...sizes, tokens, past, capacity: 3, ring }, options)
    }
    await append(0, false, 1, 2, 11, 12)
    await append(2, false, 3, 13)
    expect([...(await vCache.read(Float32Array))]).toEqual([-1, -2, -3, -11, -12, -13])

    const larger = buffer(...new Array<number>(8).fill(9))
    await kernels.kvGrow(runtime(), { cache: kCache, out: larger, ...sizes, length: 3, from: 3, to: 4 }, options)
    expect([...(await larger.read(Float32Array))]).toEqual([1, 2, 3, 9, 11, 12, 13, 9])

    await append(3, true, 4, 5, 14, 15)
    expect([...(await kCache.read(Float32Array))]).toEqual([4, 5, 3, 14, 15, 13])
    await append(5, true, 6, 7, 8, 9, 16, 17, 18, 19)
    expect([...(await kCache.read(Float32Array))]).toEqual([7, 8, 9, 17, 18, 19])
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = buffer(1, 2, 3, 4)
    const args = { k: x, v: x, kCache: buffer(0, 0, 0, 0), vCache: buffer(0, 0, 0, 0), ...sizes, capacity: 2 }
    const bad = (change: Partial<kernels.KvAppendArgs>, text: string) =>
      expect(kernels.kvAppend(runtime(), { ...args, tokens: 1, past: 0, ...change }, options)).rejects.toThrow(text)
    await bad({ past: 2 }, 'kvAppend: past + tokens must be at most capacity = 2, got 2 + 1; pass ring: true')
    await bad({ tokens: 0.5 }, 'tokens must be an integer from 0 on, got 0.5')
    await bad({ capacity: 3 }, 'kCache must have 6 elements, and has 4')
    await bad({ type: 'f16', cacheType: 'f32' }, 'cacheType must be f16 for keys and values of f16')
    await expect(
      kernels.kvGrow(runtime(), { cache: x, out: buffer(0), ...sizes, length: 3, from: 2, to: 4 }, options),
    ).rejects.toThrow('length must be at most the capacities 2 and 4, got 3')
    await runtime().idle()
  })
})
