import { chosen, type Runtime } from '../host'
import { alignKernel, type FastChoice } from '../matmul-fast/choose'
import { RESIDUAL } from '../matmul-fast/options'
import type { MatmulOptions } from './host'
import { joinParts } from './parts'
import type { Placed } from './views'
import { type Temporary, upTo, type Wide, widened, withTemporary } from './wide'
import { type Chunk, type Part, type Product, results } from './windows'

/**
 * A part of the result by the kernels of matmul-fast, which load several elements at a time: an operand whose rows such loads do not fit is
 * copied to one whose rows do.
 */
export async function runFast(
  runtime: Runtime,
  product: Product,
  chunk: Chunk,
  choice: FastChoice,
  options: MatmulOptions,
): Promise<void> {
  await withTemporary(runtime, (temporary) => run(runtime, product, chunk, choice, options, temporary))
}

async function run(
  runtime: Runtime,
  product: Product,
  chunk: Chunk,
  choice: FastChoice,
  options: MatmulOptions,
  temporary: Temporary,
): Promise<void> {
  const { k, transposeA, transposeB, type, alpha } = product
  const [m, n, batch] = [chunk.i[1], chunk.j[1], chunk.z[1]]
  const align = () => chosen(alignKernel(type), options)
  const wide = (p: Placed, rows: Part, cols: Part, alongK: boolean): Promise<Wide> =>
    widened({ runtime, bytes: product.bytes, chunk, wide: choice.wide, align, temporary }, { p, rows, cols, alongK })
  const all: Part = [0, k]
  const a = await (transposeA ? wide(product.a, all, chunk.i, false) : wide(product.a, chunk.i, all, true))
  const b = await (transposeB ? wide(product.b, chunk.j, all, true) : wide(product.b, all, chunk.j, false))
  const operands = {
    ...{ a: a.binding, a_offset: a.offset, a_row: a.row, a_batch: a.batch },
    ...{ b: b.binding, b_offset: b.offset, b_row: b.row, b_batch: b.batch },
    ...(choice.transposes ? { transposed: Number(transposeA) + 2 * Number(transposeB) } : {}),
  }
  const { splits, span } = choice
  const sizes = { m, n, k, batch, splits, span }
  const isPlain = product.bias === null && product.residual === null && product.activation === 'none'
  if (splits === 1 && fitsResult(product, chunk) && (isPlain || !choice.isPlain)) {
    const { c, bias, residual, params } = results(product, chunk, a.binding)
    const { c_offset, c_row, c_batch } = params
    const onto = product.residual !== null && isSame(product.residual, product.c)
    const held = onto ? { residual: a.binding, with_residual: RESIDUAL.result } : { residual }
    const after = choice.isPlain ? { c_offset, c_row, c_batch } : { bias, ...params, ...held }
    await runtime.run(chosen(choice.kernel, options), { ...operands, ...sizes, alpha, c, ...after })
    return
  }
  const width = upTo(n, 4)
  const partial = temporary(4 * splits * batch * m * width)
  const place = { c: partial, c_offset: 0, c_row: width, c_batch: m * width }
  const plain = choice.parts === choice.kernel ? { alpha: 1 } : {}
  await runtime.run(chosen(choice.parts, options), { ...operands, ...sizes, ...place, ...plain })
  await joinParts(runtime, product, chunk, { partial, splits, width }, options)
}

/** Whether the rows of c are whole words, of four elements. */
function fitsResult({ c }: Product, { z, i, j }: Chunk): boolean {
  const from = c.offset + z[0] * c.batch + i[0] * c.row + j[0]
  return [from, c.row, z[1] > 1 ? c.batch : 0, j[1]].every((value) => value % 4 === 0)
}

const isSame = (x: Placed, y: Placed): boolean =>
  x.data === y.data && x.offset === y.offset && x.row === y.row && x.batch === y.batch
