import type { Storage } from '../parts/storage'
import type { Tuning } from '../tuning'

/**
 * How one row of x goes with int4 that is read by lines: in f32 with the zero point subtracted from the sum (`lines`) or from every
 * weight (`each_lines`), or in bytes (`held`). The first is taken where nothing is measured.
 */
export const ONE_ROW = ['lines', 'each_lines', 'held'] as const
export type OneRow = (typeof ONE_ROW)[number]

export interface OneRowProblem {
  readonly format: string
  readonly type: Storage
  readonly n: number
  readonly k: number
}

/** The name of the kernel. */
export const oneRowName = (format: string, way: OneRow, type: Storage): string =>
  `matvec1_${format}_${way}${type === 'f16' ? '_f16' : ''}`

/** The way that was measured to be the fastest, of int4 alone: other formats have one. Pure. */
export function chooseOneRow({ format, type, n, k }: OneRowProblem, tuning?: Tuning): OneRow {
  if (format !== 'int4' && format !== 'int4_zeros') return 'lines'
  const nameOf = (way: OneRow) => oneRowName(format, way, type)
  const found = tuning?.find(`matvec1_${format}`, type, { n, k }, ONE_ROW.map(nameOf))
  return ONE_ROW.find((way) => nameOf(way) === found) ?? ONE_ROW[0]
}
