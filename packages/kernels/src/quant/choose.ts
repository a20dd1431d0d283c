import type { Storage } from '../parts/storage'
import type { Tuning } from '../tuning'

/** How one row of x goes with weights that are read by lines: in f32 (`lines`), or in bytes (`held`). */
export const ONE_ROW = ['lines', 'held'] as const
export type OneRow = (typeof ONE_ROW)[number]

export interface OneRowProblem {
  readonly format: string
  readonly type: Storage
  readonly n: number
  readonly k: number
}

/** What the way in bytes is fast with. */
export interface OneRowDevice {
  readonly features: readonly string[]
  readonly languageFeatures: readonly string[]
}

/** Columns of an invocation in bytes. */
export const HELD_CHUNK = 32

/**
 * Weights from which on bytes are faster where nothing was measured: of int8, which f32 takes the least to unpack, more. Lines and bytes in µs on an
 * H200, x in f16, each run a pass, 6 of them that of a pass without work: 4096 × 4096 int4 12.4 and 11.8, Q4_0 15.0 and 13.0, Q6_K 16.9 and
 * 15.7, int8 13.3 and 13.8; 14,336 × 4096 int4 23.0 and 16.0.
 */
const HELD_FROM = 2 ** 24
const HELD_FROM_INT8 = 2 ** 26

const hasBytes = ({ features, languageFeatures }: OneRowDevice): boolean =>
  features.includes('subgroups') && languageFeatures.includes('packed_4x8_integer_dot_product')

/** The name of the kernel. */
export const oneRowName = (format: string, way: OneRow, type: Storage): string =>
  `matvec1_${format}_${way}${type === 'f16' ? '_f16' : ''}`

/** The way that was measured to be the fastest, or the one for so many weights. Pure. */
export function chooseOneRow({ format, type, n, k }: OneRowProblem, device: OneRowDevice, tuning?: Tuning): OneRow {
  if (k % HELD_CHUNK !== 0) return 'lines'
  const nameOf = (way: OneRow) => oneRowName(format, way, type)
  const found = tuning?.find(`matvec1_${format}`, type, { n, k }, ONE_ROW.map(nameOf))
  const measured = ONE_ROW.find((way) => nameOf(way) === found)
  const from = format === 'int8' ? HELD_FROM_INT8 : HELD_FROM
  return measured ?? (n * k >= from && hasBytes(device) ? 'held' : 'lines')
}

/**
 * Rows of W of a workgroup in bytes, each of which converts x for itself: as many as leave a large GPU some hundred workgroups. In µs with 8, 16
 * and 32 of them, int4 on an H200, eight runs a pass: 4096 × 14,336 17, 20, 29; 14,336 × 4096 15, 13, 15; 32,768 × 8192 46, 41, 40. Pure.
 */
export const heldRows = (n: number): number => (n < 8192 ? 8 : n < 24_576 ? 16 : 32)
