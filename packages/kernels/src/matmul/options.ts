import type { Storage } from '../parts/storage'

/** What may follow a product, element by element. The number of each is its place in the list. */
export const ACTIVATIONS = ['none', 'relu', 'gelu', 'silu'] as const
export type Activation = (typeof ACTIVATIONS)[number]

/** Where a kernel writes: the result, the result after bias, activation and residual, or sums over parts of k. */
export type MatmulForm = 'plain' | 'epilogue' | 'split'

const letter = (transposed: boolean): string => (transposed ? 't' : 'n')

/** `matmul_nt_epilogue_f16`: which operands are transposed, what follows the product, how matrices are stored. */
export const matmulName = (transposeA: boolean, transposeB: boolean, form: MatmulForm, storage: Storage): string =>
  `matmul_${letter(transposeA)}${letter(transposeB)}${form === 'plain' ? '' : `_${form}`}${storage === 'f16' ? '_f16' : ''}`

/** How many rows a few-row kernel computes side by side. */
export const FEW = [1, 4, 8] as const
export type Few = (typeof FEW)[number]

/** `gemv_t4_f16`: whether b is transposed, for up to how many rows, how matrices are stored. */
export const gemvName = (transposeB: boolean, rows: Few, storage: Storage): string =>
  `gemv_${letter(transposeB)}${rows}${storage === 'f16' ? '_f16' : ''}`

/** `gemv_lines4_f16`: with b transposed and rows that are read by 16 bytes. */
export const gemvLinesName = (rows: Few, storage: Storage): string =>
  `gemv_lines${rows}${storage === 'f16' ? '_f16' : ''}`

/** How many rows such a kernel computes side by side; more of them are groups. */
export const COLUMN_ROWS = [1, 4] as const
export type ColumnRows = (typeof COLUMN_ROWS)[number]

/** `gemv_columns4_split_f16`: with b not transposed and rows that are read by 16 bytes; sums over parts of k, or all that follows. */
export const gemvColumnsName = (rows: ColumnRows, split: boolean, storage: Storage): string =>
  `gemv_columns${rows}${split ? '_split' : ''}${storage === 'f16' ? '_f16' : ''}`

/** The columns that a workgroup of such a kernel takes. */
export const STRETCH = 64
