// `npm run demo`: two kernels of the library, compiled, run and checked.
//
//   a matrix product, 512 × 384 with 640 terms each;
//   causal attention: 2 batches, 8 heads, 2 key and value heads, 257 tokens, head size 64.
//
// They run on WebGPU where there is one, else on the interpreter, which WEFT_DEVICE=cpu takes at once. Every element is
// compared with a float64 reference, and held to a bound that follows from f32 arithmetic (examples/lib/bounds.ts).

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CompiledKernel, compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import { attentionReference, matmulReference } from '@weft/kernels'
import { attention, matmul } from '@weft/kernels/source'
import { createRuntime, type Runtime, selectVariant } from '@weft/runtime/node'
import { normal } from '../packages/kernels/src/testing'
import { attentionBound, type Checked, check, matmulBound } from './lib/bounds'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

async function openRuntime(): Promise<Runtime> {
  const wanted = process.env.WEFT_DEVICE ?? 'auto'
  if (!['auto', 'cpu', 'webgpu'].includes(wanted)) {
    console.error(`WEFT_DEVICE is '${wanted}', expected cpu, webgpu or auto`)
    process.exit(2)
  }
  if (wanted === 'cpu') return createRuntime({ device: cpu() })
  try {
    return await createRuntime()
  } catch (error) {
    if (wanted === 'webgpu') throw error
    console.log(`no WebGPU here (${(error as Error).message.split('\n')[0]}), so:`)
    return createRuntime({ device: cpu() })
  }
}

/** The checked-in WGSL of the variant that runs, or, where that is another, a file written for this run. */
function wgslFile(kernel: CompiledKernel, { info }: Runtime): string {
  const facts = { ...info, features: new Set(info.features), languageFeatures: new Set(info.languageFeatures) }
  const { variant } = selectVariant(kernel.variants, facts)
  if (variant === null) return 'no variant fits this device'
  const names = [`${kernel.name}.wgsl`, `${kernel.name}.${variant.id}.wgsl`].map((name) =>
    join(root, 'packages/kernels/generated', kernel.name, name),
  )
  const kept = names.find(
    (path) => existsSync(path) && readFileSync(path, 'utf8').trimEnd().endsWith(lastLines(variant.wgsl)),
  )
  if (kept) return relative(process.cwd(), kept)
  const path = join(root, 'node_modules/.cache/weft/demo', `${kernel.name}.wgsl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, variant.wgsl)
  return relative(process.cwd(), path)
}

/** All but the doc comment, which the generated file has and a kernel that was compiled here has not. */
const lastLines = (wgsl: string): string => wgsl.replace(/^(\/\/.*\n|\n)+/, '').trimEnd()

/** Compiles, runs, reads back and reports one kernel; gives whether it is within its bound. */
async function demonstrate(
  runtime: Runtime,
  title: string,
  kernel: CompiledKernel,
  inputs: Readonly<Record<string, Float32Array>>,
  output: { readonly name: string; readonly length: number },
  params: Readonly<Record<string, number>>,
  reference: () => Checked,
): Promise<boolean> {
  console.log(`\n${title}`)
  console.log(`  WGSL       ${wgslFile(kernel, runtime)}`)
  const result = runtime.buffer(Float32Array, output.length)
  const buffers = Object.fromEntries(Object.entries(inputs).map(([name, data]) => [name, runtime.buffer(data)]))
  await runtime.load(kernel).compile()
  if (process.stdout.isTTY) process.stdout.write('  running    …')
  const start = performance.now()
  await runtime.run(kernel, { ...buffers, [output.name]: result, ...params })
  const actual = await result.read()
  console.log(
    `${process.stdout.isTTY ? '\r' : ''}  ran in     ${((performance.now() - start) / 1000).toFixed(2)} s, with the readback`,
  )
  const expected = reference()
  const { maxError, worst, ok } = check(actual, expected)
  console.log(`  max error  ${maxError.toExponential(2)} against the float64 reference (${expected.what})`)
  console.log(`  ${ok ? 'ok' : 'FAIL'}         at most ${(worst * 100).toFixed(2)} % of the bound of its element`)
  return ok
}

async function matmulDemo(runtime: Runtime): Promise<boolean> {
  const [m, n, k] = [512, 384, 640]
  const inputs = { a: normal(1, m * k), b: normal(2, k * n) }
  return demonstrate(
    runtime,
    `matmul ${m} × ${n} × ${k}`,
    compile(matmul),
    inputs,
    { name: 'c', length: m * n },
    { m, n, k },
    () => matmulBound(matmulReference({ ...inputs, m, n, k }), { ...inputs, m, n, k }),
  )
}

async function attentionDemo(runtime: Runtime): Promise<boolean> {
  const [batch, heads, kvHeads, tokens, headSize] = [2, 8, 2, 257, 64]
  const kv = batch * kvHeads * tokens * headSize
  const inputs = { q: normal(3, batch * heads * tokens * headSize), k: normal(4, kv), v: normal(5, kv) }
  const sizes = { batch, heads, kvHeads, queries: tokens, keys: tokens, headSize, causal: true }
  const title = `attention, causal: ${batch} batches, ${heads} heads, ${kvHeads} key and value heads, ${tokens} tokens, head size ${headSize}`
  const params = {
    batch,
    heads,
    kv_heads: kvHeads,
    queries: tokens,
    keys: tokens,
    causal: 1,
    scale: 1 / Math.sqrt(headSize),
  }
  return demonstrate(runtime, title, compile(attention), inputs, { name: 'out', length: inputs.q.length }, params, () =>
    attentionBound(attentionReference({ ...sizes, ...inputs }).out, { ...sizes, ...inputs }),
  )
}

const runtime = await openRuntime()
const { backend, adapter, software } = runtime.info
const note =
  software && backend === 'webgpu' ? ' (software: a GPU emulated on the CPU; times say nothing of a real one)' : ''
console.log(`engine: ${backend === 'webgpu' ? 'WebGPU' : 'interpreter'}\nadapter: ${adapter}${note}`)
const results = [await matmulDemo(runtime), await attentionDemo(runtime)]
runtime.destroy()
const ok = results.every(Boolean)
console.log(ok ? '\nboth are right' : '\nan error exceeds its bound')
process.exit(ok ? 0 : 1)
