import * as kernels from '@weft/kernels'
import {
  attentionBackwardDbiases,
  attentionBackwardDkvs,
  attentionBackwardDqs,
  attentionBackwardRows,
  attentionForwards,
  attentionMatrices,
  attentionTileds,
  backwardMatrices,
  backwardMatrixRows,
  logical,
} from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { dropThreshold, randomBitsOf } from '../../packages/kernels/src/parts/random.js'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { f16sOf, fromF16 } from '../parity/data.js'
import { onDevices } from './devices.js'

const sources = [
  ...[
    ...attentionForwards,
    ...attentionBackwardDqs,
    ...attentionBackwardDkvs,
    ...attentionBackwardDbiases,
    ...attentionBackwardRows,
    ...attentionMatrices,
    ...attentionTileds,
    ...backwardMatrices,
    ...backwardMatrixRows,
  ],
  ...logical.filter(({ name }) => name.startsWith('where')),
]

onDevices('attention backward', sources, ({ runtime, options }) => {
  const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 3, keys: 11, headSize: 12 }
  const [rows, pairs] = [2 * 4 * 3 * 12, 2 * 2 * 11 * 12]
  const x = { q: uniform(1, rows, -1, 1), k: uniform(2, pairs, -1, 1), v: uniform(3, pairs, -1, 1) }
  const dout = uniform(4, rows, -1, 1)
  const upload = (data: Float32Array) => runtime().buffer(data)
  const inputs = () => ({
    ...{ q: upload(x.q), k: upload(x.k), v: upload(x.v), ...sizes },
    ...{ out: upload(new Float32Array(rows)), lse: upload(new Float32Array(24)) },
  })
  const gradients = () => ({
    dout: upload(dout),
    ...{ dq: upload(new Float32Array(rows)), dk: upload(new Float32Array(pairs)), dv: upload(new Float32Array(pairs)) },
  })
  const args = () => ({ ...inputs(), ...gradients() })

  const check = async (given: Partial<kernels.AttentionArgs>, reference: Partial<kernels.AttentionReferenceArgs>) => {
    const [forward, backward] = [{ ...inputs(), ...given }, gradients()]
    await kernels.attention(runtime(), forward, options)
    await kernels.attentionBackward(runtime(), { ...forward, ...backward }, options)
    const expected = kernels.attentionBackwardReference({ ...sizes, ...x, dout, ...reference })
    for (const name of ['dq', 'dk', 'dv'] as const)
      expect(maxError(await backward[name].read(Float32Array), expected[name]).relative).toBeLessThan(1e-4)
  }

  it('after the forward, with the weights that it dropped', async () => {
    const keep = (h: number, i: number, j: number) => randomBitsOf(5, [h, i, j]) >= dropThreshold(0.25)
    const given = { causal: true, softCap: 3 }
    await check({ ...given, dropout: { probability: 0.25, seed: 5 } }, { ...given, keep, keepScale: 1 / 0.75 })
  })

  it('of a padded batch, with and without places of its own', async () => {
    const lengths = Uint32Array.of(11, 4)
    await check({ lengths: runtime().buffer(lengths), causal: true }, { lengths, causal: true })
    const past = { lengths, causal: true, past: 1 }
    await check({ ...past, lengths: runtime().buffer(lengths) }, past)
  })

  it('with a bias, a mask, and both, along different axes', async () => {
    const [biasData, maskData] = [uniform(5, 44, -1, 1), Uint32Array.from({ length: 66 }, (_, i) => Number(i % 3 > 0))]
    const bias = { data: biasData, strides: [0, 11, 0, 1] as const }
    const mask = { data: maskData, strides: [33, 0, 11, 1] as const }
    const uploaded = { bias: { ...bias, data: upload(biasData) }, mask: { ...mask, data: runtime().buffer(maskData) } }
    await check({ bias: uploaded.bias, window: 5 }, { bias, window: 5 })
    await check({ mask: uploaded.mask }, { mask })
    await check({ ...uploaded, softCap: 2 }, { bias, mask, softCap: 2 })
  })

  it('by the bias: of a head and key for all batches and queries, behind a mask; by one that is the same for all', async () => {
    const maskData = Uint32Array.from({ length: 66 }, (_, i) => Number(i % 3 > 0))
    const mask = { data: maskData, strides: [33, 0, 11, 1] as const }
    for (const [length, strides] of [
      [44, [0, 11, 0, 1]],
      [2 * 4 * 3 * 11, [132, 33, 11, 1]],
      [1, [0, 0, 0, 0]],
    ] as const)
      for (const given of [{}, { mask }]) {
        const [forward, backward] = [inputs(), gradients()]
        const bias = { data: uniform(5, length, -1, 1), strides }
        const dbias = upload(new Float32Array(length).fill(777))
        const masks = 'mask' in given ? { mask: { ...mask, data: runtime().buffer(maskData) } } : {}
        const all = { ...forward, ...masks, bias: { ...bias, data: upload(bias.data) }, causal: true }
        await kernels.attention(runtime(), all, options)
        await kernels.attentionBackward(runtime(), { ...all, ...backward, dbias }, options)
        const reference = { ...sizes, ...x, dout, bias, causal: true, ...given }
        const expected = kernels.attentionBackwardReference(reference).dbias
        // sums of up to 264 gradients, which may cancel
        const most = Math.max(...expected.map(Math.abs), 1)
        const got = await dbias.read(Float32Array)
        expected.forEach((value, i) => {
          expect(Math.abs((got[i] as number) - value)).toBeLessThan(1e-4 * most)
        })
      }
  })

  it('of no batches the gradient of a bias is 0', async () => {
    const all = { ...args(), batch: 0, bias: { data: upload(new Float32Array(33)) } }
    const dbias = upload(new Float32Array(33).fill(3))
    await kernels.attentionBackward(runtime(), { ...all, dbias }, options)
    expect((await dbias.read(Float32Array)).every((value) => value === 0)).toBe(true)
  })

  it('of f16, with lengths and without', async ({ skip }) => {
    if (!runtime().info.features.includes('shader-f16')) skip('the device has no shader-f16')
    const half = (data: Float32Array) => runtime().buffer(f16sOf(data))
    const rounded = (data: Float32Array) => fromF16(f16sOf(data))
    const lengths = Uint32Array.of(11, 4)
    const reference = { ...sizes, q: rounded(x.q), k: rounded(x.k), v: rounded(x.v), dout: rounded(dout), causal: true }
    for (const given of [{}, { lengths }]) {
      const sight = { causal: true, ...('lengths' in given ? { lengths: runtime().buffer(lengths) } : {}) }
      const inputs = { q: half(x.q), k: half(x.k), v: half(x.v), out: half(dout), lse: upload(new Float32Array(24)) }
      const forward = { ...inputs, ...sizes, ...sight, type: 'f16' as const }
      await kernels.attention(runtime(), forward, options)
      const results = { dq: half(x.q), dk: half(x.k), dv: half(x.v) }
      await kernels.attentionBackward(runtime(), { ...forward, ...results, dout: half(dout) }, options)
      const expected = kernels.attentionBackwardReference({ ...reference, ...given })
      // the forward rounds out to f16, by which δ, a sum of 12 products, is off by up to 12 · 2⁻¹² = 3e-3
      for (const name of ['dq', 'dk', 'dv'] as const)
        expect(maxError(fromF16(await results[name].read(Uint16Array)), expected[name]).relative).toBeLessThan(4e-3)
    }
  })

  it('of f16, heads of 64: by the kernels of the device', async ({ skip }) => {
    skip(!runtime().info.features.includes('shader-f16'), 'the device has no f16')
    const wide = {
      batch: 1,
      heads: 2,
      kvHeads: 1,
      queries: 20,
      keys: 24,
      headSize: 64,
      causal: true,
      type: 'f16',
    } as const
    const [n, m] = [2 * 20 * 64, 24 * 64]
    const half = (seed: number, count: number) => f16sOf(uniform(seed, count, -1, 1))
    const [q, k, v, g] = [half(1, n), half(2, m), half(3, m), half(4, n)]
    const buffer = (data: Uint16Array) => runtime().buffer(data)
    const forward = { q: buffer(q), k: buffer(k), v: buffer(v), out: buffer(new Uint16Array(n)), ...wide }
    const results = { dq: buffer(new Uint16Array(n)), dk: buffer(new Uint16Array(m)), dv: buffer(new Uint16Array(m)) }
    const lse = upload(new Float32Array(40))
    await kernels.attention(runtime(), { ...forward, lse }, options)
    await kernels.attentionBackward(runtime(), { ...forward, lse, dout: buffer(g), ...results }, options)
    const numbers = { q: fromF16(q), k: fromF16(k), v: fromF16(v), dout: fromF16(g) }
    const { type: _, ...shape } = wide
    const expected = kernels.attentionBackwardReference({ ...shape, ...numbers })
    // weights, their gradients and out have 11 bits; the gradients are sums of some tens of them
    for (const name of ['dq', 'dk', 'dv'] as const)
      expect(maxError(fromF16(await results[name].read(Uint16Array)), expected[name]).relative).toBeLessThan(2 ** -8)
  })

  it('is the same to the last bit from run to run', async () => {
    const forward = inputs()
    const all = { ...forward, ...gradients() }
    await kernels.attention(runtime(), forward, options)
    const once = async () => {
      await kernels.attentionBackward(runtime(), all, options)
      return [await all.dq.read(Float32Array), await all.dk.read(Float32Array), await all.dv.read(Float32Array)]
    }
    expect(await once()).toEqual(await once())
  })

  it('no queries give gradients of 0 for keys [case-S22]', async () => {
    const all = args()
    const dk = upload(new Float32Array(pairs).fill(3))
    await kernels.attentionBackward(runtime(), { ...all, dk, queries: 0 }, options)
    expect((await dk.read(Float32Array)).every((value) => value === 0)).toBe(true)
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const all = args()
    const bad = (change: Partial<kernels.AttentionBackwardArgs>, text: string) =>
      expect(kernels.attentionBackward(runtime(), { ...all, ...change }, options)).rejects.toThrow(text)
    await bad({ kvHeads: 3 }, 'attentionBackward: heads must be a multiple of kvHeads = 3, got 4')
    await bad({ headSize: 257 }, 'headSize must be at most 256, got 257')
    await bad({ queries: 4 }, 'q must have 384 elements, and has 288')
    await bad({ dv: upload(new Float32Array(1)) }, 'dv must have 528 elements, and has 1')
    await bad({ lengths: runtime().buffer(Uint32Array.of(1)) }, 'lengths must have 2 elements, and has 1')
    await bad({ bias: { data: upload(new Float32Array(32)) } }, 'bias must have 33 elements, and has 32')
    await bad({ mask: { data: all.q, strides: [0, 0, 0, -1] } }, 'mask.strides[3] must be an integer from 0 on, got -1')
    const bias = { data: upload(new Float32Array(33)) }
    const dbias = upload(new Float32Array(33))
    await bad({ dbias }, 'attentionBackward: dbias is the gradient of bias, which is left out')
    await bad({ bias, dbias: upload(new Float32Array(32)) }, 'dbias must have 33 elements, and has 32')
    await bad(
      { bias: { ...bias, strides: [0, 0, 1, 1] }, dbias },
      'bias.strides must lead to an element for each pair, or be 0, where there is dbias; got [0, 0, 1, 1]',
    )
    await bad({ dropout: { probability: -1, seed: 0 } }, 'dropout.probability must be from 0 to below 1, got -1')
    await runtime().idle()
  })
})
