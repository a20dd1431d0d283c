import * as kernels from '@weft/kernels'
import { attentionForwards, attentionWeights, gemvs, matmulReduce, matmuls } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

const sources = [...attentionWeights, ...attentionForwards, ...matmuls, ...gemvs, matmulReduce]

onDevices('attention by two products', sources, ({ runtime, options }) => {
  it.each([
    [16, 0],
    [1, 16],
    [1, 64],
    [4, 20],
  ])(
    '%i new tokens after %i past ones: as the fused kernel, and as the reference [case-N04]',
    async (queries, past) => {
      const sizes = { batch: 2, heads: 4, kvHeads: 2, queries, keys: queries + past, headSize: 64, capacity: 90 }
      const rows = 2 * 4 * queries
      const q = uniform(1, rows * 64, -1, 1)
      const [k, v] = [uniform(2, 2 * 2 * 90 * 64, -1, 1), uniform(3, 2 * 2 * 90 * 64, -1, 1)]
      const buffer = (data: Float32Array) => runtime().buffer(data)
      const [out, fused] = [buffer(new Float32Array(rows * 64)), buffer(new Float32Array(rows * 64))]
      const weights = buffer(new Float32Array(rows * sizes.keys))
      const args = { q: buffer(q), k: buffer(k), v: buffer(v), ...sizes, causal: true }
      await kernels.attentionUnfused(runtime(), { ...args, out, weights }, options)
      await kernels.attention(runtime(), { ...args, out: fused }, options)
      const expected = kernels.attentionReference({ q, k, v, ...sizes, causal: true }).out
      expect(maxError(await out.read(Float32Array), expected).abs).toBeLessThan(1e-4)
      expect(maxError(await fused.read(Float32Array), expected).abs).toBeLessThan(1e-4)
      const first = (await weights.read(Float32Array)).slice(0, sizes.keys)
      expect(first.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5)
      expect(first.slice(past + 1).every((weight) => weight === 0)).toBe(true)
    },
  )

  it('with lengths, a bias and a mask: as the fused kernel, and as the reference', async () => {
    const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 3, keys: 11, headSize: 12 }
    const [q, k, v] = [uniform(1, 288, -1, 1), uniform(2, 528, -1, 1), uniform(3, 528, -1, 1)] as const
    const buffer = <T extends Float32Array | Uint32Array>(data: T) => runtime().buffer(data)
    const [out, weights] = [buffer(new Float32Array(288)), buffer(new Float32Array(264))]
    const args = { q: buffer(q), k: buffer(k), v: buffer(v), out, weights, ...sizes }
    const lengths = Uint32Array.of(11, 4)
    const bias = { data: uniform(4, 44, -1, 1), strides: [0, 11, 0, 1] as const }
    const mask = { data: Uint32Array.from({ length: 33 }, (_, i) => Number(i % 3 > 0)) }
    const check = async (
      given: Partial<kernels.AttentionUnfusedArgs>,
      reference: Partial<kernels.AttentionReferenceArgs>,
    ) => {
      await kernels.attentionUnfused(runtime(), { ...args, ...given }, options)
      const expected = kernels.attentionReference({ q, k, v, ...sizes, ...reference })
      expect(maxError(await out.read(Float32Array), expected.out).abs).toBeLessThan(2e-5)
    }
    await check({ lengths: buffer(lengths), causal: true }, { lengths, causal: true })
    await check({ bias: { ...bias, data: buffer(bias.data) } }, { bias })
    await check(
      { mask: { data: buffer(mask.data) }, bias: { ...bias, data: buffer(bias.data) }, softCap: 2 },
      { mask: { ...mask, strides: [0, 0, 11, 1] }, bias, softCap: 2 },
    )
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = runtime().buffer(new Float32Array(4))
    const args = {
      q: x,
      k: x,
      v: x,
      out: runtime().buffer(Float32Array, 4),
      weights: runtime().buffer(Float32Array, 4),
      batch: 1,
      heads: 2,
      queries: 1,
      keys: 1,
      headSize: 2,
    }
    const bad = (change: Partial<kernels.AttentionUnfusedArgs>, text: string) =>
      expect(kernels.attentionUnfused(runtime(), { ...args, ...change }, options)).rejects.toThrow(text)
    await bad({ kvHeads: 0 }, 'attentionUnfused: heads must be a multiple of kvHeads = 0, got 2')
    await bad({ headSize: 3 }, 'q must have 6 elements, and has 4')
    await bad({ mask: { data: x, strides: [0, 4, 0, 0] } }, 'mask must have 5 elements, and has 4')
    await bad({ keys: 3 }, 'k must have 12 elements, and has 4')
    await runtime().idle()
  })
})
