import { type Builder, u32 } from '@weft/dsl'
import type { Sums, U32 } from './numbers'

/** Where a workgroup works: its tile of c, its matrix of the batch, its part of k. */
export interface Task {
  /** Which part of k of which matrix, and which matrix. */
  readonly z: U32
  readonly item: U32
  /** The first row and column of the tile. */
  readonly row: U32
  readonly col: U32
  /** The part of k: from … end - 1. */
  readonly from: U32
  readonly end: U32
}

/**
 * The tile of a workgroup. Workgroups that run at the same time should share rows of a and columns of b, so the tiles are not numbered
 * line by line but down bands of `band` lines: of w workgroups in flight about w / band columns and band lines are read, instead of one
 * line and w columns.
 */
export function taskOf(k: Builder, view: Sums, rows: number, cols: number, band: number): Task {
  const { down, across } = k.let({
    down: u32`(${view.m} + ${rows - 1}) / ${rows}`,
    across: u32`(${view.n} + ${cols - 1}) / ${cols}`,
  })
  const each = k.let('each', down.mul(across))
  const { z, place } = k.let({ z: k.workgroupIndex.div(each), place: k.workgroupIndex.rem(each) })
  const width = k.let('width', across.mul(band))
  const first = k.let('first', u32`${place} / ${width} * ${band}`)
  const { height, within } = k.let({ height: u32`min(${down} - ${first}, ${band})`, within: place.rem(width) })
  const { row, col } = k.let({
    row: u32`(${first} + ${within} % ${height}) * ${rows}`,
    col: u32`${within} / ${height} * ${cols}`,
  })
  const item = k.let('item', z.rem(view.batch))
  const from = k.let('from', u32`${z} / ${view.batch} * ${view.span}`)
  return { z, item, row, col, from, end: k.let('end', u32`min(${from} + ${view.span}, ${view.k})`) }
}
