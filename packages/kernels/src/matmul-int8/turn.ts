import { ceilDiv, d, each, fn, input, kernel, output, u32, vec4u } from '@weft/dsl'
import { copyParams, type U32 } from '../matmul-fast/numbers'
import { WIDE, WORD } from './options'
import { type Four, turned } from './turned'

/** Rows and columns of x that a workgroup turns. */
const SIDE = 128
/** Its invocations along rows of out, where a load of them is 32 bytes of a row of x and a store 64 bytes of a row of out. */
const ACROSS = 4

/**
 * out[z, j, i] = x[z, i, j] for a batch of rows × cols matrices of bytes with strides, in rows of `width` bytes, zeros behind each row: a
 * matrix that lies across k becomes one that lies along it, as loads of four products and subgroup matrices of bytes want it.
 *
 * x[z, i, j] lies as `copyParams` say, by multiples of 4 bytes; out: [batch, cols, width], width a multiple of 16 and at least rows. An
 * invocation reads four columns of sixteen rows, a word each, and turns them by fours, see turned.ts. On an H200 4096² take 11 µs of a
 * product, 1024² 3.
 */
export const matmulInt8Turn = kernel(
  'matmul_int8_turn',
  {
    doc: 'a batch of matrices of bytes, transposed, in rows of a width that loads of 16 bytes fit, with zeros behind each row',
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.vec4u)) },
    params: copyParams,
    workgroups: ({ cols, batch, width }) => [ceilDiv(width, SIDE).mul(ceilDiv(cols, SIDE)).mul(batch)],
  },
  ({ x, out, rows, cols, batch, offset, row, item, width }, k) => {
    const { across, down } = k.let({
      across: u32`(${width} + ${SIDE - 1}) / ${SIDE}`,
      down: u32`(${cols} + ${SIDE - 1}) / ${SIDE}`,
    })
    const tile = k.workgroupIndex
    const z = k.let('z', u32`${tile} / (${across} * ${down})`)
    const member = k.let('member', k.localIndex)
    // four invocations along rows of out, eight quads of columns, twice as many rows, four times as many columns
    const { i, j } = k.let({
      i: u32`${tile} % ${across} * ${SIDE} + (${member} % ${ACROSS} + ${member} / 32 % 2 * ${ACROSS}) * ${WIDE}`,
      j: u32`${tile} / ${across} % ${down} * ${SIDE} + (${member} / ${ACROSS} % 8 + ${member} / 64 * 8) * ${WORD}`,
    })
    k.if(z.lt(batch).and(i.lt(width)).and(j.lt(cols)), () => {
      const first = k.let('first', u32`(${offset} + ${z} * ${item} + ${j}) / ${WORD}`)
      const step = k.let('step', row.div(WORD))
      const words = each(WIDE).map((r) => {
        const line = k.let(`row${r}`, i.add(r))
        // read in any case, so that all sixteen are on their way at once
        const word = x.at(u32`${first} + min(${line}, ${rows} - 1) * ${step}`)
        return k.let(`word${r}`, fn.select(u32(0), word, line.lt(rows)))
      })
      const fours = each(4).map((f) => turned(k, `turned${f}`, words.slice(4 * f, 4 * f + 4) as Four<U32>))
      const place = k.let('place', u32`((${z} * ${cols} + ${j}) * ${width} + ${i}) / ${WIDE}`)
      for (const c of each(WORD)) {
        const line = fours.map((four) => four.at(c)) as Four<U32>
        k.if(j.add(c).lt(cols), () => out.at(u32`${place} + ${c} * (${width} / ${WIDE})`).set(vec4u(...line)))
      }
    })
  },
)
