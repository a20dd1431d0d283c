// Checks the hand-written kernels on SwiftShader against the float64 references, on sizes around the tiles' edges. Every
// output starts as a sentinel and has more of it behind, so an element that was not written, or one written past the
// end, shows.
//
//   node scripts/run-ts.mjs bench/handwritten/verify.ts

import { type AttentionReferenceArgs, attentionReference } from '../../packages/kernels/src/attention/reference'
import { type MatmulReferenceArgs, matmulReference } from '../../packages/kernels/src/matmul/reference'
import { maxError, normal } from '../../packages/kernels/src/testing'
import { output, read, SENTINEL, storage } from '../lib/buffers'
import { runJobs } from '../lib/job'
import { kernelJob } from '../lib/kernel-job'
import { openDevice } from '../lib/swiftshader'
import { attention, HEAD_SIZE, matmul } from './modules'

const device = await openDevice('swiftshader')
let failures = 0

/** Compares the first elements of `buffer` with `expected` and the rest with the sentinel. */
async function check(name: string, buffer: GPUBuffer, expected: Float64Array, limit: number): Promise<void> {
  const actual = await read(device, buffer)
  const { abs, index } = maxError(actual.subarray(0, expected.length), expected)
  const kept = actual.subarray(expected.length).every((value) => value === SENTINEL)
  const ok = abs <= limit && kept
  if (!ok) failures++
  const where = ok ? '' : ` at ${index}${kept ? '' : ', wrote past the end'}`
  console.log(
    `${ok ? 'ok   ' : 'WRONG'} ${name}: error ${abs.toExponential(1)}, allowed ${limit.toExponential(1)}${where}`,
  )
}

async function checkMatmul(m: number, n: number, k: number, hasBias: boolean): Promise<void> {
  const args: MatmulReferenceArgs = {
    a: normal(1, m * k),
    b: normal(2, k * n),
    bias: hasBias ? normal(3, n) : undefined,
    m,
    n,
    k,
  }
  const sizes = { m, n, k, hasBias }
  const c = output(device, m * n)
  const [a, b, bias] = [args.a, args.b, args.bias ?? [0]].map((x) => storage(device, Float32Array.from(x)))
  await runJobs(device, await kernelJob(device, 'matmul', matmul, sizes, { a: a!, b: b!, bias: bias!, c }))
  // Well under the worst case of a serial sum, ε · k · Σ|a·b|, and far over what any order of summation gives.
  await check(`matmul ${m}×${n}×${k}${hasBias ? ' + bias' : ''}`, c, matmulReference(args), 2 ** -24 * (8 + 4 * k))
}

type Shape = readonly [batch: number, heads: number, kvHeads: number, queries: number, keys: number]

async function checkAttention(shape: Shape, causal: boolean): Promise<void> {
  const [batch, heads, kvHeads, queries, keys] = shape
  const sizes = { batch, heads, kvHeads, queries, keys, causal }
  const kvLength = batch * kvHeads * keys * HEAD_SIZE
  const args: AttentionReferenceArgs = {
    ...sizes,
    q: normal(1, batch * heads * queries * HEAD_SIZE),
    k: normal(2, kvLength),
    v: normal(3, kvLength),
    headSize: HEAD_SIZE,
  }
  const { out: expected } = attentionReference(args)
  const out = output(device, expected.length)
  const [q, k, v] = [args.q, args.k, args.v].map((x) => storage(device, Float32Array.from(x)))
  await runJobs(device, await kernelJob(device, 'attention', attention, sizes, { q: q!, k: k!, v: v!, out }))
  await check(`attention [${shape.join(', ')}]${causal ? ' causal' : ''}`, out, expected, 1e-5)
}

for (const [m, n, k] of [
  [1, 1, 1],
  [1, 130, 17],
  [130, 1, 33],
  [63, 65, 15],
  [64, 64, 16],
  [65, 63, 31],
  [129, 67, 100],
  [3, 5, 0],
  [67, 131, 1],
] as const) {
  for (const hasBias of [false, true]) await checkMatmul(m, n, k, hasBias)
}

for (const shape of [
  [1, 1, 1, 1, 1],
  [1, 2, 1, 1, 17], // one new token after 16
  [2, 2, 2, 1, 65],
  [1, 2, 2, 4, 24],
  [1, 4, 1, 5, 7],
  [2, 4, 2, 63, 64],
  [1, 2, 2, 64, 64],
  [1, 2, 1, 65, 66],
  [1, 1, 1, 130, 129], // causal: the first row sees nothing
  [1, 1, 1, 70, 3], // causal: the first 67 rows see nothing
  [1, 1, 1, 3, 0],
] as const) {
  for (const causal of [false, true]) await checkAttention(shape, causal)
}

console.log(failures === 0 ? 'all right' : `${failures} wrong`)
process.exit(failures === 0 ? 0 : 1)
