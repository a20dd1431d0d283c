import * as kernels from '@weft/kernels'
import { convolutions, copies, pools, resamplers } from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { beforeAll, expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { onDevices } from './devices.js'

onDevices('vision', [...convolutions, ...pools, ...resamplers, ...copies], ({ runtime: opened, options: own }) => {
  let runtime: Runtime
  beforeAll(() => {
    runtime = opened()
  })
  const empty = (n: number) => runtime.buffer(new Float32Array(n).fill(777))
  const close = async (buffer: ReturnType<typeof empty>, expected: ArrayLike<number>) =>
    expect(maxError(await buffer.read(Float32Array), expected).relative).toBeLessThan(1e-5)

  it('conv2d with a ReLU6, conv1d, and the transposed one', async () => {
    const shape = { items: 2, channels: 4, size: [6, 5], outs: 6, filter: [3, 3], groups: 2, pad: [1, 1] } as const
    const [x, weight, bias] = [uniform(1, 240, -3, 3), uniform(2, 108, -1, 1), uniform(3, 6, -1, 1)]
    const exact = kernels.conv2dReference({ ...shape, x, weight, bias })
    const y = empty(exact.length)
    const buffers = { x: runtime.buffer(x), weight: runtime.buffer(weight), bias: runtime.buffer(bias), y }
    expect(await kernels.conv2d(runtime, { ...shape, ...buffers, low: 0, high: 6 }, own)).toEqual([6, 5])
    await close(
      y,
      exact.map((v) => Math.min(Math.max(v, 0), 6)),
    )

    const line = { items: 1, channels: 2, outs: 3, filter: 4, stride: 3, pad: 2 }
    const [signal, taps] = [uniform(4, 40, -1, 1), uniform(5, 24, -1, 1)]
    const one = empty(21)
    const given = { x: runtime.buffer(signal), weight: runtime.buffer(taps), y: one, length: 20 }
    expect(await kernels.conv1d(runtime, { ...line, ...given }, own)).toBe(7)
    const flat = { items: 1, channels: 2, outs: 3, filter: [1, 4], stride: [1, 3], pad: [0, 2], size: [1, 20] } as const
    await close(one, kernels.conv2dReference({ ...flat, x: signal, weight: taps }))

    const up = { items: 1, channels: 2, outs: 3, filter: [2, 3], stride: [2, 3], size: [4, 5] } as const
    const spread = kernels.convTranspose2dReference({ ...up, x: signal, weight: uniform(6, 36, -1, 1), outPad: [1, 0] })
    const large = empty(spread.length)
    const args = { ...up, x: given.x, weight: runtime.buffer(uniform(6, 36, -1, 1)), y: large, outPad: [1, 0] as const }
    expect(await kernels.convTranspose2d(runtime, args, own)).toEqual([9, 15])
    await close(large, spread)
  })

  it('pools, upsampling, sampling by a grid, batch norm and pixel shuffle', async () => {
    const x = uniform(1, 60, -1, 1)
    const buffer = runtime.buffer(x)
    const [planes, size] = [3, [4, 5] as const]
    const [y, index] = [empty(12), runtime.buffer(Uint32Array, 12)]
    expect(await kernels.maxPool2d(runtime, { x: buffer, y, index, planes, size, filter: [2, 2] }, own)).toEqual([2, 2])
    const most = kernels.maxPool2dReference({ x, planes, size, filter: [2, 2] })
    await close(y, most.y)
    expect([...(await index.read())]).toEqual(most.index)
    await kernels.avgPool2d(runtime, { x: buffer, y, planes, size, filter: [2, 2] }, own)
    await close(y, kernels.avgPool2dReference({ x, planes, size, filter: [2, 2] }))
    await kernels.adaptiveAvgPool2d(runtime, { x: buffer, y, planes, size, out: [2, 2] }, own)
    await close(y, kernels.adaptiveAvgPool2dReference({ x, planes, size, out: [2, 2] }))
    const big = empty(3 * 63)
    await kernels.upsampleNearest2d(runtime, { x: buffer, y: big, planes, size, out: [7, 9] }, own)
    await close(big, kernels.upsampleNearestReference({ x, planes, size, out: [7, 9] }))
    for (const corners of [false, true]) {
      await kernels.upsampleBilinear2d(runtime, { x: buffer, y: big, planes, size, out: [7, 9], corners }, own)
      await close(big, kernels.upsampleBilinearReference({ x, planes, size, out: [7, 9], corners }))
    }
    const grid = uniform(2, 12, -1.2, 1.2)
    const spots = { items: 1, channels: 3, size, out: [2, 3], nearest: false, corners: true } as const
    const sampled = empty(18)
    await kernels.gridSample(runtime, { ...spots, x: buffer, grid: runtime.buffer(grid), y: sampled }, own)
    await close(sampled, kernels.gridSampleReference({ ...spots, x, grid }))
    const stats = [3, 4, 5, 6].map((seed) => uniform(seed, 3, 0.1, 1)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    const [mean, variance, weight, bias] = stats
    const [m, v, w, b] = stats.map((values) => runtime.buffer(values)) as never[]
    const sizes = { items: 1, channels: 3, places: 20 }
    await kernels.batchNorm(
      runtime,
      { x: buffer, mean: m!, variance: v!, weight: w!, bias: b!, y: buffer, ...sizes },
      own,
    )
    const exact = kernels.batchNormReference({ x, mean, variance, weight, bias, places: 20, eps: 1e-5 })
    await close(buffer as ReturnType<typeof empty>, exact)
    const tiles = runtime.buffer(Float32Array.from({ length: 8 }, (_, i) => i))
    const picture = empty(8)
    await kernels.pixelShuffle(
      runtime,
      { x: tiles, out: picture, items: 1, channels: 1, height: 1, width: 2, factor: 2 },
      own,
    )
    expect([...(await picture.read(Float32Array))]).toEqual([0, 2, 1, 3, 4, 6, 5, 7])
  })

  it('conv2d of i8', async () => {
    const x = Int8Array.from({ length: 20 }, (_, i) => i - 10)
    const weight = Int8Array.of(1, -2, 3, -4)
    const y = empty(12)
    const buffers = {
      x: runtime.buffer(x),
      weight: runtime.buffer(weight),
      weightScale: runtime.buffer(Float32Array.of(0.5)),
      y,
    }
    const shape = { items: 1, channels: 1, size: [4, 5], outs: 1, filter: [2, 2] } as const
    expect(await kernels.conv2dInt8(runtime, { ...shape, ...buffers, scale: 0.25, zero: 3 }, own)).toEqual([3, 4])
    const exact = kernels.conv2dReference({ ...shape, x: Array.from(x, (v) => v - 3), weight: [...weight] })
    await close(
      y,
      exact.map((v) => v / 8),
    )
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = runtime.buffer(Float32Array, 20)
    const shape = { x, weight: x, y: empty(20), items: 1, channels: 2, size: [2, 5], outs: 2, filter: [1, 1] } as const
    const bad = (promise: Promise<unknown>, text: string) => expect(promise).rejects.toThrow(text)
    await bad(
      kernels.conv2d(runtime, { ...shape, groups: 3 }, own),
      'conv2d: channels must be a multiple of groups = 3, got 2',
    )
    await bad(
      kernels.conv2d(runtime, { ...shape, filter: [3, 1] }, own),
      'the filter is larger than the image and its padding',
    )
    await bad(
      kernels.conv2d(runtime, { ...shape, stride: [0, 1] }, own),
      'conv2d: stride[0] must be an integer from 1 on, got 0',
    )
    await bad(kernels.conv2d(runtime, { ...shape, size: [3, 5] }, own), 'x must have 30 elements, and has 20')
    const pool = { x, y: empty(20), planes: 1, size: [4, 5], filter: [2, 2] } as const
    await bad(kernels.avgPool2d(runtime, { ...pool, pad: [2, 0] }, own), 'pad must be at most half of the filter')
    await bad(
      kernels.upsampleNearest2d(runtime, { x, y: empty(4), planes: 1, size: [0, 5], out: [2, 2] }, own),
      'has no elements to take',
    )
    await runtime.idle()
  })
})
