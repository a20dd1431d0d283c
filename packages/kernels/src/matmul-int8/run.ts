import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/matmul-int8'
import { chosen, type HostOptions, type Runtime } from '../host'
import type { Placed } from '../matmul/views'
import { windowOf } from '../matmul/views'
import { copied, type Temporary, upTo, type Wide, type Widening, widened, withTemporary } from '../matmul/wide'
import type { Chunk, Part } from '../matmul/windows'
import type { MatmulInt8Choice } from './choose'
import { WIDE, WORD } from './options'

/** All that the checks leave to know. */
export interface BytesProduct {
  readonly m: number
  readonly n: number
  readonly k: number
  readonly batch: number
  readonly transposeA: boolean
  readonly transposeB: boolean
  readonly accumulate: boolean
  readonly a: Placed
  readonly b: Placed
  readonly c: Placed
}

/** A part of the result, over a part of k. */
export interface BytesPart {
  readonly chunk: Chunk
  readonly overK: Part
  /** Whether it is added to what c holds. */
  readonly onto: boolean
}

type Kernels = Pick<HostOptions, 'kernels'>

/** A part of a product by the kernel that was chosen for it, and what that needs before and after. */
export const runBytes = (
  runtime: Runtime,
  product: BytesProduct,
  part: BytesPart,
  choice: MatmulInt8Choice,
  options: Kernels,
): Promise<void> => withTemporary(runtime, (temporary) => run(runtime, product, part, choice, options, temporary))

async function run(
  runtime: Runtime,
  product: BytesProduct,
  part: BytesPart,
  choice: MatmulInt8Choice,
  options: Kernels,
  temporary: Temporary,
): Promise<void> {
  const { chunk, overK, onto } = part
  const [m, n, batch] = [chunk.i[1], chunk.j[1], chunk.z[1]]
  const { splits, span, byMatrices, kernel } = choice
  const operand = byMatrices ? alongK({ runtime, chunk, temporary }, options) : inPlace(chunk)
  const { a, b, transposeA, transposeB } = product
  const x = await (transposeA ? operand(a, overK, chunk.i, false) : operand(a, chunk.i, overK, true))
  const y = await (transposeB ? operand(b, chunk.j, overK, true) : operand(b, overK, chunk.j, false))
  const inputs = {
    ...{ a: x.binding, a_offset: x.offset, a_row: x.row, a_batch: x.batch },
    ...{ b: y.binding, b_offset: y.offset, b_row: y.row, b_batch: y.batch },
    ...{ m, n, k: overK[1], batch, splits, span },
  }
  const result = resultOf(product.c, chunk)
  const isDirect = splits === 1 && (!byMatrices || (!onto && result.isWhole))
  const width = isDirect ? 0 : upTo(n, 4)
  const partial = isDirect
    ? result.at
    : { c: temporary(4 * splits * batch * m * width), ...{ c_offset: 0, c_row: width, c_batch: m * width } }
  const added = byMatrices ? {} : { onto: Number(isDirect && onto) }
  await runtime.run(chosen(kernel, options), { ...inputs, ...partial, ...added })
  if (isDirect) return
  const join: CompiledKernel = chosen(g.matmul_int8_join, options)
  await runtime.run(join, { partial: partial.c, ...result.at, m, n, batch, splits, width, onto: Number(onto) })
}

type Operand = (p: Placed, rows: Part, cols: Part, alongK: boolean) => Promise<Wide>

/** The windows of an operand. */
const inPlace =
  (chunk: Chunk): Operand =>
  async (p, rows, cols) => {
    const from = p.offset + chunk.z[0] * p.batch + rows[0] * p.row + cols[0]
    const size = (chunk.z[1] - 1) * p.batch + (rows[1] - 1) * p.row + upTo(cols[1], WORD)
    const end = rows[1] * cols[1] === 0 ? from : from + size
    const { binding, offset } = windowOf(p.data, from, end, 1, chunk.alignment)
    return { binding, offset, row: p.row, batch: p.batch }
  }

/** An operand with rows along k that loads of 16 bytes fit: as it lies, or a copy, turned where its rows lie across k. */
function alongK(by: Pick<Widening, 'runtime' | 'chunk' | 'temporary'>, options: Kernels): Operand {
  const common = { ...by, bytes: 1, wide: WIDE }
  return (p, rows, cols, isAlongK) => {
    const taken = { p, rows, cols, alongK: isAlongK }
    if (isAlongK) return widened({ ...common, align: () => chosen(g.matmul_int8_align, options) }, taken)
    const turn = { ...common, align: () => chosen(g.matmul_int8_turn, options) }
    return copied(turn, taken, cols[1], upTo(rows[1], WIDE))
  }
}

/** Where a part of the result goes, and whether its rows are whole words of four sums there. */
function resultOf(c: Placed, { z, i, j, alignment }: Chunk) {
  const from = c.offset + z[0] * c.batch + i[0] * c.row + j[0]
  const to = from + (z[1] - 1) * c.batch + (i[1] - 1) * c.row + j[1]
  const { binding, offset } = windowOf(c.data, from, to, 4, alignment)
  const isWhole = [offset, c.row, z[1] > 1 ? c.batch : 0, j[1]].every((value) => value % 4 === 0)
  return { at: { c: binding, c_offset: offset, c_row: c.row, c_batch: c.batch }, isWhole }
}
