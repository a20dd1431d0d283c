import * as kernels from '@weft/kernels'
import { attentionForwards, attentionWeights, gemmReduce, gemms, gemvs } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

const sources = [attentionWeights, ...attentionForwards, ...gemms, ...gemvs, gemmReduce]

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
      await kernels.attentionForward(runtime(), { ...args, out: fused }, options)
      const expected = kernels.attentionForwardReference({ q, k, v, ...sizes, causal: true }).out
      expect(maxError(await out.read(Float32Array), expected).abs).toBeLessThan(1e-4)
      expect(maxError(await fused.read(Float32Array), expected).abs).toBeLessThan(1e-4)
      const first = (await weights.read(Float32Array)).slice(0, sizes.keys)
      expect(first.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5)
      expect(first.slice(past + 1).every((weight) => weight === 0)).toBe(true)
    },
  )

  it('refuses what does not fit before anything is recorded', async () => {
    const x = runtime().buffer(new Float32Array(4))
    const args = { q: x, k: x, v: x, out: x, weights: x, batch: 1, heads: 2, queries: 1, keys: 1, headSize: 2 }
    const bad = (change: Partial<kernels.AttentionUnfusedArgs>, text: string) =>
      expect(kernels.attentionUnfused(runtime(), { ...args, ...change }, options)).rejects.toThrow(text)
    await bad({ kvHeads: 0 }, 'attention_unfused: heads must be a multiple of kvHeads = 0, got 2')
    await bad({ headSize: 3 }, 'q must have 6 elements, and has 4')
    await bad({ keys: 3 }, 'k must have 12 elements, and has 4')
    await runtime().idle()
  })
})
