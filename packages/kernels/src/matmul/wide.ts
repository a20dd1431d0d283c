import type { CompiledKernel } from '@weft/codegen'
import { type BufferLike, bytesOf, type Runtime } from '../host'
import { type Placed, windowOf } from './views'
import type { Chunk, Part } from './windows'

/** An operand as a kernel of wide loads takes it. */
export interface Wide {
  readonly binding: BufferLike
  readonly offset: number
  readonly row: number
  readonly batch: number
}

/** Makes a buffer of so many bytes that is gone when the product is done. */
export type Temporary = (size: number) => BufferLike

export const upTo = (value: number, unit: number): number => Math.ceil(value / unit) * unit

export async function withTemporary(runtime: Runtime, run: (temporary: Temporary) => Promise<void>): Promise<void> {
  const buffers: Disposable[] = []
  try {
    await run((size) => {
      const buffer = runtime.buffer({ size })
      buffers.push(buffer)
      return buffer
    })
  } finally {
    for (const buffer of buffers) buffer[Symbol.dispose]()
  }
}

/** By what an operand is widened. */
export interface Widening {
  readonly runtime: Runtime
  /** Of an element. */
  readonly bytes: number
  readonly chunk: Chunk
  /** Elements of a load. */
  readonly wide: number
  /** Copies matrices to rows of whole loads, with zeros behind them, as they are or turned. */
  readonly align: () => CompiledKernel
  readonly temporary: Temporary
}

/** What of an operand a product takes: rows and columns as they lie in memory, and whether neighbours are neighbours along k. */
export interface Taken {
  readonly p: Placed
  readonly rows: Part
  readonly cols: Part
  readonly alongK: boolean
}

/** The operand where it lies, or a copy of it whose rows loads of so many elements fit. */
export async function widened(by: Widening, taken: Taken): Promise<Wide> {
  return inPlace(by, taken) ?? copied(by, taken, taken.rows[1], upTo(taken.cols[1], by.wide))
}

/** A copy of an operand, of so many rows of so many elements. */
export async function copied(by: Widening, taken: Taken, lines: number, width: number): Promise<Wide> {
  const { runtime, bytes, chunk, align, temporary } = by
  const { p, rows, cols } = taken
  // one that all of the batch share is copied once
  const batch = p.batch === 0 ? 1 : chunk.z[1]
  const binding = temporary(batch * lines * width * bytes)
  const from = firstOf(by, taken)
  const to = from + (batch - 1) * p.batch + (rows[1] - 1) * p.row + cols[1]
  const x = windowOf(p.data, from, to, bytes, chunk.alignment)
  const sizes = { rows: rows[1], cols: cols[1], batch, offset: x.offset, row: p.row, item: p.batch, width }
  await runtime.run(align(), { x: x.binding, out: binding, ...sizes })
  return { binding, offset: 0, row: width, batch: p.batch === 0 ? 0 : lines * width }
}

const firstOf = ({ chunk: { z } }: Widening, { p, rows, cols }: Taken): number =>
  p.offset + z[0] * p.batch + rows[0] * p.row + cols[0]

/** The operand where it lies, when loads of `wide` elements fit its rows. */
function inPlace(by: Widening, taken: Taken): Wide | null {
  const { bytes, chunk, wide } = by
  const { p, rows, cols, alongK } = taken
  const batch = chunk.z[1]
  const from = firstOf(by, taken)
  const end = from + (batch - 1) * p.batch + (rows[1] - 1) * p.row + upTo(cols[1], wide)
  const strides = p.row % wide === 0 && (p.batch % wide === 0 || batch === 1) && from % wide === 0
  // a load that passes the end of k would read what is not zero; one that passes the end of the buffer, nothing
  if (!strides || (alongK && cols[1] % wide !== 0) || end * bytes > bytesOf(p.data)) return null
  const { binding, offset } = windowOf(p.data, from, end, bytes, chunk.alignment)
  return { binding, offset, row: p.row, batch: p.batch }
}
