import { cpu } from '@weft/codegen/interp'
import {
  dequantizeWeights,
  type PackedWeights,
  type QuantizedWeights,
  quantizeWeights,
  uploadWeights,
  type WordFormat,
} from '@weft/kernels'
import { createRuntime, type DeviceBuffer, type Runtime } from '@weft/runtime'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { uniform } from '../../packages/kernels/src/testing/index.js'

const FORMATS = ['int8', 'uint8', 'int4', 'int4_zeros'] as const
/** [n, k], group: whole words and rows that end within one, several groups, and nothing. */
const SHAPES: readonly (readonly [number, number, number])[] = [
  [3, 64, 32],
  [2, 70, 32],
  [1, 1, 8],
  [5, 300, 8],
  [0, 16, 8],
  [4, 0, 8],
]

let runtime: Runtime
beforeAll(async () => {
  runtime = await createRuntime({ device: cpu() })
})
afterAll(() => runtime.destroy())

const packed = <F extends WordFormat>(format: F, [n, k, group]: readonly [number, number, number] = [2, 70, 32]) =>
  quantizeWeights(format, uniform(1, n * k, -1, 2), { n, k, ...(format.startsWith('int4') && { group }) })

describe('weights on a device', () => {
  it.each(FORMATS)('of %s are those of the host', async (format) => {
    for (const shape of SHAPES) {
      const host = packed(format, shape)
      const { [Symbol.dispose]: destroy, w, scales, zeros, ...rest } = uploadWeights(runtime, host)
      const parts = { w: await w.read(), scales: await scales.read(), ...(zeros ? { zeros: await zeros.read() } : {}) }
      expect({ ...rest, ...parts }).toEqual(host)
      expect(dequantizeWeights({ ...rest, ...parts } as PackedWeights)).toEqual(dequantizeWeights(host))
      destroy()
    }
  })

  it('have names, and are gone with the block that uses them', () => {
    const before = runtime.leaks().length
    {
      using weights = uploadWeights(runtime, packed('int4_zeros'))
      const { w, scales, zeros } = weights
      expect([w.label, scales.label, zeros.label]).toEqual(
        ['w', 'scales', 'zeros'].map((part) => `int4_zeros weights, ${part}`),
      )
      expect(runtime.leaks()).toHaveLength(before + 3)
    }
    expect(runtime.leaks()).toHaveLength(before)
  })

  it('are typed by their format', () => {
    const [bytes, affine] = [uploadWeights(runtime, packed('int8')), uploadWeights(runtime, packed('uint8'))]
    expectTypeOf(affine.zeros).toEqualTypeOf<DeviceBuffer<Int32Array<ArrayBuffer>>>()
    expectTypeOf(bytes.zeros).toEqualTypeOf<undefined>()
    expectTypeOf(bytes.w).toEqualTypeOf<DeviceBuffer<Uint32Array<ArrayBuffer>>>()
    // what functions over weights take, as it is, spread, and with buffers of the caller's own
    expectTypeOf(bytes).toExtend<QuantizedWeights>()
    expectTypeOf(affine).toExtend<QuantizedWeights>()
    const own = { ...packed('int8'), w: bytes.w, scales: bytes.scales }
    expectTypeOf(own).toExtend<QuantizedWeights>()
    expectTypeOf({ ...affine }).toExtend<QuantizedWeights>()
    const any: PackedWeights = packed('uint8')
    expectTypeOf(uploadWeights(runtime, any)).toExtend<QuantizedWeights>()
  })
})

describe('what is refused, before anything is uploaded', () => {
  const [bytes, affine] = [packed('int8'), packed('int4_zeros')]
  it.each<[string, object, string]>([
    ['another format', { ...bytes, format: 'int5' }, "format must be one of int8, uint8, int4, int4_zeros, got 'int5'"],
    ['a key that there is not', { ...bytes, zero: 1 }, "there is no 'zero'"],
    [
      'words of another class',
      { ...bytes, w: new Uint8Array(bytes.w.buffer) },
      'w must be a Uint32Array, got a Uint8Array',
    ],
    ['a row too few', { ...bytes, n: 3 }, 'w must have 54 elements, and has 36'],
    ['scales of other groups', { ...affine, group: 16 }, 'scales must have 10 elements, and has 6'],
    ['no zero points', { ...affine, zeros: undefined }, 'zeros must be a Uint32Array, got undefined'],
    ['too many of them', { ...affine, zeros: new Uint32Array(3) }, 'zeros must have 2 elements, and has 3'],
    ['zero points of a symmetric format', { ...bytes, zeros: affine.zeros }, 'int8 has no zero points, got some'],
    ['no group', { ...affine, group: 0 }, 'group must be an integer from 1 on, got 0'],
  ])('%s', (_, weights, message) => {
    const { live } = runtime.stats.buffers
    expect(() => uploadWeights(runtime, weights as PackedWeights<'int8'>)).toThrow(
      `bad-argument: uploadWeights: ${message}`,
    )
    expect(runtime.stats.buffers.live).toBe(live)
  })
})
