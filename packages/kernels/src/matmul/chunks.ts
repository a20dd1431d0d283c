import { badArgument } from '../errors'
/**
 * Products whose operands are larger than a binding may be. A chunk is a part of the batch, of m, of n and of k; what it needs of each
 * operand is bound as a window. Rows of memory are never cut, so which dimension is cut follows from how an operand lies: b: [k, n]
 * is cut along k, and its partial products are added up; bᵀ: [n, k] along n.
 */

/** What of an operand matters: rows in memory, elements of a row, from a row to the next, bytes of an element. */
export interface Extent {
  readonly rows: number
  readonly cols: number
  readonly row: number
  readonly batch: number
  readonly bytes: number
}

export interface ChunkProblem {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch: number
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly a: Extent
  readonly b: Extent
  /** c, and the residual. */
  readonly results: readonly Extent[]
  /** The most bytes of a binding, and what its offset is a multiple of. */
  readonly limit: number
  readonly alignment: number
  /** Dimensions are cut at multiples of it; 1 when left out. */
  readonly least?: number
  /** Whether partial products are added to c one after another; they are one more binding otherwise. */
  readonly adds?: boolean
}

/** So much of each dimension at a time. */
export interface ChunkSizes {
  readonly batch: number
  readonly m: number
  readonly n: number
  readonly k: number
}

const bytesOf = ({ rows, cols, row, batch, bytes }: Extent, items: number): number =>
  rows * cols * items === 0 ? 0 : ((items - 1) * batch + (rows - 1) * row + cols) * bytes

/** How much of each dimension fits at a time. Throws a RangeError that names the limit where a single row does not. */
export function chunkSizes(what: string, problem: ChunkProblem): ChunkSizes {
  const { m, n, k, batch, transposeA, transposeB, a, b, results, limit, alignment, least = 1, adds = false } = problem
  const fits = (items: number) => [a, b, ...results].every((e) => bytesOf(e, items) + alignment <= limit)
  if (fits(batch)) return { batch, m, n, k }
  if (fits(1)) return { batch: 1, m, n, k }

  /** The most rows of an operand in one window, which begins up to `alignment` bytes before the first of them. */
  const most = (name: string, { rows, cols, row, bytes }: Extent): number => {
    const room = Math.floor((limit - alignment) / bytes) - cols
    if (room < 0)
      throw badArgument(
        `${what}: a row of ${name} has ${cols * bytes} bytes, and a binding may have ${limit} (maxStorageBufferBindingSize)`,
      )
    return Math.min(rows, Math.floor(room / Math.max(row, 1)) + 1)
  }
  /** All of a dimension, or as much as there is room for: whole units where that is more than one. */
  const cut = (size: number, room: number, unit: number): number => {
    if (room >= size) return size
    const some = room - (room % (room > unit ? unit : least))
    if (some > 0) return some
    throw badArgument(
      `${what}: ${least} rows have more than the ${limit} bytes of a binding (maxStorageBufferBindingSize)`,
    )
  }
  const ofA = most('a', a)
  const ofB = most('b', b)
  const kk = cut(k, Math.min(transposeA ? ofA : k, transposeB ? k : ofB), 16)
  const parts = kk === 0 ? 1 : Math.ceil(k / kk)
  const ofC = Math.min(...results.map((e) => most('c', e)))
  const mm = cut(m, Math.min(ofC, transposeA ? m : ofA), 64)
  const nn = cut(n, transposeB ? ofB : n, 64)
  if (parts <= 1 || adds) return { batch: 1, m: mm, n: nn, k: kk }
  // the partial sums of all parts of k are one binding, too
  const sums = Math.floor(limit / (4 * parts))
  const across = cut(nn, Math.max(sums, 1), 64)
  return { batch: 1, m: cut(mm, Math.max(Math.floor(sums / across), 1), 64), n: across, k: kk }
}

/** The parts [first, count] of a dimension; one of 0 for an empty one. */
export const parts = (size: number, most: number): readonly (readonly [first: number, count: number])[] =>
  size === 0
    ? [[0, 0]]
    : Array.from({ length: Math.ceil(size / most) }, (_, i) => [i * most, Math.min(most, size - i * most)] as const)
