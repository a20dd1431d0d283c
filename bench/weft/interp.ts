// What the bench of the interpreter runs: the same kernels and inputs on SwiftShader and on the interpreter.

import { compile } from '@weft/codegen'
import { prepare } from '@weft/codegen/interp'
import { bool, ceilDiv, d, f32, fn, input, type KernelSource, kernel, output } from '@weft/dsl'
import { matmul, matmulNaive, saxpy } from '@weft/kernels/source'
import { Packer } from '@weft/runtime'
import { matmulReference } from '../../packages/kernels/src/matmul/reference'
import { uniform } from '../../packages/kernels/src/testing'
import { output as outputBuffer, storage, uniform as uniformBuffer } from '../lib/buffers'
import { createJob, type Job } from '../lib/job'
import { uniformVariant } from './emitted'

/** y = gelu(x), by the tanh approximation: bound by arithmetic. */
const gelu = kernel(
  'gelu',
  {
    workgroupSize: [64],
    bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
    params: { n: d.u32 },
    workgroups: ({ n }) => [ceilDiv(n, 64)],
  },
  ({ x, y, n }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(bool`${i} < ${n}`, () => {
      const v = x.at(i)
      y.at(i).set(f32`0.5 * ${v} * (1 + ${fn.tanh}(0.7978846 * (${v} + 0.044715 * ${v} * ${v} * ${v})))`)
    })
  },
)

/** A dispatch of one kernel: bytes by binding, in order of declaration; the last one is the output. */
interface Dispatch {
  readonly source: KernelSource
  readonly buffers: Readonly<Record<string, Float32Array<ArrayBuffer>>>
  readonly params: Readonly<Record<string, number>>
  readonly workgroups: readonly [number, number, number]
}

const N = 1 << 20
const SIDE = 192

/** Kernels without barriers: bound by memory, by arithmetic, and by a loop. */
export const barrierFree: readonly Dispatch[] = [
  {
    source: saxpy,
    buffers: { x: uniform(1, N, -1, 1), y: uniform(2, N, -1, 1) },
    params: { n: N, alpha: 2 },
    workgroups: [N / 64, 1, 1],
  },
  {
    source: gelu,
    buffers: { x: uniform(1, N, -4, 4), y: new Float32Array(N) },
    params: { n: N },
    workgroups: [N / 64, 1, 1],
  },
  {
    source: matmulNaive,
    buffers: { a: uniform(1, SIDE * SIDE, -1, 1), b: uniform(2, SIDE * SIDE, -1, 1), c: new Float32Array(SIDE * SIDE) },
    params: { m: SIDE, n: SIDE, k: SIDE, a_row: SIDE, a_col: 1, b_row: SIDE, b_col: 1 },
    workgroups: [SIDE / 16, SIDE / 16, 1],
  },
]

/** Compiled for the interpreter: each call runs the dispatch on buffers of its own and gives the output. */
export function interpreted({ source, buffers, params, workgroups }: Dispatch): () => Float32Array {
  const program = prepare(source.ir())
  const copies = Object.entries(buffers).map(([name, data]) => [name, data.slice()] as const)
  const bindings = Object.fromEntries(copies.map(([name, data]) => [name, new Uint8Array(data.buffer)]))
  const result = copies.at(-1)?.[1] as Float32Array
  return () => {
    program.run({ bindings, params, workgroups })
    return result
  }
}

/** The same on a device. */
export async function job(
  device: GPUDevice,
  { source, buffers, params, workgroups }: Dispatch,
): Promise<{ job: Job; result: GPUBuffer }> {
  const compiled = compile(source)
  const { wgsl, entryPoint, layouts } = uniformVariant(compiled)
  const data = Object.values(buffers)
  const bound = data.map((values, i) => (i === data.length - 1 ? outputOf(device, values) : storage(device, values)))
  const block = new Packer(compiled.name, compiled.params).pack(params).slice().buffer as ArrayBuffer
  const args = {
    label: compiled.name,
    wgsl,
    entryPoint,
    layouts: layouts as readonly GPUBindGroupLayoutDescriptor[],
    workgroups,
  }
  return {
    job: await createJob(device, { ...args, buffers: [[...bound, uniformBuffer(device, block)]] }),
    result: bound.at(-1) as GPUBuffer,
  }
}

function outputOf(device: GPUDevice, initial: Float32Array<ArrayBuffer>): GPUBuffer {
  const buffer = outputBuffer(device, initial.length, 0)
  device.queue.writeBuffer(buffer, 0, initial)
  return buffer
}

/** The tiled matmul at 128³ on the interpreter, with what it should give. */
export function matmul128(): { interpret: () => Float32Array; expected: Float64Array } {
  const [m, n, k] = [128, 128, 128]
  const a = uniform(1, m * k, -1, 1)
  const b = uniform(2, k * n, -1, 1)
  const dispatch: Dispatch = {
    source: matmul,
    buffers: { a, b, c: new Float32Array(m * n) },
    params: { m, n, k },
    workgroups: [2, 2, 1],
  }
  return { interpret: interpreted(dispatch), expected: matmulReference({ a, b, m, n, k }) }
}
