import type { KernelSource } from '@weft/dsl/ir'
import { type MatrixOptions, matrixGemm } from '../gemm-fast/matrices'
import { dotsGemm } from './dots'
import { type BytesForm, bytesName } from './options'

export { gemmInt8Align } from './align'
export { dotsGemm } from './dots'
export { gemmInt8Join } from './join'
export { gemmInt8Turn } from './turn'

const both = [false, true] as const

/** Products of bytes on every device. */
export const dotsGemms: readonly KernelSource[] = both.flatMap((transposeA) =>
  both.map((transposeB) => dotsGemm(transposeA, transposeB)),
)

const BYTES = { component: 'i8', sums: 'i32', result: 'i32' } as const
const FORMS: Readonly<Record<BytesForm, Pick<MatrixOptions, 'tile' | 'block'>>> = {
  // 20 KiB: two workgroups fit a multiprocessor of some 48
  i8: { tile: [128, 128, 64], block: [64, 64] },
  i8_small: { tile: [64, 64, 128], block: [32, 32] },
}

/** a · bᵀ of bytes by subgroup matrices, on devices that have `i8 i32 16x16x32`: operands that lie otherwise are turned first. */
export const bytesGemms: readonly KernelSource[] = (Object.keys(FORMS) as BytesForm[]).map((form) =>
  matrixGemm(bytesName(form), { ...BYTES, ...FORMS[form], transposeB: true }),
)
