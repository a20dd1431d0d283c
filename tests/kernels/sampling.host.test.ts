import * as kernels from '@weft/kernels'
import {
  dropout,
  dropoutHalf,
  reductions,
  sampleRows,
  topKFew,
  topKFewHalf,
  topKOrder,
  topKOrderHalf,
  topKSelect,
  topKSelectHalf,
} from '@weft/kernels/source'
import { expect, it } from 'vitest'
import { integers, normal } from '../../packages/kernels/src/testing/index.js'
import { f16s, fromF16 } from '../parity/data.js'
import { onDevices } from './devices.js'

const sources = [
  ...[dropout, dropoutHalf, ...sampleRows, topKOrder, topKOrderHalf, topKSelect, topKSelectHalf, topKFew, topKFewHalf],
  ...reductions.filter(({ name }) => ['argmax_rows', 'argmax_columns', 'max_rows'].includes(name)),
]

onDevices('sampling', sources, ({ runtime, options }) => {
  const upload = (values: Float32Array | Uint32Array) => runtime().buffer(values)

  const greatest = async (x: Float32Array, rows: number, k: number) => {
    const cols = x.length / rows
    const [values, indices] = [runtime().buffer(Float32Array, rows * k), runtime().buffer(Uint32Array, rows * k)]
    await kernels.topK(runtime(), { x: upload(x), values, indices, rows, cols, k }, options)
    return { values: await values.read(), indices: await indices.read() }
  }

  it.each([
    [1, 1, 1],
    [3, 10, 10],
    [2, 300, 1],
    [2, 300, 77],
    [70, 4, 2],
  ])('the greatest of %i × %i, k = %i', async (rows, cols, k) => {
    const x = Float32Array.from(integers(1, rows * cols, 20), (v, i) => (i % 17 === 5 ? NaN : v - 10))
    const expected = kernels.topKReference({ x, rows, cols, k })
    const { values, indices } = await greatest(x, rows, k)
    expect(indices).toEqual(expected.indices)
    expect(values).toEqual(Float32Array.from(expected.values))
  })

  it.each([3, 300, 70_000])('[case-N28] equals, infinities and NaN among %i', async (n) => {
    const [out, place] = [runtime().buffer(Float32Array, 1), runtime().buffer(Uint32Array, 1)]
    const first = async (set: (x: Float32Array) => void, start: number) => {
      const x = new Float32Array(n).fill(start)
      set(x)
      await kernels.reduce(runtime(), 'argmax', { x: upload(x), shape: [n], out: place }, options)
      const [byReduction] = await place.read()
      const { indices } = await greatest(x, 1, 2)
      expect(indices[0]).toBe(byReduction)
      return [...indices]
    }
    expect(await first(() => {}, -Infinity)).toEqual([0, 1])
    expect(await first((x) => x.set([5, 5], n - 2), 3)).toEqual([n - 2, n - 1])
    expect(await first((x) => x.set([NaN, 2], n - 2), 1)).toEqual([n - 2, n - 1])
    expect(await first((x) => x.set([Infinity, NaN], n - 2), 1)).toEqual([n - 1, n - 2])
    const lowest = upload(new Float32Array(n).fill(-Infinity))
    await kernels.reduce(runtime(), 'max', { x: lowest, shape: [n], out }, options)
    expect([...(await out.read())]).toEqual([-Infinity])
  })

  it('draws what the reference draws, at each step, by temperature, top-k and top-p', async () => {
    const [rows, cols] = [8, 500]
    const logits = normal(1, rows * cols).map((v) => 3 * v)
    const seeds = integers(2, rows, 2 ** 32)
    const out = runtime().buffer(Uint32Array, rows)
    const given = { logits: upload(logits), seeds: upload(seeds), out, rows, cols }
    for (const choice of [
      { step: 1 },
      { step: 2, temperature: 0.6, topK: 40, topP: 0.95 },
      { step: 3, temperature: 2, topP: 0.5 },
      { step: 2 ** 32 - 1, topK: 9999 },
      { temperature: 0 },
    ]) {
      await kernels.sample(runtime(), { ...given, ...choice }, options)
      expect(await out.read()).toEqual(kernels.sampleReference({ logits, seeds, rows, cols, ...choice }))
    }
  })

  it('draws each row by its own options, which may be written anew', async () => {
    const [rows, cols] = [3, 500]
    const logits = normal(5, rows * cols).map((v) => 3 * v)
    const seeds = integers(6, rows, 2 ** 32)
    const out = runtime().buffer(Uint32Array, rows)
    const first = [{ temperature: 0 }, { temperature: 0.7, topK: 40, topP: 0.9 }, {}]
    const choices = upload(kernels.sampleChoices(first))
    const given = { logits: upload(logits), seeds: upload(seeds), choices, out, rows, cols }
    for (const [step, list] of [first, [...first].reverse(), [{}, { topK: 2 }, { topP: 0.1 }]].entries()) {
      choices.write(kernels.sampleChoices(list))
      await kernels.sample(runtime(), { ...given, step }, options)
      expect(await out.read()).toEqual(kernels.sampleReference({ logits, seeds, rows, cols, step, choices: list }))
    }
  })

  it('draws the same for a row wherever it stands in a batch', async () => {
    const [rows, cols] = [5, 300]
    const row = normal(4, cols)
    const logits = upload(Float32Array.from({ length: rows * cols }, (_, i) => row[i % cols]!))
    const out = runtime().buffer(Uint32Array, rows)
    const seeds = upload(new Uint32Array(rows).fill(77))
    await kernels.sample(runtime(), { logits, seeds, out, rows, cols, topP: 0.9 }, options)
    const [first] = kernels.sampleReference({ logits: row, seeds: [77], rows: 1, cols, topP: 0.9 })
    expect([...(await out.read())]).toEqual(new Array(rows).fill(first))
  })

  it('[prior-R44] dropout and its backward have the same mask and the bits of the reference', async () => {
    const n = 1000
    for (const p of [0, 0.1, 1 / 3, 0.9]) {
      const key = { p, seed: 42, stream: 5 }
      const [x, dy] = [normal(1, n), normal(2, n)]
      const [y, dx] = [upload(x), runtime().buffer(Float32Array, n)]
      // forward in place
      await kernels.dropout(runtime(), { x: y, y, n, ...key }, options)
      await kernels.dropoutBackward(runtime(), { dy: upload(dy), dx, n, ...key }, options)
      const bits = (values: ArrayLike<number>) => new Uint32Array(Float32Array.from(values).buffer)
      expect(bits(await y.read(Float32Array))).toEqual(bits(kernels.dropoutReference(x, key)))
      expect(bits(await dx.read())).toEqual(bits(kernels.dropoutReference(dy, key)))
    }
  })

  it('nothing to do is no dispatch', async () => {
    const x = upload(new Float32Array(4))
    const out = runtime().buffer(new Uint32Array(4).fill(7))
    const values = upload(new Float32Array(4))
    await kernels.topK(runtime(), { x, values, indices: out, rows: 1, cols: 4, k: 0 }, options)
    await kernels.topK(runtime(), { x, values, indices: out, rows: 0, cols: 4, k: 2 }, options)
    await kernels.sample(runtime(), { logits: x, seeds: values, out, rows: 0, cols: 4 }, options)
    await kernels.dropout(runtime(), { x, y: x, n: 0, p: 0.5, seed: 1 }, options)
    expect([...(await out.read(Uint32Array))]).toEqual([7, 7, 7, 7])
  })

  it('refuses what does not fit before anything is recorded', async () => {
    const x = upload(new Float32Array(6))
    const out = runtime().buffer(Uint32Array, 6)
    const top = { x, values: upload(new Float32Array(4)), indices: out, rows: 2, cols: 3, k: 2 }
    const drawn = { logits: x, seeds: runtime().buffer(Uint32Array, 6), out, rows: 2, cols: 3 }
    const mask = { x, y: x, n: 6, p: 0.5, seed: 1 }
    const bad = (promise: Promise<unknown>, text: string) => expect(promise).rejects.toThrow(text)
    const topK = (change: Partial<kernels.TopKArgs>) => kernels.topK(runtime(), { ...top, ...change }, options)
    const sample = (change: Partial<kernels.SampleArgs>) => kernels.sample(runtime(), { ...drawn, ...change }, options)
    const drop = (change: Partial<kernels.DropoutArgs>) => kernels.dropout(runtime(), { ...mask, ...change }, options)
    await bad(topK({ k: 4 }), 'topK: k must be at most cols = 3, got 4')
    await bad(topK({ rows: 3 }), 'topK: x must have 9 elements, and has 6')
    await bad(topK({ cols: 2 ** 24 + 1 }), 'topK: cols must be at most 16777216, got 16777217')
    await bad(sample({ cols: 0 }), 'sample: cols must be at least 1, got 0')
    await bad(sample({ cols: 2 ** 18 + 1 }), 'sample: cols must be at most 262144, got 262145')
    await bad(sample({ temperature: -1 }), 'sample: temperature must be a finite number from 0 on, got -1')
    await bad(sample({ temperature: NaN }), 'temperature must be a finite number from 0 on, got NaN')
    await bad(sample({ topK: 0 }), 'sample: topK must be an integer from 1 on, got 0')
    await bad(sample({ topP: 1.5 }), 'sample: topP must be from 0 to 1, got 1.5')
    await bad(sample({ choices: upload(new Uint32Array(7)) }), 'sample: choices must have 8 elements, and has 7')
    await bad(
      sample({ choices: runtime().buffer(Uint32Array, 8), topK: 2 }),
      'sample: topK must be left out, since choices say it for each row',
    )
    expect(() => kernels.sampleChoices([{}, { topK: 0 }])).toThrow(
      'sampleChoices: choices[1].topK must be an integer from 1 on, got 0',
    )
    await bad(sample({ step: -1 }), 'sample: step must be an integer from 0 to 2³² − 1, got -1')
    await bad(sample({ rows: 7, cols: 1 }), 'sample: logits must have 7 elements, and has 6')
    await bad(drop({ p: 1 }), 'dropout: p must be from 0 to below 1, got 1')
    await bad(drop({ seed: 2 ** 32 }), 'dropout: seed must be an integer from 0 to 2³² − 1, got 4294967296')
    await bad(drop({ n: 7 }), 'dropout: x must have 7 elements, and has 6')
    const backward = { dy: x, dx: x, n: 7, p: 0.5, seed: 1 }
    await bad(kernels.dropoutBackward(runtime(), backward, options), 'dropoutBackward: dy must have 7 elements')
    await runtime().idle()
  })

  it('draws from f16', async ({ skip }) => {
    if (!runtime().info.features.includes('shader-f16')) skip('the device has no shader-f16')
    const bits = f16s(...normal(1, 600))
    const x = runtime().buffer(bits)
    const given = { logits: fromF16(bits), seeds: [1, 2], rows: 2, cols: 300, topK: 20 }
    const out = runtime().buffer(Uint32Array, 2)
    const seeds = upload(Uint32Array.of(1, 2))
    await kernels.sample(runtime(), { logits: x, seeds, out, rows: 2, cols: 300, topK: 20, type: 'f16' }, options)
    expect(await out.read()).toEqual(kernels.sampleReference(given))
  })
})
