import { ceilDiv, d, type Expr, type HostNumber } from '@weft/dsl'
import type { Epilogue } from '../matmul/epilogue'

/**
 * The numbers of a product that the fast kernels take: the same for all of them, so that the host has one list. Strides and offsets count
 * elements; those of a and b are multiples of what one load takes.
 */
const NUMBERS = [
  ...['m', 'n', 'k', 'batch', 'splits', 'span'],
  ...['a_offset', 'a_row', 'a_batch', 'b_offset', 'b_row', 'b_batch', 'c_offset', 'c_row', 'c_batch'],
] as const
const AFTER = [
  ...['activation', 'with_bias', 'with_residual', 'bias_offset'],
  ...['residual_offset', 'residual_row', 'residual_batch'],
] as const

export type U32 = Expr<'u32'>
type Sizes = 'm' | 'n' | 'k' | 'batch' | 'splits' | 'span'
type Places<M extends string> = `${M}_${'offset' | 'row' | 'batch'}`

/** A product as the body of a kernel sees it, when it only adds up. */
export type Sums = Readonly<Record<Sizes | Places<'a' | 'b' | 'c'>, U32>>

/** With all that may follow. */
export interface Numbers extends Sums, Readonly<Record<Places<'residual'> | 'bias_offset', U32>>, Epilogue {}

const all = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, d.u32]))

export const productParams = { ...all(NUMBERS), alpha: d.f32, ...all(AFTER) }
/** Of a kernel that only adds up: integers. */
export const sumParams = all(NUMBERS)

/**
 * Of a kernel that copies a batch of rows × cols matrices into rows of `width` elements, so that loads of several of them fit: x[z, i, j] lies at
 * offset + z · item + i · row + j.
 */
export const copyParams = {
  ...{ rows: d.u32, cols: d.u32, batch: d.u32 },
  ...{ offset: d.u32, row: d.u32, item: d.u32, width: d.u32 },
}

/** How many workgroups: one for each tile of c, in each part of k. */
export const tilesOf =
  (rows: number, cols: number) =>
  ({ m, n, batch, splits }: Readonly<Record<string, HostNumber>>): readonly HostNumber[] => [
    ceilDiv(n as HostNumber, cols)
      .mul(ceilDiv(m as HostNumber, rows))
      .mul(batch as HostNumber)
      .mul(splits as HostNumber),
  ]
