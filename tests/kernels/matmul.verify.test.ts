import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { type FastDevice, type MatmulArgs, type MatmulOptions, matmul, matmulReference, verdicts } from '@weft/kernels'
import {
  blockedMatmuls,
  gemvs,
  matmulAlign,
  matmulAlignHalf,
  matmulReduce,
  matmulReduceHalf,
  matmuls,
  matrixMatmuls,
  wholeMatmuls,
} from '@weft/kernels/source'
import { createRuntime } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { matmulProblem } from '../../packages/kernels/src/matmul/trial.js'
import { solve } from '../../packages/kernels/src/problem.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import { tuningTo } from '../../packages/kernels/src/tuning/index.js'
import { f16s, fromF16 } from '../parity/data.js'

const fast = [
  ...blockedMatmuls,
  ...wholeMatmuls,
  ...matrixMatmuls,
  matmulAlign,
  matmulAlignHalf,
  matmulReduce,
  matmulReduceHalf,
]
const sources = new Map([...matmuls, ...gemvs, ...fast].map((source) => [source.name, source]))

/** A device with subgroup matrices, as far as choices go. */
const device: FastDevice = {
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
const kernels = (name: string) => {
  const source = sources.get(name)
  return source && compile(source)
}

it.each([
  ['f32', false, false],
  ['f32', true, true],
  ['f16', false, true],
  ['f16', true, false],
] as const)(
  'the trial of a product in %s, transposed %s and %s, is passed by the portable kernel',
  async (type, transposeA, transposeB) => {
    using runtime = await createRuntime({ device: cpu() })
    const run = (args: MatmulArgs) => matmul(runtime, args, { kernels })
    const { got, expected, bound } = await solve(runtime, matmulProblem({ type, transposeA, transposeB }), run)
    expect(got.length).toBe(expected.length)
    const parts = Array.from(expected, (value, i) => Math.abs((got[i] as number) - value) / bound(i))
    expect(Math.max(...parts)).toBeLessThanOrEqual(1)
    // not so lenient that a kernel which forgets one term of its sums would pass
    const one = Array.from(expected, (value, i) => (Math.abs(value) * 2 ** -9) / bound(i))
    expect(Math.max(...one)).toBeGreaterThan(1)
  },
)

describe('matmul with verify', () => {
  /** As it ships, but for its variant with subgroups, which takes the greatest part in place of the sum of all. */
  const spoiled = (name: string) => {
    const compiled = kernels(name)
    const { subgroups, portable = '' } = compiled?.ir ?? {}
    if (!compiled || !subgroups) return compiled
    const wrong = subgroups.replaceAll('subgroupAdd', 'subgroupMax')
    expect(wrong).not.toBe(subgroups)
    return { ...compiled, hash: `spoiled ${compiled.hash}`, ir: { subgroups: wrong, portable } }
  }

  async function largestError(
    runtime: Awaited<ReturnType<typeof createRuntime>>,
    sizes: Sizes,
    options: MatmulOptions,
  ) {
    const { m, n, k } = sizes
    const [a, b] = [uniform(1, m * k, -1, 1), uniform(2, k * n, -1, 1)]
    using c = runtime.buffer(Float32Array, m * n)
    using x = runtime.buffer(a)
    using y = runtime.buffer(b)
    await matmul(runtime, { a: x, b: y, c, ...sizes }, options)
    const expected = matmulReference({ a, b, ...sizes })
    const got = await c.read()
    return Math.max(...Array.from(expected, (value, i) => Math.abs((got[i] as number) - value)))
  }
  type Sizes = { m: number; n: number; k: number; transposeA?: boolean; transposeB?: boolean }

  it.each([
    ['one row', { m: 1, n: 50, k: 64, transposeB: true }],
    ['three rows', { m: 3, n: 50, k: 72, transposeB: true }],
    ['columns', { m: 50, n: 6, k: 64, transposeB: true }],
  ])('[prior-R19] takes the portable variant where that with subgroups is wrong: %s', async (_, sizes) => {
    using runtime = await createRuntime({ device: cpu() })
    expect(await largestError(runtime, sizes, { kernels: spoiled })).toBeGreaterThan(0.1)
    expect(verdicts(runtime)).toEqual([])
    expect(await largestError(runtime, sizes, { kernels: spoiled, verify: true })).toBeLessThan(1e-4)
    expect(await largestError(runtime, sizes, { kernels: spoiled, verify: true })).toBeLessThan(1e-4)
    expect(verdicts(runtime)).toEqual([
      {
        kernel: expect.stringMatching(/^gemv_/),
        ok: false,
        error: expect.any(Number),
        because: expect.stringContaining('expected'),
      },
    ])
  })

  it('takes the variant with subgroups where it is right', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const options = { kernels, verify: true }
    expect(await largestError(runtime, { m: 1, n: 50, k: 64, transposeB: true }, options)).toBeLessThan(1e-4)
    expect(verdicts(runtime)).toMatchObject([{ ok: true, because: '' }])
    // products by kernels that need nothing have nothing to be verified
    expect(await largestError(runtime, { m: 20, n: 20, k: 20 }, options)).toBeLessThan(1e-4)
    expect(verdicts(runtime)).toHaveLength(1)
  })

  it('[prior-R19] tries a kernel for whole tiles with whole tiles', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const sizes = { m: 128, n: 128, k: 16 }
    const tuning = { find: () => 'matmul_block_128' }
    expect(await largestError(runtime, sizes, { kernels, device, tuning, verify: true })).toBeLessThan(1e-4)
    expect(verdicts(runtime)).toMatchObject([{ kernel: 'matmul_block_128_nn_whole', ok: true }])
    // the kernel that takes a for transposed under the name of the one that does not
    const spoiledWhole = (name: string) => {
      const compiled = kernels(name.replace('_nn_whole', '_tn_whole'))
      return compiled && { ...compiled, name }
    }
    const options = { kernels: spoiledWhole, device, tuning }
    expect(await largestError(runtime, sizes, options)).toBeGreaterThan(0.1)
    expect(await largestError(runtime, sizes, { ...options, verify: true })).toBeLessThan(1e-4)
    expect(verdicts(runtime)[1]).toMatchObject({ kernel: 'matmul_block_128_nn_whole', ok: false })
  })

  it('[prior-R19] takes the portable way where a kernel of subgroup matrices is wrong', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const names: string[] = []
    // the kernel for another order of b under the name of this one: right by itself, and wrong here
    const other = new Map(matrixMatmuls.map((one) => [one.name, one]))
    const spoiledMatrices = (name: string) => {
      names.push(name)
      const source = other.get(name.replace('_nn_', '_nt_'))
      return source && other.has(name) ? { ...compile(source), name } : kernels(name)
    }
    const [m, n, k] = [12, 24, 16]
    const [a, b] = [f16s(...uniform(1, m * k, -1, 1)), f16s(...uniform(2, k * n, -1, 1))]
    const expected = matmulReference({ a: fromF16(a), b: fromF16(b), m, n, k })
    const error = async (options: MatmulOptions) => {
      using c = runtime.buffer(new Uint16Array(m * n))
      using x = runtime.buffer(a)
      using y = runtime.buffer(b)
      await matmul(runtime, { a: x, b: y, c, m, n, k, type: 'f16' }, { ...options, device })
      const got = fromF16(await c.read())
      return Math.max(...Array.from(expected, (value, i) => Math.abs((got[i] as number) - value)))
    }
    expect(await error({ kernels: spoiledMatrices })).toBeGreaterThan(0.1)
    expect(names).toEqual(['matmul_matrix_nn_f16_few'])
    expect(await error({ kernels: spoiledMatrices, verify: true })).toBeLessThan(0.01)
    expect(names.at(-1)).toBe('matmul_nn_f16')
    expect(verdicts(runtime)).toMatchObject([{ kernel: 'matmul_matrix_nn_f16_few', ok: false }])
    // and the right ones where they are right: for whole words, and for sums that are joined
    expect(await error({ kernels, verify: true })).toBeLessThan(0.01)
    expect(verdicts(runtime).slice(1)).toMatchObject([
      { kernel: 'matmul_matrix_nn_f16_few', ok: true },
      { kernel: 'matmul_matrix_nn_f16_few_split', ok: true },
    ])
  })

  it('sums of f16 are tried as such, and within their bound', async () => {
    using runtime = await createRuntime({ device: cpu() })
    const both = { ...device, subgroupMatrices: [...device.subgroupMatrices, 'f16 f16 16x16x16'] }
    const [m, n, k] = [12, 24, 16]
    const [a, b] = [f16s(...uniform(1, m * k, -1, 1)), f16s(...uniform(2, k * n, -1, 1))]
    using c = runtime.buffer(new Uint16Array(m * n))
    using x = runtime.buffer(a)
    using y = runtime.buffer(b)
    const tuning = tuningTo((name) => name === 'matmul_matrix_nn_f16')
    const options = { kernels, device: both, tuning, verify: true }
    await matmul(runtime, { a: x, b: y, c, m, n, k, type: 'f16', sums: 'f16' }, options)
    expect(verdicts(runtime)).toMatchObject([
      { kernel: 'matmul_matrix_nn_f16_sums', ok: true },
      { kernel: 'matmul_matrix_nn_f16_split', ok: true },
    ])
    const expected = matmulReference({ a: fromF16(a), b: fromF16(b), m, n, k })
    const off = Array.from(fromF16(await c.read()), (value, i) => Math.abs(value - (expected[i] as number)))
    expect(Math.max(...off)).toBeLessThan(k * (k + 4) * 2 ** -10)
  })
})
