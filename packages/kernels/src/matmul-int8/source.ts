import type { KernelSource } from '@weft/dsl/ir'
import { type MatrixOptions, matrixMatmul } from '../matmul-fast/matrices'
import { dotsMatmul } from './dots'
import { type BytesForm, bytesName } from './options'

export { matmulInt8Align } from './align'
export { dotsMatmul } from './dots'
export { matmulInt8Join } from './join'
export { matmulInt8Turn } from './turn'

const both = [false, true] as const

/** Products of bytes on every device. */
export const dotsMatmuls: readonly KernelSource[] = both.flatMap((transposeA) =>
  both.map((transposeB) => dotsMatmul(transposeA, transposeB)),
)

const BYTES = { component: 'i8', sums: 'i32', result: 'i32' } as const
const FORMS: Readonly<Record<BytesForm, Pick<MatrixOptions, 'tile' | 'block'>>> = {
  // 20 KiB: two workgroups fit a multiprocessor of some 48
  i8: { tile: [128, 128, 64], block: [64, 64] },
  i8_small: { tile: [64, 64, 128], block: [32, 32] },
}

/** a · bᵀ of bytes by subgroup matrices, on devices that have `i8 i32 16x16x32`: operands that lie otherwise are turned first. */
export const bytesMatmuls: readonly KernelSource[] = (Object.keys(FORMS) as BytesForm[]).map((form) =>
  matrixMatmul(bytesName(form), { ...BYTES, ...FORMS[form], transposeB: true }),
)
