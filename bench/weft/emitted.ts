// What weft emits, in the shape in which the benches run kernels.

import { type CompiledKernel, type CompiledVariant, compile } from '@weft/codegen'
import { attention as attentionSource, matmulBias } from '@weft/kernels/source'
import { Packer } from '@weft/runtime'
import * as handwritten from '../handwritten/modules'

/** The variant that takes its params from a uniform block, as the hand-written kernels do. */
export function uniformVariant(compiled: CompiledKernel): CompiledVariant {
  const variant = compiled.variants.find(({ params, source }) => params?.via === 'uniform' && source === 'portable')
  if (variant === undefined) throw new Error(`${compiled.name} has no portable variant with uniform params`)
  return variant
}

type Values = Readonly<Record<string, number>>

function emitted<Sizes>(
  compiled: CompiledKernel,
  like: handwritten.BenchKernel<Sizes>,
  params: (sizes: Sizes) => Values,
): handwritten.BenchKernel<Sizes> {
  const { wgsl, entryPoint, layouts } = uniformVariant(compiled)
  return {
    module: { wgsl, entryPoint, layouts: layouts as readonly GPUBindGroupLayoutDescriptor[] },
    bindings: [[...compiled.bindings.map(({ name }) => name), 'params']],
    params: (sizes) => packed(compiled, params(sizes)),
    workgroups: like.workgroups,
  }
}

function packed(compiled: CompiledKernel, values: Values): ArrayBuffer {
  const { params } = compiled
  if (params === null) throw new Error(`${compiled.name} has no params`)
  const bytes = new Packer(compiled.name, params).pack(values)
  return bytes.slice().buffer as ArrayBuffer
}

export const matmul = emitted(compile(matmulBias), handwritten.matmul, ({ m, n, k }) => ({ m, n, k }))

export const attention = emitted(
  compile(attentionSource),
  handwritten.attention,
  ({ batch, heads, kvHeads, queries, keys, causal }) => ({
    batch,
    heads,
    kv_heads: kvHeads,
    queries,
    keys,
    causal: Number(causal),
    scale: handwritten.HEAD_SIZE ** -0.5,
  }),
)
