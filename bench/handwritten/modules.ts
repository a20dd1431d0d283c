// The hand-written kernels as data: source, layouts, params and dispatch counts (see README.md).

import { readFileSync } from 'node:fs'
import { type ComputeModule, layout } from '../lib/job'

const source = (name: string) => readFileSync(new URL(`./${name}.wgsl`, import.meta.url), 'utf8')
const inputsOutputParams = layout('read-only-storage', 'read-only-storage', 'read-only-storage', 'storage', 'uniform')

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

/** Group 0: a, b, bias, c, params. */
export const matmul = {
  module: { wgsl: source('matmul'), entryPoint: 'main', layouts: [inputsOutputParams] } satisfies ComputeModule,
  params: ({ m, n, k, hasBias }: MatmulSizes): ArrayBuffer => Uint32Array.of(m, n, k, Number(hasBias)).buffer,
  workgroups: ({ m, n }: MatmulSizes): [number, number, number] => [Math.ceil(n / 64), Math.ceil(m / 64), 1],
}

export const HEAD_SIZE = 64

/** Group 0: q, k, v, out, params. */
export const attention = {
  module: { wgsl: source('attention'), entryPoint: 'main', layouts: [inputsOutputParams] } satisfies ComputeModule,
  params: ({ heads, kvHeads, queries, keys, causal }: AttentionSizes, scale = HEAD_SIZE ** -0.5): ArrayBuffer => {
    const params = new ArrayBuffer(24)
    new Uint32Array(params).set([heads, kvHeads, queries, keys, Number(causal)])
    new Float32Array(params)[5] = scale
    return params
  },
  workgroups: ({ batch, heads, queries }: AttentionSizes): [number, number, number] => [
    Math.ceil(queries / 64),
    batch * heads,
    1,
  ],
}
