import * as kernels from '@weft/kernels'
import { decodeCombine, decodeSplits, decodeStreams } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('decode', [...decodeSplits, ...decodeStreams, decodeCombine], ({ runtime, options }) => {
  const sizes = { batch: 2, heads: 4, kvHeads: 2, capacity: 300, headSize: 8 }
  const [q, k, v] = [uniform(1, 64, -1, 1), uniform(2, 9600, -1, 1), uniform(3, 9600, -1, 1)]
  const upload = (data: Float32Array) => runtime().buffer(data)
  const args = () => ({ q: upload(q), k: upload(k), v: upload(v), out: upload(new Float32Array(64)), ...sizes })

  it.each([
    ['from one key on', { keys: 1 }],
    ['with fewer keys than splits', { keys: 5, splits: 9 }],
    ['over all of a cache', { keys: 300 }],
    ['with a window and a soft cap', { keys: 290, window: 70, softCap: 2, splits: 3 }],
  ])('is attention, %s [prior-R05]', async (_, given) => {
    const all = args()
    await kernels.attentionDecode(runtime(), { ...all, ...given }, options)
    const { splits: _splits, ...sight } = { splits: 0, ...given }
    const { out } = kernels.attentionReference({ q, k, v, ...sizes, queries: 1, ...sight })
    expect(maxError(await all.out.read(Float32Array), out).abs).toBeLessThan(2e-5)
  })

  it.each([
    ['without', {}],
    ['with a window', { window: 50 }],
    ['with lengths', { lengths: [170, 0] }],
  ])(
    'for several query heads at once where the device can, %s',
    async (_, given: { window?: number; lengths?: number[] }) => {
      const wide = { batch: 2, heads: 12, kvHeads: 2, keys: 170, headSize: 64 }
      const [x, y, z] = [uniform(4, 1536, -1, 1), uniform(5, 43520, -1, 1), uniform(6, 43520, -1, 1)]
      const out = upload(new Float32Array(1536))
      const { lengths, ...rest } = given
      const counts = lengths ? { lengths: runtime().buffer(Uint32Array.from(lengths)) } : {}
      await kernels.attentionDecode(
        runtime(),
        { q: upload(x), k: upload(y), v: upload(z), out, ...wide, ...rest, ...counts },
        options,
      )
      const expected = kernels.attentionReference({ q: x, k: y, v: z, ...wide, queries: 1, ...given })
      expect(maxError(await out.read(Float32Array), expected.out).abs).toBeLessThan(2e-5)
    },
  )

  it('with a length for each batch, one of them 0 [case-N01]', async () => {
    const all = args()
    const lengths = Uint32Array.of(0, 131)
    const given = { keys: 300, window: 100 }
    await kernels.attentionDecode(runtime(), { ...all, lengths: runtime().buffer(lengths), ...given }, options)
    const { out } = kernels.attentionReference({ q, k, v, ...sizes, queries: 1, ...given, lengths })
    expect(maxError(await all.out.read(Float32Array), out).abs).toBeLessThan(2e-5)
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const all = { ...args(), keys: 9 }
    const bad = (change: Partial<kernels.AttentionDecodeArgs>, text: string) =>
      expect(kernels.attentionDecode(runtime(), { ...all, ...change }, options)).rejects.toThrow(text)
    await bad({ keys: 301 }, 'attentionDecode: keys must be at most capacity = 300, got 301')
    await bad({ kvHeads: 3 }, 'heads must be a multiple of kvHeads = 3, got 4')
    await bad({ headSize: 6 }, 'headSize must be a multiple of 4 up to 256, got 6; attentionUnfused with queries: 1')
    await bad({ headSize: 260 }, 'headSize must be a multiple of 4 up to 256, got 260')
    await bad({ splits: 0 }, 'splits must be an integer from 1 on, got 0')
    await bad({ type: 'f16', cacheType: 'f32' }, 'cacheType must be f16 where type is f16, got f32')
    await bad({ batch: 3 }, 'q must have 96 elements, and has 64')
    await runtime().idle()
  })
})
