import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/attention-forward'
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
export function chooseAttentionForward(headSize: number, masked: boolean, type: Storage): CompiledKernel | undefined {
  if (headSize % 4 !== 0) return undefined
  const width = ([64, 128, 256] as const).find((most) => headSize <= most)
  return width && SHIPPED[width][type][Number(masked) as 0 | 1]
}
