import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxError, normal, uniform } from '../../packages/kernels/src/testing/index.js'
import { missing } from '../engines/install.js'

const why = missing('dawn')
const sources = new Map(
  [
    ...source.quantized,
    ...source.quantLines,
    ...source.quantOneRow,
    ...source.quantTwoRows,
    ...source.blockKernels,
    ...source.blockLines,
    ...source.blockOneRow,
    ...source.blockTwoRows,
    ...source.blockQuantizers,
    ...source.matmuls,
    ...source.gemvs,
  ].map((kernel) => [kernel.name, kernel]),
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
  const empty = (n: number) => runtime.buffer(new Float32Array(n).fill(777))
  async function same(buffer: ReturnType<typeof empty>, expected: Float64Array) {
    expect(maxError(await buffer.read(Float32Array), expected).relative).toBeLessThan(1e-5)
  }

  const sizes = { n: 5, k: 256 }
  const x = uniform(1, sizes.n * sizes.k, -1, 1)

  /** Weights on the device in every format, and what they are. */
  function* words(): Generator<readonly [kernels.QuantizedWeights, Float64Array]> {
    for (const format of ['int8', 'uint8', 'int4', 'int4_zeros'] as const) {
      const packed = kernels.quantizeWeights(format, x, { ...sizes, ...(format.startsWith('int4') && { group: 64 }) })
      yield [kernels.uploadWeights(runtime, packed), kernels.dequantizeWeights(packed)]
    }
  }
  function* blocks(): Generator<readonly [kernels.BlockWeights, Float64Array]> {
    for (const format of Object.keys(kernels.BLOCKS) as kernels.BlockName[]) {
      const packed = kernels.packBlocks(format, x)
      yield [{ format, ...sizes, w: upload(packed) }, kernels.unpackBlocks(format, packed, x.length)]
    }
  }

  it('dequantize, in every format', async () => {
    for (const [weights, values] of words()) {
      const y = empty(values.length)
      await kernels.dequantize(runtime, { weights, y }, own)
      await same(y, values)
    }
    for (const [weights, values] of blocks()) {
      const y = empty(values.length)
      await kernels.dequantizeBlocks(runtime, { weights, y }, own)
      await same(y, values)
    }
  })

  it('products with one row, few and many, and with none', async () => {
    const { n, k } = sizes
    for (const m of [0, 1, 5, 9]) {
      const [a, bias] = [normal(2, m * k), normal(3, n)]
      const args = { x: upload(a), bias: upload(bias), m }
      for (const [weights, b] of words()) {
        const y = empty(m * n)
        await kernels.quantizedMatmul(runtime, { ...args, weights, y }, own)
        if (m > 0) await same(y, kernels.matmulReference({ a, b, bias, m, n, k, transposeB: true }))
      }
      for (const [weights, b] of blocks()) {
        const y = empty(m * n)
        await kernels.blockMatmul(runtime, { ...args, weights, y }, own)
        if (m > 0) await same(y, kernels.matmulReference({ a, b, bias, m, n, k, transposeB: true }))
      }
    }
  })

  it.each([
    [1, 'lines', 'matvec1'],
    [1, 'held', 'matvec1'],
    [3, 'held', 'matvec2'],
    [9, 'held', 'matvec2'],
  ])('%d rows by what was measured: %s', async (m, way, kernel) => {
    const { n, k } = sizes
    const a = normal(2, m * k)
    const used: (string | undefined)[] = []
    const find = (_: string, __: string, ___: unknown, among: readonly string[]) => {
      used.push(among.find((name) => name.endsWith(way)))
      return used.at(-1)
    }
    for (const [weights, b] of words()) {
      const y = empty(m * n)
      await kernels.quantizedMatmul(runtime, { x: upload(a), m, weights, y }, { ...own, tuning: { find } })
      await same(y, kernels.matmulReference({ a, b, m, n, k, transposeB: true }))
    }
    // of two rows at once, whose kernels take long to compile on a CPU, these are enough
    for (const [weights, b] of m === 1 ? blocks() : []) {
      const y = empty(m * n)
      await kernels.blockMatmul(runtime, { x: upload(a), m, weights, y }, { ...own, tuning: { find } })
      await same(y, kernels.matmulReference({ a, b, m, n, k, transposeB: true }))
    }
    const formats = ['int8', 'int4', 'int4_zeros', ...(m === 1 ? Object.keys(kernels.BLOCKS) : [])]
    expect(used).toEqual(formats.map((format) => `${kernel}_${format}_${way}`))
  })

  it('the gradient of the input of a layer', async () => {
    const { n, k } = sizes
    for (const m of [1, 9]) {
      const dy = normal(4, m * n)
      for (const [weights, b] of words()) {
        const dx = empty(m * k)
        await kernels.quantizedMatmulBackward(runtime, { weights, dy: upload(dy), dx, m }, own)
        await same(dx, kernels.matmulReference({ a: dy, b, m, n: k, k: n }))
      }
    }
  })

  it('[case-S31] rows by their ids, zeros for an id outside of the table', async () => {
    const { n, k } = sizes
    const ids = [4, n, 0, 0xffff_ffff]
    const expected = (values: Float64Array) =>
      Float64Array.from({ length: ids.length * k }, (_, i) => {
        const id = ids[Math.floor(i / k)] as number
        return id < n ? (values[id * k + (i % k)] as number) : 0
      })
    const at = { index: upload(Uint32Array.from(ids)), count: ids.length }
    for (const [weights, values] of words()) {
      const y = empty(ids.length * k)
      await kernels.quantizedEmbedding(runtime, { ...at, weights, y }, own)
      await same(y, expected(values))
    }
    for (const [weights, values] of blocks()) {
      const y = empty(ids.length * k)
      await kernels.blockEmbedding(runtime, { ...at, weights, y }, own)
      await same(y, expected(values))
    }
  })

  it('[case-S30] blocks that begin at no legal offset of a binding', async () => {
    const packed = kernels.packBlocks('q4_0', x)
    const file = new Uint8Array(3 * 18 + packed.length).fill(0xff)
    file.set(packed, 3 * 18)
    const y = empty(x.length)
    const weights = { format: 'q4_0', w: upload(file), offset: 3 * 18, ...sizes } as const
    await kernels.dequantizeBlocks(runtime, { weights, y }, own)
    await same(y, kernels.unpackBlocks('q4_0', packed, x.length))
  })

  it('blocks made on the device are those of the host, and what products and embeddings take', async () => {
    const { n, k } = sizes
    for (const format of ['q8_0', 'q4_0'] as const)
      for (const [rows, offset] of [
        [n, 0],
        [1, 12],
        [0, 0],
      ] as const) {
        // an odd number of blocks of 34 or 18 bytes ends within a word
        const cols = rows === 1 ? 32 : k
        const values = x.subarray(0, rows * cols)
        const packed = kernels.packBlocks(format, values)
        const file = new Uint8Array(Math.ceil((offset + packed.length) / 4) * 4 + 4).fill(0xff)
        const expected = file.slice()
        expected.set(packed, offset)
        const w = upload(file)
        await kernels.quantizeBlocks(runtime, { format, x: upload(values), w, offset, n: rows, k: cols }, own)
        expect(await w.read()).toEqual(expected)
        const y = empty(values.length)
        const weights = { format, w, offset, n: rows, k: cols }
        await kernels.dequantizeBlocks(runtime, { weights, y }, own)
        if (rows > 0) await same(y, kernels.unpackBlocks(format, packed, values.length))
      }
    const x4 = upload(x)
    const args = { format: 'q4_0', x: x4, w: empty(1280), n: 1, k: 32 } as const
    const bad = (more: object, text: string) =>
      expect(kernels.quantizeBlocks(runtime, { ...args, ...more }, own)).rejects.toThrow(text)
    await bad({ format: 'q5_0' }, "quantizeBlocks: format must be one of q8_0, q4_0, got 'q5_0'")
    await bad({ k: 33 }, 'quantizeBlocks: k must be a multiple of 32, the block of q4_0, got 33')
    await bad({ offset: 2 }, 'quantizeBlocks: offset must be a multiple of 4, got 2')
    await bad({ n: 100 }, 'quantizeBlocks: x must have 3200 elements, and has 1280')
    await bad({ n: 2 ** 27 }, 'quantizeBlocks: n · k must be less than 2³², got 4294967296')
    await bad({ type: 'f64' }, "quantizeBlocks: type must be one of f32, f16, got 'f64'")
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const w = upload(new Uint32Array(16))
    const int4 = { format: 'int4', w, scales: w, n: 2, k: 64, group: 32 } as const
    const by = { x: w, y: empty(4), m: 1 }
    const bad = (more: object, text: string, other: object = {}) =>
      expect(kernels.quantizedMatmul(runtime, { weights: { ...int4, ...more }, ...by, ...other }, own)).rejects.toThrow(
        text,
      )
    await bad({ format: 'int2' }, "format must be one of int8, uint8, int4, int4_zeros, got 'int2'")
    await bad({ group: 12 }, 'quantizedMatmul: group must be a multiple of 8, got 12')
    await bad({ group: undefined }, 'group must be a multiple of 8, got undefined')
    await bad({ format: 'int4_zeros' }, 'int4_zeros has zero points, got none')
    await bad({ zeros: w }, 'int4 has no zero points, got some')
    await bad({ n: 3 }, 'quantizedMatmul: w must have 24 elements, and has 16')
    await bad({}, 'quantizedMatmul: x must have 128 elements, and has 16', { m: 2 })
    await bad({ k: -1 }, 'k must be an integer from 0 on, got -1')
    await bad({}, "type must be one of f32, f16, got 'f64'", { type: 'f64' })
    const blocks = { format: 'q4_k', w, n: 1, k: 256 } as const
    const wrong = (more: object, text: string) =>
      expect(kernels.blockMatmul(runtime, { weights: { ...blocks, ...more }, ...by }, own)).rejects.toThrow(text)
    await wrong({ k: 128 }, 'k must be a multiple of 256, the block of q4_k, got 128')
    await wrong({ offset: 3 }, 'offset must be a multiple of 2 from 0 on, got 3')
    await wrong({}, 'blockMatmul: w must have 144 bytes, and has 64')
    await wrong({ format: 'q3_k' }, 'format must be one of q4_0, q5_0')
    await runtime.idle()
  })
}

describe('quantized weights on the interpreter', () => hostFunctions(() => createRuntime({ device: cpu() }), false))
describe.skipIf(why !== undefined)(`quantized weights on Dawn${why ? ` (${why})` : ''}`, () =>
  hostFunctions(() => createRuntime(), true),
)
