import type { KernelSource } from '@weft/dsl/ir'
import { blockedMatmul } from './blocks'
import { type MatrixOptions, matrixMatmul } from './matrices'
import { blockName, FEW, type MatrixForm, matrixName, WHOLE, wholeName } from './options'

export { matmulAlign, matmulAlignHalf } from './align'
export { type BlockOptions, blockedMatmul } from './blocks'
export { type MatrixOptions, matrixMatmul } from './matrices'

/** Pairs of transposes; a product of two transposed ones is the transpose of one, and rare. */
const PAIRS = [
  [false, false],
  [false, true],
  [true, false],
] as const

const LARGE_BLOCKS = { tile: [WHOLE.side, WHOLE.side, WHOLE.depth], block: [8, 16] } as const

/** Products in blocks of registers, on every device. */
export const blockedMatmuls: readonly KernelSource[] = [
  blockedMatmul(blockName(128), LARGE_BLOCKS),
  blockedMatmul(blockName(64), { tile: [64, 64, 16], block: [8, 8] }),
  blockedMatmul(blockName(32), { tile: [32, 32, 32], block: [4, 4], slices: 4 }),
]

/** The same where all tiles are whole, as most large products have them; what else is best for each pair was measured. */
export const wholeMatmuls: readonly KernelSource[] = PAIRS.map(([transposeA, transposeB]) =>
  blockedMatmul(wholeName(transposeA, transposeB), {
    ...LARGE_BLOCKS,
    transposed: [transposeA, transposeB],
    isWhole: true,
    ...(transposeB ? { band: 4 } : { byOnes: true }),
  }),
)

type Form = Pick<MatrixOptions, 'component' | 'sums' | 'result' | 'tile' | 'block' | 'slices'>
const LARGE = { component: 'f16', sums: 'f32', result: 'f16', tile: [128, 128, 32], block: [64, 64] } as const
const SMALL = { component: 'f16', sums: 'f32', result: 'f16', tile: [64, 64, 64], block: [32, 32] } as const
const FEW_ROWS = { ...SMALL, tile: [FEW.rows, FEW.cols, 128], block: [32, 32], slices: 4 } as const
const FORMS: Readonly<Record<Exclude<MatrixForm, `i8${string}`>, Form>> = {
  f16: LARGE,
  f16_small: SMALL,
  f16_split: { ...SMALL, result: 'f32' },
  f16_sums: { ...LARGE, sums: 'f16' },
  f16_few: FEW_ROWS,
  f16_few_split: { ...FEW_ROWS, result: 'f32' },
}

/** Products of subgroup matrices, on devices that have them in 16 × 16. */
export const matrixMatmuls: readonly KernelSource[] = (Object.keys(FORMS) as (keyof typeof FORMS)[]).flatMap((form) =>
  PAIRS.map(([transposeA, transposeB]) =>
    matrixMatmul(matrixName(transposeA, transposeB, form), { ...FORMS[form], transposeA, transposeB }),
  ),
)
