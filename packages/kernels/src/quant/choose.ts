import type { Storage } from '../parts/storage'
import type { Tuning } from '../tuning'

/** How one row of x goes with int4 that is read by lines: in f32 (`lines`), or in bytes (`held`). */
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

/**
 * Weights from which on bytes are faster where nothing was measured. In bytes a workgroup goes down 32 rows of W, so that few of them are
 * at work on few rows. On an H200, lines and bytes in µs: 4096 × 4096 8.7 and 20 with x in f16, 11.8 and 20 in f32; 14,336 × 4096 17
 * and 22, 27 and 23; 32,768 × 8192 58 and 48, 92 and 52.
 */
const HELD_FROM: Readonly<Record<Storage, number>> = { f16: 2 ** 27, f32: 2 ** 25 }

const hasBytes = ({ features, languageFeatures }: OneRowDevice): boolean =>
  features.includes('subgroups') && languageFeatures.includes('packed_4x8_integer_dot_product')

/** The name of the kernel. */
export const oneRowName = (format: string, way: OneRow, type: Storage): string =>
  `matvec1_${format}_${way}${type === 'f16' ? '_f16' : ''}`

/** The way that was measured to be the fastest, or the one for so many weights; of int4 alone: other formats have one. Pure. */
export function chooseOneRow({ format, type, n, k }: OneRowProblem, device: OneRowDevice, tuning?: Tuning): OneRow {
  if (format !== 'int4' && format !== 'int4_zeros') return 'lines'
  const nameOf = (way: OneRow) => oneRowName(format, way, type)
  const found = tuning?.find(`matvec1_${format}`, type, { n, k }, ONE_ROW.map(nameOf))
  const measured = ONE_ROW.find((way) => nameOf(way) === found)
  return measured ?? (n * k >= HELD_FROM[type] && hasBytes(device) ? 'held' : 'lines')
}
