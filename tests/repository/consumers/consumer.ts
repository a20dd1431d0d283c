/**
 * What a user of the packages writes, type-checked against the packed packages in every set-up of packaging.test.ts, and
 * run, bundled and tree-shaken, by bundled.test.ts. It uses no other global than `GPUDevice` and the like.
 */
import { compile } from '@weft/codegen'
import { cpu } from '@weft/codegen/interp'
import {
  type Builder,
  bool,
  buffer,
  ceilDiv,
  d,
  each,
  f16,
  f32,
  fn,
  func,
  input,
  kernel,
  output,
  override,
  ptr,
  subgroupMatrix,
  tuple,
  u32,
  vec4f,
} from '@weft/dsl'
import { attentionReference, matmul, type PackedWeights, saxpy, uploadWeights } from '@weft/kernels'
import { kernelSource, tiledMatmul } from '@weft/kernels/source'
import { createRuntime, type Runtime } from '@weft/runtime'
import { createRuntime as createNodeRuntime } from '@weft/runtime/node'

const square = func('square(x)', [f32], (x) => x.mul(x))

export const norms = kernel(
  'norms',
  {
    workgroupSize: [64],
    bindings: { x: input(d.arrayOf(d.vec4f)), y: output(d.arrayOf(d.f32)) },
    params: { n: d.u32, scale: d.f32 },
    workgroups: ({ n }) => [ceilDiv(n, 64)],
  },
  ({ x, y, n, scale }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(bool`${i} < ${n}`, () => {
      const v = x.at(i)
      const parts = tuple(4, (lane) => square(v.at(lane)))
      const sum = k.var('sum', f32(0))
      for (const lane of each(4)) sum.addAssign(parts[lane])
      y.at(i).set(f32`sqrt(${sum}) * ${scale} + ${fn.dot(v, v)} * 0`)
    })
  },
)

// parts that authors share between kernels: their types go into declaration files
export const LEFT = subgroupMatrix('left', f16, { rows: 16, cols: 16 })
export const bytes = buffer(64)
export const width = override(u32, 4)
export const cell = ptr('workgroup', d.atomic(d.u32))
export const squared = square
export const scratch = (k: Builder) => ({
  tile: k.workgroup('tile', vec4f, 16, 16),
  count: k.workgroup('count', d.atomic(d.u32)),
  sum: k.var('sum', f32(0)),
  matrix: k.var('matrix', LEFT),
  place: k.private('place', d.arrayOf(d.vec2f, 4)).at(1),
  named: k.let({ one: u32(1), two: f32(2) }),
  several: k.var({ x: f32(0), y: u32(0) }),
})

export const wide = tiledMatmul('wide', { transposeB: true })

const compiled = (name: string) => {
  const source = kernelSource(name)
  return source && compile(source)
}

export async function run(runtime: Runtime): Promise<Float32Array> {
  const x = runtime.buffer(Float32Array.of(3, 4, 0, 0, 1, 2, 2, 0))
  const y = runtime.buffer(new Float32Array(2))
  await runtime.run(compile(norms), { x, y, n: 2, scale: 10 })
  await saxpy(runtime, { x, y, n: 0, alpha: 1 })
  const c = runtime.buffer(new Float32Array(1))
  await matmul(runtime, { a: x, b: x, c, m: 1, n: 1, k: 2 }, { kernels: compiled })
  return y.read(Float32Array)
}

export const onCpu = (): Promise<Runtime> => createRuntime({ device: cpu({ subgroupSize: 8 }) })
export const inNode = (): Promise<Runtime> => createNodeRuntime()
export const onOwnDevice = (device: GPUDevice): Promise<Runtime> => createRuntime({ device })
export const upload = (runtime: Runtime, weights: PackedWeights<'uint8'>) => uploadWeights(runtime, weights)
export const reference = attentionReference
