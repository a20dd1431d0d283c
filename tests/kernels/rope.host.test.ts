import * as kernels from '@weft/kernels'
import { gemvs, matmulReduce, matmuls, rope, ropeQkv } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('rope', [rope, ropeQkv, ...matmuls, ...gemvs, matmulReduce], ({ runtime, options }) => {
  const sizes = { batch: 2, heads: 3, tokens: 4, headSize: 16, rotary: 12, past: 77 }
  const n = 2 * 3 * 4 * 16
  const upload = () => runtime().buffer(kernels.ropeTable({ positions: 81, rotary: 12 }))

  it('turns heads in either layout, in place, and back', async () => {
    const x = uniform(1, n, -1, 1)
    const [buffer, table] = [runtime().buffer(x), upload()]
    for (const tokensFirst of [false, true]) {
      const axes = tokensFirst ? { outer: 2, inner: 3 } : { outer: 6, inner: 1 }
      const expected = kernels.ropeReference({ x, ...axes, tokens: 4, headSize: 16, rotary: 12, past: 77 })
      const args = { x: buffer, out: buffer, table, ...sizes, tokensFirst }
      await kernels.rope(runtime(), args, options)
      expect(maxError(await buffer.read(Float32Array), expected).abs).toBeLessThan(2e-6)
      await kernels.ropeBackward(runtime(), args, options)
      expect(maxError(await buffer.read(Float32Array), x).abs).toBeLessThan(4e-6)
    }
  })

  it('projects to queries, keys and values, and puts them where attention reads them', async () => {
    const shape = { batch: 2, tokens: 3, heads: 4, kvHeads: 2, headSize: 8, past: 2 }
    const [x, weight, bias] = [uniform(1, 6 * 5, -1, 1), uniform(2, 5 * 64, -1, 1), uniform(3, 64, -1, 1)]
    const empty = (size: number) => runtime().buffer(new Float32Array(size))
    const [q, kCache, vCache] = [empty(2 * 4 * 3 * 8), empty(2 * 2 * 5 * 8), empty(2 * 2 * 5 * 8)]
    const buffers = { x: runtime().buffer(x), weight: runtime().buffer(weight), bias: runtime().buffer(bias) }
    const table = runtime().buffer(kernels.ropeTable({ positions: 5, rotary: 8 }))
    await kernels.projectQkv(runtime(), { ...buffers, ...shape, hidden: 5, table, q, kCache, vCache }, options)
    const qkv = kernels.matmulReference({ a: x, b: weight, bias, m: 6, n: 64, k: 5 })
    const expected = kernels.ropeQkvReference({ qkv, ...shape })
    expect(maxError(await q.read(Float32Array), expected.q).abs).toBeLessThan(1e-5)
    const cached = (await vCache.read(Float32Array)).slice(0, 5 * 8)
    expect(maxError(cached, [...new Array<number>(16).fill(0), ...expected.v.slice(0, 24)]).abs).toBeLessThan(1e-5)
  })

  it('no tokens are no dispatch', async () => {
    const x = runtime().buffer(new Float32Array(1))
    await kernels.rope(runtime(), { x, out: x, table: upload(), ...sizes, tokens: 0 }, options)
    expect([...(await x.read(Float32Array))]).toEqual([0])
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = runtime().buffer(new Float32Array(n))
    const args = { x, out: x, table: upload(), ...sizes }
    const bad = (change: Partial<kernels.RopeArgs>, text: string) =>
      expect(kernels.rope(runtime(), { ...args, ...change }, options)).rejects.toThrow(text)
    await bad({ rotary: 3 }, 'rope: rotary must be even and at most headSize = 16, got 3')
    await bad({ rotary: 18 }, 'rotary must be even and at most headSize = 16, got 18')
    await bad({ past: -1 }, 'past must be an integer from 0 on, got -1')
    await bad({ past: 253 }, 'rope: table for 257 positions must have 1548 elements, and has 1542')
    const more = () => runtime().buffer(Float32Array, 8)
    const sizesOf = {
      ...{ q: more(), kCache: more(), vCache: more() },
      table: x,
      qkv: x,
      batch: 1,
      tokens: 2,
      heads: 1,
      kvHeads: 1,
      headSize: 2,
    }
    const badSplit = (change: Partial<kernels.RopeQkvArgs>, text: string) =>
      expect(kernels.ropeQkv(runtime(), { ...sizesOf, ...change }, options)).rejects.toThrow(text)
    await badSplit({ past: 2, capacity: 3 }, 'past + tokens must be at most capacity = 3, got 4; pass ring: true')
    await badSplit({ ring: true, capacity: 1 }, 'tokens must be at most capacity = 1, got 2')
    await badSplit({ rotary: 1 }, 'ropeQkv: rotary must be even and at most headSize = 2, got 1')
    await badSplit({}, 'table for 2 positions must have 257 elements')
    await bad({ batch: 3 }, 'x must have 576 elements, and has 384')
    await runtime().idle()
  })
})
