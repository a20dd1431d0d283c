import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import * as kernels from '@weft/kernels'
import * as source from '@weft/kernels/source'
import type { Runtime } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxError, uniform } from '../../packages/kernels/src/testing/index.js'
import { missing } from '../engines/install.js'

const why = missing('dawn')

const close = (actual: Float32Array, expected: Float64Array): void => {
  expect(actual.length).toBe(expected.length)
  if (expected.length > 0) expect(maxError(actual, expected).relative).toBeLessThan(1e-5)
}

/** The host functions on a device: with the kernels that ship, or on the CPU with the ones that carry their IR. */
function hostFunctions(open: () => Promise<Runtime>, ships: boolean): void {
  let runtime: Runtime
  beforeAll(async () => {
    runtime = await open()
  })
  afterAll(() => runtime.destroy())

  type Source = Parameters<typeof compile>[0]
  const own = (kernel: Source) => (ships ? {} : { kernel: compile(kernel) })
  const ofNames = (sources: readonly Source[]) => {
    const known = new Map(sources.map((kernel) => [kernel.name, kernel]))
    const compiled = (name: string) => {
      const kernel = known.get(name)
      return kernel && compile(kernel)
    }
    return ships ? {} : { kernels: compiled }
  }
  const upload = (data: Float32Array) => runtime.buffer(data)
  const empty = (n: number) => runtime.buffer(new Float32Array(n).fill(777))

  it('saxpy', async () => {
    for (const n of [0, 1, 65]) {
      const [x, y] = [uniform(1, n, -1, 1), uniform(2, n, -1, 1)]
      const out = upload(y)
      await kernels.saxpy(runtime, { x: upload(x), y: out, n, alpha: 2 }, own(source.saxpy))
      close(await out.read(Float32Array), kernels.saxpyReference({ alpha: 2, x, y }))
    }
  })

  it('matmul with a bias and without, of operands as they lie and transposed, and with empty dimensions', async () => {
    const named = ofNames([...source.matmuls, ...source.gemvs, source.matmulReduce])
    for (const [m, n, k] of [
      [65, 3, 17],
      [65, 19, 17],
      [2, 3, 0],
      [0, 3, 2],
      [2, 0, 2],
    ] as const) {
      for (let form = 0; form < 8; form++) {
        const [a, b, bias] = [uniform(1, m * k, -1, 1), uniform(2, k * n, -1, 1), uniform(3, n, -1, 1)]
        const transposes = { transposeA: (form & 2) !== 0, transposeB: (form & 1) !== 0 }
        const c = empty(m * n)
        const buffers = { a: upload(a), b: upload(b), c, ...(form < 4 ? {} : { bias: upload(bias) }) }
        await kernels.matmul(runtime, { ...buffers, m, n, k, ...transposes }, named)
        const added = form < 4 ? {} : { bias }
        close(await c.read(Float32Array), kernels.matmulReference({ a, b, ...added, m, n, k, ...transposes }))
      }
    }
  })

  it('softmax and rmsnorm', async () => {
    for (const [rows, cols] of [
      [3, 257],
      [2, 0],
      [0, 5],
    ] as const) {
      const [x, weight] = [uniform(1, rows * cols, -3, 3), uniform(2, cols, -1, 1)]
      const [soft, norm] = [empty(rows * cols), empty(rows * cols)]
      await kernels.softmax(runtime, { x: upload(x), y: soft, rows, cols }, own(source.softmax))
      await kernels.rmsnorm(runtime, { x: upload(x), weight: upload(weight), y: norm, rows, cols }, own(source.rmsnorm))
      close(await soft.read(Float32Array), kernels.softmaxReference({ x, rows, cols }))
      close(await norm.read(Float32Array), kernels.rmsnormReference({ x, weight, rows, cols, eps: 1e-5 }))
    }
  })

  it('attention, with a past', async () => {
    const sizes = { batch: 1, heads: 4, kvHeads: 2, queries: 3, keys: 20, headSize: 64, causal: true }
    const [q, k, v] = [uniform(1, 4 * 3 * 64, -1, 1), uniform(2, 2 * 20 * 64, -1, 1), uniform(3, 2 * 20 * 64, -1, 1)]
    const out = empty(q.length)
    await kernels.attention(
      runtime,
      { q: upload(q), k: upload(k), v: upload(v), out, ...sizes },
      ofNames(source.attentionForwards),
    )
    close(await out.read(Float32Array), kernels.attentionReference({ q, k, v, ...sizes }).out)
  })

  it.each([
    ['by blocks where there are kernels for no other way', [0, 1, 1024, 1025, 2049, 1024 * 1024 + 1], []],
    [
      'in one pass from 2,049 elements on, and those behind the last quad',
      [2048, 2049, 24_579],
      [source.scanOnce, source.scanTail],
    ],
  ] as const)('scan over one level, two and three, %s', async (_, sizes, more) => {
    const known = new Map([source.scanBlocks, source.scanOffsets, ...more].map((kernel) => [kernel.name, kernel]))
    const used: string[] = []
    const kernelOf = (name: string) => {
      const kernel = known.get(name)
      if (kernel) used.push(name)
      return kernel && compile(kernel)
    }
    const own = ships ? {} : { kernels: kernelOf }
    for (const n of sizes) {
      for (const exclusive of n > 100_000 ? [false] : [false, true]) {
        const x = uniform(1, n, 0, 1)
        const y = empty(n)
        await kernels.scan(runtime, { x: upload(x), y, n, exclusive }, own)
        close(await y.read(Float32Array), kernels.scanReference({ x, exclusive }))
      }
    }
    if (!ships) expect(used.includes('scan_once')).toBe(more.length > 0)
  })

  it('refuses sizes that are none before anything is recorded', async () => {
    const x = upload(new Float32Array(4))
    await expect(kernels.saxpy(runtime, { x, y: upload(new Float32Array(3)), n: -1, alpha: 1 })).rejects.toThrow(
      'saxpy: n must be an integer from 0 on, got -1',
    )
    await expect(kernels.softmax(runtime, { x, y: x, rows: 1.5, cols: 1 })).rejects.toThrow('rows must be an integer')
    const attention = { q: x, k: x, v: x, out: upload(new Float32Array(64)), batch: 1, queries: 1, keys: 1 }
    await expect(kernels.attention(runtime, { ...attention, heads: 3, kvHeads: 2, headSize: 64 })).rejects.toThrow(
      'heads must be a multiple of kvHeads = 2, got 3',
    )
    await expect(kernels.attention(runtime, { ...attention, heads: 1, headSize: 42 })).rejects.toThrow(
      'kernels ship for head sizes that are multiples of 4 up to 256, got 42',
    )
    await expect(kernels.saxpy(runtime, { x, y: upload(new Float32Array(3)), n: 4, alpha: 1 })).rejects.toThrow(
      'saxpy: y must have 4 elements, and has 3',
    )
    await expect(
      kernels.scan(runtime, { x: { buffer: x, offset: 0, size: 8 }, y: upload(new Float32Array(3)), n: 3 }),
    ).rejects.toThrow('scan: x must have 3 elements, and has 2')
    await runtime.idle()
  })

  it('names what it was given, whatever its kernels call it', async () => {
    const other = await createRuntime({ device: cpu() })
    const [row, column] = [new Float32Array(64), new Float32Array(64)]
    // few rows and few columns are products of turned factors
    for (const sizes of [
      { m: 1, n: 16, k: 4 },
      { m: 16, n: 1, k: 4 },
    ]) {
      const given = { a: upload(row), b: upload(column), c: empty(16), ...sizes }
      for (const [name, wrong, message] of [
        ['a', other.buffer(row), 'matmul: a is a buffer of another runtime'],
        ['b', other.buffer(column), 'matmul: b is a buffer of another runtime'],
        ['b', given.c.range(0, 16), 'matmul: c must be another buffer than b'],
        ['a', { buffer: upload(row), offset: 4 }, 'matmul: a starts at byte 4, expected a multiple of 256'],
      ] as const)
        await expect(kernels.matmul(runtime, { ...given, [name]: wrong })).rejects.toThrow(message)
    }
    other.destroy()
  })

  it('refuses outputs that overlap what is read or written besides, by the memory that views share', async () => {
    const whole = runtime.buffer(Float32Array.from({ length: 128 }, (_, i) => i % 3))
    const [first, second] = [whole.view(Float32Array, 0, 64), whole.view(Float32Array, 256, 64)]
    const sum = whole.range(256, 4)
    await expect(kernels.softmax(runtime, { x: whole, y: first, rows: 1, cols: 64 })).rejects.toMatchObject({
      code: 'binding-overlap',
      message: expect.stringContaining('softmax: y must be another buffer than x'),
    })
    // one dispatch writes the values, another one their order: each alone would be right
    const sorting = { x: empty(64), order: second, sorted: sum, n: 64 }
    await expect(kernels.sort(runtime, sorting)).rejects.toThrow('sort: sorted must be another buffer than order')
    await kernels.softmax(
      runtime,
      { x: first, y: whole.view(Float32Array, 0, 64), rows: 1, cols: 64 },
      own(source.softmax),
    )
    close(
      await first.read(),
      kernels.softmaxReference({ x: Float64Array.from({ length: 64 }, (_, i) => i % 3), rows: 1, cols: 64 }),
    )
    expect((await second.read()).slice(0, 3)).toEqual(Float32Array.of(1, 2, 0))
  })
}

describe('host functions on the interpreter', () => hostFunctions(() => createRuntime({ device: cpu() }), false))
describe.skipIf(why !== undefined)(`host functions on Dawn${why ? ` (${why})` : ''}`, () =>
  hostFunctions(() => createRuntime(), true),
)
