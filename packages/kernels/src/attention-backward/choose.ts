import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/attention-backward'
import { canRun, type Device, hasSubgroupsOf } from '../parts/device'
import type { Storage } from '../parts/storage'

/** Three launches that give the gradients of attention. */
export interface FastBackward {
  readonly rows: CompiledKernel
  readonly dq: CompiledKernel
  readonly dkv: CompiledKernel
}

/** On subgroup matrices, by head size. */
const MATRIX: Readonly<Record<number, FastBackward>> = {
  64: {
    rows: g.attention_backward_matrix_rows_64_f16,
    dq: g.attention_backward_matrix_dq_64_f16,
    dkv: g.attention_backward_matrix_dkv_64_f16,
  },
  128: {
    rows: g.attention_backward_matrix_rows_128_f16,
    dq: g.attention_backward_matrix_dq_128_f16,
    dkv: g.attention_backward_matrix_dkv_128_f16,
  },
}
/** The size of the subgroups that they are written for. */
const SUBGROUP = 32

export interface BackwardForm {
  readonly headSize: number
  readonly type: Storage
  /** Without masks, dropout, window and soft cap. */
  readonly plain: boolean
  readonly queries: number
  readonly keys: number
}

/** The kernels on what this device has more than others, where there are some for the problem. Pure. */
export function chooseFastBackward(
  { headSize, type, plain, queries, keys }: BackwardForm,
  device: Device,
): FastBackward | undefined {
  const fast = plain && type === 'f16' && queries > 0 && keys > 0 ? MATRIX[headSize] : undefined
  if (!fast || !hasSubgroupsOf(SUBGROUP, device)) return undefined
  return [fast.rows, fast.dq, fast.dkv].every((kernel) => canRun(kernel, device)) ? fast : undefined
}
