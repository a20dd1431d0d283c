// How fast the kernels that weft emits run, beside those of bench/handwritten, on SwiftShader: time of emitted over
// time of hand-written (1 = as fast, less = faster), from the fastest of interleaved runs, and once more as the median of
// the quotients of neighbouring runs. Both are checked against the float64 references first, so that neither is timed
// while it writes nothing.
//
//   node bench/handwritten.mjs [--json] [--self]
//
// `--self` measures the hand-written kernels against themselves: how far from 1 the noise alone goes.

import { attentionReference } from '../packages/kernels/src/attention/reference'
import { matmulReference } from '../packages/kernels/src/matmul/reference'
import { maxError, normal } from '../packages/kernels/src/testing'
import * as handwritten from './handwritten/modules'
import { output, read, storage } from './lib/buffers'
import { ratio, timeInterleaved } from './lib/job'
import { kernelJob } from './lib/kernel-job'
import { openDevice } from './lib/swiftshader'

const RUNS = 40
const SELF = process.argv.includes('--self')
const JSON_ONLY = process.argv.includes('--json')

type Kernels = Pick<typeof handwritten, 'matmul' | 'attention'>

import * as emitted from './weft/emitted'

const weft: Kernels = SELF ? handwritten : emitted

const device = await openDevice('swiftshader')

interface Case<Sizes> {
  readonly name: string
  readonly sizes: Sizes
  readonly inputs: Readonly<Record<string, Float32Array<ArrayBuffer>>>
  /** the name that the output is bound to */
  readonly result: string
  readonly expected: Float64Array
}

type Kernel<Sizes> = handwritten.BenchKernel<Sizes>

/** @returns emitted over hand-written; `null` without an emitted kernel */
async function compare<Sizes>(of: Case<Sizes>, hand: Kernel<Sizes>, emitted?: Kernel<Sizes>) {
  const inputs = Object.fromEntries(Object.entries(of.inputs).map(([name, data]) => [name, storage(device, data)]))
  const prepare = async (label: string, kernel: Kernel<Sizes>) => {
    const buffer = output(device, of.expected.length)
    const job = await kernelJob(device, label, kernel, of.sizes, { ...inputs, [of.result]: buffer })
    return { label, buffer, job }
  }
  const entries = [await prepare(`${of.name}, hand-written`, hand)]
  if (emitted !== undefined) entries.push(await prepare(`${of.name}, emitted`, emitted))

  const jobs = entries.map(({ job }) => job)
  await timeInterleaved(device, jobs, 1)
  for (const { label, buffer } of entries) {
    const { relative } = maxError((await read(device, buffer)).subarray(0, of.expected.length), of.expected)
    if (!(relative < 1e-5)) throw new Error(`${label} is wrong: relative error ${relative.toExponential(1)}`)
  }
  const timings = await timeInterleaved(device, jobs, RUNS)
  if (!JSON_ONLY) {
    timings.forEach(({ min, median }, i) => {
      console.log(`${entries[i]!.label.padEnd(26)} min ${min.toFixed(1)} ms, median ${median.toFixed(1)} ms`)
    })
  }
  const [handTime, emittedTime] = timings
  return emittedTime === undefined ? null : ratio(emittedTime, handTime!)
}

function matmulCase(m: number, n: number, k: number): Case<handwritten.MatmulSizes> {
  const inputs = { a: normal(1, m * k), b: normal(2, k * n), bias: normal(3, n) }
  const expected = matmulReference({ ...inputs, m, n, k })
  return { name: `matmul ${m}×${n}×${k}`, sizes: { m, n, k, hasBias: true }, inputs, result: 'c', expected }
}

function attentionCase(heads: number, tokens: number): Case<handwritten.AttentionSizes> {
  const sizes = { batch: 1, heads, kvHeads: heads, queries: tokens, keys: tokens, causal: true }
  const n = heads * tokens * handwritten.HEAD_SIZE
  const inputs = { q: normal(1, n), k: normal(2, n), v: normal(3, n) }
  const { out: expected } = attentionReference({ ...sizes, ...inputs, headSize: handwritten.HEAD_SIZE })
  return { name: `attention ${heads}×${tokens}×64`, sizes, inputs, result: 'out', expected }
}

const matmul = await compare(matmulCase(512, 512, 512), handwritten.matmul, weft?.matmul)
const attention = await compare(attentionCase(8, 512), handwritten.attention, weft?.attention)
const rounded = (value: number | undefined) => (value === undefined ? null : Number(value.toFixed(3)))
const result = {
  matmul: rounded(matmul?.min),
  attention: rounded(attention?.min),
  matmulPaired: rounded(matmul?.paired),
  attentionPaired: rounded(attention?.paired),
}
if (JSON_ONLY) console.log(JSON.stringify(result))
else {
  console.log(`matmul, emitted / hand-written: ${result.matmul ?? '–'} (paired ${result.matmulPaired ?? '–'})`)
  console.log(`attention, emitted / hand-written: ${result.attention ?? '–'} (paired ${result.attentionPaired ?? '–'})`)
}
process.exit(0)
