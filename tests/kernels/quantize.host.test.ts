import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { integers, maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { missing } from '../engines/install.js'

const why = missing('dawn')
const sources = new Map(
  [...source.quantizers, ...source.dynamicMatmuls, source.addInt8, source.reluInt8].map((kernel) => [
    kernel.name,
    kernel,
  ]),
)

function hostFunctions(open: () => Promise<Runtime>, ships: boolean): void {
  let runtime: Runtime
  beforeAll(async () => {
    runtime = await open()
  })
  afterAll(() => runtime.destroy())

  const own = ships
    ? {}
    : {
        kernels: (name: string) => {
          const kernel = sources.get(name)
          return kernel && compile(kernel)
        },
      }
  const upload = (data: ArrayBufferView) => runtime.buffer(data)

  it('quantizes on the device as on the host, but for what lies between two integers', async () => {
    for (const [n, k] of [
      [3, 70],
      [1, 1],
      [2, 129],
      [0, 5],
      [2, 0],
    ] as const)
      for (const format of ['int8', 'uint8', 'int4', 'int4_zeros'] as const) {
        const x = uniform(1, n * k, -1, 2)
        const expected = kernels.quantizeWeights(format, x, { n, k, ...(format.startsWith('int4') && { group: 32 }) })
        const [w, scales] = [
          runtime.buffer(Uint32Array, expected.w.length),
          runtime.buffer(Float32Array, expected.scales.length),
        ]
        const zeros = expected.zeros && runtime.buffer(Uint32Array, expected.zeros.length)
        const to = { format, w, scales, ...(zeros ? { zeros } : {}) }
        await kernels.quantize(runtime, { ...to, x: upload(x), lines: n, k, group: 32 }, own)
        const actual = { ...expected, w: await w.read(), scales: await scales.read() }
        expect(maxError(actual.scales, expected.scales).relative).toBeLessThan(1e-6)
        if (zeros)
          expect([...(await zeros.read())].map((z) => z | 0)).toEqual([...(expected.zeros ?? [])].map((z) => z | 0))
        const [values, same] = [kernels.dequantizeWeights(actual), kernels.dequantizeWeights(expected)]
        const groups = Math.ceil(k / expected.group)
        values.forEach((value, i) => {
          const scale = expected.scales[Math.floor(i / k) * groups + Math.floor((i % k) / expected.group)] as number
          const between = Math.abs((Math.abs((x[i] as number) / scale) % 1) - 0.5) < 1e-4
          expect(Math.abs(value - (same[i] as number))).toBeLessThanOrEqual((between ? 1.001 : 0.001) * scale)
        })
      }
  })

  it('products in integers, of rows whose integers are known', async () => {
    for (const [m, n, k] of [
      [3, 5, 70],
      [9, 2, 32],
      [1, 1, 4],
      [2, 3, 0],
      [0, 3, 4],
    ] as const)
      for (const format of ['int8', 'int4', 'int4_zeros'] as const) {
        const q = Float32Array.from(integers(1, m * k, 256), (v) => v - 128)
        for (let i = 0; i < m; i++) if (k > 1) q.set([-128, 127], i * k)
        const packed = kernels.quantizeWeights(format, uniform(2, n * k, -1, 2), {
          n,
          k,
          ...(format.startsWith('int4') && { group: 32 }),
        })
        const bias = uniform(3, n, -1, 1)
        const y = runtime.buffer(new Float32Array(m * n).fill(777))
        const weights = kernels.uploadWeights(runtime, packed)
        await kernels.dynamicMatmul(runtime, { weights, x: upload(q), bias: upload(bias), y, m }, own)
        const expected = kernels.dynamicMatmulReference({ x: q, weights: packed, bias, m })
        const actual = await y.read(Float32Array)
        if (m > 0) expect(maxError(actual, expected).relative).toBeLessThan(1e-5)
      }
  })

  it('int8 sums and rectified values', async () => {
    const x = { data: upload(Uint32Array.of(0x7f80_01ff)), scale: 1, zero: 1 }
    const y = { data: upload(Uint32Array.of(0x0102_0304)), scale: 2, zero: 0 }
    const [sum, positive] = [runtime.buffer(Uint32Array, 1), runtime.buffer(Uint32Array, 1)]
    await kernels.addInt8(runtime, { x, y, out: { data: sum, scale: 1, zero: -1 }, n: 4 }, own)
    // bytes from the low end: (-1 - 1) + 8 - 1, (1 - 1) + 6 - 1, (-128 - 1) + 4 - 1, (127 - 1) + 2 - 1
    expect([...kernels.unpackBytes(await sum.read(), 1, 4)].map((v) => (v << 24) >> 24)).toEqual([5, 5, -126, 127])
    await kernels.reluInt8(runtime, { x, out: { data: positive, scale: 1, zero: 0 }, n: 4 }, own)
    expect([...kernels.unpackBytes(await positive.read(), 1, 4)]).toEqual([0, 0, 0, 126])
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = upload(new Float32Array(64))
    const more = () => upload(new Float32Array(64))
    const base = { format: 'int4', x, w: more(), scales: more(), lines: 1, k: 64, group: 32 } as const
    const bad = (more: object, text: string) =>
      expect(kernels.quantize(runtime, { ...base, ...more }, own)).rejects.toThrow(text)
    await bad({ group: 30 }, 'quantize: group must be a multiple of 8, got 30')
    await bad({ lines: 2 }, 'quantize: x must have 128 elements, and has 64')
    await bad({ format: 'uint8' }, 'uint8 has zero points, got none')
    await bad({ type: 'f64' }, "quantize: type must be one of f32, f16, got 'f64'")
    const weights = { format: 'int4', w: x, scales: x, n: 1, k: 64, group: 8 } as const
    const by = { x, y: more(), m: 1 }
    const wrong = (more: object, text: string) =>
      expect(kernels.dynamicMatmul(runtime, { weights: { ...weights, ...more }, ...by }, own)).rejects.toThrow(text)
    await wrong({}, 'dynamicMatmul: group must be a multiple of 32, got 8')
    await wrong({ format: 'uint8', zeros: x }, 'format must be int8, int4 or int4_zeros, got uint8')
    const tensor = { data: x, scale: 1, zero: 0 }
    await expect(
      kernels.reluInt8(runtime, { x: { ...tensor, zero: 200 }, out: { ...tensor, data: more() }, n: 4 }, own),
    ).rejects.toThrow('reluInt8: x.zero must be an integer from -128 to 127, got 200')
    await expect(
      kernels.addInt8(runtime, { x: tensor, y: { ...tensor, scale: 0 }, out: { ...tensor, data: more() }, n: 4 }, own),
    ).rejects.toThrow('addInt8: y.scale must be a finite number above 0, got 0')
    await runtime.idle()
  })
}

describe('quantizing on the interpreter', () => hostFunctions(() => createRuntime({ device: cpu() }), false))
describe.skipIf(why !== undefined)(`quantizing on Dawn${why ? ` (${why})` : ''}`, () =>
  hostFunctions(() => createRuntime(), true),
)
