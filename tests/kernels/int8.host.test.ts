import * as kernels from '@weft/kernels'
import {
  addInt8,
  blockKernels,
  blockLines,
  blockQuantizers,
  convolutions,
  dynamicMatmuls,
  quantized,
  quantizers,
  quantLines,
  reluInt8,
} from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { integers, maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { f16sOf, fromF16 } from '../parity/data.js'
import { onDevices } from './devices.js'

/** What is quantized by one function goes on into the others: on the device, from floats to the result. */

const sources = [
  ...[...quantizers, ...quantized, ...quantLines, ...dynamicMatmuls],
  ...[...blockKernels, ...blockLines, ...blockQuantizers, ...convolutions, addInt8, reluInt8],
]

onDevices('quantized from end to end', sources, ({ runtime, options }) => {
  const own = options.kernels ? { kernels: options.kernels } : {}
  const upload = (data: ArrayBufferView) => runtime().buffer(data)
  const empty = (n: number) => upload(new Float32Array(n).fill(777))
  const [n, k, m, group] = [5, 96, 3, 32]
  const given = uniform(1, n * k, -1, 2)

  /** Weights quantized on the device from floats of a type, and what they are, from the words that were written. */
  async function weightsOf(format: kernels.WordFormat, type: 'f32' | 'f16') {
    const like = kernels.quantizeWeights(format, given, { n, k, ...(format.startsWith('int4') && { group }) })
    const [w, scales] = [
      runtime().buffer(Uint32Array, like.w.length),
      runtime().buffer(Float32Array, like.scales.length),
    ]
    const zeros = like.zeros && runtime().buffer(Uint32Array, like.zeros.length)
    const to = { format, w, scales, ...(zeros ? { zeros } : {}) }
    const x = upload(type === 'f16' ? f16sOf(given) : given)
    await kernels.quantize(runtime(), { ...to, x, lines: n, k, group, type }, own)
    const points = zeros && (format === 'uint8' ? new Int32Array((await zeros.read()).buffer) : await zeros.read())
    const read = { w: await w.read(), scales: await scales.read(), ...(points ? { zeros: points } : {}) }
    const packed = { ...like, ...read } as kernels.PackedWeights
    return { weights: { ...to, n, k, ...(format.startsWith('int4') ? { group } : {}) }, packed }
  }

  it.for(['f32', 'f16'] as const)(
    'weights of %s: embedded, multiplied, multiplied in integers',
    async (type, { skip }) => {
      skip(type === 'f16' && !runtime().info.features.includes('shader-f16'), 'the device has no shader-f16')
      const half = type === 'f16'
      const stored = (data: Float32Array) => upload(half ? f16sOf(data) : data)
      const numbers = async (buffer: ReturnType<typeof empty>, count: number) =>
        half ? fromF16(await buffer.read(Uint16Array)).slice(0, count) : [...(await buffer.read(Float32Array))]
      const room = (count: number) => (half ? upload(new Uint16Array(count + (count % 2))) : empty(count))
      // f16 rounds what goes in by 2⁻¹², and what comes out
      const near = half ? 2 ** -10 : 1e-5
      const [ids, bias] = [Uint32Array.of(4, 0, 9), uniform(3, n, -1, 1)]
      // integers from the least to the greatest in every row: they are what they are quantized to
      const x = Float32Array.from(integers(2, m * k, 256), (v) => v - 128)
      for (let i = 0; i < m; i++) x.set([-128, 127], i * k)
      for (const format of ['int8', 'uint8', 'int4', 'int4_zeros'] as const) {
        const { weights, packed } = await weightsOf(format, type)
        const values = kernels.dequantizeWeights(packed)
        // as far from the floats as half a step; from f16 they are a little off
        expect(Math.max(...values.map((v, i) => Math.abs(v - given[i]!)))).toBeLessThan(
          format.startsWith('int4') ? 0.15 : 0.01,
        )
        const rows = room(ids.length * k)
        const at = { index: upload(ids), count: ids.length, y: rows, type }
        await kernels.quantizedEmbedding(runtime(), { ...at, weights }, options)
        const picked = [...ids].flatMap((id) =>
          id < n ? [...values.subarray(id * k, (id + 1) * k)] : new Array<number>(k).fill(0),
        )
        expect(maxError(await numbers(rows, picked.length), picked).relative).toBeLessThan(near)

        const by = { x: stored(x), bias: stored(bias), m, type }
        const exact = kernels.matmulReference({
          a: x,
          b: values,
          bias: half ? fromF16(f16sOf(bias)) : bias,
          m,
          n,
          k,
          transposeB: true,
        })
        const y = room(m * n)
        await kernels.quantizedMatmul(runtime(), { ...by, weights, y }, options)
        expect(maxError(await numbers(y, m * n), exact).relative).toBeLessThan(near)
        if (format === 'uint8') continue
        const z = room(m * n)
        await kernels.dynamicMatmul(runtime(), { ...by, weights, y: z }, own)
        expect(maxError(await numbers(z, m * n), exact).relative).toBeLessThan(near)
      }
    },
  )

  it.each(['q8_0', 'q4_0'] as const)('%s blocks: made, embedded, multiplied', async (format) => {
    const { size, bytes } = kernels.BLOCKS[format]
    const w = runtime().buffer({ size: 4 * Math.ceil(((n * k) / size) * (bytes / 4)) })
    await kernels.quantizeBlocks(runtime(), { format, x: upload(given), w, n, k }, options)
    const weights = { format, w, n, k }
    const values = kernels.unpackBlocks(format, kernels.packBlocks(format, given), n * k)
    const [rows, y, x] = [empty(k), empty(m * n), uniform(2, m * k, -1, 1)]
    await kernels.blockEmbedding(runtime(), { weights, index: upload(Uint32Array.of(2)), count: 1, y: rows }, options)
    expect(maxError(await rows.read(Float32Array), values.subarray(2 * k, 3 * k)).relative).toBeLessThan(1e-6)
    await kernels.blockMatmul(runtime(), { weights, x: upload(x), y, m }, { ...own })
    const exact = kernels.matmulReference({ a: x, b: values, m, n, k, transposeB: true })
    expect(maxError(await y.read(Float32Array), exact).relative).toBeLessThan(1e-5)
  })

  it('a convolution of int8, in groups, with a bias and bounds, of images and weights that were quantized on the device', async () => {
    const shape = {
      items: 2,
      channels: 4,
      size: [5, 6],
      outs: 6,
      groups: 2,
      filter: [3, 2],
      stride: [2, 1],
      pad: [1, 1],
    } as const
    const [images, taps] = [2 * 4 * 5 * 6, (4 / 2) * 3 * 2]
    const [x, filters, bias] = [uniform(1, images, -1, 1), uniform(2, 6 * taps, -1, 1), uniform(3, 6, -1, 1)]
    // a line of whole words for each output channel is what a convolution takes where the taps fill words
    const quantized = async (values: Float32Array, lines: number) => {
      const [w, scales] = [runtime().buffer(Uint32Array, values.length / 4), runtime().buffer(Float32Array, lines)]
      const k = values.length / lines
      await kernels.quantize(runtime(), { format: 'int8', x: upload(values), w, scales, lines, k }, own)
      const packed = { format: 'int8', n: lines, k, group: k, w: await w.read(), scales: await scales.read() } as const
      return { w, scales, step: packed.scales[0] as number, values: kernels.dequantizeWeights(packed) }
    }
    const [image, weight] = [await quantized(x, 1), await quantized(filters, 6)]
    const y = empty(2 * 6 * 3 * 7)
    const args = { ...shape, x: image.w, weight: weight.w, weightScale: weight.scales, scale: image.step }
    const bounds = { low: -1.25, high: 2 }
    const out = await kernels.conv2dInt8(runtime(), { ...args, ...bounds, bias: upload(bias), y }, options)
    expect(out).toEqual([3, 7])
    const clamp = (sums: Float64Array) => sums.map((v) => Math.min(Math.max(v, bounds.low), bounds.high))
    const got = await y.read(Float32Array)
    expect(
      maxError(got, clamp(kernels.conv2dReference({ ...shape, x: image.values, weight: weight.values, bias })))
        .relative,
    ).toBeLessThan(1e-5)
    // and as far from that of floats as 12 products of values that are off by half of 1/127
    const floats = clamp(kernels.conv2dReference({ ...shape, x, weight: filters, bias }))
    expect(Math.max(...floats.map((v, i) => Math.abs(v - got[i]!)))).toBeLessThan(taps / 127)
  })

  it('int8 tensors: the sum of two that were quantized apart, and what is positive of it', async () => {
    const [a, b] = [uniform(5, 64, -1, 1), uniform(6, 64, -2, 2)]
    const tensor = (values: Float32Array) => {
      const params = kernels.affineParams(values, -128, 127)
      const q = kernels.quantizeReference(values, params)
      return { q, params, gpu: { data: upload(kernels.packBytes(q, 1, q.length)), ...params } }
    }
    const [x, y] = [tensor(a), tensor(b)]
    const out = { data: runtime().buffer(Uint32Array, 16), scale: 3 / 127, zero: 0 }
    const positive = { data: runtime().buffer(Uint32Array, 16), scale: 3 / 255, zero: -128 }
    await kernels.addInt8(runtime(), { x: x.gpu, y: y.gpu, out, n: 64 }, options)
    await kernels.reluInt8(runtime(), { x: out, out: positive, n: 64 }, options)
    const read = async ({ data, scale, zero }: typeof out) =>
      [...kernels.unpackBytes(await data.read(), 1, 64)].map((v) => (((v << 24) >> 24) - zero) * scale)
    const [sum, kept] = [await read(out), await read(positive)]
    // half a step of each of the four
    const steps = (x.params.scale + y.params.scale + out.scale) / 2 + 1e-6
    for (let i = 0; i < 64; i++) {
      expect(Math.abs(sum[i]! - (a[i]! + b[i]!))).toBeLessThan(steps)
      expect(Math.abs(kept[i]! - Math.max(a[i]! + b[i]!, 0))).toBeLessThan(steps + positive.scale / 2)
    }
  })
})
