import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import {
  chooseFast,
  chooseMatmul,
  type FastDevice,
  type MatmulArgs,
  matmul,
  matmulReference,
  tuningOf,
} from '@weft/kernels'
import {
  blockedMatmuls,
  matmulAlign,
  matmulAlignHalf,
  matmulReduce,
  matmulReduceHalf,
  matrixMatmuls,
  wholeMatmuls,
} from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { f16s, fromF16 } from '../parity/data.js'

/** A large GPU, as far as choices go. */
const gpu: FastDevice = {
  software: false,
  features: ['chromium-experimental-subgroup-matrix', 'shader-f16', 'subgroups'],
  languageFeatures: ['subgroup_id'],
  subgroupMatrices: ['f16 f32 16x16x16'],
  limits: {
    ...{ maxComputeWorkgroupStorageSize: 49152, maxComputeInvocationsPerWorkgroup: 1024, maxSubgroupSize: 32 },
    ...{ maxComputeWorkgroupSizeX: 1024, maxComputeWorkgroupSizeY: 1024, maxComputeWorkgroupSizeZ: 64 },
    ...{ maxStorageBuffersPerShaderStage: 16, maxUniformBuffersPerShaderStage: 12 },
  },
}

const sources = new Map(
  [
    ...blockedMatmuls,
    ...wholeMatmuls,
    ...matrixMatmuls,
    matmulAlign,
    matmulAlignHalf,
    matmulReduce,
    matmulReduceHalf,
  ].map((s) => [s.name, s]),
)

describe('matmul by the fast kernels, on the interpreter', () => {
  let runtime: Runtime
  const ran: string[] = []
  const options = {
    device: gpu,
    kernels: (name: string) => {
      const source = sources.get(name)
      ran.push(name)
      return source && compile(source)
    },
  }
  beforeAll(async () => {
    runtime = await createRuntime({ device: cpu() })
  })
  afterAll(() => runtime.destroy())

  type Sizes = readonly [m: number, n: number, k: number, batch?: number]
  async function compare([m, n, k, batch = 1]: Sizes, more: Partial<MatmulArgs>, half = false): Promise<string[]> {
    ran.length = 0
    const values = (seed: number, count: number) => uniform(seed, count, -1, 1)
    const given = [values(1, batch * m * k), values(2, batch * k * n), values(3, n), values(4, batch * m * n)]
    const stored = given.map((x) => (half ? f16s(...x) : x))
    const [a, b, bias, residual] = stored.map((x) => runtime.buffer(x as Float32Array))
    const c = runtime.buffer(half ? new Uint16Array(batch * m * n) : new Float32Array(batch * m * n))
    const sizes = { m, n, k, batch, alpha: 0.5, ...(half ? { type: 'f16' as const } : {}) }
    const after = more.activation ? { bias, residual } : {}
    await matmul(runtime, { a, b, c, ...after, ...sizes, ...more } as MatmulArgs, options)
    const [x, y, z, r] = stored.map((s) => (s instanceof Uint16Array ? fromF16(s) : s)) as Float32Array[]
    const { transposeA = false, transposeB = false, activation = 'none' } = more
    const expected = matmulReference({
      ...{ a: x as Float32Array, b: y as Float32Array, m, n, k, batch, alpha: 0.5, transposeA, transposeB, activation },
      ...(activation === 'none' ? {} : { bias: z as Float32Array, residual: r as Float32Array }),
    })
    const actual = half ? fromF16(await c.read(Uint16Array)) : await c.read(Float32Array)
    expect(maxError(actual, expected).relative).toBeLessThan(half ? 2 ** -9 : 1e-5)
    return [...ran]
  }

  it('f32: whole rows as they are, others copied first or joined afterwards, parts of a long k', async () => {
    expect(await compare([12, 20, 24, 2], {})).toEqual(['matmul_block_32'])
    expect(await compare([12, 20, 23], { transposeB: true })).toEqual([
      'matmul_align',
      'matmul_align',
      'matmul_block_32',
    ])
    expect(await compare([12, 21, 24], {})).toEqual(['matmul_align', 'matmul_block_32', 'matmul_reduce'])
    expect(await compare([12, 20, 24], { activation: 'relu' })).toEqual(['matmul_block_32', 'matmul_reduce'])
    expect(await compare([12, 20, 520], { transposeA: true })).toEqual(['matmul_block_32', 'matmul_reduce'])
  })

  it('f16: the same by subgroup matrices, with all that may follow', async () => {
    expect(await compare([16, 24, 24, 2], { activation: 'silu' }, true)).toEqual(['matmul_matrix_nn_f16_few'])
    expect(await compare([12, 24, 23], { transposeB: true }, true)).toEqual([
      ...['matmul_align_f16', 'matmul_align_f16', 'matmul_matrix_nt_f16_few'],
    ])
    expect(await compare([16, 21, 24], { transposeA: true, activation: 'gelu' }, true)).toEqual([
      ...['matmul_align_f16', 'matmul_matrix_tn_f16_few_split', 'matmul_reduce_f16'],
    ])
  })

  it('refuses sums that there are not', async () => {
    const x = runtime.buffer(new Float32Array(4))
    await expect(
      matmul(runtime, { a: x, b: x, c: runtime.buffer(Float32Array, 1), m: 1, n: 1, k: 1, sums: 'f16' }),
    ).rejects.toThrow('matmul: sums must be f32, or f16 of f16, got f16 of f32')
  })

  it('a residual that is the result is added to it', async () => {
    const [m, n, k] = [16, 24, 16]
    const [a, b, c] = [1, 2, 3].map((seed) =>
      f16s(...uniform(seed, seed === 1 ? m * k : seed === 2 ? k * n : m * n, -1, 1)),
    )
    const result = runtime.buffer(c as Uint16Array)
    const args = {
      a: runtime.buffer(a as Uint16Array),
      b: runtime.buffer(b as Uint16Array),
      c: result,
      residual: result,
    }
    await matmul(runtime, { ...args, m, n, k, type: 'f16' }, options)
    const [x, y, r] = [a, b, c].map((s) => fromF16(s as Uint16Array)) as [number[], number[], number[]]
    const expected = matmulReference({ a: x, b: y, residual: r, m, n, k })
    expect(maxError(fromF16(await result.read(Uint16Array)), expected).relative).toBeLessThan(2 ** -9)
  })
})

describe('chooseFast', () => {
  const problem = { batch: 1, transposeA: false, transposeB: false, type: 'f32', epilogue: false } as const
  const way = (m: number, n: number, k: number, more = {}, device = gpu) => {
    const choice = chooseFast({ ...problem, m, n, k, ...more }, device)
    return choice && [choice.kernel.name, choice.splits]
  }

  it('tiles by how many there are, parts of k where it is long', () => {
    expect(way(4096, 4096, 4095)).toEqual(['matmul_block_128', 1])
    expect(way(2048, 2000, 64)).toEqual(['matmul_block_128', 1])
    expect(way(1000, 1000, 1000)).toEqual(['matmul_block_64', 1])
    expect(way(1024, 1024, 1024)).toEqual(['matmul_block_64', 2])
    expect(way(768, 768, 768)).toEqual(['matmul_block_64', 3])
    expect(way(512, 512, 512)).toEqual(['matmul_block_32', 1])
    expect(way(256, 256, 256)).toEqual(['matmul_block_32', 1])
    expect(way(32, 4096, 4096)).toEqual(['matmul_block_32', 4])
    expect(way(256, 256, 16384)).toEqual(['matmul_block_64', 32])
    expect(way(4096, 4096, 4096, { type: 'f16', transposeB: true })).toEqual(['matmul_matrix_nt_f16', 1])
    expect(way(1024, 1024, 1024, { type: 'f16' })).toEqual(['matmul_matrix_nn_f16_small', 1])
    expect(way(512, 512, 512, { type: 'f16' })).toEqual(['matmul_matrix_nn_f16_few', 1])
    expect(way(32, 4096, 4096, { type: 'f16' })).toEqual(['matmul_matrix_nn_f16_few', 2])
    expect(way(64, 4096, 4096, { type: 'f16' })).toEqual(['matmul_matrix_nn_f16_few', 1])
    expect(way(256, 256, 16384, { type: 'f16' })).toEqual(['matmul_matrix_nn_f16_small', 32])
  })

  it('kernels for whole tiles where all are', () => {
    expect(way(4096, 4096, 4096)).toEqual(['matmul_block_128_nn_whole', 1])
    expect(way(2048, 2048, 16, { transposeB: true })).toEqual(['matmul_block_128_nt_whole', 1])
    expect(way(2048, 2048, 16, { transposeA: true })).toEqual(['matmul_block_128_tn_whole', 1])
    for (const more of [{ m: 4095 }, { n: 4100 }, { k: 4088 }, { transposeA: true, transposeB: true }])
      expect(way(4096, 4096, 4096, more)).toEqual(['matmul_block_128', 1])
  })

  it('what was measured counts more than the rule, for products in one piece', () => {
    const tuning = tuningOf({
      results: [
        ...[[1024, 'matmul_block_32'] as const, [256, 'matmul_block_64'] as const].map(([size, kernel]) => ({
          ...{ family: 'matmul', type: 'f32', shape: { m: size, n: size, k: size } },
          ...{ winner: { kernel }, candidates: [] },
        })),
        {
          ...{ family: 'matmul', type: 'f16', shape: { m: 1024, n: 1024, k: 1024 } },
          ...{ winner: { kernel: 'matmul_tile_of_mine' }, candidates: [{ kernel: 'matmul_matrix_nn_f16' }] },
        },
      ],
    })
    const tuned = (m: number, n: number, k: number, more = {}) => {
      const choice = chooseFast({ ...problem, m, n, k, ...more }, gpu, tuning)
      return choice && [choice.kernel.name, choice.splits]
    }
    expect(tuned(1000, 1000, 1000)).toEqual(['matmul_block_32', 1])
    expect(tuned(500, 1000, 1000, { batch: 2 })).toEqual(['matmul_block_32', 1])
    expect(tuned(4096, 4096, 4095)).toEqual(['matmul_block_128', 1])
    expect(tuned(256, 256, 256)).toEqual(['matmul_block_64', 1])
    // in parts by the rule, which were not measured
    expect(tuned(256, 256, 512)).toEqual(way(256, 256, 512))
    // whatever is transposed, and of the kernels that ship
    expect(tuned(1024, 1024, 1024, { type: 'f16', transposeB: true })).toEqual(['matmul_matrix_nt_f16', 1])
  })

  it('sums in f16 where they are asked for, and the device has them', () => {
    const both = { ...gpu, subgroupMatrices: [...gpu.subgroupMatrices, 'f16 f16 16x16x16'] }
    expect(way(4096, 4096, 4096, { type: 'f16', sums: 'f16' }, both)).toEqual(['matmul_matrix_nn_f16_sums', 1])
    expect(way(4096, 4096, 4096, { type: 'f16', sums: 'f16' })).toEqual(['matmul_matrix_nn_f16', 1])
    expect(way(4096, 4096, 4096, { type: 'f16' }, both)).toEqual(['matmul_matrix_nn_f16', 1])
  })

  it('nothing where there is nothing that is faster', () => {
    expect(way(4096, 4096, 4096, {}, { ...gpu, software: true })).toBeUndefined()
    expect(way(4096, 4096, 0)).toBeUndefined()
    const half = { type: 'f16' }
    expect(way(4096, 4096, 4096, { ...half, transposeA: true, transposeB: true })).toBeUndefined()
    for (const less of [
      { subgroupMatrices: ['f16 f32 16x8x16'] },
      { features: ['shader-f16'] },
      { limits: { ...gpu.limits, maxSubgroupSize: 64 } },
      { limits: { ...gpu.limits, maxComputeWorkgroupStorageSize: 16384 } },
    ])
      expect(way(4096, 4096, 4096, half, { ...gpu, ...less })).toBeUndefined()
  })

  it('few rows and columns keep kernels of their own', () => {
    expect(chooseMatmul({ ...problem, m: 8, n: 4096, k: 4096 }, gpu).way).toBe('rows')
    expect(chooseMatmul({ ...problem, m: 9, n: 4096, k: 4096 }, gpu).way).toBe('fast')
    expect(chooseMatmul({ ...problem, m: 9, n: 4096, k: 4096 }).way).toBe('split')
  })
})
