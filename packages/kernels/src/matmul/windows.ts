import type { BufferLike } from '../host'
import type { Storage } from '../parts/storage'
import type { ChunkSizes } from './chunks'
import { ACTIVATIONS, type Activation } from './options'
import { type Placed, windowOf } from './views'

/** All that the checks leave to know. */
export interface Product {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch: number
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly alpha: number
  readonly activation: Activation
  readonly type: Storage
  readonly sums: Storage
  readonly bytes: number
  readonly a: Placed
  readonly b: Placed
  readonly c: Placed
  readonly bias: BufferLike | null
  readonly residual: Placed | null
}

export type Part = readonly [first: number, count: number]

export interface Chunk {
  readonly z: Part
  readonly i: Part
  readonly j: Part
  readonly alignment: number
  readonly sizes: ChunkSizes
}

/** The windows of an operand: rows and columns as they lie in memory. */
export function window(product: Product, { z, alignment }: Chunk, p: Placed, rows: Part, cols: Part) {
  const from = p.offset + z[0] * p.batch + rows[0] * p.row + cols[0]
  const to = rows[1] * cols[1] === 0 ? from : from + (z[1] - 1) * p.batch + (rows[1] - 1) * p.row + cols[1]
  return windowOf(p.data, from, to, product.bytes, alignment)
}

export function operands(product: Product, chunk: Chunk, overK: Part) {
  const { a, b, transposeA, transposeB } = product
  const wa = transposeA ? window(product, chunk, a, overK, chunk.i) : window(product, chunk, a, chunk.i, overK)
  const wb = transposeB ? window(product, chunk, b, chunk.j, overK) : window(product, chunk, b, overK, chunk.j)
  const params = {
    a_offset: wa.offset,
    a_row: a.row,
    a_batch: a.batch,
    b_offset: wb.offset,
    b_row: b.row,
    b_batch: b.batch,
  }
  return { a: wa.binding, b: wb.binding, params }
}

/** Where a part of the result goes, and what is added to it; `spare` stands in for what is not there. */
export function results(product: Product, chunk: Chunk, spare: BufferLike) {
  const { c, bias, residual, activation, bytes } = product
  const wc = window(product, chunk, c, chunk.i, chunk.j)
  const wr = residual && window(product, chunk, residual, chunk.i, chunk.j)
  const wb = bias && windowOf(bias, chunk.j[0], chunk.j[0] + chunk.j[1], bytes, chunk.alignment)
  const params = {
    c_offset: wc.offset,
    c_row: c.row,
    c_batch: c.batch,
    activation: ACTIVATIONS.indexOf(activation),
    with_bias: Number(bias !== null),
    with_residual: Number(residual !== null),
    bias_offset: wb?.offset ?? 0,
    residual_offset: wr?.offset ?? 0,
    residual_row: residual?.row ?? 0,
    residual_batch: residual?.batch ?? 0,
  }
  return { c: wc.binding, bias: wb?.binding ?? spare, residual: wr?.binding ?? spare, params }
}
