/** The tiles of products with many rows by subgroup matrices, and which of them is for how many rows. */

export interface MatrixTile {
  /** Rows of x, rows of W, and depth of a tile. */
  readonly tile: readonly [m: number, n: number, k: number]
  /** Rows of x and of W that belong to a subgroup. */
  readonly block: readonly [m: number, n: number]
  /** Into how many slices of the depth subgroups share a block; 1 when left out. */
  readonly slices?: number
}

/** `few`: up to 16 rows; `long`: the same, where W has many rows; `some`: up to 128; `many`. */
export type MatrixRows = 'few' | 'long' | 'some' | 'many'

export const MATRIX_TILES: Readonly<Record<MatrixRows, MatrixTile>> = {
  few: { tile: [16, 16, 256], block: [16, 16], slices: 4 },
  long: { tile: [16, 64, 128], block: [16, 32], slices: 4 },
  some: { tile: [32, 32, 128], block: [32, 16], slices: 2 },
  many: { tile: [128, 128, 32], block: [64, 64] },
}

/** The tile of many rows for a format whose chunks make up a window of so many values. */
export const manyOf = (window: number): MatrixTile =>
  window <= 32
    ? MATRIX_TILES.many
    : window <= 64
      ? { tile: [128, 128, 64], block: [64, 64] }
      : { tile: [64, 64, 128], block: [32, 32] }

export const matricesName = (format: string, rows: MatrixRows): string => `matmul_${format}_matrices_${rows}_f16`

/** Rows of W that keep a large GPU busy 64 at a time. */
const LONG = 16_384

/** The kernel for m rows of x, from 2 on: which is a row of W once for all of them costs less than once for each four. Pure. */
export const chooseMatrixRows = (m: number, n: number): MatrixRows =>
  m <= 16 ? (n >= LONG ? 'long' : 'few') : m <= 128 ? 'some' : 'many'

/** What these kernels need of a device. */
export interface MatrixDevice {
  readonly features: readonly string[]
  /** `f16 f32 16x16x16` and the like. */
  readonly subgroupMatrices: readonly string[]
  readonly limits: Readonly<Record<string, number | undefined>>
}

/** Their workgroup memory at most. */
const MEMORY = 40_000

export const hasMatrices = ({ features, subgroupMatrices, limits }: MatrixDevice): boolean =>
  features.includes('shader-f16') &&
  subgroupMatrices.includes('f16 f32 16x16x16') &&
  limits.minSubgroupSize === 32 &&
  limits.maxSubgroupSize === 32 &&
  (limits.maxComputeWorkgroupStorageSize ?? 0) >= MEMORY
