import { compile } from '@weft/codegen'
import * as kernels from '@weft/kernels'
import { attentionForwardOf, attentionForwards, attentionMatrices, attentionTileds } from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import { dropThreshold, randomBitsOf } from '../../packages/kernels/src/parts/random.js'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices(
  'attention forward',
  [...attentionForwards, ...attentionMatrices, ...attentionTileds],
  ({ runtime, options }) => {
    const sizes = { batch: 2, heads: 4, kvHeads: 2, queries: 3, keys: 11, headSize: 12 }
    const [q, k, v] = [uniform(1, 288, -1, 1), uniform(2, 528, -1, 1), uniform(3, 528, -1, 1)]
    const upload = <T extends Float32Array | Uint32Array>(data: T) => runtime().buffer(data)
    const args = () => ({ q: upload(q), k: upload(k), v: upload(v), out: upload(new Float32Array(288)), ...sizes })
    const check = async (given: Partial<kernels.AttentionArgs>, reference: Partial<kernels.AttentionReferenceArgs>) => {
      const all = args()
      const lse = upload(new Float32Array(24))
      await kernels.attention(runtime(), { ...all, lse, ...given }, options)
      const expected = kernels.attentionReference({ q, k, v, ...sizes, ...reference })
      expect(maxError(await all.out.read(Float32Array), expected.out).abs).toBeLessThan(2e-5)
      expect(maxError(await lse.read(Float32Array), expected.lse).relative).toBeLessThan(2e-5)
    }

    it.each([
      ['by the kernel of the device', {}],
      ['with a window, by the portable one', { window: 9 }],
    ])('heads of 64, %s', async (_, given) => {
      const wide = { batch: 1, heads: 2, kvHeads: 1, queries: 19, keys: 33, headSize: 64, causal: true }
      const [x, y, z] = [uniform(5, 2432, -1, 1), uniform(6, 2112, -1, 1), uniform(7, 2112, -1, 1)]
      const out = upload(new Float32Array(2432))
      await kernels.attention(runtime(), { q: upload(x), k: upload(y), v: upload(z), out, ...wide, ...given }, options)
      const expected = kernels.attentionReference({ q: x, k: y, v: z, ...wide, ...given })
      expect(maxError(await out.read(Float32Array), expected.out).abs).toBeLessThan(2e-5)
    })

    it('causal, with a window, a soft cap and a past', async () => {
      await check({ causal: true }, { causal: true })
      await check({ window: 3, past: 4, softCap: 3, scale: 1 }, { window: 3, past: 4, softCap: 3, scale: 1 })
      // the first two queries see no key
      await check({ causal: true, past: -2 }, { causal: true, past: -2 })
    })

    it('with lengths, a bias and a mask: what is left out is one value for all', async () => {
      const bias = uniform(4, 33, -1, 1)
      await check({ bias: { data: upload(bias) } }, { bias: { data: bias, strides: [0, 0, 11, 1] } })
      const mask = Uint32Array.from({ length: 22 }, (_, i) => Number(i % 3 > 0))
      const strides = [11, 0, 0, 1] as const
      await check({ mask: { data: upload(mask), strides } }, { mask: { data: mask, strides } })
      const lengths = Uint32Array.of(4, 11)
      await check({ lengths: upload(lengths), causal: true }, { lengths, causal: true })
    })

    it('drops the weights that the CPU drops', async () => {
      const keep = (h: number, i: number, j: number) => randomBitsOf(9, [h, i, j]) >= dropThreshold(0.5)
      await check({ dropout: { probability: 0.5, seed: 9 } }, { keep, keepScale: 2 })
    })

    it('no keys give zeros, no queries are no dispatch [case-S22]', async () => {
      const all = args()
      const out = upload(new Float32Array(288).fill(7))
      await kernels.attention(runtime(), { ...all, out, queries: 0 }, options)
      expect((await out.read(Float32Array)).every((x) => x === 7)).toBe(true)
      await kernels.attention(runtime(), { ...all, out, keys: 0 }, options)
      expect((await out.read(Float32Array)).every((x) => x === 0)).toBe(true)
    })

    it('gives the lse of heads without elements, of which all scores are 0, and of queries that see no key', async () => {
      const none = upload(new Float32Array(0))
      const shape = { batch: 1, heads: 1, queries: 3, keys: 2, headSize: 0, causal: true }
      const lse = upload(new Float32Array(3))
      await kernels.attention(
        runtime(),
        { q: none, k: none, v: none, out: upload(new Float32Array(0)), lse, ...shape },
        options,
      )
      const [unseeing, first, second] = await lse.read()
      // the last query stands on the last key, so that the first one stands before all of them
      expect(unseeing).toBeLessThan(-2.9e38)
      expect(unseeing).toBeGreaterThan(-Infinity)
      expect(first).toBeCloseTo(0, 5)
      expect(second).toBeCloseTo(Math.LN2, 5)
    })

    it('refuses what does not fit before anything is recorded', async () => {
      const all = args()
      const bad = (change: Partial<kernels.AttentionArgs>, text: string) =>
        expect(kernels.attention(runtime(), { ...all, ...change }, options)).rejects.toThrow(text)
      await bad({ kvHeads: 3 }, 'attention: heads must be a multiple of kvHeads = 3, got 4')
      await bad({ capacity: 10 }, 'keys must be at most capacity = 10, got 11')
      await bad({ headSize: 6 }, 'kernels ship for head sizes that are multiples of 4 up to 256, got 6')
      await bad({ headSize: 260 }, 'multiples of 4 up to 256, got 260')
      await bad({ window: 0 }, 'window must be an integer from 1 on, got 0')
      await bad({ softCap: -1 }, 'softCap must be a finite number above 0, got -1')
      await bad({ past: 0.5 }, 'past must be an integer, got 0.5')
      await bad({ past: -(2 ** 30) }, 'past must be above -1073741824, got -1073741824')
      await bad({ keys: 12 }, 'k must have 576 elements, and has 528')
      await bad({ lse: upload(new Float32Array(23)) }, 'lse must have 24 elements, and has 23')
      await bad({ mask: { data: upload(new Uint32Array(32)) } }, 'mask must have 33 elements, and has 32')
      await bad({ dropout: { probability: 1, seed: 0 } }, 'dropout.probability must be from 0 to below 1, got 1')
      await bad({ dropout: { probability: 0, seed: -1 } }, 'dropout.seed must be an integer from 0 to 2³² − 1, got -1')
      await runtime().idle()
    })
  },
)

describe('attention forward, any head size', () => {
  it.each([1, 5, 40, 64, 72, 80, 96, 128, 200, 256])(
    'the workgroup memory for heads of %i is what every device has [case-C46]',
    (headSize) => {
      const { variants } = compile(attentionForwardOf('forward', { headSize, exact: true, masked: true }))
      const [{ needs }] = variants as [(typeof variants)[number]]
      const bytes = needs.limits.maxComputeWorkgroupStorageSize as number
      expect(bytes).toBeGreaterThan(0)
      expect(bytes).toBeLessThanOrEqual(16_384)
    },
  )
})
