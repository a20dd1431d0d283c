import type { CompiledKernel } from '@weft/codegen'
import { artifact as plain } from '../../generated/matmul/matmul'
import { artifact as bias } from '../../generated/matmul/matmul_bias'
import { artifact as biasA } from '../../generated/matmul/matmul_bias_transpose_a'
import { artifact as biasB } from '../../generated/matmul/matmul_bias_transpose_b'
import { artifact as biasBoth } from '../../generated/matmul/matmul_bias_transpose_both'
import { artifact as transposeA } from '../../generated/matmul/matmul_transpose_a'
import { artifact as transposeB } from '../../generated/matmul/matmul_transpose_b'
import { artifact as transposeBoth } from '../../generated/matmul/matmul_transpose_both'

export interface MatmulForm {
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly bias: boolean
}

/** [with bias][a transposed][b transposed] */
const TILED: readonly (readonly (readonly CompiledKernel[])[])[] = [
  [
    [plain, transposeB],
    [transposeA, transposeBoth],
  ],
  [
    [bias, biasB],
    [biasA, biasBoth],
  ],
]

/** The kernel for a product of this form. Pure: the same form, the same kernel. */
export const chooseMatmul = ({ transposeA: a, transposeB: b, bias: withBias }: MatmulForm): CompiledKernel =>
  TILED[Number(withBias)]?.[Number(a)]?.[Number(b)] as CompiledKernel
