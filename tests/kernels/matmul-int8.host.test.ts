import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import {
  chooseMatmulInt8,
  type FastDevice,
  type MatmulInt8Args,
  type MatmulInt8Options,
  type MatmulInt8ReferenceArgs,
  matmulInt8,
  matmulInt8Reference,
  packBytes,
  verdicts,
} from '@weft/kernels'
import { bytesMatmuls, dotsMatmuls, matmulInt8Align, matmulInt8Join, matmulInt8Turn } from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { describe, expect, it, vi } from 'vitest'
import { onDevices } from './devices.js'

const sources = [...dotsMatmuls, ...bytesMatmuls, matmulInt8Align, matmulInt8Join, matmulInt8Turn]

type Sizes = readonly [m: number, n: number, k: number, batch?: number]
type More = Partial<Pick<MatmulInt8ReferenceArgs, 'transposeA' | 'transposeB'>> & { readonly accumulate?: boolean }

const bytes = (seed: number, count: number) => Int8Array.from({ length: count }, (_, i) => i * 89 + seed * 37)

/** A product beside its reference, bit by bit. */
async function compare(runtime: Runtime, [m, n, k, batch = 1]: Sizes, more: More, options: MatmulInt8Options) {
  const { transposeA = false, transposeB = false, accumulate = false } = more
  const [x, y] = [bytes(1, batch * m * k), bytes(2, batch * k * n)]
  const held = Int32Array.from({ length: batch * m * n }, (_, i) => i * 999_983)
  const rows = (data: Int8Array, cols: number) =>
    runtime.buffer(packBytes(data, cols ? data.length / cols : 0, cols, 0x55))
  const [a, b, c] = [rows(x, transposeA ? m : k), rows(y, transposeB ? k : n), runtime.buffer(held)]
  await matmulInt8(runtime, { a, b, c, m, n, k, batch, ...more }, options)
  const product = { a: x, b: y, m, n, k, batch, transposeA, transposeB }
  expect(await c.read(Int32Array)).toEqual(matmulInt8Reference({ ...product, c: accumulate ? held : undefined }))
}

const transposes = [false, true].flatMap((transposeA) =>
  [false, true].map((transposeB) => ({ transposeA, transposeB })),
)

onDevices('matmulInt8', sources, ({ runtime, options }) => {
  it('[case-S22] any sizes and transposes, written or added to c, and empty dimensions', async () => {
    const sizes: readonly Sizes[] = [
      [1, 1, 1],
      [5, 66, 7, 2],
      [3, 2, 0],
      [0, 3, 2],
      [2, 0, 2],
      [2, 2, 2, 0],
    ]
    for (const size of sizes)
      for (const transposed of transposes)
        for (const accumulate of [false, true]) await compare(runtime(), size, { ...transposed, accumulate }, options)
  })

  it('[case-S27] operands beyond the binding limit, cut along any dimension', async () => {
    for (const transposed of transposes)
      for (const [size, accumulate] of [[[5, 33, 150, 2], true] as const, [[33, 9, 60], false] as const])
        await compare(runtime(), size, { ...transposed, accumulate }, { ...options, bindingLimit: 2048 })
  })

  it('strides: a matrix for all of the batch, rows with gaps, parts of a larger result', async () => {
    const [m, n, k, batch] = [3, 5, 6, 2]
    const [x, y] = [bytes(1, batch * m * 12), bytes(2, k * 8)]
    const c = runtime().buffer(new Int32Array(batch * m * 16).fill(7))
    const a = { data: runtime().buffer(new Uint32Array(x.buffer)), offset: 4, row: 12, batch: m * 12 }
    const b = { data: runtime().buffer(new Uint32Array(y.buffer)), batch: 0 }
    await matmulInt8(runtime(), { a, b, c: { data: c, offset: 9, row: 16, batch: m * 16 }, m, n, k, batch }, options)
    const part = (data: Int8Array, row: number, cols: number, from: number) =>
      Array.from(data).filter((_, i) => i % row >= from && i % row < from + cols)
    const expected = new Int32Array(batch * m * 16).fill(7)
    matmulInt8Reference({ a: part(x, 12, k, 4), b: part(y, 8, n, 0), m, n, k, batch }).forEach((value, i) => {
      expected[Math.floor(i / n) * 16 + 9 + (i % n)] = value
    })
    expect(await c.read()).toEqual(expected)
  })

  it('[case-S26] refuses what does not fit before anything is recorded', async () => {
    const x = runtime().buffer(new Uint32Array(3))
    const base = { a: x, b: x, c: runtime().buffer(new Int32Array(9)), m: 3, n: 3, k: 3 }
    const bad = (more: object, text: string) =>
      expect(matmulInt8(runtime(), { ...base, ...more } as MatmulInt8Args, options)).rejects.toThrow(text)
    await bad({ m: -1 }, 'matmulInt8: m must be an integer from 0 on, got -1')
    await bad({ k: 2 ** 32 }, 'matmulInt8: k must be less than 2³², got 4294967296')
    await bad({ k: 5 }, 'matmulInt8: a must have 24 bytes, and has 12')
    await bad({ n: 4, m: 4 }, 'matmulInt8: a must have 16 bytes, and has 12')
    await bad({ n: 4 }, 'matmulInt8: c must have 12 elements, and has 9')
    await bad({ a: { data: x, row: 2 } }, 'matmulInt8: a.row must be at least 3, the elements of a row, got 2')
    await bad(
      { b: { data: x, offset: 2 } },
      'matmulInt8: b.offset must be a multiple of 4, so that rows begin at whole words, got 2',
    )
    await bad({ a: { data: x, row: 7 } }, 'matmulInt8: a.row must be a multiple of 4')
    await bad({ batch: 2, m: 1, b: { data: x, batch: 0 }, c: { data: base.c, batch: 2 } }, 'let the 2 results overlap')
    await bad({ accumulated: true }, "matmulInt8: there is no 'accumulated'")
    await expect(matmulInt8(runtime(), base, { ...options, bindingLimit: 256 })).rejects.toThrow(
      'matmulInt8: a row of a has 3 bytes, and a binding may have 256 (maxStorageBufferBindingSize)',
    )
    await runtime().idle()
  })

  it('sums beyond i32 are taken modulo 2³²', async () => {
    // the interpreter takes a minute for a sum of this length: there it begins where 131,070 products have led
    const k = runtime().info.backend === 'cpu' ? 4 : 131_076
    const [x, y] = [new Int8Array(k).fill(-128), new Int8Array(k).fill(-128)]
    const [a, b] = [x, y].map((data) => runtime().buffer(packBytes(data, 1, k))) as [
      MatmulInt8Args['a'],
      MatmulInt8Args['b'],
    ]
    const held = Int32Array.of(k === 4 ? 2 ** 31 - 2 ** 15 : 0)
    const c = runtime().buffer(held)
    await matmulInt8(runtime(), { a, b, c, m: 1, n: 1, k, transposeB: true, accumulate: true }, options)
    const expected = matmulInt8Reference({ a: x, b: y, m: 1, n: 1, k, c: held })
    expect(expected[0]).toBeLessThan(0)
    expect(await c.read()).toEqual(expected)
  })
})

/** A large GPU, as far as choices go. */
const gpu: FastDevice = {
  software: false,
  features: ['chromium-experimental-subgroup-matrix', 'subgroups'],
  languageFeatures: ['subgroup_id'],
  subgroupMatrices: ['i8 i32 16x16x32'],
  limits: {
    ...{ maxComputeWorkgroupStorageSize: 49152, maxComputeInvocationsPerWorkgroup: 1024, maxSubgroupSize: 32 },
    ...{ maxComputeWorkgroupSizeX: 1024, maxComputeWorkgroupSizeY: 1024, maxComputeWorkgroupSizeZ: 64 },
    ...{ maxStorageBuffersPerShaderStage: 16, maxUniformBuffersPerShaderStage: 12 },
  },
}

describe('matmulInt8 by subgroup matrices, on the interpreter', () => {
  const compiled = new Map(sources.map((source) => [source.name, compile(source)]))

  async function ran(sizes: Sizes, more: More): Promise<readonly string[]> {
    using runtime = await createRuntime({ device: cpu() })
    const names: string[] = []
    const kernels = (name: string) => {
      names.push(name)
      return compiled.get(name)
    }
    await compare(runtime, sizes, more, { device: gpu, kernels })
    return names
  }

  it('rows of whole loads along k as they are, others copied or turned first, results that are no whole words joined', async () => {
    expect(await ran([16, 20, 32], { transposeB: true })).toEqual(['matmul_matrix_nt_i8_small'])
    expect(await ran([17, 32, 35, 2], {})).toEqual([
      ...['matmul_int8_align', 'matmul_int8_turn', 'matmul_matrix_nt_i8_small'],
    ])
    expect(await ran([20, 18, 33], { transposeA: true })).toEqual([
      ...['matmul_int8_turn', 'matmul_int8_turn', 'matmul_matrix_nt_i8_small', 'matmul_int8_join'],
    ])
    expect(await ran([20, 20, 32], { transposeA: true, transposeB: true })).toEqual([
      ...['matmul_int8_turn', 'matmul_matrix_nt_i8_small'],
    ])
    expect(await ran([16, 20, 32], { transposeB: true, accumulate: true })).toEqual([
      ...['matmul_matrix_nt_i8_small', 'matmul_int8_join'],
    ])
  })

  it('a matrix for all of the batch is copied once', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const [m, n, k, batch] = [16, 16, 20, 3]
    const [x, y] = [bytes(1, batch * m * k), bytes(2, k * n)]
    const [a, b] = [runtime.buffer(packBytes(x, batch * m, k)), runtime.buffer(packBytes(y, n, k))]
    const c = runtime.buffer(new Int32Array(batch * m * n))
    const kernels = (name: string) => compiled.get(name)
    const args = { a, b: { data: b, batch: 0 }, c, m, n, k, batch, transposeB: true }
    const made = vi.spyOn(runtime, 'buffer')
    await matmulInt8(runtime, args, { device: gpu, kernels })
    // rows of 20 bytes become rows of 32
    expect(made.mock.calls).toEqual([[{ size: batch * m * 32 }], [{ size: n * 32 }]])
    expect(await c.read(Int32Array)).toEqual(matmulInt8Reference({ a: x, b: y, m, n, k, batch, transposeB: true }))
  })

  it('parts of a long k, by matrices and by dot products, are joined', async () => {
    expect(await ran([16, 16, 560], { transposeB: true })).toEqual(['matmul_matrix_nt_i8_small', 'matmul_int8_join'])
    expect(await ran([5, 7, 530], { transposeA: true, accumulate: true })).toEqual([
      'matmul_int8_tn',
      'matmul_int8_join',
    ])
  })

  it('with verify, a kernel that is wrong on a small product is not used', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const right = compiled.get('matmul_matrix_nt_i8_small')
    const ir = Object.fromEntries(
      Object.entries(right?.ir ?? {}).map(([id, text]) => [id, text.replaceAll('"min"', '"max"')]),
    )
    expect(ir).not.toEqual(right?.ir)
    for (const kernel of [right, { ...right, hash: 'spoiled', ir }]) {
      const kernels = (name: string) => (name === right?.name ? kernel : compiled.get(name)) as typeof right
      await compare(runtime, [33, 20, 32], { transposeB: true }, { device: gpu, kernels, verify: true })
    }
    expect(verdicts(runtime).map(({ kernel, ok }) => [kernel, ok])).toEqual([
      ['matmul_matrix_nt_i8_small', true],
      ['matmul_matrix_nt_i8_small', false],
    ])
  })
})

describe('chooseMatmulInt8', () => {
  const way = (m: number, n: number, k: number, more = {}, device: FastDevice | undefined = gpu) => {
    const choice = chooseMatmulInt8({ m, n, k, batch: 1, transposeA: false, transposeB: false, ...more }, device)
    return [choice.kernel.name, choice.splits]
  }

  it('matrices where a device has them, large tiles where there are enough, parts of k where there are few', () => {
    expect(way(4096, 4096, 4096)).toEqual(['matmul_matrix_nt_i8', 1])
    expect(way(1024, 1024, 1024, { transposeB: true })).toEqual(['matmul_matrix_nt_i8_small', 1])
    expect(way(256, 256, 4096, { transposeA: true })).toEqual(['matmul_matrix_nt_i8_small', 16])
  })

  it('dot products elsewhere', () => {
    expect(way(4096, 4096, 15, { transposeA: true, transposeB: true })).toEqual(['matmul_int8_tt', 1])
    expect(way(8, 4096, 64)).toEqual(['matmul_int8_nn', 1])
    expect(way(4096, 4096, 0)).toEqual(['matmul_int8_nn', 1])
    expect(chooseMatmulInt8({ m: 64, n: 64, k: 4096, batch: 1, transposeA: false, transposeB: false }).splits).toBe(1)
    for (const less of [
      { software: true },
      { subgroupMatrices: ['f16 f32 16x16x16'] },
      { features: ['subgroups'] },
      { limits: { ...gpu.limits, maxSubgroupSize: 64 } },
    ])
      expect(way(4096, 4096, 4096, {}, { ...gpu, ...less })).toEqual(['matmul_int8_nn', 1])
  })
})
