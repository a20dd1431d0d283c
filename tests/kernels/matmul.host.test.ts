import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { missing } from '../engines/install.js'
import { f16s, fromF16 } from '../parity/data.js'

const why = missing('dawn')
const sources = new Map(
  [...source.matmuls, ...source.gemvs, source.matmulReduce, source.matmulReduceHalf].map((kernel) => [
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
  const upload = (data: Float32Array) => runtime.buffer(data)
  const empty = (n: number) => runtime.buffer(new Float32Array(n).fill(777))

  type Sizes = readonly [m: number, n: number, k: number, batch: number]
  async function compare([m, n, k, batch]: Sizes, more: Partial<kernels.MatmulReferenceArgs>, options = {}) {
    const [a, b, bias] = [uniform(1, batch * m * k, -1, 1), uniform(2, batch * k * n, -1, 1), uniform(3, n, -1, 1)]
    const residual = uniform(4, batch * m * n, -1, 1)
    const c = empty(batch * m * n)
    const sizes = { m, n, k, batch, activation: 'relu', alpha: 0.5, ...more } as const
    const buffers = { a: upload(a), b: upload(b), bias: upload(bias), residual: upload(residual), c }
    await kernels.matmul(runtime, { ...buffers, ...sizes } as kernels.MatmulArgs, { ...own, ...options })
    const expected = kernels.matmulReference({ a, b, bias, residual, ...sizes })
    const actual = await c.read(Float32Array)
    expect(actual.length).toBe(expected.length)
    if (actual.length > 0) expect(maxError(actual, expected).relative).toBeLessThan(1e-5)
  }

  it('[case-S22] every way to compute a product, with all that may follow, and empty dimensions', async () => {
    const sizes: Sizes[] = [
      [1, 5, 9, 2],
      [3, 70, 17, 1],
      [8, 9, 4, 1],
      [70, 1, 17, 2],
      [20, 7, 9, 1],
      [17, 66, 21, 2],
      [9, 10, 600, 1],
      // few rows or columns in parts of k, whose sums are joined
      [1, 40, 600, 1],
      [7, 64, 520, 2],
      [48, 3, 520, 1],
      [2, 3, 0, 1],
      [9, 9, 0, 2],
      [0, 3, 2, 1],
      [2, 0, 2, 1],
      [2, 2, 2, 0],
    ]
    for (const size of sizes)
      for (const transposeA of [false, true])
        for (const transposeB of [false, true]) await compare(size, { transposeA, transposeB })
  })

  it('[case-S27] [case-S28] [prior-R31] operands beyond the binding limit, cut along any dimension', async () => {
    const options = { bindingLimit: 8192 }
    for (const size of [
      [70, 40, 90, 2],
      [3, 300, 70, 1],
      [100, 5, 90, 1],
      [9, 90, 90, 1],
    ] as const)
      for (const transposeA of [false, true])
        for (const transposeB of [false, true]) await compare(size, { transposeA, transposeB }, options)
  })

  it('strides: a matrix for all of the batch, rows with gaps, parts of a larger result, adding to c', async () => {
    const [m, n, k, batch] = [9, 10, 11, 3]
    const [a, b] = [uniform(1, batch * m * k, -1, 1), uniform(2, k * n, -1, 1)]
    const c = upload(new Float32Array(batch * m * 32).fill(1))
    const into = { data: c, offset: 4, row: 32, batch: m * 32 }
    const args = { a: upload(a), b: { data: upload(b), batch: 0 }, c: into, residual: into, m, n, k, batch }
    await kernels.matmul(runtime, args, own)
    const expected = new Float64Array(batch * m * 32).fill(1)
    kernels.matmulReference({ a, b, m, n, k, batch }).forEach((value, i) => {
      expected[Math.floor(i / n) * 32 + 4 + (i % n)]! += value
    })
    expect(maxError(await c.read(Float32Array), expected).relative).toBeLessThan(1e-5)
  })

  it('f16, with odd numbers of elements: sums in f32, results rounded once', async (t) => {
    if (!runtime.info.features.includes('shader-f16')) return t.skip('the device has no f16')
    for (const [m, n, k] of [
      [1, 3, 5],
      [3, 1, 5],
      [9, 9, 3],
      [9, 11, 600],
    ] as const) {
      const half = (seed: number, count: number) => f16s(...uniform(seed, count, -1, 1))
      const [a, b, bias] = [half(1, m * k), half(2, k * n), half(3, n)]
      const c = runtime.buffer(new Uint16Array(m * n))
      const buffers = { a: runtime.buffer(a), b: runtime.buffer(b), bias: runtime.buffer(bias), c }
      await kernels.matmul(runtime, { ...buffers, m, n, k, type: 'f16' }, own)
      const [x, y, z] = [fromF16(a), fromF16(b), fromF16(bias)]
      const expected = kernels.matmulReference({ a: x, b: y, bias: z, m, n, k })
      const actual = fromF16(await c.read(Uint16Array))
      expected.forEach((value, i) => {
        expect(Math.abs((actual[i] as number) - value)).toBeLessThanOrEqual(2 ** -10 * Math.abs(value) + 2 ** -12)
      })
    }
  })

  it('the gradients of a product are transposed products', async () => {
    const [m, n, k] = [9, 12, 10]
    const [a, b, dc] = [uniform(1, m * k, -1, 1), uniform(2, k * n, -1, 1), uniform(3, m * n, -1, 1)]
    for (const transposeA of [false, true])
      for (const transposeB of [false, true]) {
        const [da, db] = [empty(m * k), empty(k * n)]
        const args = { a: upload(a), b: upload(b), dc: upload(dc), da, db, m, n, k, transposeA, transposeB }
        await kernels.matmulBackward(runtime, args, own)
        const expected = kernels.matmulBackwardReference({ a, b, dc, m, n, k, transposeA, transposeB })
        expect(maxError(await da.read(Float32Array), expected.da).relative).toBeLessThan(1e-5)
        expect(maxError(await db.read(Float32Array), expected.db).relative).toBeLessThan(1e-5)
      }
  })

  it('[case-S26] refuses what does not fit before anything is recorded', async () => {
    const x = upload(new Float32Array(12))
    const base = { a: x, b: x, c: empty(12), m: 3, n: 4, k: 3 }
    const bad = (more: object, text: string) =>
      expect(kernels.matmul(runtime, { ...base, ...more }, own)).rejects.toThrow(text)
    await bad({ m: 1.5 }, 'matmul: m must be an integer from 0 on, got 1.5')
    await bad({ n: Number.NaN }, 'matmul: n must be an integer')
    await bad({ k: 2 ** 32 }, 'matmul: k must be less than 2³², got 4294967296')
    await bad({ k: 5 }, 'matmul: a must have 15 elements, and has 12')
    await bad({ activation: 'tanh' }, "matmul: activation must be one of none, relu, gelu, silu, got 'tanh'")
    await bad({ a: { data: x, row: 2 } }, 'matmul: a.row must be at least 3, the elements of a row, got 2')
    await bad({ b: { data: x, offset: -1 } }, 'matmul: b.offset must be an integer from 0 on, got -1')
    await bad({ m: 1, batch: 2, c: { data: base.c, batch: 0 }, b: { data: x, batch: 0 } }, 'let the 2 results overlap')
    await bad({ bias: upload(new Float32Array(3)) }, 'matmul: bias must have 4 elements, and has 3')
    await bad({ type: 'f64' }, "matmul: type must be one of f32, f16, got 'f64'")
    await runtime.idle()
  })
}

describe('matmul on the interpreter', () => hostFunctions(() => createRuntime({ device: cpu() }), false))
describe.skipIf(why !== undefined)(`matmul on Dawn${why ? ` (${why})` : ''}`, () =>
  hostFunctions(() => createRuntime(), true),
)
