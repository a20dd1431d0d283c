import { matrixName } from '../matmul-fast/options'

const letter = (transposed: boolean): string => (transposed ? 't' : 'n')

/** `matmul_int8_nt`: four products at a time, on every device. */
export const dotsName = (transposeA: boolean, transposeB: boolean): string =>
  `matmul_int8_${letter(transposeA)}${letter(transposeB)}`

/** By subgroup matrices: tiles of 128 × 128, and of 64 × 64 where there are few of those. */
export type BytesForm = 'i8' | 'i8_small'

/** `matmul_matrix_nt_i8`. */
export const bytesName = (form: BytesForm): string => matrixName(false, true, form)

/** The side of the tile of such a kernel, and of the one by dot products. */
export const TILES = { i8: 128, i8_small: 64, dots: 64 } as const

/** Bytes of a word, and of a load of the kernels by subgroup matrices. */
export const WORD = 4
export const WIDE = 16
