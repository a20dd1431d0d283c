import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/attention'
import { canRun, type Device, hasSubgroupsOf } from '../parts/device'
import type { Storage } from '../parts/storage'

/** The shipped kernels by greatest head size; f32 and f16, without masks and with. */
const SHIPPED = {
  64: {
    f32: [g.attention_forward_64, g.attention_forward_masked_64],
    f16: [g.attention_forward_64_f16, g.attention_forward_masked_64_f16],
  },
  128: {
    f32: [g.attention_forward_128, g.attention_forward_masked_128],
    f16: [g.attention_forward_128_f16, g.attention_forward_masked_128_f16],
  },
  256: {
    f32: [g.attention_forward_256, g.attention_forward_masked_256],
    f16: [g.attention_forward_256_f16, g.attention_forward_masked_256_f16],
  },
} as const

/**
 * The kernel with the fewest registers that holds the head; none for sizes that are not multiples of 4, or above 256. A wider kernel
 * computes the same and wastes fma on zeros.
 */
export function chooseAttention(headSize: number, masked: boolean, type: Storage): CompiledKernel | undefined {
  if (headSize % 4 !== 0) return undefined
  const width = ([64, 128, 256] as const).find((most) => headSize <= most)
  return width && SHIPPED[width][type][Number(masked) as 0 | 1]
}

/** What a fast kernel asks of a problem. */
export interface FastForward {
  readonly headSize: number
  readonly type: Storage
  /** Without masks, dropout, window and soft cap, and with a scale above 0. */
  readonly plain: boolean
  /** batch · heads · queries */
  readonly rows: number
  readonly keys: number
}

/** On subgroup matrices, by head size. */
const MATRIX: Readonly<Record<number, CompiledKernel>> = {
  64: g.attention_matrix_64_f16,
  128: g.attention_matrix_128_f16,
}
/** In blocks of registers, by head size. */
const TILED: Readonly<Record<number, CompiledKernel>> = {
  64: g.attention_tiled_64,
  128: g.attention_tiled_128,
}
/** Rows of a matrix: it is read as a whole. */
const MATRIX_ROWS = 16
/** The size of the subgroups that those kernels are written for. */
const SUBGROUP = 32

/** The kernel on what this device has more than others, where there is one for the problem. Pure. */
export function chooseFastForward(
  { headSize, type, plain, rows, keys }: FastForward,
  device: Device,
): CompiledKernel | undefined {
  if (!plain || keys === 0) return undefined
  if (type === 'f32') return able(TILED[headSize], device)
  return rows >= MATRIX_ROWS && hasSubgroupsOf(SUBGROUP, device) ? able(MATRIX[headSize], device) : undefined
}

const able = (kernel: CompiledKernel | undefined, device: Device): CompiledKernel | undefined =>
  kernel && canRun(kernel, device) ? kernel : undefined
