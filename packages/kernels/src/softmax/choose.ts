import type { CompiledKernel } from '@weft/codegen'
import {
  softmax_f16,
  softmax_quads_fixed,
  softmax_quads_fixed_f16,
  softmax_quads_fixed_short_f16,
  softmax_quads_wide_f16,
  softmax_short,
  softmax_short_f16,
} from '../../generated/rows'
import { artifact } from '../../generated/softmax/softmax'
import { artifact as serial } from '../../generated/softmax/softmax_serial'
import type { Runtime } from '../host'
import { forRows, type RowKernels } from '../parts/span'

const WORKGROUP: RowKernels<CompiledKernel> = {
  f32: { any: artifact, short: softmax_short },
  f16: { any: softmax_f16, short: softmax_short_f16 },
  quads: {
    f32: { fixed: softmax_quads_fixed },
    f16: { wide: softmax_quads_wide_f16, fixed: softmax_quads_fixed_f16, fixed_short: softmax_quads_fixed_short_f16 },
  },
}

export interface SoftmaxProblem {
  readonly cols: number
  /** The sizes of both arrays in bytes: what they are bound as has to fill them. */
  readonly bytes: readonly number[]
  readonly type?: 'f32' | 'f16'
}

export interface SoftmaxChoice {
  readonly way: 'serial' | 'workgroup'
  readonly kernel: CompiledKernel
  /** So many columns as show whether the kernel is right. */
  readonly columns: number
}

/** A workgroup a row; an invocation a row where the adapter computes on the CPU, to which barriers are dear. Pure. */
export function chooseSoftmax(
  { cols, bytes, type = 'f32' }: SoftmaxProblem,
  { software, backend }: Pick<Runtime['info'], 'software' | 'backend'>,
): SoftmaxChoice {
  const quads = cols % 4 === 0 && bytes.every((size) => size % 16 === 0)
  return software && type === 'f32' && backend === 'webgpu' && quads
    ? { way: 'serial', kernel: serial, columns: cols }
    : { way: 'workgroup', ...forRows(WORKGROUP, cols, type, bytes) }
}
