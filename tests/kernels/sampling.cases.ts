import {
  dropout,
  dropoutHalf,
  sampleRows,
  topKFew,
  topKFewHalf,
  topKOrder,
  topKOrderHalf,
  topKSelect,
  topKSelectHalf,
} from '@weft/kernels/source'
import { dropThreshold } from '../../packages/kernels/src/parts/random.js'
import { sampleChoices } from '../../packages/kernels/src/sampling/host.js'
import { choiceParams, isFewToDraw, isFewToRank, type SampleChoice } from '../../packages/kernels/src/sampling/plan.js'
import {
  dropoutReference,
  type SampleReferenceArgs,
  sampleReference,
  topKReference,
} from '../../packages/kernels/src/sampling/reference.js'
import { integers, normal } from '../../packages/kernels/src/testing/index.js'
import type { BufferData, ParityCase } from '../parity/case.js'
import { f16s, fromF16, unset } from '../parity/data.js'
import { F16, F32, type Stored } from './given.js'
import { shipped } from './outputs.js'

const STORES = [F32, F16]
const words = (n: number): Uint32Array => new Uint32Array(unset(n + 5).buffer)

function written(values: ArrayLike<number>): Uint32Array {
  const all = words(values.length)
  all.set(values)
  return all
}

/** As they lie in memory, with NaN behind them, and as numbers. */
function poisoned(store: Stored, values: ArrayLike<number>): { data: BufferData; numbers: number[] } {
  const all = [...Array.from(values), ...new Array<number>(4 + (values.length % 2)).fill(NaN)]
  if (store === F32) return { data: Float32Array.from(all), numbers: Array.from(values) }
  const bits = Uint16Array.from(all, (value) => f16s(value)[0]!)
  return { data: bits, numbers: fromF16(bits).slice(0, values.length) }
}

/** Few different numbers, so that there are equals on both sides of each limit. */
const few = (seed: number, n: number): Float32Array => Float32Array.from(integers(seed, n, 9), (v) => (v - 4) / 2)

const SPECIAL = [-0, 0, NaN, 3, Infinity, NaN, -Infinity, -Infinity, 2, NaN, NaN, NaN, -Infinity, 1e-6, -1e-6]

function topKCases(store: Stored, rows: number, cols: number, k: number, given: ArrayLike<number>): ParityCase[] {
  const { data, numbers } = poisoned(store, given)
  const { values, indices } = topKReference({ x: numbers, rows, cols, k })
  // each invocation writes down its own columns, one invocation after the other
  const found = Uint32Array.from({ length: rows * k }, (_, i) => i).map((i) => {
    const row = Math.floor(i / k)
    const columns = [...indices.subarray(row * k, row * k + k)]
    return columns.sort((a, b) => (a % 256) - (b % 256) || a - b)[i % k]!
  })
  const params = { rows, cols, k }
  const name = `${rows} × ${cols}, k = ${k}`
  const byInvocation: ParityCase = {
    name: `top_k_few${store.suffix}, ${name}`,
    kernel: store === F32 ? topKFew : topKFewHalf,
    params,
    bindings: { x: data, values: store.empty(rows * k), indices: words(rows * k) },
    expect: { values: store.filled(values), indices: written(indices) },
  }
  return [
    ...(isFewToRank(cols, k) ? [byInvocation] : []),
    {
      name: `top_k_select${store.suffix}, ${name}`,
      kernel: store === F32 ? topKSelect : topKSelectHalf,
      params,
      bindings: { x: data, found: words(rows * k) },
      expect: { found: written(found) },
    },
    {
      name: `top_k_order${store.suffix}, ${name}`,
      kernel: store === F32 ? topKOrder : topKOrderHalf,
      params,
      bindings: { x: data, found, values: store.empty(rows * k), indices: words(rows * k) },
      expect: { values: store.filled(values), indices: written(indices) },
    },
  ]
}

type SampleOptions = Omit<SampleReferenceArgs, 'logits' | 'seeds' | 'rows' | 'cols'>

function sampleCase(
  store: Stored,
  rows: number,
  cols: number,
  given: ArrayLike<number>,
  options: SampleOptions = {},
  { seed = 1, byInvocation = isFewToDraw(cols, { software: true }) } = {},
): ParityCase {
  const { data, numbers } = poisoned(store, given)
  const seeds = integers(seed, rows, 2 ** 32)
  const { step = 0, choices } = options
  const name = `${choices ? 'sample_each_row' : 'sample_rows'}${byInvocation ? '_few' : ''}${store.suffix}`
  return {
    name: `${name}, ${rows} × ${cols} ${JSON.stringify(options)}`,
    kernel: sampleRows.find((kernel) => kernel.name === name)!,
    params: { rows, cols, step, ...(choices ? {} : choiceParams({ topK: cols, ...options })) },
    bindings: {
      ...{ logits: data, seeds, out: words(rows) },
      ...(choices ? { choices: sampleChoices(choices) } : {}),
    },
    expect: { out: written(sampleReference({ logits: numbers, seeds, rows, cols, ...options })) },
  }
}

const wide = (seed: number, n: number): Float32Array => normal(seed, n).map((v) => 4 * v)

/** Greedy rows, limits of every kind and none, side by side. */
const CHOICES: readonly SampleChoice[] = [
  { temperature: 0 },
  { temperature: 0.7, topK: 40, topP: 0.9 },
  {},
  { topP: 0.5 },
  { topK: 3 },
  { temperature: 1.7, topP: 0 },
  { temperature: 1e-30, topK: 9999 },
]

function samples(store: Stored): ParityCase[] {
  return [
    sampleCase(store, 3, 1, [5, -Infinity, NaN]),
    sampleCase(store, 3, 1, [5, -Infinity, NaN], {}, { byInvocation: false }),
    sampleCase(store, 3, 5, SPECIAL, {}, { byInvocation: false }),
    sampleCase(store, 3, 5, SPECIAL),
    sampleCase(store, 3, 5, SPECIAL, { topK: 2, topP: 0.5 }),
    sampleCase(store, 2, 4, [-Infinity, -Infinity, -Infinity, -Infinity, -Infinity, 6e4, -Infinity, -6e4]),
    sampleCase(store, 67, 31, few(9, 67 * 31), { topK: 17, topP: 0.7, temperature: 0.9 }),
    sampleCase(store, 65, 32, wide(10, 65 * 32), { topP: 0.9, step: 2 }),
    sampleCase(store, 7, 32, wide(11, 7 * 32), { choices: CHOICES }),
    sampleCase(store, 9, 255, wide(2, 9 * 255), { step: 3 }),
    sampleCase(store, 9, 257, wide(3, 9 * 257), { topK: 40, temperature: 0.8 }),
    sampleCase(store, 9, 256, wide(4, 9 * 256), { topP: 0.9, temperature: 1.7 }),
    sampleCase(store, 6, 300, few(5, 1800), { topK: 50, topP: 0.3 }),
    sampleCase(store, 5, 1021, new Float32Array(5 * 1021), { topP: 0.25 }),
    sampleCase(store, 3, 700, wide(6, 2100), { topK: 1 }),
    sampleCase(store, 3, 700, wide(6, 2100), { topP: 0 }),
    sampleCase(store, 2, 600, wide(7, 1200), { temperature: 1e-30 }),
    sampleCase(store, 2, 600, wide(7, 1200), { temperature: 1e30, topK: 599 }),
    sampleCase(store, 7, 301, wide(8, 7 * 301), { step: 5, choices: CHOICES }),
    sampleCase(store, 3, 5, SPECIAL, { choices: [{ temperature: 0 }, { temperature: 0 }, { topK: 2 }] }),
  ]
}

function dropoutCase(store: Stored, n: number, p: number, inPlace = false): ParityCase {
  const { data, numbers } = store.given(1, n, -3, 3)
  const options = { seed: 0xdead_beef, stream: 7, p }
  const y = dropoutReference(numbers, options)
  const scale = 1 / (1 - p)
  return {
    name: `dropout${store.suffix}, n = ${n}, p = ${p}${inPlace ? ', in place' : ''}`,
    kernel: store === F32 ? dropout : dropoutHalf,
    params: { n, seed: options.seed, stream: 7, threshold: dropThreshold(p), scale },
    bindings: inPlace ? { x: store.filled(numbers), y: store.filled(numbers) } : { x: data, y: store.empty(n) },
    ...(inPlace ? { alias: ['x', 'y'] as const } : {}),
    // one product in f32, correctly rounded: no tolerance
    expect: { y: store.filled(y.map(Math.fround)) },
  }
}

const cases: readonly ParityCase[] = STORES.flatMap((store) => [
  ...topKCases(store, 3, 5, 5, SPECIAL),
  ...topKCases(store, 5, 3, 2, SPECIAL),
  ...topKCases(store, 67, 32, 8, few(4, 67 * 32)),
  ...topKCases(store, 2, 257, 1, few(1, 514)),
  ...topKCases(store, 2, 600, 50, few(2, 1200)),
  ...topKCases(store, 1, 513, 300, wide(3, 513)),
  ...samples(store),
  dropoutCase(store, 1, 0.5),
  dropoutCase(store, 255, 0),
  dropoutCase(store, 257, 0.1),
  dropoutCase(store, 1000, 0.5, true),
])

export const samplingCases: readonly ParityCase[] = cases.map(shipped)

/** Vocabularies of real models, and the greatest one: made only where they run, as sorting them takes seconds. */
export const fullCases: readonly ParityCase[] = process.env.WEFT_FULL === '1' ? STORES.flatMap(large).map(shipped) : []

function large(store: Stored): ParityCase[] {
  return [
    ...topKCases(store, 2, 102_400, 50, wide(1, 204_800)),
    ...topKCases(store, 1, 70_001, 1000, few(2, 70_001)),
    sampleCase(store, 2, 50_257, wide(3, 100_514), { temperature: 0.7, topK: 50, topP: 0.95 }),
    sampleCase(store, 2, 102_400, wide(4, 204_800), { topP: 0.9 }),
    sampleCase(store, 1, 2 ** 18, new Float32Array(2 ** 18), { topP: 0.999 }),
    sampleCase(store, 300, 65, wide(5, 300 * 65), { topP: 0.8 }),
    sampleCase(store, 2, 50_257, wide(6, 100_514), { choices: CHOICES.slice(0, 2) }),
    dropoutCase(store, 65_537, 0.3),
  ]
}
