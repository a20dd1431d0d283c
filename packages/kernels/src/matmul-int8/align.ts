import { ceilDiv, d, each, input, kernel, output, u32, vec4u } from '@weft/dsl'
import { copyParams, type U32 } from '../matmul-fast/numbers'
import { lowBytes } from '../quant/packed'
import { WIDE, WORD } from './options'
import type { Four } from './turned'

/**
 * out[z, i, j] = x[z, i, j] for a batch of rows × cols matrices of bytes with strides, in rows of `width` bytes, zeros behind each row: what
 * matmul_align is for floats.
 *
 * x[z, i, j] lies as `copyParams` say, by multiples of 4 bytes; out: [batch, rows, width], width a multiple of 16 and at least cols. An
 * invocation for each 16 bytes of out.
 */
export const matmulInt8Align = kernel(
  'matmul_int8_align',
  {
    doc: 'a batch of matrices of bytes in rows of a width that loads of 16 bytes fit, with zeros behind each row',
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.vec4u)) },
    params: copyParams,
    workgroups: ({ rows, batch, width }) => [ceilDiv(rows.mul(batch).mul(width.div(WIDE)), 256)],
  },
  ({ x, out, rows, cols, batch, offset, row, item, width }, k) => {
    const i = k.let('i', k.globalIndex)
    const across = k.let('across', width.div(WIDE))
    k.if(i.lt(rows.mul(batch).mul(across)), () => {
      const { line, col } = k.let({ line: i.div(across), col: i.rem(across).mul(WIDE) })
      const first = k.let(
        'first',
        u32`(${offset} + ${line} / ${rows} * ${item} + ${line} % ${rows} * ${row} + ${col}) / ${WORD}`,
      )
      const word = (j: number): U32 => {
        const at = k.let(`col${j}`, col.add(j * WORD))
        return k.when(at.lt(cols), () => lowBytes(k, x.at(first.add(j)), cols.sub(at)), 0)
      }
      const words = each(4).map(word) as Four<U32>
      out.at(i).set(vec4u(...words))
    })
  },
)
