// A kernel that was never compiled before, for the bench of compilation.

import { compile } from '@weft/codegen'
import { tiledMatmul } from '@weft/kernels/source'
import { uniformVariant } from './emitted'

/**
 * Builds and compiles the tiled matmul with a constant of its own (the first value of the accumulators): builder,
 * validation, passes, WGSL, layouts.
 */
export const compileFresh = (i: number): { readonly wgsl: string } =>
  uniformVariant(compile(tiledMatmul('matmul', { bias: true, initial: i })))
