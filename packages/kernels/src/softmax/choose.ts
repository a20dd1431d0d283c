import type { CompiledKernel } from '@weft/codegen'
import { artifact } from '../../generated/softmax/softmax'
import { artifact as serial } from '../../generated/softmax/softmax_serial'
import type { Runtime } from '../host'

export interface SoftmaxProblem {
  readonly cols: number
  /** Whether both arrays can be bound as vec4f: their sizes in bytes are multiples of 16. */
  readonly quads: boolean
}

export interface SoftmaxChoice {
  readonly way: 'serial' | 'workgroup'
  readonly kernel: CompiledKernel
}

/** A workgroup a row; an invocation a row where the adapter computes on the CPU, to which barriers are dear. Pure. */
export function chooseSoftmax(
  { cols, quads }: SoftmaxProblem,
  { software, backend }: Pick<Runtime['info'], 'software' | 'backend'>,
): SoftmaxChoice {
  return software && backend === 'webgpu' && quads && cols % 4 === 0
    ? { way: 'serial', kernel: serial }
    : { way: 'workgroup', kernel: artifact }
}
