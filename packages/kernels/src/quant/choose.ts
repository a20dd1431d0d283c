import type { Storage } from '../parts/storage'
import type { Tuning } from '../tuning'

/** How few rows of x go with weights that are read by lines: in f32 (`lines`), or in bytes (`held`). */
export const FEW_ROWS = ['lines', 'held'] as const
export type FewRows = (typeof FEW_ROWS)[number]

export interface FewRowsProblem {
  readonly format: string
  readonly type: Storage
  readonly m: number
  readonly n: number
  readonly k: number
}

/** What the way in bytes is fast with. */
export interface FewRowsDevice {
  readonly features: readonly string[]
  readonly languageFeatures: readonly string[]
}

/** Columns of an invocation in bytes. */
export const HELD_CHUNK = 32

/**
 * Weights from which on bytes are faster where nothing was measured: of int8, which f32 takes the least to unpack, more. Lines and bytes in µs on an
 * H200, x in f16, each run a pass, 6 of them that of a pass without work: 4096 × 4096 int4 12.4 and 11.8, Q4_0 15.0 and 13.0, Q6_K 16.9 and
 * 15.7, int8 13.3 and 13.8; 14,336 × 4096 int4 23.0 and 16.0. Two rows of x, int4: 20.5 and 15.1 (by hand); 32,768 × 8192 169 and 71.
 * Three and four rows, which take 170 by lines, go two at a time in bytes; that is twice the work of two, and was not measured.
 */
const HELD_FROM = 2 ** 24
const HELD_FROM_INT8 = 2 ** 26
const HELD_FROM_MORE = 2 ** 27

const hasBytes = ({ features, languageFeatures }: FewRowsDevice): boolean =>
  features.includes('subgroups') && languageFeatures.includes('packed_4x8_integer_dot_product')

/** Rows of x that a kernel takes at once. */
export const rowsAtOnce = (m: number, way: FewRows): 1 | 2 | 4 => (m <= 1 ? 1 : way === 'held' ? 2 : 4)

/** The name of the kernel. */
export const fewRowsName = (format: string, m: number, way: FewRows, type: Storage): string =>
  `matvec${rowsAtOnce(m, way)}_${format}_${way}${type === 'f16' ? '_f16' : ''}`

/** From how many weights on bytes are faster for so many rows of x; never for more than 4. */
const heldFrom = (format: string, m: number): number =>
  m > 4 ? Infinity : m > 2 ? HELD_FROM_MORE : format === 'int8' ? HELD_FROM_INT8 : HELD_FROM

/** The way that was measured to be the fastest, or the one for so many weights. Pure. */
export function chooseFewRows(problem: FewRowsProblem, device: FewRowsDevice, tuning?: Tuning): FewRows {
  const { format, type, m, n, k } = problem
  if (k % HELD_CHUNK !== 0) return 'lines'
  const nameOf = (way: FewRows) => fewRowsName(format, m, way, type)
  const found = tuning?.find(`matvec${rowsAtOnce(m, 'held')}_${format}`, type, { n, k }, FEW_ROWS.map(nameOf))
  const measured = FEW_ROWS.find((way) => nameOf(way) === found)
  return measured ?? (n * k >= heldFrom(format, m) && hasBytes(device) ? 'held' : 'lines')
}

/**
 * Rows of W of a workgroup in bytes, each of which converts x for itself: as many as leave a large GPU some hundred workgroups. In µs with 8, 16
 * and 32 of them, int4 on an H200, eight runs a pass: 4096 × 14,336 17, 20, 29; 14,336 × 4096 15, 13, 15; 32,768 × 8192 46, 41, 40. Pure.
 */
export const heldRows = (n: number): number => (n < 8192 ? 8 : n < 24_576 ? 16 : 32)
