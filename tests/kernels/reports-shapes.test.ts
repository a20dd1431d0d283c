import { compile } from '@weft/codegen'
import * as kernels from '@weft/kernels'
import { elementwise, kernelSources } from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import { f16s, fromF16 } from '../parity/data.js'
import { onDevices } from './devices.js'

/** Shapes at which comparable systems went wrong, by the numbers of docs/faults.md. The rest are among the parity cases. */

const { ops } = kernels

/** In the long run trials are as large as the reports say. */
const full = process.env.WEFT_FULL === '1'
const LONG = { timeout: 600_000 }

onDevices('reports: shapes', kernelSources(), ({ runtime, options }) => {
  const upload = <T extends Float32Array | Uint32Array | Uint16Array | Int32Array>(data: T) => runtime().buffer(data)
  const empty = (n: number) => upload(new Float32Array(n).fill(777))
  const list = async (buffer: ReturnType<typeof empty>) => [...(await buffer.read(Float32Array))]
  const onGpu = () => runtime().info.backend === 'webgpu'
  const hasHalf = () => runtime().info.features.includes('shader-f16')

  it.each([64, 256, 499, 500, 535, 1024, 1025])('[case-S01] all of %i rows of a product are computed', async (m) => {
    const [n, k] = onGpu() ? [full ? 1024 : 33, 1024] : [33, 40]
    const c = empty(m * n + 8)
    const [a, b] = [m * k, k * n].map((size) => upload(new Float32Array(size).fill(1))) as [
      ReturnType<typeof empty>,
      ReturnType<typeof empty>,
    ]
    await kernels.matmul(runtime(), { a, b, c, m, n, k }, options)
    const got = await list(c)
    expect(got.slice(0, m * n).every((x) => x === k)).toBe(true)
    expect(got.slice(m * n)).toEqual(new Array(8).fill(777))
  })

  it.for([65_535, 65_536, 65_537, 131_071])(
    '[case-S17] %i rows of a matrix times a vector',
    LONG,
    async (rows, { skip }) => {
      if (onGpu() && !full) skip('so many workgroups take a software GPU half a minute: npm run test:full')
      const k = onGpu() ? 4 : 1
      const b = upload(Float32Array.from({ length: rows * k }, (_, i) => Math.floor(i / k) % 7))
      const [a, c] = [upload(new Float32Array(k).fill(1)), empty(rows + 8)]
      await kernels.matmul(runtime(), { a, b, c, m: 1, n: rows, k, transposeB: true }, options)
      const expected = new Float32Array(rows + 8).fill(777)
      for (let i = 0; i < rows; i++) expected[i] = k * (i % 7)
      expect(await c.read(Float32Array)).toEqual(expected)
    },
  )

  it.each([[[2, 2]], [[3, 5]], [[1, 1]], [[7]]])(
    '[case-S10] elements of %j, which no vector divides',
    async (shape) => {
      const n = shape.reduce((size, extent) => size * extent, 1)
      const [x, y] = [uniform(1, n, -1, 1), uniform(2, n, -1, 1)]
      const sums = [...x.map((value, i) => value + y[i]!)]
      const out = empty(n + 3)
      await kernels.runElementwise(runtime(), ops.add, { inputs: [upload(x), upload(y)], out, shape }, options)
      expect(await list(out)).toEqual([...sums, 777, 777, 777])
      const row = { data: upload(y.slice(0, shape.at(-1))), shape: shape.slice(-1) }
      await kernels.runElementwise(runtime(), ops.mul, { inputs: [upload(x), row], out, shape }, options)
      expect((await list(out)).slice(0, n)).toEqual([...x.map((value, i) => value * y[i % shape.at(-1)!]!)])
    },
  )

  it.each([1, 2, 3, 5, 6, 7, 8])('[case-S11] convolutions of %i channels', async (channels) => {
    const sum = ((channels - 1) * channels) / 2
    const x = upload(new Float32Array(channels * 9).fill(1))
    const weight = upload(Float32Array.from({ length: channels }, (_, c) => c))
    const y = empty(9)
    const args = { x, weight, y, items: 1, channels, outs: 1, size: [3, 3], filter: [1, 1] } as const
    await kernels.conv2d(runtime(), args, options)
    expect(await list(y)).toEqual(new Array(9).fill(sum))
    const transposed = empty(9)
    await kernels.convTranspose2d(runtime(), { ...args, y: transposed }, options)
    expect(await list(transposed)).toEqual(new Array(9).fill(sum))
  })

  it('[case-S13] the bias goes by channel, in either order of the axes', async () => {
    const [x, weight, bias] = [new Float32Array(8).fill(1), new Float32Array(6), Float32Array.of(1, 2, 3)]
    for (const run of [kernels.conv2d, kernels.convTranspose2d]) {
      const y = empty(12)
      const args = { items: 1, channels: 2, outs: 3, size: [2, 2], filter: [1, 1] } as const
      await run(runtime(), { x: upload(x), weight: upload(weight), bias: upload(bias), y, ...args }, options)
      expect(await list(y)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
      const last = empty(12)
      await kernels.permute(runtime(), { x: y, shape: [3, 2, 2], axes: [1, 2, 0], out: last }, options)
      expect(await list(last)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])
    }
  })

  it('[case-S14] transposes of rank 0 and 1, of extents of 1, and every one of rank 3', async () => {
    const moved = async (shape: readonly number[], axes: readonly number[]) => {
      const n = shape.reduce((size, extent) => size * extent, 1)
      const out = empty(n)
      const x = upload(Float32Array.from({ length: n }, (_, i) => i))
      await kernels.permute(runtime(), { x, shape, axes, out }, options)
      return list(out)
    }
    expect(await moved([], [])).toEqual([0])
    expect(await moved([5], [0])).toEqual([0, 1, 2, 3, 4])
    const axes = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ] as const
    for (const order of axes) {
      expect(await moved([1, 1, 5], order)).toEqual([0, 1, 2, 3, 4])
      const [d, e, f] = order.map((axis) => [2, 3, 4][axis]) as [number, number, number]
      const steps = order.map((axis) => [12, 4, 1][axis]) as [number, number, number]
      const exact = Array.from({ length: 24 }, (_, i) => {
        const [p, q, r] = [Math.floor(i / (e * f)), Math.floor(i / f) % e, i % f]
        return p * steps[0] + q * steps[1] + r * steps[2]
      })
      expect(d * e * f).toBe(24)
      expect(await moved([2, 3, 4], order), `${order}`).toEqual(exact)
    }
  })

  it('[case-S14] a single number without axes', async () => {
    const out = empty(1)
    const x = upload(Float32Array.of(3))
    await kernels.runElementwise(runtime(), ops.square, { inputs: [x], out, shape: [] }, options)
    expect(await list(out)).toEqual([9])
    await kernels.reduce(runtime(), 'sum', { x, shape: [], out }, options)
    expect(await list(out)).toEqual([3])
  })

  it.each([50_257, 102_400])('[case-S20] a vocabulary of %i', async (vocabulary) => {
    const hidden = 64
    const [table, x] = [uniform(1, vocabulary * hidden, -1, 1), uniform(2, hidden, -1, 1)]
    const logits = empty(vocabulary)
    const product = { m: 1, n: vocabulary, k: hidden }
    await kernels.matmul(runtime(), { a: upload(x), b: upload(table), c: logits, ...product }, options)
    const exact = kernels.matmulReference({ a: x, b: table, ...product })
    const got = await logits.read(Float32Array)
    const off = got.map((value, i) => Math.abs(value - exact[i]!))
    expect(off.reduce((a, b) => Math.max(a, b))).toBeLessThan(1e-4)

    const sizes = { rows: 1, cols: vocabulary }
    const [probabilities, loss, lse, dx] = [empty(vocabulary), empty(1), empty(1), empty(vocabulary)]
    const target = upload(Uint32Array.of(vocabulary - 1))
    await kernels.softmax(runtime(), { x: logits, y: probabilities, ...sizes }, options)
    await kernels.crossEntropy(runtime(), { x: logits, target, loss, lse, ...sizes }, options)
    await kernels.crossEntropyBackward(runtime(), { x: logits, target, lse, dx, ...sizes }, options)
    const softened = kernels.softmaxReference({ x: got, ...sizes })
    const last = softened[vocabulary - 1]!
    expect((await list(probabilities))[vocabulary - 1]! / last).toBeCloseTo(1, 4)
    expect((await list(loss))[0]).toBeCloseTo(-Math.log(last), 4)
    const gradient = await list(dx)
    expect(gradient[vocabulary - 1]).toBeCloseTo(last - 1, 5)
    expect(gradient[0]! / softened[0]!).toBeCloseTo(1, 4)

    const place = upload(Uint32Array.of(777))
    await kernels.reduce(runtime(), 'argmax', { x: logits, shape: [vocabulary], out: place }, options)
    const best = got.reduce((most, value) => Math.max(most, value))
    expect([...(await place.read(Uint32Array))]).toEqual([got.indexOf(best)])
  })

  it.each([50_257, 102_400])('[case-S20] the gradient of an embedding of %i rows', async (size) => {
    const ids = Uint32Array.of(0, size - 1, size - 1, 40_000)
    const x = uniform(3, ids.length * 64, -1, 1)
    const out = upload(new Float32Array(size * 64))
    const args = { x: upload(x), index: upload(ids), out, size, count: ids.length, inner: 64 }
    await kernels.embeddingBackward(runtime(), args, options)
    const got = await out.read(Float32Array)
    const row = (i: number) => [...got.subarray(64 * i, 64 * i + 64)]
    const given = (j: number) => [...x.subarray(64 * j, 64 * j + 64)]
    expect(row(0)).toEqual(given(0))
    expect(row(40_000)).toEqual(given(3))
    expect(row(size - 1)).toEqual(given(1).map((value, c) => Math.fround(value + given(2)[c]!)))
    expect(got.filter((value) => value !== 0).length).toBe(3 * 64)
  })

  it('[case-C35] a fused kernel of 7 inputs runs', async () => {
    const seven = compile(elementwise('seven', (x, y, z, w, v, u, t) => x.add(y).add(z).add(w).add(v).add(u).add(t)))
    const names = ['x', 'y', 'z', 'w', 'v', 'u', 't']
    const inputs = Object.fromEntries(names.map((name, i) => [name, upload(Float32Array.of(2 ** i, -(2 ** i)))]))
    const out = empty(2)
    await runtime().run(seven, { ...inputs, out, n: 2 })
    expect(await list(out)).toEqual([127, -127])
  })

  it('[case-C38] in place: the right result, or an error before anything is recorded', async () => {
    const values = uniform(1, 12, -1, 1)
    const [weight, sizes] = [upload(new Float32Array(4).fill(1)), { rows: 3, cols: 4 }]
    const sum = upload(values)
    await kernels.runElementwise(runtime(), ops.add, { inputs: [sum, upload(values)], out: sum, shape: [12] }, options)
    expect(await list(sum)).toEqual([...values.map((x) => x + x)])
    const norm = upload(values)
    await kernels.layernorm(
      runtime(),
      { x: norm, weight, bias: upload(new Float32Array(4)), y: norm, ...sizes },
      options,
    )
    const shape = { items: 3, channels: 4, places: 1, groups: 1, eps: 1e-5, centered: true }
    const exact = kernels.normReference({ x: values, weight: [1, 1, 1, 1], bias: [0, 0, 0, 0], ...shape })
    for (const [i, value] of (await list(norm)).entries()) expect(value).toBeCloseTo(exact[i]!, 5)
    const logs = upload(values)
    await kernels.logSoftmax(runtime(), { x: logs, y: logs, ...sizes }, options)
    for (const [i, value] of kernels.logSoftmaxReference({ x: values, ...sizes }).entries())
      expect((await list(logs))[i]).toBeCloseTo(value, 5)
    const weights = upload(values)
    await kernels.softmax(runtime(), { x: weights, y: weights, ...sizes }, options)
    for (const [i, value] of kernels.softmaxReference({ x: values, ...sizes }).entries())
      expect((await list(weights))[i]).toBeCloseTo(value, 5)
    const scaled = upload(values)
    await kernels.rmsnorm(runtime(), { x: scaled, weight, y: scaled, ...sizes }, options)
    const roots = kernels.rmsnormReference({ x: values, weight: [1, 1, 1, 1], eps: 1e-5, ...sizes })
    for (const [i, value] of (await list(scaled)).entries()) expect(value).toBeCloseTo(roots[i]!, 5)
    const x = upload(values)
    const away = { x, target: upload(Uint32Array.of(0, 0, 0)), loss: x, lse: upload(new Float32Array(3)) }
    await expect(kernels.crossEntropy(runtime(), { ...away, ...sizes }, options)).rejects.toMatchObject({
      code: 'binding-overlap',
    })
    expect(await list(x)).toEqual([...values])
    await runtime().idle()
  })

  const WORD_LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100_003]

  it('[case-C48] neighbours of a word: bools, one element for each invocation', async () => {
    // a race shows now and then; the interpreter has none
    const times = onGpu() ? 50 : 1
    for (const n of WORD_LENGTHS) {
      const flags = Uint32Array.from({ length: n }, (_, i) => Number(i % 3 === 0))
      const [x, out, unset] = [upload(flags), empty(n), new Uint32Array(n).fill(777)]
      const expected = Buffer.from(flags.map((flag) => 1 - flag).buffer)
      for (let time = 0; time < times; time++) {
        out.write(unset)
        const args = { inputs: [x], out, shape: [n], type: 'bool' as const }
        await kernels.runElementwise(runtime(), ops.logicalNot, args, options)
        expect(expected.equals(await out.read(Uint8Array))).toBe(true)
      }
    }
  })

  it('[case-C48] neighbours of a word: f16, one element for each invocation', async ({ skip }) => {
    if (!hasHalf()) skip('the device has no shader-f16')
    for (const n of WORD_LENGTHS) {
      const x = Float32Array.from({ length: n }, (_, i) => i % 2048)
      const out = upload(new Uint16Array(n + (n % 2)).fill(0x1234))
      await kernels.runElementwise(runtime(), ops.castF32F16, { inputs: [upload(x)], out, shape: [n] }, options)
      const got = await out.read(Uint16Array)
      expect(fromF16(got.slice(0, n))).toEqual([...x])
      expect([...got.slice(n)]).toEqual(new Array(n % 2).fill(0x1234))
    }
  })

  it('[case-C50] f16 beside f32, and with integers in the source', async ({ skip }) => {
    if (!hasHalf()) skip('the device has no shader-f16')
    const x = upload(f16s(1.5, -2, 0.25, 3))
    const y = upload(Float32Array.of(2, 0.5, -4, 1))
    const [wide, narrow] = [empty(4), upload(new Uint16Array(4))]
    const product = (input: readonly ['f16' | 'f32', 'f16' | 'f32'], out: 'f16' | 'f32') =>
      compile(elementwise('product', { in: input, out }, (a, b) => a.mul(b)))
    await runtime().run(product(['f16', 'f32'], 'f32'), { x, y, out: wide, n: 4 })
    expect(await list(wide)).toEqual([3, -1, -1, 3])
    await runtime().run(product(['f32', 'f16'], 'f16'), { x: y, y: x, out: narrow, n: 4 })
    expect(fromF16(await narrow.read(Uint16Array))).toEqual([3, -1, -1, 3])
    const more = compile(elementwise('more', { in: ['f16'], out: 'f16' }, (a) => a.add(1)))
    await runtime().run(more, { x, out: narrow, n: 4 })
    expect(fromF16(await narrow.read(Uint16Array))).toEqual([2.5, -1, 1.25, 4])
  })
})
