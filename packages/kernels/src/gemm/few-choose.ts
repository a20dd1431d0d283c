import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/gemm'
import { perLoad } from '../parts/loads'
import type { Storage } from '../parts/storage'
import { type Few, gemvLinesName } from './options'

/** Where the operands of a product with few rows are, in elements: what decides whether they can be read by 16 bytes. */
export interface FewPlaces {
  readonly k: number
  readonly a_offset: number
  readonly a_row: number
  readonly a_col: number
  readonly a_batch: number
  readonly b_offset: number
  readonly b_row: number
  readonly b_batch: number
}

const KERNELS = g as unknown as Readonly<Record<string, CompiledKernel>>

/** The kernel that reads rows along k by eights, where all of them begin at multiples of 16 bytes. Pure. */
export function chooseLines(transposeB: boolean, rows: Few, type: Storage, places: FewPlaces): CompiledKernel | null {
  const { k, a_col, a_offset, a_row, a_batch, b_offset, b_row, b_batch } = places
  if (!transposeB || a_col !== 1 || k === 0 || k % 8 !== 0) return null
  const each = perLoad(type)
  if ([a_offset, a_row, a_batch, b_offset, b_row, b_batch].some((place) => place % each !== 0)) return null
  return KERNELS[gemvLinesName(rows, type)] as CompiledKernel
}
