import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { integers, normal } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

const { compactFlags, compactScatter, copies, histogram, histogramRange, permuteWords } = source
const { radixChunkSums, radixCount, radixKeys, radixScatter, radixScatter32, radixSpine, radixSpread } = source
const { scanBlocksU32, scanOffsetsU32, scanOnceU32 } = source

onDevices(
  'sort',
  [
    ...[compactFlags, compactScatter, histogram, histogramRange, permuteWords],
    ...[
      radixChunkSums,
      radixCount,
      radixScatter,
      radixScatter32,
      radixSpine,
      radixSpread,
      scanBlocksU32,
      scanOffsetsU32,
      scanOnceU32,
    ],
    ...radixKeys,
    ...copies,
  ],
  ({ runtime: opened, options: own }) => {
    let runtime: Runtime
    beforeAll(() => {
      runtime = opened()
    })

    it.each([0, 1, 2, 255, 257, own.kernels === undefined ? 100_003 : 1500])(
      '[case-S32] sorts %i floats, stable in both directions',
      async (n) => {
        const x = normal(1, n).map((v, i) =>
          i % 11 === 3 ? NaN : i % 7 === 2 ? 0 : i % 13 === 5 ? -Infinity : i % 7 === 3 ? -0 : v,
        )
        for (const descending of [false, true]) {
          const order = runtime.buffer(new Uint32Array(n).fill(777))
          const sorted = runtime.buffer(new Float32Array(n).fill(777))
          await kernels.sort(runtime, { x: runtime.buffer(x), order, sorted, n, descending }, own)
          const expected = kernels.argsortReference(x, descending)
          expect(await order.read(Uint32Array)).toEqual(expected)
          const bits = new Uint32Array((await sorted.read(Float32Array)).buffer)
          const wanted = new Uint32Array(Float32Array.from(expected, (i) => x[i] as number).buffer)
          expect(bits).toEqual(wanted)
        }
      },
    )

    it('[case-S32] sorts pairs: reverse order, all equal, the top bit set; and few bits', async () => {
      const n = 777
      for (const [bits, keys] of [
        [32, Uint32Array.from({ length: n }, (_, i) => n - i)],
        [32, new Uint32Array(n).fill(7)],
        [32, integers(1, n, 2 ** 32).map((v) => (v | 0x8000_0000) >>> 0)],
        [11, integers(1, n, 2048)],
      ] as const) {
        const values = Uint32Array.from({ length: n }, (_, i) => 5000 + i)
        const [sortedKeys, sortedValues] = [runtime.buffer(Uint32Array, n), runtime.buffer(Uint32Array, n)]
        const given = { keys: runtime.buffer(keys), values: runtime.buffer(values) }
        await kernels.sortPairs(runtime, { ...given, sortedKeys, sortedValues, n, bits }, own)
        const order = kernels.argsortReference(keys)
        expect(await sortedKeys.read()).toEqual(Uint32Array.from(order, (i) => keys[i] as number))
        expect(await sortedValues.read()).toEqual(Uint32Array.from(order, (i) => 5000 + i))
      }
    })

    it('sorts i32', async () => {
      const x = Int32Array.of(3, -1, 2147483647, -2147483648, 0, -1)
      const [order, sorted] = [runtime.buffer(Uint32Array, 6), runtime.buffer(Int32Array, 6)]
      await kernels.sort(runtime, { x: runtime.buffer(x), order, sorted, n: 6, type: 'i32' }, own)
      expect([...(await sorted.read())]).toEqual([...x].sort((a, b) => a - b))
      expect([...(await order.read())]).toEqual([3, 1, 5, 4, 0, 2])
    })

    it('compacts, and counts in bins', async () => {
      for (const n of [0, 1, 70, 1500, 5001]) {
        const [x, keep] = [integers(1, n, 2 ** 32), integers(2, n, 3)]
        const out = runtime.buffer(new Uint32Array(n).fill(777))
        const count = runtime.buffer(Uint32Array, 1)
        await kernels.compact(runtime, { x: runtime.buffer(x), keep: runtime.buffer(keep), out, count, n }, own)
        const kept = x.filter((_, i) => keep[i] !== 0)
        expect([...(await count.read())]).toEqual([kept.length])
        expect(await out.read(Uint32Array)).toEqual(
          Uint32Array.from([...kept, ...new Array(n - kept.length).fill(777)]),
        )
      }
      const counts = runtime.buffer(Uint32Array, 4)
      await kernels.histogram(runtime, { ids: runtime.buffer(Uint32Array.of(3, 0, 3, 9)), counts, n: 4, bins: 4 }, own)
      await kernels.histogramRange(
        runtime,
        { x: runtime.buffer(Float32Array.of(0, 0.6, 1, 7)), counts, n: 4, bins: 4, low: 0, high: 1 },
        own,
      )
      expect([...(await counts.read())]).toEqual([2, 0, 1, 3])
    })

    it('refuses what does not fit before anything is recorded', async () => {
      const x = runtime.buffer(Uint32Array, 3)
      const bad = (promise: Promise<unknown>, text: string) => expect(promise).rejects.toThrow(text)
      const more = () => runtime.buffer(Uint32Array, 3)
      await bad(kernels.sort(runtime, { x, order: more(), n: 4 }, own), 'sort: x must have 4 elements, and has 3')
      await bad(
        kernels.sort(runtime, { x, order: more(), sorted: x, n: 3 }, own),
        'sort: sorted must be another buffer than x',
      )
      await bad(
        kernels.sort(runtime, { x, order: more(), n: 3, type: 'f16' as never }, own),
        'type must be one of f32, i32, u32',
      )
      const pairs = { keys: x, values: more(), sortedKeys: more(), sortedValues: more(), n: 3 }
      await bad(
        kernels.sortPairs(runtime, { ...pairs, bits: 33 }, own),
        'sortPairs: bits must be an integer from 1 to 32, got 33',
      )
      await bad(
        kernels.histogram(runtime, { ids: x, counts: more(), n: 3, bins: 4 }, own),
        'counts must have 4 elements',
      )
      await bad(
        kernels.histogramRange(runtime, { x, counts: more(), n: 3, bins: 3, low: 1, high: 1 }, own),
        'high must be above low',
      )
      await bad(
        kernels.compact(runtime, { x, keep: more(), out: more(), count: more(), n: -1 }, own),
        'n must be an integer from 0 on, got -1',
      )
      await runtime.idle()
    })
  },
)
