import type { CompiledKernel } from '@weft/codegen'

export type ElementwiseType = 'f32' | 'f16' | 'i32' | 'bool'

interface Layouts {
  readonly flat: CompiledKernel
  readonly strided?: CompiledKernel
}

/** An operation with its kernels by the type of its inputs; `any` where the name says the types (casts). */
export type Operation = { readonly name: string } & { readonly [T in ElementwiseType | 'any']?: Layouts }
