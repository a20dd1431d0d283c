import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { scanBy } from '../../packages/kernels/src/scan/host.js'
import { scanU32 } from '../../packages/kernels/src/sort/host.js'
import { integers } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

const {
  reductions,
  scanApply,
  scanBlocks,
  scanBlocksU32,
  scanOffsets,
  scanOffsetsU32,
  scanOnce,
  scanOnceU32,
  scanTail,
} = source

/** Of integers, whose sums are exact in any order. */
const small = (seed: number, n: number) => Float32Array.from(integers(seed, n, 15), (v) => v - 7)

onDevices(
  'scan',
  [...reductions, scanApply, scanBlocks, scanBlocksU32, scanOffsets, scanOffsetsU32, scanOnce, scanOnceU32, scanTail],
  ({ runtime: opened, options: own }) => {
    let runtime: Runtime
    beforeAll(() => {
      runtime = opened()
    })

    it('scans in one pass tiles and blocks of tiles, and what is behind the last quad', async () => {
      for (const [n, exclusive] of [
        [4, true],
        [source.SCAN_ONCE_TILE, false],
        [2 * source.SCAN_ONCE_TILE + 7, true],
        // several blocks take the interpreter minutes
        ...(own.kernels ? [] : ([[(source.SCAN_ONCE_BLOCK + 2) * source.SCAN_ONCE_TILE + 3, false]] as const)),
      ] as const) {
        const x = small(1, n)
        const y = runtime.buffer(new Float32Array(n).fill(777))
        await scanBy('once', runtime, { x: runtime.buffer(x), y, n, exclusive }, own)
        expect(await y.read(Float32Array)).toEqual(Float32Array.from(kernels.scanReference({ x, exclusive })))
      }
    })

    it('scans by tiles, whose sums come first', async () => {
      const n = 3 * source.SCAN_TILE + 3
      const x = small(1, n)
      const y = runtime.buffer(new Float32Array(n).fill(777))
      await scanBy('tiles', runtime, { x: runtime.buffer(x), y, n, exclusive: true }, own)
      expect(await y.read(Float32Array)).toEqual(Float32Array.from(kernels.scanReference({ x, exclusive: true })))
    })

    it('scans again what has changed, by the same buffers, in a batch', async () => {
      const n = 2 * source.SCAN_ONCE_TILE + 4
      const values = [small(1, n), small(2, n), small(3, n)]
      const x = runtime.buffer(Float32Array, n)
      const y = values.map(() => runtime.buffer(Float32Array, n))
      await runtime.batch(async () => {
        for (const [i, value] of values.entries()) {
          await x.write(value)
          await scanBy('once', runtime, { x, y: y[i]!, n }, own)
        }
      })
      for (const [i, value] of values.entries())
        expect(await y[i]!.read(Float32Array)).toEqual(Float32Array.from(kernels.scanReference({ x: value })))
    })

    it('scans u32 in one pass, with sums that wrap round', async () => {
      const n = source.SCAN_ONCE_TILE + 9
      const values = integers(1, n + 3, 2 ** 32)
      const y = runtime.buffer(Uint32Array, n + 3)
      await scanU32('once', runtime, { x: runtime.buffer(values), y, n }, own)
      let sum = 0
      const expected = values.map((v) => {
        const before = sum
        sum = (sum + v) % 2 ** 32
        return before
      })
      expect((await y.read(Uint32Array)).subarray(0, n)).toEqual(expected.subarray(0, n))
    })
  },
)
