import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/matmul'
import { perLoad } from '../parts/loads'
import type { Storage } from '../parts/storage'
import { type Few, gemvColumnsName, gemvLinesName, STRETCH } from './options'

/** Where the operands of a product with few rows are, in elements: what decides whether they can be read by 16 bytes. */
export interface FewPlaces {
  readonly n: number
  readonly k: number
  readonly batch: number
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

/** So many workgroups keep a large GPU busy, which reads with all of them. */
const BUSY = 256
/** A part of k is worth its partial sums from this length on. */
const LEAST_SPAN = 128

export interface ColumnsChoice {
  readonly kernel: CompiledKernel
  /** Parts of k, of `span` each, whose sums are to be joined; 1 for the whole product. */
  readonly splits: number
  readonly span: number
}

/** The kernel that reads columns by 16 bytes, where rows along n begin at multiples of them and n is one. Pure. */
export function chooseColumns(transposeB: boolean, rows: Few, type: Storage, places: FewPlaces): ColumnsChoice | null {
  const { n, k, batch, b_offset, b_row, b_batch } = places
  if (transposeB || n === 0 || k === 0) return null
  const each = perLoad(type)
  if ([n, b_offset, b_row, b_batch].some((place) => place % each !== 0)) return null
  const most = Math.min(Math.floor(BUSY / (Math.ceil(n / STRETCH) * batch)), Math.floor(k / LEAST_SPAN))
  const span = most < 2 ? k : Math.ceil(k / most)
  const splits = Math.ceil(k / span)
  return { kernel: KERNELS[gemvColumnsName(rows === 1 ? 1 : 4, splits > 1, type)] as CompiledKernel, splits, span }
}
