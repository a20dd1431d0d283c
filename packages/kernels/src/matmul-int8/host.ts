import { argsOf, flag, input, maybe, output, size } from '../args'
import { badArgument, checkBuffers, checkCall, chosen, type Runtime } from '../host'
import { chunkSizes, type Extent, parts } from '../matmul/chunks'
import { bindingLimit, device, type MatmulOptions } from '../matmul/host'
import { type MatrixLike, matrix, type Placed, placed, reach } from '../matmul/views'
import { upTo } from '../matmul/wide'
import { kernels, verify } from '../options'
import { passes, type TrialOf } from '../verify'
import { chooseMatmulInt8, type MatmulInt8Choice } from './choose'
import { WIDE, WORD } from './options'
import { type BytesPart, type BytesProduct, runBytes } from './run'

export interface MatmulInt8Args {
  /**
   * m × k signed bytes, row-major, four to a word, the first in its lowest bits (`packBytes`, or the bytes of an `Int8Array`); k × m when
   * `transposeA`. A row begins at a whole word: with strides left out it has k bytes (m when transposed) and up to three that nobody reads.
   */
  readonly a: MatrixLike
  /** k × n signed bytes in the same way; n × k when `transposeB` */
  readonly b: MatrixLike
  /** m × n i32, row-major, written */
  readonly c: MatrixLike
  readonly m: number
  readonly n: number
  readonly k: number
  /** How many products; 1 when left out. */
  readonly batch?: number
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  /** Whether c is added to; it is written when left out. */
  readonly accumulate?: boolean
}

export type MatmulInt8Options = Omit<MatmulOptions, 'tuning'>

const ARGS = argsOf<MatmulInt8Args>({
  a: matrix(input),
  b: matrix(input),
  c: matrix(output),
  m: size,
  n: size,
  k: size,
  batch: maybe(size),
  transposeA: maybe(flag),
  transposeB: maybe(flag),
  accumulate: maybe(flag),
})
const OPTIONS = argsOf<MatmulInt8Options>({ kernels, verify, bindingLimit, device })
const WHAT = 'matmulInt8'

/**
 * c = a · b, or c + a · b, of signed bytes with sums in i32, for any sizes, in batches with strides. Results are exact: up to k = 131,071 no
 * sum leaves i32, beyond that sums are taken modulo 2³². k = 0 is an empty sum. What lies behind the last byte of a row does not matter.
 *
 * Strides and offsets of views count elements: bytes of a and b, where they must be multiples of 4, and i32 of c. Products are by subgroup matrices
 * on devices that have those of i8 → i32 (16 × 16 × 32), four at a time elsewhere. For the former operands whose rows lie across k, or are no
 * multiples of 16 bytes, are copied first. Operands larger than a binding may be are read in parts.
 *
 * @throws RangeError before anything is recorded: sizes, strides, rows of bytes that begin within a word, buffers that are too small, a row
 *   that is larger than a binding may be
 */
export async function matmulInt8(
  runtime: Runtime,
  args: MatmulInt8Args,
  options: MatmulInt8Options = {},
): Promise<void> {
  checkCall(runtime, WHAT, args, ARGS, options, OPTIONS)
  const product = checked(args)
  const { m, n, k, batch, a, b, c, accumulate } = product
  if (m * n * batch === 0 || (k === 0 && accumulate)) return
  const limit = options.bindingLimit ?? runtime.info.limits.maxStorageBufferBindingSize ?? 2 ** 27
  const alignment = runtime.info.limits.minStorageBufferOffsetAlignment ?? 256
  const extents = { a: copied(a, 1, WIDE), b: copied(b, 1, WIDE), results: [copied(c, 4, 4)] }
  const sizes = chunkSizes(WHAT, { ...product, ...extents, limit, alignment, least: WORD, adds: true })
  for (const z of parts(batch, sizes.batch))
    for (const i of parts(m, sizes.m))
      for (const j of parts(n, sizes.n))
        for (const overK of parts(k, sizes.k)) {
          const part = { chunk: { z, i, j, alignment, sizes }, overK, onto: accumulate || overK[0] > 0 }
          await runBytes(runtime, product, part, await choiceFor(runtime, product, part, options), options)
        }
}

function checked(args: MatmulInt8Args): BytesProduct {
  const { m, n, k, batch = 1, transposeA = false, transposeB = false, accumulate = false } = args
  for (const [name, size] of Object.entries({ 'm · n · batch': m * n * batch, m, n, k, batch })) {
    if (size >= 2 ** 32) throw badArgument(`${WHAT}: ${name} must be less than 2³², got ${size}`)
  }
  const a = transposeA ? placedBytes('a', args.a, k, m) : placedBytes('a', args.a, m, k)
  const b = transposeB ? placedBytes('b', args.b, n, k) : placedBytes('b', args.b, k, n)
  const c = placed(WHAT, 'c', args.c, m, n)
  const apart = c.batch >= (m - 1) * c.row + n
  const sideBySide = c.batch >= n && c.row >= (batch - 1) * c.batch + n
  if (batch > 1 && !apart && !sideBySide)
    throw badArgument(`${WHAT}: c.batch = ${c.batch} and c.row = ${c.row} let the ${batch} results overlap`)
  checkBuffers(WHAT, {
    a: [a.data, upTo(reach(a, batch), WORD), 1],
    b: [b.data, upTo(reach(b, batch), WORD), 1],
    c: [c.data, reach(c, batch), 4],
  })
  return { m, n, k, batch, transposeA, transposeB, accumulate, a, b, c }
}

/** A view of bytes with all its strides, by whole words. */
function placedBytes(name: string, matrix: MatrixLike, rows: number, cols: number): Placed {
  const view = 'data' in matrix ? matrix : { data: matrix }
  const found = placed(WHAT, name, { row: upTo(cols, WORD), ...view }, rows, cols)
  for (const field of ['offset', 'row', 'batch'] as const) {
    if (found[field] % WORD !== 0)
      throw badArgument(
        `${WHAT}: ${name}.${field} must be a multiple of 4, so that rows begin at whole words, got ${found[field]}`,
      )
  }
  return found
}

/** What a matrix takes where it lies, or as a copy whose rows are whole loads, whichever is more. */
function copied(p: Placed, bytes: number, wide: number): Extent {
  const row = Math.max(p.row, upTo(p.cols, wide))
  return { ...p, row, batch: p.batch && Math.max(p.batch, p.rows * row), bytes }
}

/** The kernel for a part of a product; with `verify`, one by subgroup matrices that has computed a small product right. */
async function choiceFor(
  runtime: Runtime,
  { transposeA, transposeB }: BytesProduct,
  { chunk, overK }: BytesPart,
  options: MatmulInt8Options,
): Promise<MatmulInt8Choice> {
  const problem = { m: chunk.i[1], n: chunk.j[1], k: overK[1], batch: chunk.z[1], transposeA, transposeB }
  const best = chooseMatmulInt8(problem, options.device ?? runtime.info)
  if (!options.verify || !best.byMatrices) return best
  const trial: TrialOf = async (only) => {
    const { bytesTrial } = await import('./trial')
    return bytesTrial(runtime, { transposeA, transposeB }, best, only)
  }
  return (await passes(runtime, chosen(best.kernel, options), options, trial)) ? best : chooseMatmulInt8(problem)
}
