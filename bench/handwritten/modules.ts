// The hand-written kernels as data: source, layouts, params and dispatch counts (see README.md).

import { readFileSync } from 'node:fs'
import { type ComputeModule, layout } from '../lib/job'

const source = (name: string) => readFileSync(new URL(`./${name}.wgsl`, import.meta.url), 'utf8')
const inputsOutputParams = layout('read-only-storage', 'read-only-storage', 'read-only-storage', 'storage', 'uniform')

/** A kernel as the benches run it; what the compiler emits is measured in the same shape. */
export interface BenchKernel<Sizes> {
  readonly module: ComputeModule
  /** per bind group, the names behind the entries of its layout, in their order */
  readonly bindings: readonly (readonly string[])[]
  /** the contents of the uniform buffer that is bound as `params` */
  params(sizes: Sizes): ArrayBuffer
  workgroups(sizes: Sizes): readonly [number, number, number]
}

export interface MatmulSizes {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly hasBias: boolean
}

export interface AttentionSizes {
  readonly batch: number
  readonly heads: number
  readonly kvHeads: number
  readonly queries: number
  readonly keys: number
  readonly causal: boolean
}

export const matmul: BenchKernel<MatmulSizes> = {
  module: { wgsl: source('matmul'), entryPoint: 'main', layouts: [inputsOutputParams] },
  bindings: [['a', 'b', 'bias', 'c', 'params']],
  params: ({ m, n, k, hasBias }) => Uint32Array.of(m, n, k, Number(hasBias)).buffer,
  workgroups: ({ m, n }) => [Math.ceil(n / 64), Math.ceil(m / 64), 1],
}

export const HEAD_SIZE = 64

export const attention: BenchKernel<AttentionSizes> = {
  module: { wgsl: source('attention'), entryPoint: 'main', layouts: [inputsOutputParams] },
  bindings: [['q', 'k', 'v', 'out', 'params']],
  params: ({ heads, kvHeads, queries, keys, causal }) => {
    const params = new ArrayBuffer(24)
    new Uint32Array(params).set([heads, kvHeads, queries, keys, Number(causal)])
    new Float32Array(params)[5] = HEAD_SIZE ** -0.5
    return params
  },
  workgroups: ({ batch, heads, queries }) => [Math.ceil(queries / 64), batch * heads, 1],
}
