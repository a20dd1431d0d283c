import { argsOf, bufferOr, type input, maybe, size } from '../args'
import { type BufferLike, badArgument, bytesOf } from '../host'

/** A matrix, or a batch of them, somewhere in a buffer. Strides and offsets count elements. */
export interface MatrixView {
  readonly data: BufferLike
  /** Its first element; 0 when left out. */
  readonly offset?: number
  /** From a row to the next, as the rows lie in memory; the length of a row when left out. */
  readonly row?: number
  /** From a matrix of the batch to the next, 0 for one that all share; without gaps when left out. */
  readonly batch?: number
}

const VIEW_ARGS = (data: typeof input) =>
  argsOf<MatrixView>({ data, offset: maybe(size), row: maybe(size), batch: maybe(size) })

/** An argument that is a matrix, which is read or written. */
export const matrix = (data: typeof input) => bufferOr<MatrixLike>(data, VIEW_ARGS(data))

/** A buffer with the matrix at its start, or a view. */
export type MatrixLike = BufferLike | MatrixView

export interface Placed {
  readonly data: BufferLike
  readonly offset: number
  readonly row: number
  readonly batch: number
  /** Rows as they lie in memory, and elements of a row. */
  readonly rows: number
  readonly cols: number
}

/** A view with all its strides, checked. */
export function placed(what: string, name: string, matrix: MatrixLike, rows: number, cols: number): Placed {
  const view: MatrixView = 'data' in matrix ? matrix : { data: matrix }
  const { data, offset = 0, row = cols, batch = rows * row } = view
  for (const [field, value] of Object.entries({ offset, row, batch })) {
    if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** 32)
      throw badArgument(`${what}: ${name}.${field} must be an integer from 0 to 2³² - 1, got ${value}`)
  }
  if (row < cols && rows > 1)
    throw badArgument(`${what}: ${name}.row must be at least ${cols}, the elements of a row, got ${row}`)
  return { data, offset, row, batch, rows, cols }
}

/** One more than the last element that so many matrices reach; 0 where there is none. */
export const reach = ({ offset, row, batch, rows, cols }: Placed, items: number): number =>
  rows === 0 || cols === 0 || items === 0 ? 0 : offset + (items - 1) * batch + (rows - 1) * row + cols

/** Elements `from` … `to - 1` of a buffer, to bind: a range at an offset that bindings may have, and where `from` is in it. */
export function windowOf(
  data: BufferLike,
  from: number,
  to: number,
  bytesEach: number,
  alignment: number,
): { readonly binding: BufferLike; readonly offset: number } {
  const range = data as { readonly buffer?: unknown; readonly offset?: number; readonly size?: number }
  const inner = range.buffer !== undefined
  const base = inner ? (range.offset ?? 0) : 0
  const first = Math.floor((from * bytesEach) / alignment) * alignment
  // whole words, but not more than there is: an odd number of f16 ends in half of one
  const end = Math.min(Math.ceil((to * bytesEach) / 4) * 4, bytesOf(data))
  const binding = { buffer: inner ? range.buffer : data, offset: base + first, size: end - first } as BufferLike
  return { binding, offset: from - first / bytesEach }
}
