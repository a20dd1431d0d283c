import type { CompiledKernel } from '@weft/codegen'
import { softmax_f16, softmax_short, softmax_short_f16 } from '../../generated/rows'
import { artifact } from '../../generated/softmax/softmax'
import { artifact as serial } from '../../generated/softmax/softmax_serial'
import type { Runtime } from '../host'
import { forColumns, type Span } from '../parts/span'

const WORKGROUP: Readonly<Record<Span, Readonly<Record<'f32' | 'f16', CompiledKernel>>>> = {
  any: { f32: artifact, f16: softmax_f16 },
  short: { f32: softmax_short, f16: softmax_short_f16 },
}

export interface SoftmaxProblem {
  readonly cols: number
  /** Whether both arrays can be bound as vec4f: their sizes in bytes are multiples of 16. */
  readonly quads: boolean
  readonly type?: 'f32' | 'f16'
}

export interface SoftmaxChoice {
  readonly way: 'serial' | 'workgroup'
  readonly kernel: CompiledKernel
}

/** A workgroup a row; an invocation a row where the adapter computes on the CPU, to which barriers are dear. Pure. */
export function chooseSoftmax(
  { cols, quads, type = 'f32' }: SoftmaxProblem,
  { software, backend }: Pick<Runtime['info'], 'software' | 'backend'>,
): SoftmaxChoice {
  return software && type === 'f32' && backend === 'webgpu' && quads && cols % 4 === 0
    ? { way: 'serial', kernel: serial }
    : { way: 'workgroup', kernel: forColumns(WORKGROUP, cols)[type] }
}
