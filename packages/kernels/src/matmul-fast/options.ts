/** What tiles of a product of registers there are: rows and columns of a tile. */
export const BLOCKS = [128, 64, 32] as const
export type Block = (typeof BLOCKS)[number]

/** `matmul_block_64`: tiles of 64 × 64. */
export const blockName = (block: Block): string => `matmul_block_${block}`

/** `matmul_block_128_nt_whole`: for whole tiles of 128 × 128, 16 deep. */
export const wholeName = (transposeA: boolean, transposeB: boolean): string =>
  `${blockName(WHOLE.side)}_${letter(transposeA)}${letter(transposeB)}_whole`
export const WHOLE = { side: 128, depth: 16 } as const

/** Of f16: large and small tiles, sums over parts of k, sums in f16, tiles for few rows or small products and their sums; and bytes. */
export type MatrixForm =
  | 'f16'
  | 'f16_small'
  | 'f16_split'
  | 'f16_sums'
  | 'f16_few'
  | 'f16_few_split'
  | 'i8'
  | 'i8_small'
/** Rows and columns of a tile for few rows or small products. */
export const FEW = { rows: 32, cols: 64 } as const

const letter = (transposed: boolean): string => (transposed ? 't' : 'n')

/** `matmul_matrix_nt_f16`. */
export const matrixName = (transposeA: boolean, transposeB: boolean, form: MatrixForm): string =>
  `matmul_matrix_${letter(transposeA)}${letter(transposeB)}_${form}`

/** What `with_residual` says: none, the binding of that name, or what c holds so far, which cannot be bound twice. */
export const RESIDUAL = { none: 0, other: 1, result: 2 } as const
